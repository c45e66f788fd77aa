"""The images of a Markdown file: only from the workspace, identified by their content, and of
limited size.
"""

import base64
import binascii
import hashlib
import io
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlsplit

from dogent_tui.documents.export.left_out import LeftOut
from dogent_tui.documents.export.model import ExportImage
from dogent_tui.documents.export.source import read_regular
from dogent_tui.documents.export.svg import clean_svg
from dogent_tui.image_files import pillow_formats, without_metadata
from dogent_tui.language import tr
from dogent_tui.storage.paths import is_there

if TYPE_CHECKING:
    from PIL import Image as PillowImage

LARGEST = 24 << 20
"""The maximum size of an image in bytes."""

LARGEST_TOGETHER = 128 << 20
"""The total size of a document's images in bytes."""

MOST_PIXELS = 80_000_000
"""The maximum number of pixels of an image: more than from a camera, less than dangerous (four
bytes each).
"""

_KINDS = {
    "PNG": "png",
    "JPEG": "jpeg",
    "GIF": "gif",
    "WEBP": "webp",
    "BMP": "bmp",
    "TIFF": "tiff",
    "AVIF": "avif",
    "HEIF": "heic",
}
"""The formats that Pillow may open (its name → the name in ``image/…``). Others run programs (EPS)
or are rarely pictures.
"""

_EVERYWHERE = frozenset({"png", "jpeg", "gif"})
"""The formats that browsers, typst and Word all support; others are converted to png."""


_SCREEN_DPI = 96
"""The default resolution: one CSS pixel per image pixel."""
_UNSAID = 300
"""The default width in pixels of a vector image (CSS 2.1, 10.3.2)."""
_ORIENTATION = 0x0112
"""The tag of Exif 2.32, 4.6.4."""


DRAWN_IN_PART = tr("it is drawn without its links, its HTML and what it would load")
"""Why a vector image is told, as the end of a sentence, though it is shown."""


class LeftOutError(Exception):
    """Why a file is not used, as the end of a sentence."""


class Images:
    """Finds the images named in the Markdown file in `folder`. Missing and refused ones are
    recorded in `left_out`.

    `root` is the real path of the workspace. Blocks, and is not thread-safe.
    """

    def __init__(self, root: Path, folder: Path, left_out: LeftOut) -> None:
        self._left_out = left_out
        self._root = Path(os.path.realpath(root))
        self._folder = folder
        self._found: dict[str, ExportImage | None] = {}
        self.shown: dict[str, ExportImage] = {}
        """Those of the document, by their addresses in its tree."""
        self._bytes = 0

    def find(self, address: str) -> ExportImage | None:
        """Return the image at `address` as written in the Markdown: a path, percent-encoded or not,
        or a ``data:`` address.
        """
        if address not in self._found:
            try:
                self._found[address] = image = self._take(address)
                if image.removed:
                    self._left_out.add(tr("Image"), address, DRAWN_IN_PART)
            except LeftOutError as reason:
                self._found[address] = None
                self._left_out.add(tr("Image"), address, str(reason))
        return self._found[address]

    def show(self, image: ExportImage) -> str:
        """Return the address of an image in the tree of the document."""
        address = f"image-{hashlib.sha256(image.data).hexdigest()[:16]}"
        self.shown[address] = image
        return address

    def _take(self, address: str) -> ExportImage:
        image = identify(_inline(address) if address[:5].lower() == "data:" else self.read(address))
        self._bytes += len(image.data)
        if self._bytes > LARGEST_TOGETHER:
            self._bytes -= len(image.data)
            raise LeftOutError(
                tr(
                    "all images together exceed {size} MB; make them smaller",
                    size=LARGEST_TOGETHER >> 20,
                )
            )
        return image

    def place(self, address: str) -> Path:
        """Return the real path of a local file inside the workspace. Raises LeftOutError."""
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


def read_own(path: Path, root: Path | None, limit: int) -> bytes:
    """Return the content of `path`, up to `limit` bytes: it may be a link, but not to the outside
    of `root`, if given. Raises LeftOutError.
    """
    real = Path(os.path.realpath(path))
    return Images(root or real.parent, real.parent, LeftOut()).read(quote(real.name), limit)


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
    """Identify the image `content`, regardless of its name. Raises an exception of `Images` for
    `find`.
    """
    head = content[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"<") and b"<svg" in content[:65_536]:
        if (drawing := clean_svg(content)) is None:
            raise LeftOutError(tr("it is a damaged or unsafe svg"))
        return drawing
    from PIL import Image, ImageOps, UnidentifiedImageError  # on use

    formats = pillow_formats(content, _KINDS)
    content = without_metadata(content)  # where a photo was taken is private
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow warns about sizes that the limit below refuses
            with Image.open(io.BytesIO(content), formats=formats) as image:
                if image.width * image.height > MOST_PIXELS:
                    raise LeftOutError(
                        tr(
                            "it has more than {size} million pixels; make it smaller",
                            size=MOST_PIXELS // 1000000,
                        )
                    )
                kind = _KINDS[image.format or ""]
                # damage should be detected here instead of leaving a gap in the document
                image.load()
                dpi = _dpi(image.info)
                size = (image.width, image.height)
                if kind not in _EVERYWHERE or image.getexif().get(_ORIENTATION, 1) != 1:
                    # Word and typst ignore the orientation
                    upright = ImageOps.exif_transpose(image)
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
    image.info.clear()  # some of this would be written
    image.save(buffer, "PNG")
    return buffer.getvalue(), "png"


def own_width(image: ExportImage) -> str:
    """Return the width of an image where none is given."""
    # with the screen resolutions 72 and 96, a pixel is a CSS pixel
    dpi = max(image.dpi, _SCREEN_DPI)
    return f"{(image.width or _UNSAID) * 72 / dpi:.2f}pt"


def _dpi(info: dict[Any, Any]) -> float:
    found = info.get("dpi")
    try:
        value = float(found[0]) if found else 0.0
    except (TypeError, ValueError, IndexError, ZeroDivisionError):
        return 0.0
    return value if 10 < value < 10_000 else 0.0
