"""Exports Markdown as docx: pandoc does most of it, in its sandbox; its input is prepared and its
output corrected here.
"""

from collections.abc import Mapping
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from dogent_tui.documents.export import tree
from dogent_tui.documents.export.document import Document, writer_warnings
from dogent_tui.documents.export.docx_images import Pictures, TextArea
from dogent_tui.documents.export.docx_package import (
    BREAK_XML,
    LANDSCAPE_ENDS,
    LANDSCAPE_STARTS,
    finish,
)
from dogent_tui.documents.export.docx_reference import find_reference
from dogent_tui.documents.export.model import ExportRequest, Made
from dogent_tui.documents.export.tables import DENSE, column_widths
from dogent_tui.documents.export.themes import title_docx
from dogent_tui.documents.export.tree import Node, attributes, mapped, node, words
from dogent_tui.documents.pandoc.program import Output, pandoc_version
from dogent_tui.documents.pandoc.tree import LISTS, table_node
from dogent_tui.processes import Halt
from dogent_tui.temporary import temporary_folder

_RULE_XML = (
    '<w:p><w:pPr><w:pBdr><w:bottom w:val="single" w:sz="6" w:space="1" w:color="BFC7D1"/></w:pBdr>'
    '<w:spacing w:before="120" w:after="240" w:line="120" w:lineRule="exact"/></w:pPr></w:p>'
)
"""A line between paragraphs. Pandoc's own is a drawing in the format from before 2007."""
_TOC_XML = (
    '<w:r><w:fldChar w:fldCharType="begin" w:dirty="true"/></w:r>'
    '<w:r><w:instrText xml:space="preserve">TOC \\o "{}-{}" \\h \\z</w:instrText></w:r>'
    '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
)
_CONTENTS_BEGIN = (
    '<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/>'
    "<w:docPartUnique/></w:docPartObj></w:sdtPr><w:sdtContent>"
)
_CONTENTS_END = '<w:p><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p></w:sdtContent></w:sdt>'
_LINES = frozenset({"Para", "Plain"})
"""Blocks that the style of a paragraph can put into a quotation."""
_STEP, _PADDING = 36, 24
"""The indentation of a list, and the space beside the content of a box, in points."""
_STYLES = {tree.CALLOUT: "Callout", "title": "Callout Title", "abstract": "Abstract"}
_STYLES |= {tree.CAPTION: "Table Caption", "center": "Centered"}
"""The styles of paragraphs in divs of these classes."""
_FACES = {"kbd": "Keyboard", "small": "Small"}
_PANDOCS_WIDTH = 396
"""The text width in points from which pandoc calculates the widths of columns."""
_APART = frozenset({"BlockQuote", "CodeBlock", "Table"})
"""Blocks that programs join if there is nothing, or an empty paragraph, between two."""


def _as_paragraphs(kind: str, content: Any) -> list[Node]:
    return [node(kind, mapped(content, tree.PARAGRAPHS))]


_IN_STYLE: Mapping[str, tree.Handler] = {kind: partial(_as_paragraphs, kind) for kind in LISTS}
"""Lists whose items take the style of what they are in: pandoc gives a tight one its own."""


class _Room(NamedTuple):
    """Where blocks are: the `width` in points that they have, whether boxes are
    possible there, and pages that lie on their sides.
    """

    width: float
    holds_boxes: bool = True
    is_page: bool = True


def make_docx(request: ExportRequest, document: Document, halt: Halt) -> Made:
    """Return `document` as a docx. Blocks. Raises DocumentError."""
    reference = find_reference(request, document)
    pictures = Pictures(document.images, reference.area, halt)
    contents = _contents(document)
    writer = _Writer(pictures, reference.area, contents)
    whole = [*title_docx(document.theme, document.front), *document.blocks]
    blocks = mapped(whole, writer.handlers, _apart)
    written = _write(halt, [*blocks, *pictures.fallbacks], document, reference.content)
    finished = finish(written.data, document, pictures.files, reference.styles)
    engine = f"pandoc {'.'.join(map(str, pandoc_version()))}"
    warnings = (*reference.warnings, *writer_warnings(document.source, written.warnings))
    return Made(finished, engine, warnings=warnings)


def _write(halt: Halt, blocks: list[Any], document: Document, reference: bytes) -> Output:
    with temporary_folder() as folder:
        file = folder / "reference.docx"
        file.write_bytes(reference)
        options = ["-o", "-", "--columns=9999", f"--reference-doc={file}"]
        options += tree.language(document.front.lang)
        options += ["--metadata=dir:rtl"] * document.is_right_to_left
        return tree.written(blocks, "docx", *options, halt=halt, readable=(file,))


def _contents(document: Document) -> list[Node]:
    """Return the table of contents with its entries: pandoc's own is empty until a program that can
    count pages opens it.
    """
    if not document.contents:
        return []
    levels = [heading.level for heading in document.contents]
    blocks = [
        tree.raw("openxml", _CONTENTS_BEGIN),
        _styled("TOC Heading", [node("Para", words(document.contents_title))]),
    ]
    field = [tree.raw("openxml", _TOC_XML.format(min(levels), max(levels)), inline=True)]
    for heading in document.contents:
        entry = node("Para", [*field, tree.link(words(heading.text), f"#{heading.name}")])
        blocks.append(_styled(f"toc {heading.level - min(levels) + 1}", [entry]))
        field = []
    return [*blocks, tree.raw("openxml", _CONTENTS_END)]


