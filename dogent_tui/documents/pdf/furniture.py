"""Running titles and page numbers: told from the text by where they are, how they are set, and
that they repeat or count.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

import msgspec
import roman

from dogent_tui.documents.pdf.model import Box, Line, Page, TextBlock
from dogent_tui.documents.workbook.columns import spans

_EDGE = 0.15
"""The share of a page at its top and its bottom where running titles are."""

_NEAR = 4.0
"""Points by which the same line may be higher or lower from page to page."""

_GAP = 0.6
"""Sizes of the text between a running title and the text itself."""

_LARGEST = 1.1
"""What is set larger than the text by this factor is no running title, unless it counts."""

_NUMBER = re.compile(r"\d+|\b[ivxlc]{1,7}\b")
_PAGE_NUMBER = re.compile(
    r"(page|seite|p\.?|s\.?|第)?\s*[-–—|]*\s*(\d{1,4}|[ivxlc]{1,7})\s*[-–—|]*(\s*(/|of|von|de|页|頁)\s*\d*)?",
    re.IGNORECASE,
)


class _Seen(msgspec.Struct, frozen=True):
    """A line near an edge: what does not change of it, whether it is set as the text is, and its
    number less the page's.
    """

    shape: str
    top: bool
    height: float
    apart: bool
    offset: int | None


class Furniture(msgspec.Struct, frozen=True):
    """The running titles of a document: their shapes with where they are, in points from the
    nearer edge.
    """

    known: dict[tuple[str, bool], tuple[float, ...]]
    body: float
    font: str

    def of(self, page: Page, number: int) -> list[Line]:
        """Return the running lines of page `number`: known ones beyond which, outward, nothing
        else is, away from the text.
        """
        return [*self._peeled(page, number, top=True), *self._peeled(page, number, top=False)]

    def _peeled(self, page: Page, number: int, *, top: bool) -> list[Line]:
        rows = list(_rows(page, top=top))
        untagged = _untagged(page)
        taken = 0
        for row in rows:
            if not all(self._runs(line, page, number, top, id(line) in untagged) for line in row):
                break
            taken += 1
        while (
            0 < taken < len(rows)
            and _between(rows[taken - 1], rows[taken]) < _GAP * rows[taken - 1][0].size
        ):
            taken -= 1
        return [line for row in rows[:taken] for line in row]

    def _runs(self, line: Line, page: Page, number: int, top: bool, untagged: bool) -> bool:
        seen = _seen(line, page.area, number, self.body, self.font, apart=untagged)
        if seen is None or seen.top != top:
            return False
        near = any(
            abs(height - seen.height) <= _NEAR for height in self.known.get((seen.shape, top), ())
        )
        # MuPDF has a page's number, which is outside of the tags, in the element that was the last
        # one
        return (
            near
            or (untagged and seen.apart)
            or (seen.offset is not None and (untagged or (page.tagged and not seen.offset)))
        )


def furniture(pages: Mapping[int, Page], body: float) -> Furniture:
    """Return the running titles of these `pages`, by their numbers. `body` is the size of the
    text.
    """
    fonts: Counter[str] = Counter()
    for page in pages.values():
        for block in page.blocks:
            for line in block.lines:
                fonts.update({run.font: len(run.text) for run in line.runs if line.size == body})
    font = fonts.most_common(1)[0][0] if fonts else ""
    found: dict[tuple[str, bool], list[tuple[int, _Seen]]] = defaultdict(list)
    for number, page in pages.items():
        outside = _untagged(page)
        for line in (line for block in page.blocks for line in block.lines):
            if (
                seen := _seen(line, page.area, number, body, font, apart=id(line) in outside)
            ) is not None:
                found[seen.shape, seen.top].append((number, seen))
    known = {}
    for key, group in found.items():
        places = sorted({seen.height for _, seen in group})
        heights = tuple(height for height in places if _repeats(group, height))
        if heights:
            known[key] = heights
    return Furniture(known, body, font)


def _repeats(group: list[tuple[int, _Seen]], height: float) -> bool:
    """Tell whether a line comes back at this `height`: set apart from the text, or as a number
    that counts the pages.
    """
    here = [(number, seen) for number, seen in group if abs(seen.height - height) <= _NEAR]
    counts = Counter(seen.offset for _, seen in here if seen.offset is not None)
    apart = {number for number, seen in here if seen.apart}
    return len(apart) >= 2 or max(counts.values(), default=0) >= 2


def _untagged(page: Page) -> set[int]:
    """Return which lines of a page with tags are outside of them: the file says that they are
    none of its content.
    """
    if not page.tagged:
        return set()
    return {id(line) for node in page.nodes if isinstance(node, TextBlock) for line in node.lines}


def _seen(
    line: Line, area: Box, number: int, body: float, font: str, *, apart: bool = False
) -> _Seen | None:
    if not line.upright:
        return None
    top = line.box.y1 < area.y0 + _EDGE * area.height
    if not top and line.box.y0 <= area.y1 - _EDGE * area.height:
        return None
    text = " ".join(line.text.split()).casefold()
    counter = _PAGE_NUMBER.fullmatch(text)
    value = number_of(counter[2]) if counter else None
    if value is None and line.size > _LARGEST * body:
        return None
    offset = None if value is None else value - number
    shape = "#" if offset is not None else _NUMBER.sub("#", text)
    apart = (
        apart
        or line.size < 0.95 * body
        or all(run.font != font for run in line.runs if run.text.strip())
    )
    height = line.box.y0 - area.y0 if top else area.y1 - line.box.y1
    return _Seen(shape, top, round(height, 1), apart and offset is None, offset)


def number_of(text: str) -> int | None:
    """Return the value of an Arabic or a Roman number in small letters; None where it is none."""
    if text.isdecimal():
        return int(text)
    try:
        return roman.fromRoman(text)
    except roman.RomanError:
        return None


def _rows(page: Page, *, top: bool) -> Iterator[list[Line]]:
    """Yield the lines that are side by side, from the page's edge inward."""
    lines = [line for block in page.blocks for line in block.lines if line.upright]
    row: list[Line] = []
    for line in sorted(lines, key=lambda line: line.box.y0 if top else -line.box.y1):
        if row and not line.box.beside(row[0].box):
            yield row
            row = []
        row.append(line)
    if row:
        yield row


def _between(one: Iterable[Line], other: Iterable[Line]) -> float:
    first, second = [line.box for line in one], [line.box for line in other]
    return max(
        min(box.y0 for box in second) - max(box.y1 for box in first),
        min(box.y0 for box in first) - max(box.y1 for box in second),
    )


def told_lines(found: Mapping[str, Iterable[int]]) -> list[dict[str, str]]:
    """Return the running lines with the pages on which each is, as they are told in the
    metadata.
    """
    return [
        {
            "text": text,
            "pages": ",".join(str(a) if a == b else f"{a}-{b}" for a, b in spans(sorted(pages))),
        }
        for text, pages in found.items()
    ]
