"""What of a docx's text pandoc leaves undone: page breaks, pages on their sides, the widths of
columns, descriptions.

The elements are those of WordprocessingML (ECMA-376 part 1, 17); pandoc wrote them, but for the
styles' names.
"""

import io
import zipfile
from collections.abc import Mapping
from copy import deepcopy
from itertools import pairwise
from xml.etree.ElementTree import Element, SubElement, register_namespace, tostring

from dogent_tui.documents.export.docx_images import TextArea
from dogent_tui.plain import columns_of

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
NAMESPACES = {
    "w": _W,
    "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "pic": "http://schemas.openxmlformats.org/drawingml/2006/picture",
    "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    "a14": "http://schemas.microsoft.com/office/drawing/2010/main",
    "asvg": "http://schemas.microsoft.com/office/drawing/2016/SVG/main",
    "v": "urn:schemas-microsoft-com:vml",
    "o": "urn:schemas-microsoft-com:office:office",
    "w10": "urn:schemas-microsoft-com:office:word",
}
_SVG_EXTENSION = "{96DAC541-7B7A-43D3-8B79-37D633B846F1}"
"""The `a:ext` of a picture that has an svg beside it ([MS-ODRAWXML] 2.3.3.16)."""

_IGNORABLE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Ignorable"
_A4 = TextArea(453.5, 700.2)

BREAK_XML = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>'
"""A page break, until it is given to the paragraph after it."""
_TURN = "dogent-landscape"
LANDSCAPE_STARTS, LANDSCAPE_ENDS = (
    f'<w:p><w:pPr><w:pStyle w:val="{_TURN}-{edge}"/></w:pPr></w:p>' for edge in ("start", "end")
)
"""Paragraphs around what is to be on pages that lie on their sides, until they are the ends of
sections.
"""


def finish_body(part: bytes, *, area: TextArea, svg_relations: Mapping[str, str]) -> bytes:
    """Return the part ``word/document.xml``, or the footnotes, with all that done.

    `svg_relations` has, by the relation of a picture, that of the svg beside it.
    """
    body = _parse(part)
    body.attrib.pop(_IGNORABLE, None)  # it names prefixes that are not written again
    _move_page_breaks(body)
    _fit_columns(body, area.width, {id(table): area.height for table in _turn_pages(body)})
    _space_after_tables(body)
    _space_after_lists(body)
    _keep_rows_whole(body)
    _describe_pictures(body, svg_relations)
    for prefix, address in NAMESPACES.items():
        register_namespace(prefix, address)
    content: bytes = tostring(body, encoding="UTF-8", xml_declaration=True)
    return content


def text_area(reference: bytes) -> TextArea:
    """Return what a page of the reference document has room for. What it does not say is taken
    as A4.
    """
    with zipfile.ZipFile(io.BytesIO(reference)) as package:
        body = _parse(package.read("word/document.xml"))
    sizes = [section.find(_w("pgSz")) for section in body.iter(_w("sectPr"))]
    margins = [section.find(_w("pgMar")) for section in body.iter(_w("sectPr"))]
    if not sizes or sizes[-1] is None or margins[-1] is None:
        return _A4
    size, margin = sizes[-1], margins[-1]
    width = _twips(size, "w") - _twips(margin, "left") - _twips(margin, "right")
    height = _twips(size, "h") - _twips(margin, "top") - _twips(margin, "bottom")
    return TextArea(width / 20, height / 20) if width > 0 and height > 0 else _A4


def contents_styles(reference: bytes) -> dict[str, str]:
    """Return the ids of the styles of a table of contents by their names (``toc 1``), which no
    language changes.
    """
    with zipfile.ZipFile(io.BytesIO(reference)) as package:
        styles = _parse(package.read("word/styles.xml")).iter(_w("style"))
    named = {
        name.get(_w("val"), "").lower(): style
        for style in styles
        if (name := style.find(_w("name"))) is not None
    }
    return {
        name: style.get(_w("styleId"), "")
        for name, style in named.items()
        if name.startswith("toc ")
    }


def _twips(element: Element, name: str) -> float:
    try:
        return abs(float(element.get(_w(name), "0")))
    except ValueError:
        return 0.0


