"""The text of a page as PyMuPDF sees it, as lines and blocks of ours."""

import re
import unicodedata
from typing import Any

from dogent_tui.documents.pdf.model import Box, Line, Run, TextBlock

BROKEN = (RuntimeError, ValueError, IndexError, KeyError, TypeError, AttributeError)
"""What PyMuPDF raises over a damaged object: errors of its own are RuntimeErrors, others come from its Python code."""

_RAISED, _ITALIC, _MONO, _BOLD = 1, 2, 8, 16
"""The flags of a span: https://pymupdf.readthedocs.io/en/latest/textpage.html#span-dictionary"""

_LIGATURES = re.compile("[\ufb00-\ufb4f\ufb50-\ufdff\ufe70-\ufefc]")
"""Alphabetic presentation forms: one character for several letters, or for the shape of one."""

_ARABIC = re.compile("[\u0600-\u08ff]")
_NO_WIDTH = 0.05

_BOLD_NAMES = ("bold", "black", "heavy", "semibold", "demi", "-bd")
_MONO_NAMES = ("mono", "courier", "consol", "menlo", "typewriter", "cmtt", "code")


def page_blocks(page: Any) -> list[TextBlock]:
    """Return the blocks of the pymupdf page in the order of the file, without empty lines."""
    import pymupdf

    # Ligatures are taken apart here: MuPDF does it in the order of the page, which is the wrong one from right to left.
    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP | pymupdf.TEXT_PRESERVE_LIGATURES
    links = [(Box(*link["from"]), link["uri"]) for link in page.get_links() if link.get("uri")]
    found = page.get_text("dict", flags=flags)["blocks"]
    if any(_ARABIC.search(span["text"]) for block in found for line in block["lines"] for span in line["spans"]):
        found = page.get_text("rawdict", flags=flags)["blocks"]
    blocks = []
    for block in found:
        lines = tuple(filter(None, (_line(line, links) for line in block["lines"])))
        if lines:
            blocks.append(TextBlock(lines))
    return blocks


def _line(line: dict[str, Any], links: list[tuple[Box, str]]) -> Line | None:
    runs = tuple(_run(span, links) for span in line["spans"] if span.get("text") or span.get("chars"))
    if not any(run.text.strip() for run in runs):
        return None
    across, down = line["dir"]
    return Line(Box(*line["bbox"]), runs, upright=across > 0.99 and abs(down) < 0.1)


def _run(span: dict[str, Any], links: list[tuple[Box, str]]) -> Run:
    font, flags = span["font"].lower(), span["flags"]
    middle = Box(*span["bbox"]).middle
    return Run(
        _plain(span["text"] if "text" in span else _in_order(span["chars"])),
        round(span["size"] * 2) / 2,
        bold=bool(flags & _BOLD) or any(name in font for name in _BOLD_NAMES),
        italic=bool(flags & _ITALIC) or "italic" in font or "oblique" in font,
        mono=bool(flags & _MONO) or any(name in font for name in _MONO_NAMES),
        raised=bool(flags & _RAISED),
        uri=next((uri for box, uri in links if box.holds(middle)), "") if links else "",
    )


def _in_order(characters: list[dict[str, Any]]) -> str:
    """Return the text of `characters`. Letters of an Arabic ligature come backwards, and all but the last without a width."""
    found: list[str] = []
    held: list[str] = []
    for character in characters:
        x0, _, x1, _ = character["bbox"]
        held.append(character["c"])
        if x1 - x0 > _NO_WIDTH or not _ARABIC.match(character["c"]) or unicodedata.combining(character["c"]):
            found += reversed(held) if all(map(_ARABIC.match, held)) else held
            held = []
    return "".join([*found, *held])


def _plain(text: str) -> str:
    """Return `text` without what no reader sees (soft hyphens, zero-width marks, control characters), ligatures taken apart."""
    if text.isascii() and text.isprintable():
        return text
    text = _LIGATURES.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
    kept = (" " if c in "\t\xa0\u2007\u202f" else c for c in text if c not in "\xad\u200b\u200c\u2060\ufeff")
    return "".join(c for c in kept if c >= " " and not "\ud800" <= c <= "\udfff" and not "\x7f" <= c < "\xa0")
