"""The pictures of a docx.

Pandoc would take 0.4 s per megabyte of a ``data:`` address (measured): it gets short ones instead,
whose content is replaced in the package.
"""

import base64
from typing import Any, NamedTuple

from dogent_tui.documents.export import tree
from dogent_tui.documents.export.images import Images
from dogent_tui.documents.export.lengths import points
from dogent_tui.documents.export.model import ExportImage
from dogent_tui.documents.export.tree import attributes, node
from dogent_tui.documents.export.typst import typeset
from dogent_tui.documents.model import DocumentError
from dogent_tui.processes import Halt
from dogent_tui.temporary import temporary_folder

PNG = b"-png"
"""The end of the content that stands for the fallback of an svg."""


class TextArea(NamedTuple):
    """The space on a page, in points."""

    width: float
    height: float


class Pictures:
    """Prepares the images of one document. `files` are their contents by what stands for them in
    pandoc's package; `fallbacks` are to be written after the text.
    """

    def __init__(self, images: Images, area: TextArea, halt: Halt | None = None) -> None:
        self.files: dict[bytes, bytes] = {}
        self.fallbacks: list[tree.Node] = []
        self._images, self._area, self._halt = images, area, halt
        self.beside = 1
        """The number of those next to each other, by which pandoc divides their sizes."""

    def small(self, content: Any) -> list[tree.Node]:
        """Return the image `content` with a short address."""
        (name, _, sizes), alt, (address, title) = content
        image = self._images.shown[address]
        wide, high = fitted(image, dict(sizes), self._area)
        scale = self.beside * min(1.0, self._area.width / self.beside / wide)
        given = attributes(name, width=f"{wide * scale:.2f}pt", height=f"{high * scale:.2f}pt")
        key = address.encode()
        if image.kind == "svg" and key not in self.files:
            short = ExportImage(key + PNG, "png").data_uri
            drawn = node("Image", [attributes(), [], [short, ""]])
            self.fallbacks.append(node("Para", [drawn]))
            self.files[key + PNG] = fallback_png(image, self._halt)
        self.files[key] = image.data
        return [node("Image", [given, alt, [ExportImage(key, image.kind).data_uri, title]])]


def fitted(image: ExportImage, sizes: dict[str, str], area: TextArea) -> tuple[float, float]:
    """Return the display size of `image` in points: as requested, but never larger than the
    page.
    """
    ratio = image.height / image.width if image.width else 0.5  # (CSS 2.1, 10.3.2)
    wide = points(sizes.get("width", ""), area.width)
    high = points(sizes.get("height", ""), area.height)
    wide = wide or high / ratio
    high = high or wide * ratio
    shrink = min(1.0, area.width / wide, area.height / high)
    return wide * shrink, high * shrink


_PAGE = (
    "#set page(width: auto, height: auto, margin: 0pt, fill: none)\n"
    '#image("drawing.svg", {side}: 400pt)'
)
"""The resolution with which `set_typst` produces 1600 pixels on the longer side: sharp on paper up
to about 14 cm.
"""
_NOTHING = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
"""One pixel, if the drawing cannot be rendered: programs that support svg still display it."""


def fallback_png(drawing: ExportImage, halt: Halt | None = None) -> bytes:
    """Render the svg `drawing` as a PNG. Blocks for about a second: use a thread. Never raises."""
    with temporary_folder() as folder:
        (folder / "drawing.svg").write_bytes(drawing.data)
        side = "height" if drawing.height > drawing.width else "width"
        (folder / "document.typ").write_text(_PAGE.format(side=side), "utf-8")
        try:
            return typeset(folder, "png", halt=halt)
        except DocumentError:
            return _NOTHING