def _w(name: str) -> str:
    return f"{{{_W}}}{name}"


def _parse(part: bytes) -> Element:
    from defusedxml.ElementTree import (
        fromstring,
    )  # on use; a user's reference document may be anything

    element: Element = fromstring(part)
    return element


def _describe_pictures(body: Element, svg_relations: Mapping[str, str]) -> None:
    """Drop the stand-ins' addresses, which pandoc takes for descriptions, and name the svg
    beside its PNG.
    """
    pic, a, r = (NAMESPACES[prefix] for prefix in ("pic", "a", "r"))
    for inline in body.iter(f"{{{NAMESPACES['wp']}}}inline"):
        for side in ("distT", "distB", "distL", "distR"):
            inline.set(side, "0")  # what is not said, LibreOffice takes as 3 mm
    for described in body.iter(f"{{{pic}}}cNvPr"):
        described.set("descr", "")
    for blip in body.iter(f"{{{a}}}blip"):
        svg = svg_relations.get(blip.get(f"{{{r}}}embed", ""))
        if svg is not None:
            extension = SubElement(
                SubElement(blip, f"{{{a}}}extLst"), f"{{{a}}}ext", {"uri": _SVG_EXTENSION}
            )
            SubElement(extension, f"{{{NAMESPACES['asvg']}}}svgBlip", {f"{{{r}}}embed": svg})


def _move_page_breaks(body: Element) -> None:
    """Give each page break to the paragraph after it: one of its own would leave an empty line
    at the top of the page.
    """
    for parent in body.iter(_w("body")):
        waiting: Element | None = None
        for child in list(parent):
            if _is_page_break(child):
                if waiting is not None:
                    parent.remove(waiting)
                waiting = child
            elif waiting is not None and child.tag == _w("p"):
                _properties(child).insert(_after_style(child), Element(_w("pageBreakBefore")))
                parent.remove(waiting)
                waiting = None
            elif child.tag not in {_w("bookmarkStart"), _w("bookmarkEnd")}:
                waiting = None  # before a table it has to stay


def _is_page_break(element: Element) -> bool:
    if element.tag != _w("p") or [part.tag for part in element] != [_w("r")]:
        return False
    return [(part.tag, part.get(_w("type"))) for part in element[0]] == [(_w("br"), "page")]


def _properties(paragraph: Element) -> Element:
    found = paragraph.find(_w("pPr"))
    if found is None:
        found = Element(_w("pPr"))
        paragraph.insert(0, found)
    return found


def _after_style(paragraph: Element) -> int:
    """Where in the properties ``w:pageBreakBefore`` goes: after the style and what keeps lines
    together (CT_PPrBase).

    ``w:spacing`` goes there too, but for a ``w:numPr`` between.
    """
    first = {_w("pStyle"), _w("keepNext"), _w("keepLines"), _w("pageBreakBefore")}
    return sum(part.tag in first for part in _properties(paragraph))


def _turn_pages(body: Element) -> list[Element]:
    """Make sections of what is to be on pages that lie on their sides, and return the tables
    there.
    """
    tables: list[Element] = []
    for parent in body.iter(_w("body")):
        last = parent.find(_w("sectPr"))
        children = list(parent)
        turned = False
        for number, child in enumerate(children):
            edge = _style_of(child)
            if edge == f"{_TURN}-start":
                turned = True
                if number and _style_of(children[number - 1]) != f"{_TURN}-end":
                    _end_section(child, last, turned=False)
                else:  # nothing is between two such sections, or before the first
                    parent.remove(child)
            elif edge == f"{_TURN}-end":
                turned = False
                _end_section(child, last, turned=True)
            elif turned and child.tag == _w("tbl"):
                tables.append(child)
    return tables


