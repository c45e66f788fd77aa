"""Running titles and page numbers: recognized by position, style, and repetition or counting."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile

import msgspec
import roman

from dogent_tui.documents.pdf.model import (
    Line,
    Lines,
    Page,
    Rows,
    area_of,
    is_within,
    lines_in,
    rows_of,
    shift_of,
    untagged,
)
from dogent_tui.documents.workbook.columns import spans

_EDGE = 0.15
"""The share of a page at its top and bottom that may hold running titles, as its margins may."""

_NEAR = 4.0
"""The tolerance in points for the height of the same line on different pages."""

_GAP = 0.6
"""The minimum gap between a running title and the text, in text sizes."""

_LARGEST, _LARGEST_BOLD = 1.25, 1.1
"""Text larger than the body text by this factor is not a running title, unless it counts pages."""

_YEAR = 1000
"""A number at least this large that is alone at an edge is no page number if it is the same on all
pages.
"""

_NUMBER = re.compile(r"\d+|\b[ivxlc]{1,7}\b")
_PAGE_NUMBER = re.compile(
    r"(page|seite|p\.?|s\.?|第|[a-z\d]{1,2}(?=[-–]))?\s*[-–—|·•~\[\]()]*\s*(\d{1,4}|[ivxlc]{1,7})\s*[-–—|·•~\[\]()]*(\s*(/|of|von|de|页|頁)\s*\d*)?",
    re.IGNORECASE,
)


class _Seen(msgspec.Struct, frozen=True):
    """A line near an edge: its constant part and edge, its page, its distance from the edge,
    whether its style differs from the text, and what it counts: the difference to the page number,
    and its number.
    """

    key: tuple[str, bool]
    page: int
    height: float
    apart: bool
    counts: tuple[int, int] | None


class Furniture:
    """The running titles of a document, derived from some of its `pages` by number. `body` is the
    size of the text.
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
            for line in page.lines:
                if seen := self._seen(line, page, number):
                    found[seen.key].append(seen)
        self._again = {
            key for key, group in found.items() if len({seen.page for seen in group}) > 1
        }
        within = set(self._within_sentences(pages))
        self._known = {
            key: [o.height for o in group if key in within or _repeats(group, o.height)]
            for key, group in found.items()
        }

    def repeats(self, text: str) -> bool:
        """Return whether a text is at an edge of several pages."""
        key = _key(text)
        return (key, True) in self._again or (key, False) in self._again

    def _within_sentences(self, pages: Mapping[int, Page]) -> Iterator[tuple[str, bool]]:
        """Yield what separates two pages in the middle of a sentence, and is at several edges."""
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

    def _is_again(self, row: Lines, top: bool) -> bool:
        return all((_key(line.text), top) in self._again for line in row)

    def of(self, page: Page, number: int) -> list[Line]:
        """Return the running lines of page `number`: known ones with nothing else between them and
        the edge, and those beside them in the same style.
        """
        # the file declares this not to be content
        outside = set(lines_in(untagged(page.nodes))) if page.tagged else set()

        def is_known(line: Line) -> bool:
            seen = self._seen(line, page, number)
            return seen is not None and (
                line in outside
                or any(
                    abs(height - seen.height) <= _NEAR for height in self._known.get(seen.key, ())
                )
            )

        def runs(row: Lines) -> bool:
            known = [*filter(is_known, row)]
            titles = (line for line in known if any(map(str.isalpha, line.text)))
            styles = {(line.size, line.runs[0].font) for line in titles}
            label, text = row[0], max(row, key=lambda o: len(o.text))
            if label.runs[0].shift or shift_of((text.base - label.base) / text.size):  # of a note
                return False
            return all(
                o in known
                or (o.size, o.runs[0].font) in styles
                or (known and self.repeats(o.text))  # beside a page number
                for o in row
            )

        def peeled(rows: Rows) -> Rows:
            taken = list(takewhile(runs, rows))
            while 0 < len(taken) < len(rows) and _is_near(taken[-1], rows[len(taken)]):
                taken.pop()
            return taken

        rows = rows_of(page.lines)
        top = peeled(rows)
        outer = [line for row in [*top, *peeled(rows[len(top) :][::-1])] for line in row]
        inner = (line for line in page.lines if line not in outer)
        return [*outer, *(line for line in inner if _is_beside(line, page) and is_known(line))]

    def _seen(self, line: Line, page: Page, number: int) -> _Seen | None:
        """Return the position and content of a line, None if it cannot be a running one."""
        area, box = page.area, line.box
        top = box.y1 < area.y0 + _EDGE * area.height
        at_edge = line.upright and (top or box.y0 > area.y1 - _EDGE * area.height)
        if not (at_edge or _is_beside(line, page)):
            return None
        counter = _PAGE_NUMBER.fullmatch(" ".join(line.text.split()))
        value = number_of(counter[2].lower()) if counter else None
        most = (_LARGEST_BOLD if line.bold else _LARGEST) * self._body
        if value is None and (line.size > most or line in page.tables):
            return None
        fonts = {run.font for run in line.runs if run.text.strip()}
        is_apart = line.size < 0.95 * self._body or self._font not in fonts
        return _Seen(
            (_key(line.text), top),
            number,
            box.y0 - area.y0 if top else area.y1 - box.y1,
            value is None and is_apart,
            None if value is None else (value - number, value),
        )


def _repeats(group: Iterable[_Seen], height: float) -> bool:
    """Return whether a line recurs at this `height`: set apart from the text, or as a number that
    counts the pages.
    """
    here = [seen for seen in group if abs(seen.height - height) <= _NEAR]
    counts = {seen.page: seen.counts for seen in here if seen.counts}.values()
    same = Counter(
        [("counts", offset) for offset, _ in counts]
        + [("stays", value) for _, value in counts if value >= _YEAR]
    )
    most = max(same.values(), default=0)
    return most > 1 or len({seen.page for seen in here if seen.apart}) > 1


def _key(text: str) -> str:
    """Return the part of a line that is constant from page to page: text without its numbers, if
    anything is left.
    """
    text = " ".join(text.split()).casefold()
    if _PAGE_NUMBER.fullmatch(text):
        return "#"
    constant = _NUMBER.sub("#", text)
    return constant if any(map(str.isalpha, constant)) else text


def _is_beside(line: Line, page: Page) -> bool:
    """Return whether a line is in the margin beside the text, and not level with one of its lines,
    as their labels and numbers are.
    """
    x0, x1 = page.sides
    if not (line.box.x1 < x0 or line.box.x0 > x1):
        return False
    others = (other for other in page.lines if other is not line)
    return not (line.upright and any(abs(line.base - other.base) < 1 for other in others))


def _is_near(row: Lines, inner: Lines) -> bool:
    """Return whether the gap between two rows is smaller than that of a running title."""
    one, other = (area_of(each) for each in (row, inner))
    return max(other.y0 - one.y1, one.y0 - other.y1) < _GAP * row[0].size


def number_of(text: str) -> int | None:
    """Return the value of an Arabic or lower-case Roman number, None if it is neither."""
    if text.isdecimal():
        return int(text)
    try:
        return roman.fromRoman(text)
    except roman.RomanError:
        return None


def told_lines(found: Mapping[str, Iterable[int]]) -> list[dict[str, str]]:
    """Return the running lines with the pages of each, for the metadata."""
    return [
        {
            "text": text,
            "pages": ",".join(str(a) if a == b else f"{a}-{b}" for a, b in spans(sorted(pages))),
        }
        for text, pages in found.items()
    ]
