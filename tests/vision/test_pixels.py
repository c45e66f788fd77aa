"""How a picture is made ready: upright, opaque, small enough. In this process, where a test can
look.
"""

import io
import struct
import zlib

import pytest
from PIL import Image, ImageDraw, PngImagePlugin

from dogent_tui.vision import pixels
from dogent_tui.vision.model import ImageLimits
from dogent_tui.vision.pixels import prepare
from tests.vision.media_files import animation, opened, picture

LIMITS = ImageLimits(side=400, bytes=1 << 20)


def made(body, limits=LIMITS):
    answer, data = prepare(body, limits)
    assert answer.problem == ""
    with opened(data) as image:
        image.load()
    assert (answer.width, answer.height) == image.size
    return answer, image


def saved(image, form="PNG", **options):
    stream = io.BytesIO()
    image.save(stream, form, **options)
    return stream.getvalue()


def near(image, place, color):
    return all(abs(a - b) < 12 for a, b in zip(image.getpixel(place), color, strict=True))


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "AVIF", "ICO"])
def test_every_format_becomes_one_that_providers_take(form):
    answer, image = made(picture(form, (32, 32)))
    assert (image.size, image.mode, answer.note) == ((32, 32), "RGB", "")
    assert answer.mime == f"image/{image.format.lower()}"
    assert image.format == ("JPEG" if form in {"JPEG", "AVIF"} else "PNG")
    assert near(image, (20, 20), (254, 0, 0))


def test_only_pixels_travel():
    info = PngImagePlugin.PngInfo()
    info.add_text("Comment", "made by somebody")
    exif = Image.Exif()
    exif[0x010E] = "made by somebody"
    png = picture("PNG", pnginfo=info, exif=exif) + b"made by somebody"
    jpeg = picture("JPEG", comment=b"made by somebody", exif=exif) + b"made by somebody"
    for content in (png, jpeg, picture("WEBP", exif=exif)):
        assert b"made by somebody" in content
        answer, data = prepare(content, LIMITS)
        assert answer.problem == ""
        assert b"somebody" not in data
        with opened(data) as image:
            assert not image.getexif()


def test_drawings_keep_their_edges_and_photos_stay_small():
    assert prepare(picture("PNG"), LIMITS)[0].mime == "image/png"
    noise = Image.merge("RGB", [Image.effect_noise((300, 300), 200) for _ in range(3)])
    assert prepare(saved(noise), LIMITS)[0].mime == "image/jpeg"


def test_large_pictures_are_scaled_down_and_the_model_is_told():
    answer, image = made(picture("JPEG", (4000, 1000)))
    assert image.size == (400, 100)
    assert "scaled down from 4000×1000" in answer.note
    assert made(picture("PNG", (1, 5000)))[1].size == (1, 400)
    assert made(picture("PNG", (10, 10)))[1].size == (10, 10)


@pytest.mark.parametrize("form", ["JPEG", "TIFF", "PNG", "WEBP"])
def test_a_photo_taken_on_the_side_stands_upright(form):
    image = Image.new("RGB", (80, 40), "white")
    ImageDraw.Draw(image).rectangle((0, 0, 39, 39), "red")
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    _, upright = made(saved(image, form, exif=exif))
    assert upright.size == (40, 80)
    assert near(upright, (20, 10), (254, 0, 0))
    assert near(upright, (20, 70), (255, 255, 255))


def test_cmyk_gray_palette_and_deep_pictures_are_seen():
    assert near(
        made(saved(Image.new("CMYK", (20, 20), (0, 255, 255, 0)), "JPEG"))[1], (5, 5), (254, 0, 0)
    )
    assert made(saved(Image.new("1", (20, 20), 1)))[1].getpixel((5, 5)) == (255, 255, 255)
    assert made(saved(Image.new("P", (20, 20), 0), "GIF"))[1].mode == "RGB"
    deep = Image.new("I;16", (20, 20), 0)
    deep.paste(40_000, (0, 0, 10, 20))
    image = made(saved(deep))[1]
    assert (image.getpixel((5, 5)), image.getpixel((15, 5))) == ((255, 255, 255), (0, 0, 0))
    assert made(saved(Image.new("F", (20, 20), 3.0), "TIFF"))[1].size == (20, 20)
    assert made(saved(Image.new("LA", (20, 20), (0, 255))))[1].getpixel((5, 5)) == (0, 0, 0)


@pytest.mark.parametrize(
    ("ink", "ground"), [((0, 0, 0, 255), (255, 255, 255)), ((255, 255, 255, 255), (40, 40, 40))]
)
def test_what_is_drawn_on_nothing_can_be_told_from_it(ink, ground):
    image = Image.new("RGBA", (40, 40), (*ink[:3], 0))
    ImageDraw.Draw(image).rectangle((0, 0, 9, 9), ink)
    _, seen = made(saved(image))
    assert (seen.getpixel((5, 5)), seen.getpixel((30, 30))) == (ink[:3], ground)
    assert made(saved(Image.new("RGBA", (9, 9), (1, 2, 3, 0))))[1].getpixel((5, 5)) == (
        255,
        255,
        255,
    )


@pytest.mark.parametrize("form", ["GIF", "WEBP", "PNG"])
def test_an_animation_is_shown_as_four_of_its_frames(form):
    answer, image = made(animation(form))
    assert "an animation of 5 frames; you see the frames 1, 2, 4, 5" in answer.note
    assert image.size == (48, 28)
    assert near(image, (10, 6), (255, 0, 0))
    assert near(image, (34, 22), (0, 0, 0))


def test_of_an_animation_no_more_is_decoded_than_is_bearable(monkeypatch):
    monkeypatch.setattr(pixels, "MOST_FRAMES_PIXELS", 20 * 10 * 2)
    assert "you see the frames 1, 2," in made(animation())[0].note


def test_of_many_pages_the_first_is_shown():
    pages = [Image.new("RGB", (20, 20), color) for color in ("red", "blue")]
    answer, image = made(saved(pages[0], "TIFF", save_all=True, append_images=pages[1:]))
    assert answer.note == "This is the first of 2 pages."
    assert near(image, (5, 5), (255, 0, 0))


def test_it_fits_into_the_bytes_that_a_provider_takes():
    noise = Image.effect_noise((300, 300), 200)
    for form in ("PNG", "JPEG"):
        for limit in (40_000, 5_000):
            answer, data = prepare(saved(noise, form), ImageLimits(400, limit))
            assert len(data) <= limit
            assert answer.mime == "image/jpeg"
    assert prepare(picture("PNG"), ImageLimits(400, 5_000))[0].mime == "image/png"


def png_of(width, height):
    """A picture that is said to have so many pixels, in next to no bytes."""

    def chunk(kind, content):
        return (
            struct.pack(">I", len(content))
            + kind
            + content
            + struct.pack(">I", zlib.crc32(kind + content))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(bytes(1000)))
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize("size", [(9_000, 9_000), (50_000, 50_000), (2**31 - 1, 1)])
def test_a_bomb_is_not_opened(size):
    assert prepare(png_of(*size), LIMITS)[0].problem == "hostile"


@pytest.mark.parametrize("cut", [0.5, 0.9])
@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP", "TIFF", "AVIF"])
def test_a_part_of_a_picture_is_no_picture(form, cut):
    noise = Image.effect_noise((200, 200), 100)
    whole = saved(noise, form)
    assert prepare(whole[: int(len(whole) * cut)], LIMITS)[0].problem in {"damaged", "not_image"}
    assert prepare(b"", LIMITS)[0].problem == "not_image"
