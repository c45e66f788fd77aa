"""What pandoc leaves undone in a docx: page breaks, landscape pages, gaps, pictures, properties and
settings.

A docx is a zip of XML parts (ECMA-376, part 1; the elements are those of WordprocessingML, 17).
"""

import io
import os
import re
import zipfile
from collections.abc import Mapping
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any
from xml.sax.saxutils import escape

from lxml import etree

from dogent_tui.documents.elements import remove
from dogent_tui.documents.export.document import KEPT_LINES, Document
from dogent_tui.documents.export.docx_images import PNG
from dogent_tui.documents.export.docx_reference import (
    RUNNING_TITLE,
    SPACES,
    refers_outside,
    within,
)
from dogent_tui.documents.export.themes import TITLE_STYLES
from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.pandoc.archive import parse_part, serialized
from dogent_tui.documents.pandoc.word_styles import properties_of, value_at, w
from dogent_tui.language import tr

BREAK_XML = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>'
"""A page break, until it is moved to the next paragraph."""
LANDSCAPE_STARTS, LANDSCAPE_ENDS = (
    f'<w:p><w:pPr><w:pStyle w:val="dogent-landscape-{edge}"/></w:pPr></w:p>'
    for edge in ("start", "end")
)
"""Paragraphs around landscape content, until they become section breaks."""

_ORDER = ("pStyle", "keepNext", "keepLines", "pageBreakBefore", "numPr", "spacing")
"""Paragraph properties written by pandoc and us, in the order of CT_PPrBase."""
_NOTHING = "self::w:bookmarkStart or self::w:bookmarkEnd or self::w:sectPr"
_HIDDEN = {"before": "0", "after": "0", "line": "20", "lineRule": "exact"}
"""The spacing of a paragraph that nobody should see."""
_UNMARKED = re.compile(rb'(<w:lvlText w:val=)" "(.*?w:hanging=)"[0-9]+"')
"""A level of lists without a mark, for paragraphs that continue an item: what pandoc writes leaves
room for a mark before their first lines, where boxes of code and the lines of quotations begin.
"""
_MATH = f"{{{SPACES['m']}}}"
_RELATIONS = "word/_rels/{}.xml.rels"
_CORE = """<?xml version="1.0" encoding="UTF-8"?>
<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">{elements}</cp:coreProperties>"""


def finish(
    content: bytes, document: Document, pictures: Mapping[bytes, bytes], styles: bytes
) -> bytes:
    """Return pandoc's docx `content`, finished: with the `pictures` in place of their placeholders,
    and with those of our `styles` that it lacks. Raises DocumentError if it would refer to
    the outside.
    """
    made = _now()
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        parts = {name: package.read(name) for name in package.namelist() if not name.endswith("/")}
    media = {part: name for name, part in parts.items() if part in pictures}
    parts |= {name: pictures[part] for part, name in media.items()}
    relations = {part: name.rpartition("/")[2].partition(".")[0] for part, name in media.items()}
    png = {relations[key]: relations[key + PNG] for key in media if key + PNG in media}
    images = within(_parsed(parts[_RELATIONS.format("document")]), "*[contains(@Type, '/image')]")
    notes = _parsed(parts[_RELATIONS.format("footnotes")])
    notes.extend(images)  # which pandoc forgets
    parts[_RELATIONS.format("footnotes")] = serialized(notes)
    for part in ("word/document.xml", "word/footnotes.xml"):
        parts[part] = _finished(parts[part], document, png)
    numbering = _UNMARKED.sub(rb"<w:suff w:val='nothing'/>\1''\2'0'", parts["word/numbering.xml"])
    parts["word/numbering.xml"] = numbering
    parts["word/styles.xml"] = _with_styles(parts["word/styles.xml"], styles)
    for name in parts:
        if name.startswith("word/header"):
            parts[name] = parts[name].replace(RUNNING_TITLE, escape(document.front.title).encode())
    parts["docProps/core.xml"] = _core_properties(document, made)
    if refers_outside(parts):  # the last wall, wherever a reference came from
        raise DocumentError(
            tr("The document would refer to a file or address outside itself."), code="hostile"
        )
    return _zipped(parts, made)


def _parsed(part: bytes) -> Any:
    """Return an XML part of the document. Raises DocumentError."""
    return parse_part(part, tr("The document"))


# The text


