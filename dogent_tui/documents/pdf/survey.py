"""A look through the document before it is read: how large its text is set, which sizes are headings, what each page repeats."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from dogent_tui.documents.pdf.model import Line, TextBlock
from dogent_tui.documents.pdf.text import BROKEN, page_blocks

MOST_LOOKED_AT = 24
"""Pages that are looked at, spread over the document: each costs some 6 ms."""

_EDGE = 0.1
"""The share of a page at its top and its bottom where running titles stand."""

_LARGER = 1.12
"""What is set larger than the text by this factor may be a heading."""

_FEW_PAGES = 8
_LEVELS = 6
_NUMBER = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"(page|seite|p\.?|第)?\s*[-–—|]*\s*(\d{1,4}|[ivxlc]{1,7})\s*[-–—|]*(\s*(/|of|von|页)\s*\d*)?", re.IGNORECASE
)


class Survey(msgspec.Struct, frozen=True):
    """What holds for the whole document.

    `body` is the size of the text in points, `sizes` those of headings from the largest, `repeated` the running titles with
    their numbers taken out, `titles` the bookmarks: text without spaces → level from 1.
    """

    body: float
    sizes: tuple[float, ...]
    repeated: frozenset[str]
    titles: dict[str, int]

    def runs(self, line: Line, height: float) -> bool:
        """Tell whether `line` is a running title or a page's number, on a page of this height."""
        return _at_edge(line, height) and (_shape(line.text) in self.repeated)


def survey(document: Any, pages: Sequence[int]) -> Survey:
    """Look at some of the `pages` (from 1) of the pymupdf document."""
    step = max(1, len(pages) // MOST_LOOKED_AT)
    chosen = list(pages[::step])[:MOST_LOOKED_AT]
    neighbours = list(pages[:4]) if step > 1 else []
    sizes: Counter[float] = Counter()
    large: Counter[float] = Counter()
    edges: Counter[str] = Counter()
    seen = 0
    for number in dict.fromkeys([*chosen, *neighbours]):
        with suppress(*BROKEN):  # a damaged page is told of when it is read
            page = document[number - 1]
            blocks, height = page_blocks(page), page.rect.height
            seen += 1
            _count(blocks, sizes, large)
            edges.update({_shape(line.text) for line in _lines(blocks) if _at_edge(line, height)})
    body = max(sizes, key=lambda size: (sizes[size], -size)) if sizes else 0.0
    headings = sorted((size for size in large if size >= _LARGER * body), reverse=True)
    least = 2 if seen <= _FEW_PAGES else 3
    repeated = frozenset(shape for shape, count in edges.items() if count >= least and seen >= 3)
    return Survey(body, tuple(headings[:_LEVELS]), repeated, _titles(document))


def _lines(blocks: Iterable[TextBlock]) -> Iterable[Line]:
    return (line for block in blocks for line in block.lines)


def _count(blocks: Iterable[TextBlock], sizes: Counter[float], large: Counter[float]) -> None:
    for block in blocks:
        for line in block.lines:
            sizes[line.size] += len(line.text)
        if len(block.lines) <= 4 and any(c.isalpha() for c in block.text):
            large[block.lines[0].size] += 1


def _at_edge(line: Line, height: float) -> bool:
    return line.box.y1 < _EDGE * height or line.box.y0 > (1 - _EDGE) * height


def _shape(text: str) -> str:
    """Return `text` without what differs from page to page."""
    plain = " ".join(text.split()).casefold()
    return "#" if _PAGE_NUMBER.fullmatch(plain) else _NUMBER.sub("#", plain)


def _titles(document: Any) -> dict[str, int]:
    try:
        toc = document.get_toc()
    except BROKEN:
        return {}
    found: dict[str, int] = {}
    for level, title, *_ in toc[:5_000]:
        found.setdefault(letters(title), min(level, _LEVELS))
    found.pop("", None)
    return found


def letters(text: str) -> str:
    """Return `text` as it is compared: without spaces, case and punctuation."""
    return "".join(c for c in text.casefold() if c.isalnum())
