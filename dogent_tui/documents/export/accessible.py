"""What PDF/UA-1 (ISO 14289-1) requires and Chromium does not write; the words in brackets are its
clauses.

Chromium and typst write tags, alternative texts, table headers and the tab order.
"""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote
from xml.sax.saxutils import escape

from dogent_tui.documents.export.links import page_of

_ELEMENT = re.compile(rb"(?m)^(\d+) 0 obj\n<</Type /StructElem\n/S /Figure\n(?!/Alt)")
_SIGN = re.compile(rb"(?m)^(\d+) 0 obj\s<<[^>]*/S ?/(?:Figure|Formula)[^>]*/Alt ?\((\[!\w+\])\)")
_MARK = re.compile(rb"(?m)^/\w+ ?<<.*BDC$|^EMC$")
_PAINTS = re.compile(rb"(?m)(?:^|\s)(?:Tj|TJ|f\*?|F|S|s|B\*?|b\*?|Do|sh)$")
_XMP = """<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF
 xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/"
 xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/">{parts}</rdf:Description></rdf:RDF></x:xmpmeta>
<?xpacket end="w"?>"""


def make_accessible(
    document: Any, pdf: bytes, properties: Mapping[str, str], lang: str, places: Mapping[str, str]
) -> None:
    """Add what is missing to `document`, a pymupdf document of the bytes `pdf`.

    `places` are the headings by name. Declares PDF/UA if title and language are known.
    """
    document.set_xml_metadata(_metadata(properties, lang))
    for page in document:
        _lead_links(document, page, places)
    what, tree = document.xref_get_key(document.pdf_catalog(), "StructTreeRoot")
    if what != "xref":
        return
    if b"/S /Strong" in pdf or b"/S /Em" in pdf:  # types of PDF 2.0 (7.1, 8)
        document.xref_set_key(int(tree.split()[0]), "RoleMap", "<</Strong/Span/Em/Span>>")
    for found in _SIGN.finditer(pdf):  # the title of a call-out is text, and says its kind
        element, title = int(found[1]), f"({found[2].decode()})"
        for key, value in {"S": "/Span", "Alt": "null", "T": title}.items():
            document.xref_set_key(element, key, value)
    # around a picture with its alternative text, and its caption
    for found in _ELEMENT.finditer(pdf):
        document.xref_set_key(int(found[1]), "S", "/Div")
    for xref in [xref for page in document for xref in page.get_contents()]:
        # what is painted outside all tags, such as running heads and backgrounds (7.1, 3)
        content = document.xref_stream(xref)
        if content is not None and (marked := with_artifacts(content)) != content:
            document.update_stream(xref, marked)


def _lead_links(document: Any, page: Any, places: Mapping[str, str]) -> None:
    """Describe the target of each link (7.18.5), and let links to a page of an adjacent pdf lead
    there by a relative path.
    """
    import pymupdf  # imported on use, and already by the creator of `document`

    for xref, _, _ in page.annot_xrefs():
        if document.xref_get_key(xref, "Subtype")[1] != "/Link":
            continue
        what, name = document.xref_get_key(xref, "Dest")
        if what == "null":
            what, name = document.xref_get_key(xref, "A/URI")
        if found := page_of(name):
            path = pymupdf.get_pdf_str(found[0])
            file = f"<</Type/Filespec/F{path}/UF{path}>>"
            action = f"<</S/GoToR/F{file}/D[{found[1] - 1}/Fit]>>"
            document.xref_set_key(xref, "A", action)
            name = f"{found[0]}#page={found[1]}"
        name = unquote(name.lstrip("/"))
        if found or document.xref_get_key(xref, "Contents")[0] == "null":
            words = pymupdf.get_pdf_str(places.get(name, name))
            document.xref_set_key(xref, "Contents", words)


def with_artifacts(content: bytes) -> bytes:
    """Return the content stream of a page, as written by Chromium, with untagged content marked as
    artifacts.
    """
    out: list[bytes] = []
    depth = start = 0
    for found in _MARK.finditer(content):
        if found[0] != b"EMC":
            if depth == 0:
                out.append(_artifact(content[start : found.start()]))
                start = found.start()
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                end = min(found.end() + 1, len(content))
                out.append(content[start:end])
                start = end
    rest = content[start:]
    return b"".join([*out, rest if depth else _artifact(rest)])


def _artifact(content: bytes) -> bytes:
    if not _PAINTS.search(content):
        return content
    gap = b"" if content.endswith(b"\n") else b"\n"
    return b"/Artifact BMC\n" + content + gap + b"EMC\n"


def _metadata(properties: Mapping[str, str], lang: str) -> str:
    """Return the XMP packet (XMP 1.0, part 1, 7)."""
    title, authors = (escape(properties.get(name, "")) for name in ("title", "author"))
    parts = [
        f'<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title>',
        "<dc:format>application/pdf</dc:format>",
    ]
    if authors:
        parts.append(f"<dc:creator><rdf:Seq><rdf:li>{authors}</rdf:li></rdf:Seq></dc:creator>")
    if properties.get("keywords"):
        parts.append(f"<pdf:Keywords>{escape(properties['keywords'])}</pdf:Keywords>")
    if lang:
        parts.append(f"<dc:language><rdf:Bag><rdf:li>{lang}</rdf:li></rdf:Bag></dc:language>")
    if lang and title:
        parts.append("<pdfuaid:part>1</pdfuaid:part>")
    return _XMP.format(parts="".join(parts))
