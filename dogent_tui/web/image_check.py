"""The process that decodes an image of the web to see whether it is a whole one: it may hang, grow
and crash on what it gets.

On standard input comes the file, on standard output goes what it is. Some 200 KB of a JPEG can hold
2,000 scans of 64 million pixels each, which are minutes of decoding that no thread can be stopped
in.
"""

import io
import sys
import warnings
from typing import Literal, TypeAlias

import msgspec

from dogent_tui.wall.decoder import limit_process

FORMATS = {
    "PNG": ".png",
    "JPEG": ".jpg",
    "GIF": ".gif",
    "WEBP": ".webp",
    "AVIF": ".avif",
    "TIFF": ".tiff",
    "BMP": ".bmp",
    "ICO": ".ico",
}
"""What is saved, and how it is called: Pillow's name of a format, and its extension."""

_MOST_PIXELS = 64_000_000
"""Of all that is decoded to see whether an image is whole: some 200 MB."""

Problem: TypeAlias = Literal["", "not_image", "too_many_pixels", "damaged"]


class Checked(msgspec.Struct, frozen=True):
    """What an image is, or with `problem` what is wrong with it. `format` is as Pillow calls it."""

    problem: Problem = ""
    format: str = ""
    width: int = 0
    height: int = 0


def main() -> None:
    """Answer what standard input holds."""
    limit_process()
    sys.stdout.buffer.write(msgspec.json.encode(check(sys.stdin.buffer.read())))
    sys.stdout.buffer.flush()


def check(body: bytes) -> Checked:
    """Return what image `body` is, or that it is none, or not a whole one, or too large to be
    decoded.
    """
    from PIL import Image, UnidentifiedImageError

    with warnings.catch_warnings():
        # about large images, and metadata that is not as it should be
        warnings.simplefilter("ignore")
        try:
            with Image.open(io.BytesIO(body), formats=list(FORMATS)) as image:
                found = Checked("", image.format or "", image.width, image.height)
                if found.width * found.height > _MOST_PIXELS:
                    return Checked("too_many_pixels")
                image.verify()
            with Image.open(io.BytesIO(body), formats=list(FORMATS)) as image:
                image.draft(None, (64, 64))  # where the format can be decoded in a smaller size
                image.load()
        except (Image.DecompressionBombError, MemoryError):
            return Checked("too_many_pixels")
        except UnidentifiedImageError:
            return Checked("not_image")
        except Exception:  # whatever a decoder makes of bytes from outside
            return Checked("damaged")
    return found
