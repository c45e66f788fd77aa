"""Finishes a printed pdf: its author, the page of each heading, and which characters no font
had.
"""

import importlib
import os
import threading
from collections.abc import Set as AbstractSet
from typing import Any
from unicodedata import normalize
from urllib.parse import unquote

from msgspec.structs import replace

from dogent_tui.documents.export import to_unicode
from dogent_tui.documents.export.accessible import make_accessible
from dogent_tui.documents.export.document import Document
from dogent_tui.documents.export.model import Made
from dogent_tui.documents.model import DocumentError
from dogent_tui.language import tr
from dogent_tui.temporary import temporary_folder

_ENGINE = threading.Lock()
"""MuPDF is for one thread at a time."""

_MOST_MISSING = 12
_SAME_GLYPH = dict(zip("〜‖―", "～∥—", strict=True))
"""Characters that share a glyph in Chinese fonts; a browser reports the first of a pair."""


def heading_pages(pdf: bytes) -> dict[str, int]:
    """Return the page (from 1) of each named place of `pdf`. Blocks."""
    with _ENGINE:
        pymupdf = _pymupdf()
        with pymupdf.open(stream=pdf, filetype="pdf") as document:
            return {
                unquote(name): place["page"] + 1
                for name, place in document.resolve_names().items()
                if "page" in place
            }


def finish(made: Made, exported: Document, doubtful: AbstractSet[str]) -> tuple[Made, str]:
    """Return what is `made` with the properties, language and bookmarks of what is `exported`, and
    the characters that are drawn as boxes because no font has them. Blocks.

    Chromium's own bookmarks are based on what it painted, which is not always what was written
    (observed: a heading twice, formulas in pieces). `doubtful` are the characters that possibly no
    font had. Raises DocumentError if the engine's output is not a pdf.
    """
    front, lang = exported.front, exported.front.lang
    headings = {heading.name: heading.text for heading in exported.headings if heading.text}
    properties = {
        "title": exported.title,
        "author": ", ".join(front.authors),
        "subject": front.subject or front.description,
        "keywords": ", ".join(front.keywords),
    }
    with _ENGINE, temporary_folder() as folder:
        pymupdf = _pymupdf()
        path = folder / "printed.pdf"
        path.write_bytes(made.content)
        try:
            document = pymupdf.open(path)
        except (RuntimeError, ValueError) as error:
            raise DocumentError(
                tr("The engine wrote a damaged pdf."),
                tr("Please report this, and include the document."),
            ) from error
        with document:
            if not document.page_count:
                raise DocumentError(
                    tr("The engine drew none of the document's pages."),
                    tr("The markup is too deeply nested: flatten it."),
                )
            catalog, own = document.pdf_catalog(), {"creator": "dogent-tui"}
            document.set_metadata({**(document.metadata or {}), **properties, **own})
            shown = "ViewerPreferences/DisplayDocTitle"  # PDF/UA-1, 7.1
            document.xref_set_key(catalog, shown, "true")
            entries = document.get_outline_xrefs()
            if len(entries) == len(headings):
                for entry, words in zip(entries, headings.values(), strict=True):
                    document.xref_set_key(entry, "Title", pymupdf.get_pdf_str(words))
            make_accessible(document, made.content, properties, lang, headings)
            to_unicode.correct(document)
            missing = _missing(document, doubtful)
            pages = document.page_count
            # appends the changes; rewriting everything took as long as printing
            document.saveIncr()
        return replace(made, content=path.read_bytes(), pages=pages), missing


def _pymupdf() -> Any:
    """Import the engine (1 s), and keep it from writing to the terminal."""
    os.environ.setdefault("PYMUPDF_SUGGEST_LAYOUT_ANALYZER", "0")
    pymupdf: Any = importlib.import_module("pymupdf")  # it has no useful types
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    return pymupdf


def prepare() -> None:
    """Import the engine in advance, while waiting for something else. Blocks."""
    with _ENGINE:
        _pymupdf()


def _missing(document: Any, doubtful: AbstractSet[str]) -> str:
    """Return those of `doubtful` that are not drawn, if anything is drawn with glyph 0.

    That glyph is every font's box for missing characters; the pdf does not say for which one.
    """
    drawn: set[str] = set()
    boxes = False
    for page in document:
        if doubtful <= drawn:
            return ""
        for span in page.get_texttrace():
            for code, glyph, *_ in span["chars"]:
                if glyph:
                    letter = to_unicode.usual(chr(code))
                    # Arabic letters are drawn in a form for their place in the word
                    drawn |= {letter, _SAME_GLYPH.get(letter, letter), *normalize("NFKC", letter)}
                else:
                    boxes = True
    missing = sorted(doubtful - drawn, key=lambda char: (not char.isalpha(), char)) if boxes else []
    return "".join(missing[:_MOST_MISSING]) + "…" * (len(missing) > _MOST_MISSING)
