"""The pictures of a docx: the markup for each, and their files in the package.

Pandoc itself would take 0.4 s per megabyte of a ``data:`` address (measured), and does not support
svg with a PNG fallback.
"""

import base64
import hashlib
import os
import tempfile
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import quoteattr

from dogent_tui.documents.export import tree
from dogent_tui.documents.export.images import SCREEN_DPI, ExportImage, Images
from dogent_tui.documents.export.lengths import points
from dogent_tui.documents.export.typst import typeset
from dogent_tui.documents.model import DocumentError
from dogent_tui.processes import Halt

_UNSAID = (300, 150)
"""The default size in pixels of a vector image (CSS 2.1, 10.3.2)."""
_EMU = 12700
"""English Metric Units per point."""
_DRAWING = """<w:r><w:drawing><wp:inline distT="0" distB="0" distL="0" distR="0">
<wp:extent cx="{wide}" cy="{high}"/>
<wp:docPr id="{number}" name="Picture {number}" descr={words} title={title}/><a:graphic>
<a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic>
<pic:nvPicPr><pic:cNvPr id="{number}" name="Picture {number}"/><pic:cNvPicPr/></pic:nvPicPr>
<pic:blipFill><a:blip r:embed="{relation}">{svg}</a:blip><a:stretch><a:fillRect/></a:stretch>
</pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="{wide}" cy="{high}"/></a:xfrm>
<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic>
</wp:inline></w:drawing></w:r>""".replace("\n", "")
_SVG = (
    '<a:extLst><a:ext uri="{{96DAC541-7B7A-43D3-8B79-37D633B846F1}}"><asvg:svgBlip'
    ' xmlns:asvg="http://schemas.microsoft.com/office/drawing/2016/SVG/main" r:embed="{relation}"/>'
    "</a:ext></a:extLst>"
)
"""The svg of a PNG fallback ([MS-ODRAWXML] 2.3.3.16)."""


class TextArea(NamedTuple):
    """The space on a page, in points."""

    width: float
    height: float


class Pictures:
    """Writes the images of one document. `files` are those of the package, by name."""

    def __init__(self, images: Images, area: TextArea, halt: Halt | None = None) -> None:
        self.files: dict[str, bytes] = {}
        self._images, self._area, self._halt = images, area, halt
        self._count = 0

    def drawn(self, content: Any) -> list[tree.Node]:
        """Return the markup for the image `content` of pandoc's tree, empty if it is left out."""
        (_, _, sizes), alt, (address, title) = content
        image = self._images.find(address)
        if image is None:
            return []
        svg, data, kind = "", image.data, image.kind
        if kind == "svg":
            svg = _SVG.format(relation=self._relation(data, kind))
            data, kind = fallback_png(image, self._halt), "png"
        is_one = [part["t"] for part in alt] == ["Str"]  # with all blanks of `drawn_from`
        words = alt[0]["c"] if is_one else tree.plain_text(alt)
        self._count += 1
        wide, high = fitted(image, dict(sizes), self._area)
        drawing = _DRAWING.format(
            wide=round(wide * _EMU),
            high=round(high * _EMU),
            number=self._count,
            words=quoteattr(words),
            title=quoteattr(title),
            relation=self._relation(data, kind),
            svg=svg,
        )
        return [tree.raw("openxml", drawing, inline=True)]

    def _relation(self, data: bytes, kind: str) -> str:
        """Add a file, once however often it is used, and return the id of its relation."""
        name = f"image-{hashlib.sha256(data).hexdigest()[:16]}.{kind}"
        self.files[name] = data
        return relation_of(name)


def relation_of(name: str) -> str:
    """Return the id of the relation to the file `name` of `Pictures.files`."""
    return name.replace(".", "-")


def fitted(image: ExportImage, sizes: dict[str, str], area: TextArea) -> tuple[float, float]:
    """Return the display size of `image` in points: as requested, or its own, but never larger than
    the page.
    """
    own = (image.width or _UNSAID[0], image.height or _UNSAID[1])
    ratio = own[1] / own[0]
    wide = points(sizes.get("width", ""), area.width)
    high = points(sizes.get("height", ""), area.height)
    if not wide:
        wide = high / ratio or own[0] * 72 / max(image.dpi, SCREEN_DPI)
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
    with tempfile.TemporaryDirectory(prefix="dogent-svg-") as name:
        folder = Path(os.path.realpath(name))
        (folder / "drawing.svg").write_bytes(drawing.data)
        side = "height" if drawing.height > drawing.width else "width"
        (folder / "document.typ").write_text(_PAGE.format(side=side), "utf-8")
        try:
            return typeset(folder, "png", halt=halt)
        except DocumentError:
            return _NOTHING
