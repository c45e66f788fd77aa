"""Running titles and page numbers: told from the text by where they are, how they are set, and
that they repeat or count.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

import msgspec
import roman

from dogent_tui.documents.pdf.model import Line, Page, TextBlock, around, is_within, rows_of
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
    """A line near an edge: what does not change of it and at which edge, on which page, how far
    from the edge, whether it is set as the text is not, and what it counts: its number less the
    page's, and its number.
    """

    key: tuple[str, bool]
    page: int
    height: float
    apart: bool
    counts: tuple[int, int] | None


class Furniture:
    """The running titles of a document, known from some of its `pages`, by their numbers. `body`
    is the size of the text.
    """

    def __init__(self, pages: Mapping[int, Page], body: float) -> None:
        fonts: Counter[str] = Counter()
        for line in (line for page in pages.values() for line in page.lines if line.size == body):
            for run in line.runs:
                fonts[run.font] += len(run.text)
        self._body = body
        self._font = max(fonts, key=lambda font: fonts[font], default="")
        found: dict[tuple[str, bool], list[_Seen]] = defaultdict(list)
        for number, page in pages.items():
            outside = _untagged(page)
            for line in page.lines:
                if seen := self._seen(line, page, number, outside):
                    found[seen.key].append(seen)
        self._again = {
            key for key, group in found.items() if len({seen.page for seen in group}) > 1
        }
        within = set(self._within_sentences(pages))
        self._known = {
            key: [o.height for o in group if key in within or _repeats(group, o.height)]
            for key, group in found.items()
        }

    def repeats(self, block: TextBlock) -> bool:
        """Tell whether a text is at an edge of several pages."""
        key = _key(block.text)
        return (key, True) in self._again or (key, False) in self._again

    def _within_sentences(self, pages: Mapping[int, Page]) -> Iterator[tuple[str, bool]]:
        """Yield what is between two pages in the middle of a sentence, and at several edges."""
        for number in pages:
            if number + 1 not in pages:
                continue
            above, below = (
                rows_of(line for line in pages[at].lines if line.size >= 0.95 * self._body)
                for at in (number, number + 1)
            )
            bottom = list(takewhile(lambda row: self._is_again(row, False), reversed(above)))
            top = list(takewhile(lambda row: self._is_again(row, True), below))
            ends, begins = above[: len(above) - len(bottom)], below[len(top) :]
            if ends and begins and is_within(ends[-1][-1].text, begins[0][0].text):
                yield from ((_key(line.text), False) for row in bottom for line in row)
                yield from ((_key(line.text), True) for row in top for line in row)

    def _is_again(self, row: Sequence[Line], top: bool) -> bool:
        return all((_key(line.text), top) in self._again for line in row)

    def of(self, page: Page, number: int) -> list[Line]:
        """Return the running lines of page `number`: known ones beyond which, outward, nothing
        else is, away from the text.
        """
        outside = _untagged(page)

        def peeled(rows: Sequence[list[Line]]) -> list[list[Line]]:
            taken = list(
                takewhile(
                    lambda row: all(self._runs(line, page, number, outside) for line in row), rows
                )
            )
            while 0 < len(taken) < len(rows) and _is_near(taken[-1], rows[len(taken)]):
                taken.pop()
            return taken

        rows = rows_of(page.lines)
        top = peeled(rows)
        return [line for row in [*top, *peeled(rows[len(top) :][::-1])] for line in row]

    def _runs(self, line: Line, page: Page, number: int, outside: set[int]) -> bool:
        seen = self._seen(line, page, number, outside)
        if seen is None:
            return False
        if page.tagged and seen.counts and not seen.counts[0]:
            return True  # MuPDF has a page's number, outside of the tags, in the element before it
        if any(abs(height - seen.height) <= _NEAR for height in self._known.get(seen.key, ())):
            return True
        # MuPDF has what continues from the page before, at the top, outside of its element
        sure = seen.counts or number == 1 or self._is_apart(line)
        return id(line) in outside and bool(sure)

    def _is_apart(self, line: Line) -> bool:
        """Tell whether a line is set as the text is not."""
        fonts = {run.font for run in line.runs if run.text.strip()}
        return line.size < 0.95 * self._body or self._font not in fonts

    def _seen(self, line: Line, page: Page, number: int, outside: set[int]) -> _Seen | None:
        """Return what is seen of a line, None where it can be no running one. `outside`: lines that
        the tags leave out.
        """
        area, box = page.area, line.box
        top = box.y1 < area.y0 + _EDGE * area.height
        if not line.upright or not (top or box.y0 > area.y1 - _EDGE * area.height):
            return None
        counter = _PAGE_NUMBER.fullmatch(" ".join(line.text.split()))
        value = number_of(counter[2].lower()) if counter else None
        if value is None and line.size > _LARGEST * self._body:
            return None
        return _Seen(
            (_key(line.text), top),
            number,
            box.y0 - area.y0 if top else area.y1 - box.y1,
            value is None and (id(line) in outside or self._is_apart(line)),
            None if value is None else (value - number, value),
        )


def _repeats(group: Iterable[_Seen], height: float) -> bool:
    """Tell whether a line comes back at this `height`: set apart from the text, or as a number
    that counts the pages.
    """
    here = [seen for seen in group if abs(seen.height - height) <= _NEAR]
    offsets, values = (Counter(o.counts[at] for o in here if o.counts) for at in (0, 1))
    most = max([*offsets.values(), *values.values()], default=0)
    return most > 1 or len({seen.page for seen in here if seen.apart}) > 1


def _key(text: str) -> str:
    """Return what does not change of a line from page to page."""
    text = " ".join(text.split()).casefold()
    counter = _PAGE_NUMBER.fullmatch(text)
    return "#" if counter and number_of(counter[2]) is not None else _NUMBER.sub("#", text)


def _untagged(page: Page) -> set[int]:
    """Return which lines of a page with tags are outside of them: the file says that they are
    none of its content.
    """
    blocks = [node for node in page.nodes if isinstance(node, TextBlock)] if page.tagged else []
    return {id(line) for block in blocks for line in block.lines}


def _is_near(row: Sequence[Line], inner: Sequence[Line]) -> bool:
    """Tell whether there is less than a running title's gap between two rows."""
    one, other = (around(line.box for line in each) for each in (row, inner))
    return max(other.y0 - one.y1, one.y0 - other.y1) < _GAP * row[0].size


def number_of(text: str) -> int | None:
    """Return the value of an Arabic or a Roman number in small letters; None where it is none."""
    if text.isdecimal():
        return int(text)
    try:
        return roman.fromRoman(text)
    except roman.RomanError:
        return None


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
