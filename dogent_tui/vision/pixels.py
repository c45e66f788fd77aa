"""The process that decodes a picture: it may hang, grow or crash without affecting the application.

Standard input has a line with the request and then the file, standard output a line with the result
and then its bytes. Only pixels come out: where a photo was taken, previews, and data hidden after
the end of a picture stay here.
"""

import io
import sys
import warnings
from typing import TYPE_CHECKING

import msgspec

from dogent_tui.image_files import pillow_formats
from dogent_tui.language import tr
from dogent_tui.records import Record
from dogent_tui.vision.model import ImageLimits
from dogent_tui.wall.decoder import limit_process

if TYPE_CHECKING:
    from PIL import Image

FORMATS = ("PNG", "JPEG", "GIF", "BMP", "WEBP", "TIFF", "ICO", "AVIF", "HEIF")
"""The formats to open, as Pillow names them: common picture formats, none of which is a text or a
program. Those that do not require loading all plugins come first.
"""

MOST_PIXELS = 64_000_000
"""The number of pixels to decode: 256 MB."""
MOST_JPEG_PIXELS = 256_000_000
"""The number of pixels of a picture that can be decoded at a smaller size: phone cameras have 200
million.
"""
MOST_FRAMES_PIXELS = 400_000_000
"""The number of pixels in all frames of an animation up to the last one used: several seconds."""
_ANIMATED = frozenset({"GIF", "WEBP", "PNG", "AVIF"})
_FRAMES = 4
"""The number of frames of an animation to show, side by side."""
_QUALITIES = (92, 85, 75, 60)
"""JPEG qualities to try until it is small enough; after that its size is reduced."""
_BRIGHT = 200
_DRAWN_COLORS = 4096


class PreparedPicture(Record):
    """The result, followed by its bytes, unless there is a `problem`: `not_image`, `hostile`,
    `damaged`.
    """

    problem: str = ""
    mime: str = ""
    width: int = 0
    height: int = 0
    note: str = ""


def main() -> None:
    """Answer the one request on standard input."""
    limit_process()
    limits = msgspec.json.decode(sys.stdin.buffer.readline(), type=ImageLimits)
    made, data = prepare(sys.stdin.buffer.read(), limits)
    sys.stdout.buffer.write(msgspec.json.encode(made) + b"\n" + data)
    sys.stdout.buffer.flush()


def prepare(body: bytes, limits: ImageLimits) -> tuple[PreparedPicture, bytes]:
    """Return the picture `body` ready to send, upright, in RGB and small enough, or what is wrong
    with it.
    """
    from PIL import Image, UnidentifiedImageError

    Image.MAX_IMAGE_PIXELS = MOST_JPEG_PIXELS // 2  # an error only from twice as many on
    with warnings.catch_warnings():
        # about large pictures and malformed metadata
        warnings.simplefilter("ignore")
        try:
            with Image.open(io.BytesIO(body), formats=pillow_formats(body, FORMATS)) as image:
                return _made(image, limits)
        except UnidentifiedImageError:
            return PreparedPicture("not_image"), b""
        except (Image.DecompressionBombError, MemoryError):
            return PreparedPicture("hostile"), b""
        except Exception:  # decoders raise all kinds of errors for untrusted bytes
            return PreparedPicture("damaged"), b""


def _made(image: "Image.Image", limits: ImageLimits) -> tuple[PreparedPicture, bytes]:
    lossless, size = image.format not in {"JPEG", "MPO", "AVIF", "HEIF"}, image.size
    frames: int = getattr(image, "n_frames", 1)
    note = (
        tr("This is the first of {frames} pages.", frames=frames)
        if image.format == "TIFF" and frames > 1
        else ""
    )
    if frames > 1 and image.format in _ANIMATED:
        picture, note = _frames(image, frames, limits.side)
    else:
        picture = _upright(image, limits.side)
    mime, data, written = _small_enough(picture, limits, lossless=lossless)
    if not note and max(size) > max(written.size):
        note = tr(
            "It was scaled down from {width}×{height} pixels: small details may not be legible.",
            width=size[0],
            height=size[1],
        )
    return PreparedPicture("", mime, written.width, written.height, note), data