def _finished(part: bytes, document: Document, png: Mapping[str, str]) -> bytes:
    """Complete the text, or the footnotes; `png` are the relations of the fallbacks of pictures by
    theirs.
    """
    body = _parsed(part)
    _finish_pictures(body, png)
    _move_page_breaks(body)
    _turn_pages(body)
    _finish_tables(body, right_to_left=document.is_right_to_left)
    code = "w:pPr/w:pStyle/@w:val='SourceCode' or w:rPr/w:rStyle/@w:val='VerbatimChar'"
    for mark in within(body, f"//*[{code}]//*[self::w:bidi or self::w:rtl]"):
        remove(mark)  # code is always left to right
    is_long = f"w:pPr/w:pStyle/@w:val='SourceCode' and count(w:r/w:br) > {KEPT_LINES}"
    for long in within(body, f"//w:p[{is_long}]"):
        _put(long, "keepLines", val="0")  # or half a page would be left empty before it
    for run in within(body, "//m:r[m:t[translate(., '()[]|\u2003 ', '')='']]"):
        # LibreOffice takes brackets for wrong that are not both in one element, unless literal
        properties_of(run).insert(0, run.makeelement(_MATH + "lit"))
    for style in within(body, "//w:sdt//w:hyperlink//w:rStyle"):
        remove(style)  # entries of the table of contents do not look like links
    _space(body)
    return serialized(body)


def _finish_tables(body: Any, *, right_to_left: bool) -> None:
    for layout in within(body, "//w:tblPr/w:tblLayout"):
        # Word fits columns automatically; other programs use the widths of the grid
        table = layout.getparent()
        table.find(w("tblW")).attrib.update({w("type"): "auto", w("w"): "0"})
        table.remove(layout)
        _measure(table)
    for style in within(body, "//w:tblPr/w:tblStyle") if right_to_left else ():
        style.addnext(style.makeelement(w("bidiVisual")))
    kept = "w:tr[not(../w:tblPr/w:tblStyle/@w:val='Quotation')]"
    for row in within(body, f"//{kept}"):  # not broken across pages
        properties_of(row).insert(0, row.makeelement(w("cantSplit")))


def _space(body: Any) -> None:
    """Set the spacing that depends on what is next to a paragraph: one with which a cell ends after
    a table is hidden, a table has no spacing of its own, a paragraph has it below, and the last
    item of a tight list hardly any.
    """
    named = "w:pPr/w:pStyle/@w:val"
    headed = f"self::w:p[starts-with({named},'Heading')]"
    title = " or ".join(f"{named}='{style}'" for style in TITLE_STYLES.values())
    item = f"w:p[{named}='Compact'][not(following-sibling::*[1][{named}='Compact'])]"
    for path, values in {
        "//w:tc/w:p[last()][not(*)][preceding-sibling::*[1][self::w:tbl]]": _HIDDEN,
        f"//w:tbl/following-sibling::*[1][self::w:p][not({headed})]": {"before": "160"},
        f"(//w:body/w:p[{title}])[last()]": {"after": "400"},
        f"//w:body/{item}": {"after": "140"},
    }.items():
        for paragraph in within(body, path):
            _put(paragraph, "spacing", **values)


def _measure(properties: Any) -> None:
    """Copy the column widths of the grid into the cells of the table with these `properties`."""
    columns = [int(column.get(w("w"))) for column in within(properties, "../w:tblGrid/w:gridCol")]
    for row in within(properties, "../w:tr"):
        place = 0
        for cell in within(row, "w:tc/w:tcPr"):
            after = place + int(next(iter(within(cell, "w:gridSpan/@w:val")), 1))
            width = {w("w"): f"{sum(columns[place:after])}", w("type"): "dxa"}
            cell.insert(0, cell.makeelement(w("tcW"), width))
            place = after


def _put(paragraph: Any, name: str, **values: str) -> None:
    """Set a property of a paragraph, in its proper position."""
    properties = properties_of(paragraph)
    there = properties.find(w(name))
    if there is None:
        before = {w(other) for other in _ORDER[: _ORDER.index(name)]}
        place = sum(other.tag in before for other in properties)
        properties.insert(place, there := properties.makeelement(w(name)))
    there.attrib.update({w(key): value for key, value in values.items()})


def _finish_pictures(body: Any, png: Mapping[str, str]) -> None:
    """Complete the pictures, an svg with its fallback, which is below the text."""
    for name in within(body, "//pic:cNvPr[@descr]"):
        del name.attrib["descr"]  # the short address
    for inline in within(body, "//wp:inline"):  # LibreOffice would leave a gap around it
        inline.attrib.update(dict.fromkeys(("distT", "distB", "distL", "distR"), "0"))
    for blip in within(body, "//a:blip"):
        (used,) = within(blip, ".//@r:embed")
        if used in png:
            blip.set(f"{{{SPACES['r']}}}embed", png[used])
        elif used in png.values():
            paragraph = next(blip.iterancestors(w("p")))
            remove(paragraph)


