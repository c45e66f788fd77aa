"""The kind of a document: determined from its content first, and from its name only if the content
does not tell.
"""

import re
import zipfile
from collections.abc import Mapping
from importlib import import_module
from itertools import chain
from pathlib import Path

from dogent_tui.documents.model import DocumentError, Reader, unreadable
from dogent_tui.documents.pandoc.archive import OLE, check_archive, is_old_workbook
from dogent_tui.language import tr

_PANDOC = ("dogent_tui.documents.pandoc.reader", "open_document")
_LINES = "dogent_tui.documents.text.lines"

READERS: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("docx", "odt", "rtf", "epub", "pptx", "ipynb"), _PANDOC),
    "html": ("dogent_tui.documents.html.reader", "open_html"),
    "pdf": ("dogent_tui.documents.pdf.reader", "open_pdf"),
    "workbook": ("dogent_tui.documents.workbook.reader", "open_workbook"),
    "values": ("dogent_tui.documents.workbook.values", "open_values"),
    "table": ("dogent_tui.documents.text.table", "open_table"),
    "markdown": (_LINES, "open_markdown"), "text": (_LINES, "open_text"),
    "code": (_LINES, "open_code"), "page": ("dogent_tui.web.page", "open_page"),
}  # fmt: skip
"""Kind → module and function of its `Reader`; only the worker imports them."""

HEAD_BYTES = 4096
_PDF_WITHIN = 1024
"""How far from the start the header of a pdf may be; every reader ignores what precedes it."""
ARCHIVED_PAGE = b"content-type: multipart/related"
"""What is in the head of a page in one file with its pictures (mht, RFC 2557)."""
_LARGEST = 512 << 20
"""The maximum size in bytes of a file that must be read as a whole. Text is read as a stream."""

_OFFICE = (
    ("docx", "word/document.xml", b"wordprocessingml"),
    ("workbook", "xl/workbook.xml", b"spreadsheetml"),
    ("pptx", "ppt/presentation.xml", b"presentationml"),
)
"""The location of the main part in Office Open XML files, and the keyword in its content type: Word
files may use another location.
"""
_OPEN_DOCUMENT = "application/vnd.oasis.opendocument."
_OPEN_KINDS: Mapping[str, str] = {"text": "odt", "spreadsheet": "values"}

_TEXTS: Mapping[str, str] = {
    **dict.fromkeys((".html", ".htm", ".xhtml"), "html"),
    **dict.fromkeys((".csv", ".tsv", ".tab", ".psv", ".xls"), "table"),
    **dict.fromkeys((".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd"), "markdown"),
}
"""Kinds of text recognized by name. Many programs write tables and pages in files named ``.xls``
and ``.doc``.
"""

_OFFICE_NAMES: Mapping[str, str] = {
    ".docx": tr("Word document"), ".docm": tr("Word document"), ".dotx": tr("Word document"),
    ".xlsx": tr("workbook"), ".xlsm": tr("workbook"), ".xltx": tr("workbook"),
    ".ods": tr("workbook"), ".xlsb": tr("workbook"),
    ".pptx": tr("presentation"), ".odt": tr("OpenDocument text"), ".epub": tr("e-book"),
    ".pdf": "pdf",
}  # fmt: skip
"""Names of formats with unmistakable content: a file with the name but not the content is
damaged.
"""

_LOOK = tr(
    "A vision model can see what is in it: use the agent's tool analyze_media, or “dogent-tui"
    " analyze”."
)
_IMAGE = (tr("an image"), _LOOK)
_VIDEO = (tr("a video"), _LOOK)
_AUDIO = (tr("a sound recording"), tr("Transcribe it into a text file first."))
_ARCHIVE = (tr("an archive"), tr("Unpack it and read the files in it."))
_FLAT_XML = (tr("an Office document in XML"), tr("Save it as docx, xlsx or odt first."))
_FLAT = re.compile(rb"<\?mso-application|<office:document\s|<pkg:package\s")
_POSTSCRIPT = ("PostScript", tr("Convert it to pdf first."))

