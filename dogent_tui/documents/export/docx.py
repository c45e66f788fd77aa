"""Exports Markdown as docx: pandoc does most of it, in its sandbox; its input is prepared and its
output corrected here.
"""

import os
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

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
from dogent_tui.documents.export.tables import column_widths
from dogent_tui.documents.export.themes import title_docx
from dogent_tui.documents.export.tree import Node, attributes, mapped, node, words
from dogent_tui.documents.pandoc.program import Output, pandoc_version
from dogent_tui.processes import Halt

_RULE_XML = (
    '<w:p><w:pPr><w:pBdr><w:bottom w:val="single" w:sz="6" w:space="1" w:color="BFC7D1"/></w:pBdr>'
    '<w:spacing w:before="120" w:after="240" w:line="120" w:lineRule="exact"/></w:pPr></w:p>'
)
"""A line between paragraphs. Pandoc's own is a drawing in the format from before 2007."""
_TOC_XML = (
    '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve">'
    'TOC \\o "{}-{}" \\h \\z</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>'
)
_CONTENTS_BEGIN = (
    '<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/>'
    "<w:docPartUnique/></w:docPartObj></w:sdtPr><w:sdtContent>"
)
_CONTENTS_END = '<w:p><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p></w:sdtContent></w:sdt>'
_STYLES = {tree.CALLOUT: "Callout", "title": "Callout Title", "abstract": "Abstract"}
"""The styles of paragraphs in divs of these classes."""
_PARAGRAPHS: Mapping[str, tree.Handler] = {"Plain": lambda inlines: [node("Para", inlines)]}
_IN_STYLE: Mapping[str, tree.Handler] = {
    "BulletList": lambda items: [node("BulletList", mapped(items, _PARAGRAPHS))],
    "OrderedList": lambda content: [node("OrderedList", mapped(content, _PARAGRAPHS))],
}
"""Lists whose items take the style of what they are in: pandoc gives a tight one its own."""
_PANDOCS_WIDTH = 396
"""The text width in points from which pandoc calculates the widths of columns."""
_BETWEEN_XML = (
    '<w:p><w:pPr><w:spacing w:before="0" w:after="0" w:line="120" w:lineRule="exact"/></w:pPr>'
    "<w:r><w:t>\N{ZERO WIDTH SPACE}</w:t></w:r></w:p>"
)
"""A gap between two code blocks: readers of the document join them if there is nothing, or an empty
paragraph, between them.
"""


def make_docx(request: ExportRequest, document: Document, halt: Halt) -> Made:
    """Return `document` as a docx. Blocks. Raises DocumentError."""
    front = document.front
    reference = find_reference(
        request.root, request.home, document.theme, lang=front.lang, text=document.source.text
    )
    pictures = Pictures(document.images, reference.area, halt)
    contents = _contents(document)
    handlers = _Writer(pictures, reference.area, contents).handlers
    title = mapped(title_docx(document.theme, front), handlers)
    blocks = [*title, *mapped(document.blocks, handlers, _apart)]
    written = _write(halt, blocks, document, reference.content)
    finished = finish(written.data, document, pictures.files, _now(os.environ))
    engine = f"pandoc {'.'.join(map(str, pandoc_version()))}"
    warnings = (*reference.warnings, *writer_warnings(written.warnings))
    return Made(finished, engine, warnings=warnings)


def _write(halt: Halt, blocks: list[Any], document: Document, reference: bytes) -> Output:
    with tempfile.NamedTemporaryFile(prefix="dogent-", suffix=".docx") as file:
        file.write(reference)
        file.flush()
        options = ["-o", "-", "--columns=9999", f"--reference-doc={file.name}"]
        options += tree.language(document.front.lang)
        options += ["--metadata=dir:rtl"] * document.is_right_to_left
        return tree.written(blocks, "docx", *options, halt=halt, readable=(file.name,))


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
        self._width, self._across = area
        self._contents = contents
        self.handlers: dict[str, tree.Handler] = {
            "HorizontalRule": lambda _: [tree.raw("openxml", _RULE_XML)],
            "Image": pictures.drawn,
            "Figure": self._figure,
            "Table": self._table,
            "BlockQuote": self._quote,
            "Div": self._div,
        }

    def _inside(self, value: Any) -> Any:
        return mapped(value, self.handlers, _apart)

    def _figure(self, content: Any) -> list[Node]:
        """Return a picture in paragraphs with pandoc's styles for it, since pandoc does not see our
        pictures.
        """
        (name, _, _), (_, caption), blocks = content
        inlines = blocks[0]["c"] if len(blocks) == 1 else []
        if not isinstance(inlines, list) or [part.get("t") for part in inlines] != ["Image"]:
            return [node("Figure", self._inside(content))]
        style = "Captioned Figure" if caption else "Figure"
        parts = [_styled(style, [node("Para", self._inside(inlines))])]
        parts += [_styled("Image Caption", self._inside(caption))] if caption else []
        return [node("Div", [attributes(name), parts])] if name else parts

    def _table(self, content: Any) -> list[Node]:
        widths = column_widths(content, self._width)
        columns = [
            [align, node("ColWidth", width / _PANDOCS_WIDTH)]
            for (align, _), width in zip(content[2], widths, strict=True)
        ]
        return [node("Table", self._inside([*content[:2], columns, *content[3:]]))]

    def _quote(self, content: Any) -> list[Node]:
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
        if tree.LANDSCAPE in kinds:
            starts, ends = (
                tree.raw("openxml", mark) for mark in (LANDSCAPE_STARTS, LANDSCAPE_ENDS)
            )
            self._width, self._across = self._across, self._width
            turned = [starts, *self._inside(inside), ends]
            self._width, self._across = self._across, self._width
            return turned
        style = next((_STYLES[kind] for kind in kinds if kind in _STYLES), "")
        style = style or dict(given).get("custom-style", "")
        return [_styled(style, self._inside(inside), name)]


def _styled(style: str, blocks: list[Any], name: str = "") -> Node:
    """Return blocks whose paragraphs have this style, also those in lists, or pandoc's own if
    empty.
    """
    if not style:
        return node("Div", [attributes(name), blocks])
    return node("Div", [attributes(name, custom_style=style), mapped(blocks, _IN_STYLE)])


def _apart(nodes: list[Any]) -> list[Any]:
    """Return blocks with a gap between adjacent code blocks."""
    out: list[Any] = []
    for part, after in pairwise([*nodes, None]):
        out.append(part)
        if (
            isinstance(part, dict)
            and isinstance(after, dict)
            and part.get("t") == after.get("t") == "CodeBlock"
        ):
            out.append(tree.raw("openxml", _BETWEEN_XML))
    return out


def _now(environ: Mapping[str, str]) -> datetime:
    """Return the time for the properties: that of a reproducible build if there is one
    (reproducible-builds.org).
    """
    given = environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(given), UTC) if given.isdecimal() else datetime.now(UTC)
