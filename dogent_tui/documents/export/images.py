"""The images of a Markdown file: taken out of the workspace only, known by what they hold, and
small enough to travel.
"""

import base64
import binascii
import io
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import msgspec

from dogent_tui.documents.export.left_out import LeftOut
from dogent_tui.documents.export.source import read_regular
from dogent_tui.documents.export.svg import clean_svg
from dogent_tui.image_files import pillow_formats, without_metadata
from dogent_tui.language import tr
from dogent_tui.storage.paths import is_there

if TYPE_CHECKING:
    from PIL import Image as PillowImage

LARGEST = 24 << 20
"""Bytes of one image."""

LARGEST_TOGETHER = 128 << 20
"""Bytes of all images of a document."""

MOST_PIXELS = 80_000_000
"""Pixels of one image: more than a camera makes, less than hurts (four bytes each)."""

_KINDS = {name: name.lower() for name in ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "AVIF")}
_KINDS["HEIF"] = "heic"
"""What Pillow may open (its name → the name in ``image/…``). Others of its formats run programs
(EPS) or are seldom pictures.
"""

_EVERYWHERE = frozenset({"png", "jpeg", "gif"})
"""What browsers, typst and Word all draw; the rest becomes png."""


SCREEN_DPI = 96
"""What an image has that says nothing: a pixel of CSS for each of its own."""
_ORIENTATION = 0x0112
"""The tag of Exif 2.32, 4.6.4."""


class ExportImage(msgspec.Struct, frozen=True):
    """An image that may go into a document. `kind` is ``png``, ``jpeg``, ``gif`` or ``svg``;
    `width` and `height` are in pixels, 0 where a vector image does not say; `dpi` is what the file
    says, 0 where it says nothing.
    """

    data: bytes
    kind: str
    width: int = 0
    height: int = 0
    dpi: float = 0

    @property
    def data_uri(self) -> str:
        """The whole image as an address."""
        kind = "svg+xml" if self.kind == "svg" else self.kind
        return f"data:image/{kind};base64,{base64.b64encode(self.data).decode('ascii')}"


class LeftOutError(Exception):
    """Why a file is not taken: the end of a sentence."""


class Images:
    """Finds the images that the Markdown file in `folder` names. What it does not give is noted in
    `left_out`.

    `root` is the real path of the workspace. Blocks, and is not safe for several threads at once.
    """

    def __init__(self, root: Path, folder: Path, left_out: LeftOut) -> None:
        self._left_out = left_out
        self._root = Path(os.path.realpath(root))
        self._folder = folder
        self._found: dict[str, ExportImage | None] = {}
        self._bytes = 0

    def find(self, address: str) -> ExportImage | None:
        """Return the image at `address` as the Markdown has it: a path, percent-encoded or not,
        or a ``data:`` address.
        """
        if address not in self._found:
            try:
                self._found[address] = self._take(address)
            except LeftOutError as reason:
                self._found[address] = None
                self._left_out.add(tr("Image"), address, str(reason))
        return self._found[address]

    def add(self, address: str, image: ExportImage) -> None:
        """Have `find` return `image`, which is ours."""
        self._found[address] = image

    def _take(self, address: str) -> ExportImage:
        image = identify(_inline(address) if address[:5].lower() == "data:" else self.read(address))
        self._bytes += len(image.data)
        if self._bytes > LARGEST_TOGETHER:
            self._bytes -= len(image.data)
            message = tr("all images together exceed {size} MB; make them smaller")
            raise LeftOutError(message.format(size=LARGEST_TOGETHER >> 20))
        return image

    def place(self, address: str) -> Path:
        """Return the real path of a local file that lies in the workspace. Raises LeftOutError."""
        try:
            parts = urlsplit(address)
        except ValueError:
            raise LeftOutError(tr("not an address")) from None
        if parts.netloc or address.startswith(("//", "\\\\")) or len(parts.scheme) > 1:
            # one letter would be a drive
            if parts.scheme.lower() == "file":
                raise LeftOutError(tr("it is a file address; use a path"))
            raise LeftOutError(tr("it is on the network; save it here first"))
        names = dict.fromkeys((unquote(address), address, unquote(parts.path)))
        places = [self._folder / name.replace("\0", "") for name in names]
        real = Path(os.path.realpath(next(filter(is_there, places), places[-1])))
        if not real.is_relative_to(self._root):
            raise LeftOutError(tr("it is outside the workspace"))
        if not is_there(real):
            raise LeftOutError(tr("no such file"))
        return real

    def read(self, address: str, limit: int = LARGEST) -> bytes:
        """Return the file of the workspace at `address`, up to `limit` bytes. Raises
        LeftOutError.
        """
        try:
            content = read_regular(self.place(address), limit)
        except OSError as error:
            raise LeftOutError((error.strerror or tr("cannot be read")).lower()) from None
        if len(content) > limit:
            raise _too_large(limit)
        return content