_MAGIC: tuple[tuple[tuple[str, str], int, tuple[bytes, ...]], ...] = (
    (_IMAGE, 0, (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"II*\0", b"MM\0*")),
    (_IMAGE, 0, (b"8BPS", b"\0\0\1\0")), (_IMAGE, 4, (b"ftypheic", b"ftypmif1", b"ftypavif")),
    (_AUDIO, 4, (b"ftypM4A",)), (_VIDEO, 4, (b"ftyp",)),
    (_VIDEO, 0, (b"\x1a\x45\xdf\xa3", b"\0\0\1\xba")), (_AUDIO, 0, (b"ID3", b"OggS", b"fLaC")),
    (_ARCHIVE, 0, (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07")),
    (_ARCHIVE, 0, (b"\x28\xb5\x2f\xfd",)), (_ARCHIVE, 257, (b"ustar",)),
    (_POSTSCRIPT, 0, (b"%!PS",)),
)  # fmt: skip
"""The name of a format and what to do, the offset, and the bytes, which no text begins with."""

_RIFF = {b"WEBP": _IMAGE, b"AVI ": _VIDEO, b"WAVE": _AUDIO}


def kind_of(path: Path) -> str:
    """Return the kind of the file `path`, a key of `READERS`.

    Raises DocumentError if it cannot be read.
    """
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError as error:
        raise unreadable(path, error) from None
    kind = _by_content(path, head)
    if kind is None:
        _refuse_other_formats(path, head)
        return _by_name(path, head)
    if (size := path.stat().st_size) > _LARGEST:
        raise DocumentError(
            tr(
                "{path} is too large to read: {size} MB, and the limit is {most} MB.",
                path=path.name,
                size=size >> 20,
                most=_LARGEST >> 20,
            ),
            tr("Split it into smaller documents."),
            code="too_large",
        )
    return kind


def _by_content(path: Path, head: bytes) -> str | None:
    """Return the kind if the first bytes are those of a container or of a format other than plain
    text.
    """
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip_kind(path)
    if head.startswith(OLE):
        if is_old_workbook(path):
            return "values"
        check_archive(path)  # distinguishes old formats from encrypted ones
    if b"%PDF-" in head[:_PDF_WITHIN]:
        return "pdf"
    return "rtf" if head.startswith(b"{\\rtf") else None


def _zip_kind(path: Path) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            mimetype = _start_of(archive, "mimetype", names).decode("ascii", "replace").strip()
            types = _start_of(archive, "[Content_Types].xml", names)
    except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError, ValueError, EOFError):
        what = _OFFICE_NAMES.get(path.suffix.lower(), tr("zip archive"))
        raise DocumentError(
            tr(
                "{path} is a damaged {what}: it ends early or is broken inside.",
                path=path.name,
                what=what,
            ),
            tr("Get a complete copy, or save it again with the program that created it."),
            code="damaged",
        ) from None
    if mimetype == "application/epub+zip":
        return "epub"
    if mimetype.startswith(_OPEN_DOCUMENT):
        what = mimetype.removeprefix(_OPEN_DOCUMENT).partition("-")[0]  # text-web, text-template
        if what in _OPEN_KINDS:
            return _OPEN_KINDS[what]
        said = tr("an OpenDocument file that isn't text or a spreadsheet")
        raise unsupported(path, said, tr("Save it as pptx or pdf first."))
    if "xl/workbook.bin" in names:
        return "values"
    by_part = (kind for kind, part, _ in _OFFICE if part in names)
    by_type = (kind for kind, _, mark in _OFFICE if mark in types)
    if kind := next(chain(by_part, by_type), None):
        return kind
    _refuse_by_name(path)
    raise unsupported(path, *_ARCHIVE)


def _refuse_by_name(path: Path) -> None:
    if what := _OFFICE_NAMES.get(path.suffix.lower()):
        raise DocumentError(
            tr(
                "{path} is not a {what}, despite its name, or it is damaged.",
                path=path.name,
                what=what,
            ),
            tr("Check where it came from, and get a complete copy."),
            code="damaged",
        )


def _start_of(archive: zipfile.ZipFile, member: str, names: set[str]) -> bytes:
    if member not in names:
        return b""
    with archive.open(member) as stream:  # never a whole member: it may be a bomb
        return stream.read(65_536)


def _refuse_other_formats(path: Path, head: bytes) -> None:
    found = next((what for what, at, signs in _MAGIC if head.startswith(signs, at)), None)
    if head.startswith(b"RIFF"):
        found = _RIFF.get(head[8:12])
    if head.startswith(b"BM") and b"\0" in head[:32]:
        found = _IMAGE
    if found:
        raise unsupported(path, *found)


def _by_name(path: Path, head: bytes) -> str:
    """Return the kind of text; whether it is text at all is determined with its encoding."""
    from dogent_tui.documents.text.lines import language_of

    suffix = path.suffix.lower()
    _refuse_by_name(path)
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if suffix == ".ipynb" and start.startswith(b"{"):
        return "ipynb"
    kind = _TEXTS.get(suffix) or ("code" if language_of(path) else "text")
    if kind != "code" and start.startswith(b"<?xml") and _FLAT.search(start):
        raise unsupported(path, *_FLAT_XML)
    is_page = start.startswith((b"<!doctype html", b"<html")) or ARCHIVED_PAGE in start
    return "html" if is_page and suffix != ".txt" and kind in {"text", "table"} else kind


def reader_of(kind: str) -> Reader:
    """Return the reader for documents of a kind."""
    module, name = READERS[kind]
    reader: Reader = getattr(import_module(module), name)
    return reader


def unsupported(path: Path, what: str, remedy: str) -> DocumentError:
    """Return the error for a file that is not a readable document."""
    return DocumentError(
        tr("{path} is {what}, which cannot be read as a document.", path=path.name, what=what),
        remedy,
        code="unsupported",
    )