def _end_section(paragraph: Element, like: Element | None, *, turned: bool) -> None:
    """Make of a mark the end of a section with pages like those of the whole, or such `turned`
    on their sides.
    """
    properties = _properties(paragraph)
    properties.clear()
    SubElement(
        properties,
        _w("spacing"),
        {_w(name): "0" for name in ("before", "after")}
        | {_w("line"): "20", _w("lineRule"): "exact"},
    )
    section = deepcopy(like) if like is not None else Element(_w("sectPr"))
    size = section.find(_w("pgSz"))
    if size is None:
        size = SubElement(section, _w("pgSz"), {_w("w"): "11906", _w("h"): "16838"})
    if turned:
        wide, high = size.get(_w("h"), ""), size.get(_w("w"), "")
        size.attrib.update({_w("w"): wide, _w("h"): high, _w("orient"): "landscape"})
    properties.append(section)


def _fit_columns(body: Element, width: float, wider: Mapping[int, float]) -> None:
    """Give the columns of the tables widths by what they hold. Word would do so by itself,
    others take what the file says.
    """
    for table in body.iter(_w("tbl")):
        rows = [row.findall(_w("tc")) for row in table.findall(_w("tr"))]
        columns = table.findall(f"{_w('tblGrid')}/{_w('gridCol')}")
        if not columns or any(len(row) != len(columns) for row in rows):
            continue
        texts = [
            ["".join(part.text or "" for part in row[place].iter(_w("t"))) for row in rows]
            for place in range(len(columns))
        ]
        for place, twips in enumerate(
            _column_widths(texts, round(wider.get(id(table), width) * 20))
        ):
            columns[place].set(_w("w"), str(twips))
            for row in rows:
                properties = row[place].find(_w("tcPr"))
                if properties is not None and properties.find(_w("tcW")) is None:
                    properties.insert(
                        0, Element(_w("tcW"), {_w("w"): str(twips), _w("type"): "dxa"})
                    )


_CELL_MARGINS, _CHARACTER = 260, 112
"""Twips: of both sides of a cell, and of a character of 11 points, roughly."""


def _column_widths(columns: list[list[str]], whole: int) -> list[int]:
    """Return the widths in twips: what each column needs, and where that is too much, room by
    how much text there is.
    """
    needs = [_CELL_MARGINS + _CHARACTER * max(map(columns_of, texts)) for texts in columns]
    if sum(needs) <= whole:
        return needs
    words = [
        min(max(columns_of(word) for text in texts for word in [*text.split(), ""]), 20)
        for texts in columns
    ]
    least = [
        _CELL_MARGINS + _CHARACTER * (longest + 1) for longest in words
    ]  # bold and wide letters need more than most
    if sum(least) >= whole:
        return [whole * one // sum(least) for one in least]
    wishes = [
        max(need - small, 0) ** 0.7 for need, small in zip(needs, least, strict=True)
    ]  # long texts may wrap more often
    spare = whole - sum(least)
    return [
        small + round(spare * wish / sum(wishes)) for small, wish in zip(least, wishes, strict=True)
    ]


def _space_after_tables(body: Element) -> None:
    """Keep the text after a table off it: a table has no space of its own, and a paragraph has
    its space below.
    """
    for parent in body.iter(_w("body")):
        for before, element in pairwise(parent):
            if before.tag == _w("tbl") and _style_of(element) in {"BodyText", "FirstParagraph"}:
                _properties(element).insert(
                    _after_style(element), Element(_w("spacing"), {_w("before"): "160"})
                )


def _space_after_lists(body: Element) -> None:
    """Keep what follows off the last item of a tight list, whose style has hardly a space below."""
    for parent in body.iter(_w("body")):
        for before, element in pairwise(parent):
            if _style_of(before) == "Compact" and _style_of(element) != "Compact":
                properties = _properties(before)
                place = _after_style(before) + (properties.find(_w("numPr")) is not None)
                properties.insert(
                    place, Element(_w("spacing"), {_w("before"): "20", _w("after"): "140"})
                )


def _style_of(element: Element) -> str:
    style = element.find(f"{_w('pPr')}/{_w('pStyle')}") if element.tag == _w("p") else None
    return style.get(_w("val"), "") if style is not None else ""


def _keep_rows_whole(body: Element) -> None:
    """Have no row of a table break over two pages."""
    for row in body.iter(_w("tr")):
        properties = row.find(_w("trPr"))
        if properties is None:
            properties = Element(_w("trPr"))
            row.insert(0, properties)
        properties.insert(0, Element(_w("cantSplit")))