def _move_page_breaks(body: Any) -> None:
    """Move each page break to the next paragraph: a separate one would leave an empty line there.
    Before a table it has to stay.
    """
    alone = "not(w:pPr) and count(*)=1 and w:r[count(*)=1]/w:br[@w:type='page']"
    after = f"following-sibling::*[not({_NOTHING})][1][self::w:p]"
    for gap in within(body, f"//w:p[{alone}]"):
        for paragraph in within(gap, after):
            _put(paragraph, "pageBreakBefore")
            remove(gap)


def _turn_pages(body: Any) -> None:
    """Turn landscape content into sections."""
    last: Any = next(iter(within(body, "//w:body/w:sectPr")), None)
    for mark in within(body, "//w:p[starts-with(w:pPr/w:pStyle/@w:val, 'dogent-landscape-')]"):
        turned = mark.find(f"{w('pPr')}/{w('pStyle')}").get(w("val")).endswith("end")
        before = mark.getprevious()
        if not turned and (before is None or within(before, "w:pPr/w:sectPr")):
            remove(mark)  # nothing is between two such sections, or before
            continue
        mark.remove(mark.find(w("pPr")))
        _put(mark, "spacing", **_HIDDEN)
        section = deepcopy(last)
        if turned and not within(mark, f"following-sibling::*[not({_NOTHING})]"):
            section = last  # no page follows
        size = section.find(w("pgSz"))
        if size is None:
            size = etree.SubElement(section, w("pgSz"), {w("w"): "11906", w("h"): "16838"})
        if turned:
            wide, high = size.get(w("h"), ""), size.get(w("w"), "")
            size.attrib.update({w("w"): wide, w("h"): high, w("orient"): "landscape"})
        if section is not last:
            mark.find(w("pPr")).append(section)
    for title_page in within(body, "(//w:sectPr)[position() > 1]/w:titlePg"):
        remove(title_page)  # only the first section has a first page


def _with_styles(part: bytes, ours: bytes) -> bytes:
    """Return the styles of a document with those of characters and tables that only we have."""
    styles = _parsed(part)
    names = {name.lower() for name in within(styles, "w:style/w:name/@w:val")}
    for style in within(_parsed(ours), "w:style[@w:type!='paragraph']"):
        if value_at(style, "w:name").lower() not in names:
            styles.append(style)
    return serialized(styles)


# The package


def _now() -> datetime:
    """Return the time for the properties: that of a reproducible build if there is one
    (reproducible-builds.org).
    """
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(given), UTC) if given.isdecimal() else datetime.now(UTC)


def _core_properties(document: Document, now: datetime) -> bytes:
    """Return the document's properties (ECMA-376 part 2, 11.1), with those that pandoc drops:
    keywords, and the time.
    """
    front, made = document.front, f"{now:%Y-%m-%dT%H:%M:%SZ}"
    texts = {
        "dc:title": document.title,
        "dc:subject": front.subject,
        "dc:creator": "; ".join(front.authors),
        "cp:keywords": ", ".join(front.keywords),
        "dc:description": front.description,
        "dc:language": front.lang,
    }
    try:  # if the date of the front matter can be parsed
        written = f"{datetime.fromisoformat(front.date):%Y-%m-%dT%H:%M:%SZ}"
    except ValueError:
        written = made
    elements = [f"<{name}>{escape(text)}</{name}>" for name, text in texts.items() if text]
    elements += [
        f'<dcterms:{name} xsi:type="dcterms:W3CDTF">{time}</dcterms:{name}>'
        for name, time in (("created", written), ("modified", made))
    ]
    return _CORE.format(elements="".join(elements)).encode()


def _zipped(parts: Mapping[str, bytes], made: datetime) -> bytes:
    """Return the package, with the list of content types first, like Word."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as package:
        for name in sorted(parts, key=lambda name: (name[0] != "[", name[0] != "_", name)):
            entry = zipfile.ZipInfo(name, made.timetuple()[:6])
            is_packed = name.endswith((".png", ".jpeg", ".gif"))
            entry.compress_type = zipfile.ZIP_STORED if is_packed else zipfile.ZIP_DEFLATED
            package.writestr(entry, parts[name])
    return content.getvalue()
