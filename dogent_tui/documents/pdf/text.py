"""The text of a page as PyMuPDF sees it, as lines and blocks of ours."""

from typing import Any

from dogent_tui.documents.pdf.model import Box, Line, Run, TextBlock

_RAISED, _ITALIC, _MONO, _BOLD = 1, 2, 8, 16
"""The flags of a span: https://pymupdf.readthedocs.io/en/latest/textpage.html#span-dictionary"""

_BOLD_NAMES = ("bold", "black", "heavy", "semibold", "demi", "-bd")
_MONO_NAMES = ("mono", "courier", "consol", "menlo", "typewriter", "cmtt", "code")


def page_blocks(page: Any) -> list[TextBlock]:
    """Return the blocks of the pymupdf page in the order of the file, without empty lines."""
    import pymupdf

    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
    links = [(Box(*link["from"]), link["uri"]) for link in page.get_links() if link.get("uri")]
    blocks = []
    for block in page.get_text("dict", flags=flags)["blocks"]:
        lines = tuple(filter(None, (_line(line, links) for line in block["lines"])))
        if lines:
            blocks.append(TextBlock(lines))
    return blocks


def _line(line: dict[str, Any], links: list[tuple[Box, str]]) -> Line | None:
    runs = tuple(_run(span, links) for span in line["spans"] if span["text"])
    if not any(run.text.strip() for run in runs):
        return None
    across, down = line["dir"]
    return Line(Box(*line["bbox"]), runs, upright=across > 0.99 and abs(down) < 0.1)


def _run(span: dict[str, Any], links: list[tuple[Box, str]]) -> Run:
    font, flags = span["font"].lower(), span["flags"]
    middle = Box(*span["bbox"]).middle
    return Run(
        _plain(span["text"]),
        round(span["size"] * 2) / 2,
        bold=bool(flags & _BOLD) or any(name in font for name in _BOLD_NAMES),
        italic=bool(flags & _ITALIC) or "italic" in font or "oblique" in font,
        mono=bool(flags & _MONO) or any(name in font for name in _MONO_NAMES),
        raised=bool(flags & _RAISED),
        uri=next((uri for box, uri in links if box.holds(middle)), "") if links else "",
    )


def _plain(text: str) -> str:
    """Return `text` without what no reader sees: soft hyphens, zero-width marks, control characters, lone surrogates."""
    if text.isascii() and text.isprintable():
        return text
    kept = (" " if c in "\t\xa0\u2007\u202f" else c for c in text if c not in "\xad\u200b\u200c\u2060\ufeff")
    return "".join(c for c in kept if c >= " " and not "\ud800" <= c <= "\udfff" and c != "\x7f")