def _too_large(limit: int) -> LeftOutError:
    return LeftOutError(tr("it is larger than {size} MB; make it smaller", size=limit >> 20))


def _inline(address: str) -> bytes:
    head, comma, body = address.partition(",")
    if not comma or not head.lower().startswith("data:image/"):
        raise LeftOutError(tr("it is not an image"))
    if len(body) > LARGEST * 4 // 3:
        raise _too_large(LARGEST)
    if not head.lower().endswith(";base64"):
        return unquote(body).encode()
    try:
        return base64.b64decode(unquote(body))
    except (binascii.Error, ValueError):
        raise LeftOutError(tr("it is damaged")) from None


def identify(content: bytes) -> ExportImage:
    """Return the image that `content` is, by what it holds and not by any name. Raises an
    exception of `Images` for `find`.
    """
    head = content[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"<") and b"<svg" in content[:65_536]:
        drawing = clean_svg(content)
        if drawing is None:
            raise LeftOutError(tr("it is a damaged or unsafe svg"))
        return ExportImage(drawing.data, "svg", drawing.width, drawing.height)
    from PIL import Image, ImageOps, UnidentifiedImageError  # on use

    formats = pillow_formats(content, _KINDS)
    content = without_metadata(content)  # where a photo was taken is nobody's business
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow warns of what the limit below refuses
            with Image.open(io.BytesIO(content), formats=formats) as image:
                if image.width * image.height > MOST_PIXELS:
                    message = tr("it has more than {size} million pixels; make it smaller")
                    raise LeftOutError(message.format(size=MOST_PIXELS // 1000000))
                kind = _KINDS[image.format or ""]
                image.load()  # a damaged one should be known here, not leave a gap in the document
                dpi = _dpi(image.info)
                size = (image.width, image.height)
                if kind not in _EVERYWHERE or image.getexif().get(_ORIENTATION, 1) != 1:
                    upright = ImageOps.exif_transpose(image)  # Word and typst show it as it lies
                    size = (upright.width, upright.height)
                    content, kind = _upright(upright, kind)
    except UnidentifiedImageError:
        raise LeftOutError(tr("it is not an image")) from None
    except Image.DecompressionBombError:
        raise LeftOutError(tr("it has too many pixels; make it smaller")) from None
    except (OSError, ValueError, SyntaxError, EOFError, KeyError):
        raise LeftOutError(tr("it is damaged")) from None
    return ExportImage(content, kind, *size, dpi)


def _upright(image: "PillowImage.Image", kind: str) -> tuple[bytes, str]:
    buffer = io.BytesIO()
    if kind == "jpeg":
        image.save(buffer, "JPEG", quality=92, subsampling=0)
        return buffer.getvalue(), kind
    if image.mode not in {"1", "L", "LA", "P", "RGB", "RGBA", "I;16"}:
        image = image.convert("RGB")
    image.info.clear()  # of what is in there, some is written
    image.save(buffer, "PNG")
    return buffer.getvalue(), "png"


def _dpi(info: dict[Any, Any]) -> float:
    found = info.get("dpi")
    try:
        value = float(found[0]) if found else 0.0
    except (TypeError, ValueError, IndexError, ZeroDivisionError):
        return 0.0
    return value if 10 < value < 10_000 else 0.0
