"""Surveys the document before it is read: the size of its text, the sizes of headings, and its
tags.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any

import msgspec

from dogent_tui.documents.pdf.furniture import Furniture
from dogent_tui.documents.pdf.line_ends import LineEnds
from dogent_tui.documents.pdf.model import Box, Page, elements_in
from dogent_tui.documents.pdf.order import columns_of
from dogent_tui.documents.pdf.text import page_content
from dogent_tui.documents.pdf.tree import BROKEN, StructureTree

MOST_LOOKED_AT = 24
"""The number of pages surveyed, spread over the document: each costs about 6 ms."""

_LARGER = 1.12
"""Text larger than the body text by this factor may be a heading."""

_MUCH = 300
"""The number of characters in one size that establishes it as the size of the text."""

_LEVELS = 6
_SIGNS = re.compile(r"[(){}\[\]=<>_;\"/\\#$|&*+]")
_MOST_SIGNS = 0.05
"""The share of these in typewritten text; code has more."""

_MOST_TITLES = 5_000
_TELLING = frozenset(
    {"H", "H1", "H2", "H3", "H4", "H5", "H6", "Title", "L", "Table", "Code", "BlockQuote", "Note"}
)


class Survey(msgspec.Struct, frozen=True):
    """The properties of the whole document.

    Attributes:
        body: The size of the text in points.
        sizes: Those of headings, the largest first.
        titles: The bookmarks: text without spaces → level from 1.
        kinds: The element types of its structure tree.
        typewritten: Whether all text is set like code.
        guesses_headings: Whether tags do not classify the text as paragraphs, or there is enough
            text to determine its size.
        pages: What was found on its pages, by number.
        steps: The line distance for each size.
        ends: How its words are split.
        columns: The columns of each page that has several.
    """

    body: float
    sizes: tuple[float, ...]
    furniture: Furniture
    titles: dict[str, int]
    kinds: frozenset[str]
    typewritten: bool
    guesses_headings: bool
    pages: dict[int, Page]
    steps: dict[float, float]
    ends: LineEnds
    columns: tuple[tuple[Box, ...], ...]

    def leading(self, size: float) -> float:
        """Return the line distance of a text in `size`."""
        return self.steps.get(size, 1.3 * size)

    @property
    def tagged(self) -> bool:
        """Whether its tags tell more than what is a paragraph."""
        return bool(self.kinds & _TELLING)


def survey(document: Any, tree: StructureTree, pages: Sequence[int]) -> Survey:
    """Survey some of the `pages` (from 1) of the pymupdf document."""
    step = max(1, len(pages) // MOST_LOOKED_AT)
    chosen = list(pages[::step])[:MOST_LOOKED_AT]
    neighbours = list(pages[:4]) if step > 1 else []
    seen: dict[int, Page] = {}
    for number in dict.fromkeys([*chosen, *neighbours]):
        with suppress(*BROKEN):  # a damaged page is reported when it is read
            seen[number] = page_content(document[number - 1], tree)
    sizes: Counter[float] = Counter()
    code: Counter[float] = Counter()
    large: Counter[float] = Counter()
    signs = 0
    for block in (block for page in seen.values() for block in page.blocks):
        for line in block.lines:
            (code if line.mono else sizes)[line.size] += len(line.text)
            signs += line.mono and len(_SIGNS.findall(line.text))
        if len(block.lines) <= 4 and any(c.isalpha() for c in block.text):
            large[block.lines[0].size] += 1
    is_code = 4 * sizes.total() > code.total() or signs > _MOST_SIGNS * code.total()
    text = sizes if is_code and sizes else sizes + code
    body = max(text, key=lambda size: (text[size], -size)) if text else 0.0
    headings = sorted((size for size in large if size >= _LARGER * body), reverse=True)
    titles: dict[str, int] = {}
    for level, title, _ in outline(document)[:_MOST_TITLES]:
        titles.setdefault(letters(title), min(level, _LEVELS))
    titles.pop("", None)
    kinds = frozenset(e.kind for page in seen.values() for e in elements_in(page.nodes))
    return Survey(
        body,
        tuple(headings[:_LEVELS]),
        Furniture(seen, body),
        titles,
        kinds,
        not is_code,
        text[body] >= _MUCH or "P" not in kinds,
        seen,
        _steps(seen.values()),
        LineEnds(page.lines for page in seen.values()),
        tuple(filter(None, (columns_of(page.blocks) for page in seen.values()))),
    )


def _steps(pages: Iterable[Page]) -> dict[float, float]:
    """Return the most frequent line distance for each size."""
    steps: dict[float, Counter[float]] = defaultdict(Counter)
    for above, below in (pair for page in pages for pair in pairwise(page.lines)):
        down = round(below.base - above.base, 1)
        if above.size == below.size and 0.9 * above.size < down < 2.5 * above.size:
            steps[above.size][down] += 1
    return {size: max(found, key=lambda down: found[down]) for size, found in steps.items()}


def outline(document: Any) -> list[tuple[int, str, int]]:
    """Return the bookmarks of the pymupdf document: level, title and page of each."""
    try:
        toc = document.get_toc()
    except BROKEN:
        return []
    return [(level, title.strip(), page) for level, title, page, *_ in toc]


def letters(text: str) -> str:
    """Return `text` for comparison: without spaces, case and punctuation."""
    return "".join(c for c in text.casefold() if c.isalnum())
