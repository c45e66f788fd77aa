"""Where a picture was taken does not come along with it; its pixels and which side is up do."""

import io

import pytest
from PIL import Image

from dogent_tui.web.image_metadata import without_metadata

SECRET = "48.8577 2.295"


def picture(form, **options):
    image = Image.effect_noise((40, 20), 90).convert("RGB")
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x010E] = SECRET
    stream = io.BytesIO()
    image.save(stream, form, exif=exif, **options)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("form", "options"),
    [
        ("JPEG", {"comment": SECRET, "xmp": SECRET.encode()}),
        ("JPEG", {"progressive": True}),
        ("PNG", {}),
        ("WEBP", {"xmp": SECRET.encode()}),
        ("WEBP", {"lossless": True}),
    ],
)
def test_metadata_are_taken_out_and_pixels_stay(form, options):
    made = picture(form, **options)
    assert SECRET.encode() in made
    clean = without_metadata(made)
    assert SECRET.encode() not in clean
    with Image.open(io.BytesIO(made)) as before, Image.open(io.BytesIO(clean)) as after:
        assert after.tobytes() == before.tobytes()
        assert after.format == form
        assert after.getexif().get(0x0112) == (6 if form == "JPEG" else None)
    assert without_metadata(clean) == clean


def test_what_is_broken_or_unknown_stays_as_it_is():
    for made in (picture("JPEG"), picture("PNG"), picture("WEBP")):
        for end in range(0, len(made), 97):
            assert without_metadata(made[:end]) is not None
    assert without_metadata(b"GIF89a\0\0") == b"GIF89a\0\0"
