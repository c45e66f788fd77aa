"""The images of a docx: pandoc gets small stand-ins of the right size, and the pictures take their
places afterwards.

Pandoc would take 0.4 s for each megabyte of a ``data:`` address and keep its text in the document
as a description (measured).
"""

import base64
import io
import os
import re
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from typing import NamedTuple

from dogent_tui.documents.export.images import ExportImage, Images
from dogent_tui.processes import Halt, run_to_end
from dogent_tui.wall.own import own_environment, walled

_POINTS = {
    "px": 0.75,
    "": 0.75,
    "pt": 1.0,
    "pc": 12.0,
    "in": 72.0,
    "cm": 72 / 2.54,
    "mm": 72 / 25.4,
}
"""How many points a unit has; a pixel is that of CSS, 96 to the inch."""

_SIZE = re.compile(r"(\d{1,5}(?:\.\d{1,4})?)\s*(%|px|pt|pc|in|cm|mm|)")
_ORIENTATION = 0x0112
"""The tag of Exif 2.32, 4.6.4."""
_UNSAID = (300, 150)
"""Pixels of a vector image that does not say (CSS 2.1, 10.3.2)."""
_SCREEN_DPI = 96
"""What an image has that says nothing, or what screens once had: 72."""
_DPI = 720
"""Of a stand-in: a tenth of a point to the pixel."""
_PER_METER = -(-_DPI * 10_000 // 254)
"""Rounded up, as pandoc rounds down to whole dots per inch."""


class TextArea(NamedTuple):
    """What a page has room for, in points."""

    width: float
    height: float


class StandIns:
    """Places the images of one document. `pictures` maps the stand-in, as it will lie in the
    docx, to its picture.
    """

    def __init__(self, images: Images, area: TextArea) -> None:
        self.pictures: dict[bytes, ExportImage] = {}
        self._images = images
        self._area = area
        self._placed: dict[tuple[str, str, str], str | None] = {}

    def place(self, address: str, width: str, height: str) -> str | None:
        """Return the address of the stand-in for an image of the wanted size (as ``5cm`` or
        ``50%``); None: it is left out.
        """
        key = (address, width, height)
        if key not in self._placed:
            image = self._images.find(address)
            self._placed[key] = (
                None if image is None else self._stand_in(_upright(image), width, height)
            )
        return self._placed[key]

    def _stand_in(self, image: ExportImage, width: str, height: str) -> str:
        points = fitted(image, width, height, self._area)
        content = _png(points, len(self.pictures))
        self.pictures[content] = image
        return f"data:image/png;base64,{base64.b64encode(content).decode('ascii')}"


def _upright(image: ExportImage) -> ExportImage:
    """Return a photograph that says in which way it was held as it is meant to be seen: Word
    shows it as it lies.
    """
    if image.kind != "jpeg":
        return image
    from PIL import Image, ImageOps  # on use

    with Image.open(io.BytesIO(image.data)) as photograph:
        if photograph.getexif().get(_ORIENTATION, 1) == 1:
            return image
        turned = ImageOps.exif_transpose(photograph)
        buffer = io.BytesIO()
        turned.save(buffer, "JPEG", quality=92, subsampling=0)
    return ExportImage(buffer.getvalue(), "jpeg", *turned.size, image.dpi)


def fitted(image: ExportImage, width: str, height: str, area: TextArea) -> tuple[float, float]:
    """Return the size in points at which `image` stands on a page: as wished, else its own, and
    never larger than the page.
    """
    own = (image.width or _UNSAID[0], image.height or _UNSAID[1])
    ratio = own[1] / own[0]
    wide, high = _points(width, area.width), _points(height, area.height)
    if wide is None and high is None:
        wide = own[0] * 72 / (image.dpi if image.dpi > _SCREEN_DPI + 1 else _SCREEN_DPI)
    if wide is None:
        assert high is not None
        wide = high / ratio
    if high is None:
        high = wide * ratio
    shrink = min(1.0, area.width / wide, area.height / high)
    return wide * shrink, high * shrink


def _points(text: str, whole: float) -> float | None:
    found = _SIZE.fullmatch(text.strip().lower())
    if found is None or not float(found[1]):
        return None
    return float(found[1]) * (whole / 100 if found[2] == "%" else _POINTS[found[2]])


def _png(size: tuple[float, float], number: int) -> bytes:
    """Return the head of a PNG of this size in points, with a number that tells it from others. It
    has no pixels to draw.

    https://www.w3.org/TR/png-3/#5DataRep
    """
    width, height = (max(1, round(length * _DPI / 72)) for length in size)
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"pHYs", struct.pack(">IIB", _PER_METER, _PER_METER, 1)),
        (b"tEXt", b"Comment\0%d" % number),
        (b"IDAT", zlib.compress(b"")),
        (b"IEND", b""),
    )
    body = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(body)


_LIMIT_S = 10.0
_DRAW = Path(__file__).with_name("draw_svg.py")
_PNG = b"\x89PNG\r\n\x1a\n"
_NOTHING = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
"""One pixel, where the drawing cannot be drawn: programs that know svg show it still."""


def fallback_png(drawing: ExportImage, halt: Halt | None = None) -> bytes:
    """Return the svg `drawing` as a PNG. Blocks for a second or so: for a thread. Never raises.

    MuPDF draws it in a process of its own, as a drawing may ask for any amount of work. ``-P``
    keeps the folder that we happen to stand in out of where Python looks for modules.
    """
    command = walled([sys.executable, "-P", str(_DRAW)])
    try:
        done = run_to_end(
            command,
            stdin=drawing.data,
            cwd=Path(os.sep),
            env=own_environment(),
            limit_s=_LIMIT_S,
            halt=halt,
        )
    except (OSError, subprocess.TimeoutExpired):
        return _NOTHING
    return done.stdout if done.returncode == 0 and done.stdout.startswith(_PNG) else _NOTHING