class _Writer:
    """Prepares a document for pandoc's docx writer."""

    def __init__(self, pictures: Pictures, area: TextArea, contents: list[Node]) -> None:
        self._pictures = pictures
        self._room = _Room(area.width)
        self._across = area.height
        self._contents = contents
        self.handlers: dict[str, tree.Handler] = {
            "HorizontalRule": lambda _: [tree.raw("openxml", _RULE_XML)],
            "Figure": self._figure,
            "Image": pictures.small,
            "Table": self._table,
            "BlockQuote": self._quote,
            **{kind: partial(self._list, kind) for kind in LISTS},
            "Note": lambda blocks: [node("Note", self._in_text(blocks))],
            "Div": self._div,
            "Span": self._span,
        }

    def _inside(self, value: Any, room: _Room | None = None) -> Any:
        around, self._room = self._room, room or self._room
        inside = mapped(value, self.handlers, _apart)
        self._room = around
        return inside

    def _figure(self, content: Any) -> list[Node]:
        before, count = self._pictures.beside, [block["t"] for block in content[2]].count("Figure")
        self._pictures.beside = count or before
        found = node("Figure", self._inside(content))
        self._pictures.beside = before
        return [found]

    def _list(self, kind: str, content: Any) -> list[Node]:
        room = self._room._replace(width=self._room.width - _STEP)
        return [node(kind, self._inside(content, room))]

    def _in_text(self, value: Any) -> Any:
        """Return what is in a note or cell."""
        return self._inside(value, self._room._replace(holds_boxes=False, is_page=False))

    def _boxed(self, style: str, *cells: list[Any]) -> list[Node]:
        """Return a table of one column, the only container for blocks that Word has; the first of
        several cells is its head.
        """
        room = _Room(self._room.width - _PADDING, is_page=False)
        rows = [[(1, 1, self._inside(cell, room))] for cell in cells]
        box = table_node(rows, heads=len(rows) - 1)
        width = node("ColWidth", self._room.width / _PANDOCS_WIDTH)
        box["c"][0], box["c"][2][0][1] = attributes(custom_style=style), width
        return [box]

    def _table(self, content: Any) -> list[Node]:
        (name, kinds, _), *rest = content
        is_dense = DENSE in kinds
        table = [content[0], *self._in_text(rest)]
        widths = column_widths(table, self._room.width, dense=is_dense)
        table[2] = [
            [align, node("ColWidth", width / _PANDOCS_WIDTH)]
            for (align, _), width in zip(content[2], widths, strict=True)
        ]
        table[0] = attributes(name, custom_style="DenseTable") if is_dense else attributes(name)
        return [node("Table", table)]

    def _quote(self, content: Any) -> list[Node]:
        if self._room.holds_boxes and tree.kinds_in(content) - _LINES:
            return self._boxed("Quotation", content)
        inside = self._inside(content)
        if tree.kinds_in(inside) & _IN_STYLE.keys():  # pandoc would leave their items outside
            return [_styled("Block Text", inside)]
        return [node("BlockQuote", inside)]

    def _div(self, content: Any) -> list[Node]:
        (name, kinds, given), inside = content
        if tree.BREAK in kinds:
            return [tree.raw("openxml", BREAK_XML)]
        if tree.CONTENTS in kinds:
            return self._contents
        if tree.LANDSCAPE in kinds and self._room.is_page:
            starts, ends = (
                tree.raw("openxml", mark) for mark in (LANDSCAPE_STARTS, LANDSCAPE_ENDS)
            )
            wide = self._room._replace(width=self._across)
            self._across = self._room.width
            turned = [starts, *self._inside(inside, wide), ends]
            self._across = wide.width
            return turned
        if tree.CALLOUT in kinds and self._room.holds_boxes:
            texts = node("Div", [attributes(custom_style=_STYLES[tree.CALLOUT]), inside[1:]])
            return self._boxed(f"Callout{kinds[1].capitalize()}", inside[:1], [texts])
        style = next((_STYLES[kind] for kind in kinds if kind in _STYLES), "")
        style = style or dict(given).get("custom-style", "")
        return [_styled(style, self._inside(inside), name, dict(given).get("dir", ""))]

    def _span(self, content: Any) -> list[Node]:
        (name, kinds, _), inside = content
        style = next((_FACES[kind] for kind in kinds if kind in _FACES), "")
        given = attributes(name, custom_style=style) if style else content[0]
        return [node("Span", [given, self._inside(inside)])]


def _styled(style: str, blocks: list[Any], name: str = "", direction: str = "") -> Node:
    """Return blocks whose paragraphs have this style, also those in lists, or pandoc's own if
    empty, and this direction, if any.
    """
    given = {"custom_style": style, "dir": direction}
    given = {key: value for key, value in given.items() if value}
    return node("Div", [attributes(name, **given), mapped(blocks, _IN_STYLE) if style else blocks])


def _apart(nodes: list[Any]) -> list[Any]:
    """Return blocks with a gap between those that programs would join."""
    out: list[Any] = []
    for part, after in pairwise([*nodes, None]):
        out.append(part)
        if _joins(part) and _joins(after):
            out.append(_styled("Gap", [node("Para", words("\N{ZERO WIDTH SPACE}"))]))
    return out


def _joins(part: Any) -> bool:
    while isinstance(part, dict) and part.get("t") in LISTS:
        *_, items = part["c"] if part["t"] == "OrderedList" else [part["c"]]
        part = items[-1][-1] if items[-1] else None
    kind = part.get("t") if isinstance(part, dict) else ""
    return kind in _APART or (kind == "Div" and tree.kind_of(part) == tree.CALLOUT)