def _upright(image: "Image.Image", side: int) -> "Image.Image":
    """Return `image` as displayed, in RGB, with its longer side at most `side` pixels."""
    from PIL import Image, ImageOps

    whole = image.width * image.height
    # a JPEG can be decoded at an eighth of its size, but a progressive one is held completely
    image.draft(None, (side, side))
    if (
        whole > MOST_PIXELS and image.info.get("progressive")
    ) or image.width * image.height > MOST_PIXELS:
        raise Image.DecompressionBombError
    ImageOps.exif_transpose(image, in_place=True)
    picture = _colored(image)
    if max(picture.size) > side:
        scale = side / max(picture.size)
        fitting = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
        picture = picture.resize(fitting, Image.Resampling.LANCZOS, reducing_gap=3.0)
    return _opaque(picture) if picture.mode == "RGBA" else picture


def _colored(image: "Image.Image") -> "Image.Image":
    """Return `image` in RGB, or in RGBA if part of it is transparent."""
    # 16 bits and more: scale the used range to the displayable one
    if image.mode.startswith(("I", "F")):
        deep = image.convert("F")
        low, high = deep.getextrema()
        scale = 255 / (high - low) if high > low else 1.0  # type: ignore[operator]
        offset = -low * scale  # type: ignore[operator]
        return deep.point(lambda value: value * scale + offset).convert("RGB")
    mode = "RGBA" if image.has_transparency_data else "RGB"
    return image if image.mode == mode else image.convert(mode)


def _opaque(drawn: "Image.Image") -> "Image.Image":
    """Return `drawn` on white, or on a dark background if its visible part is bright."""
    from PIL import Image, ImageStat

    seen = drawn.getchannel("A").point(lambda alpha: 255 * (alpha > 127))
    is_bright = (
        seen.getbbox() is not None and ImageStat.Stat(drawn.convert("L"), seen).mean[0] > _BRIGHT
    )
    has_holes = seen.getextrema()[0] == 0
    ground = Image.new(
        "RGBA", drawn.size, (40, 40, 40, 255) if is_bright and has_holes else (255, 255, 255, 255)
    )
    return Image.alpha_composite(ground, drawn).convert("RGB")


def _frames(image: "Image.Image", count: int, side: int) -> tuple["Image.Image", str]:
    """Return frames of an animation in a two by two grid, from its beginning to its end or to the
    limit.
    """
    from PIL import Image

    within = max(1, min(count, MOST_FRAMES_PIXELS // (image.width * image.height)))
    chosen = sorted({round(step * (within - 1) / (_FRAMES - 1)) for step in range(_FRAMES)})
    tiles = []
    for number in chosen:
        image.seek(number)
        tiles.append(_upright(image.copy(), max(1, side // 2 - 2)))
    width, height = tiles[0].size
    columns = min(2, len(tiles))
    sheet = Image.new(
        "RGB", (columns * (width + 4), -(-len(tiles) // columns) * (height + 4)), (128, 128, 128)
    )
    for place, tile in enumerate(tiles):
        sheet.paste(
            tile, ((place % columns) * (width + 4) + 2, (place // columns) * (height + 4) + 2)
        )
    shown = ", ".join(str(number + 1) for number in chosen)
    return sheet, tr(
        "It is an animation of {count} frames; you see the frames {shown}, row by row.",
        count=count,
        shown=shown,
    )


def _small_enough(
    picture: "Image.Image", limits: ImageLimits, *, lossless: bool
) -> tuple[str, bytes, "Image.Image"]:
    if lossless and _is_drawn(picture):
        data = _encoded(picture, "PNG")
        if len(data) <= limits.bytes:
            return "image/png", data, picture
    while True:
        for quality in _QUALITIES:
            data = _encoded(picture, "JPEG", quality=quality, subsampling=0 if quality > 80 else 2)
            if len(data) <= limits.bytes or max(picture.size) <= 64:
                return "image/jpeg", data, picture
        picture = picture.resize((max(1, picture.width * 3 // 4), max(1, picture.height * 3 // 4)))


def _is_drawn(picture: "Image.Image") -> bool:
    """Return whether there are so few colors that PNG is suitable: drawings and screenshots, whose
    edges JPEG would blur.
    """
    from PIL import Image

    sample = picture.resize((256, 256), Image.Resampling.NEAREST)
    return sample.getcolors(_DRAWN_COLORS) is not None


def _encoded(picture: "Image.Image", form: str, **options: int) -> bytes:
    stream = io.BytesIO()
    clean = picture.copy()
    clean.info.clear()  # comments and profiles, which some formats would write
    clean.save(stream, form, **options)
    return stream.getvalue()
