"""The type of content, determined from the content; the server's claim only decides between kinds
of text.
"""

import io
import re
from typing import Literal

import msgspec

from dogent_tui.documents.text.charset import encoding_of
from dogent_tui.image_files import IMAGE_MAGIC
from dogent_tui.language import tr
from dogent_tui.records import Record

Kind = Literal["page", "text", "image", "document", "other"]
"""A web page, plain text, an image, a document for the documents library, anything else."""


class Sniffed(Record):
    """`content_type` is a media type; `suffix` the extension for a file of this kind; `what` is for
    sentences: "an SVG drawing".
    """

    kind: Kind
    content_type: str
    suffix: str = ""
    what: str = ""


_MAGIC = (
    *((offset, magic, Sniffed("image", what)) for offset, magic, what in IMAGE_MAGIC),
    (0, b"{\\rtf", Sniffed("document", "application/rtf", ".rtf")),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Sniffed("document", "application/x-ole-storage")),
    (0, b"PK\x03\x04", Sniffed("document", "application/zip")),
    (0, b"PK\x05\x06", Sniffed("document", "application/zip")),
)
_PDF_WITHIN = 1024
"""How far from the start the header of a pdf may be; every reader ignores what precedes it."""

_MARK = re.compile(
    rb"^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--.{0,2000}?-->\s*)*", re.DOTALL
)
_PAGE = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|title|script|style|meta|link|iframe|table|div|h1|p|br|a|b|font)[\s/>]",
    re.IGNORECASE,
)
"""The beginning of a page (WHATWG MIME sniffing, and two more)."""
_CERTAIN_PAGE = re.compile(rb"<(?:!doctype\s+html|html|head)[\s>]", re.IGNORECASE)
_SVG = re.compile(rb"<(?:!doctype\s+svg|svg)[\s>]", re.IGNORECASE)

_SAID = {
    "application/json": ".json",
    "text/markdown": ".md",
    "text/csv": ".csv",
    "application/xml": ".xml",
    "text/xml": ".xml",
    "text/plain": ".txt",
}


_MEDIA_TYPE = re.compile(r"[a-z]{1,20}/[a-z0-9][a-z0-9.+_-]{0,80}")
"""A header value that is safe to repeat where no untrusted text is expected."""


def sniff(body: bytes, declared: str) -> Sniffed:
    """Return the type of `body`. `declared` is the server's header."""
    for offset, magic, found in _MAGIC:
        if body.startswith(magic, offset):
            return found
    if body.startswith(b"RIFF") and body[8:12] == b"WEBP":
        return Sniffed("image", "image/webp")
    if body.startswith(b"BM") and b"\0" in body[:32]:
        return Sniffed("image", "image/bmp")
    if b"%PDF-" in body[:_PDF_WITHIN] and not _CERTAIN_PAGE.match(body[_start(body) :]):
        return Sniffed("document", "application/pdf", ".pdf")
    said = declared.partition(";")[0].strip().lower()
    return _sniff_text(body, said if _MEDIA_TYPE.fullmatch(said) else "")


def _sniff_text(body: bytes, said: str) -> Sniffed:
    if body and not encoding_of(io.BytesIO(body)):
        what = tr("a file that isn't text")
        return Sniffed("other", said, what=f"{what} ({said})" if said else what)
    begin = body[_start(body) :][:200]
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        begin = body[:400].decode("utf-16", "ignore").lstrip("\ufeff \r\n\t").encode("utf-8")
    if _CERTAIN_PAGE.match(begin):
        return Sniffed("page", "text/html")
    if _SVG.match(begin):
        return Sniffed("text", "image/svg+xml", ".svg", tr("an SVG drawing"))
    if said in {"text/html", "application/xhtml+xml"}:
        return (
            Sniffed("text", "application/json", ".json")
            if _is_json(body)
            else Sniffed("page", "text/html")
        )
    if said.endswith(("+json", "/json")) or (said not in _SAID and _is_json(body)):
        return Sniffed("text", "application/json", ".json")
    if said not in _SAID and _PAGE.match(begin):
        return Sniffed("page", "text/html")
    if said.startswith("text/") or said.endswith(("+xml", "/xml")):
        return Sniffed("text", said, _SAID.get(said, ".txt"))
    return Sniffed("text", "text/plain", ".txt")


def _start(body: bytes) -> int:
    """Return where the content begins, after a byte order mark, white space, an XML declaration and
    comments.
    """
    found = _MARK.match(body[:16_384])
    return found.end() if found else 0


def _is_json(body: bytes) -> bool:
    if body.lstrip()[:1] not in {b"{", b"["}:
        return False
    try:
        # without building anything: 45 MB of "[]," took 15 s and a gigabyte
        msgspec.json.decode(body, type=msgspec.Raw)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False
    return True
