"""The process that decodes an image from the web to verify that it is complete: it may hang, grow
or crash.

Standard input is the file, standard output its type. A JPEG of 200 KB can contain 2,000 scans of 64
million pixels each: minutes of decoding that cannot be stopped in a thread.
"""

import io
import sys
import warnings
from typing import Literal

import msgspec

from dogent_tui.records import Record
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
"""The formats to save: Pillow's name → extension."""

_MOST_PIXELS = 64_000_000
"""The number of pixels to decode to verify an image: about 200 MB."""

Problem = Literal["", "not_image", "too_many_pixels", "damaged"]


class Checked(Record):
    """The type of an image or, in `problem`, what is wrong with it. `format` is Pillow's name."""

    problem: Problem = ""
    format: str = ""
    width: int = 0
    height: int = 0


def main() -> None:
    """Examine standard input."""
    limit_process()
    sys.stdout.buffer.write(msgspec.json.encode(check(sys.stdin.buffer.read())))
    sys.stdout.buffer.flush()


def check(body: bytes) -> Checked:
    """Return the type of the image `body`, or that it is not one, incomplete, or too large to
    decode.
    """
    from PIL import Image, UnidentifiedImageError

    with warnings.catch_warnings():
        # about large images and malformed metadata
        warnings.simplefilter("ignore")
        try:
            with Image.open(io.BytesIO(body), formats=list(FORMATS)) as image:
                found = Checked("", image.format or "", image.width, image.height)
                if found.width * found.height > _MOST_PIXELS:
                    return Checked("too_many_pixels")
                image.verify()
            with Image.open(io.BytesIO(body), formats=list(FORMATS)) as image:
                image.draft(None, (64, 64))  # if the format can be decoded at a smaller size
                image.load()
        except (Image.DecompressionBombError, MemoryError):
            return Checked("too_many_pixels")
        except UnidentifiedImageError:
            return Checked("not_image")
        except Exception:  # decoders raise all kinds of errors for untrusted bytes
            return Checked("damaged")
    return found
