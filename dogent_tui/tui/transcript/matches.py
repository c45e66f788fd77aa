"""Searching what rows draw: the matches, the current one, and the marks of all of them."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, chain, groupby
from typing import NamedTuple

from dogent_tui.tui.transcript.lines import Line, Lines
from dogent_tui.tui.transcript.palette import restyled
from dogent_tui.tui.transcript.rows import Place, Row, Rows

_MOST_KEPT = 64
"""The number of rows whose matches are kept."""

_CELL_END = "\0"


class Matches:
    """Finds a text in what `rows` draw, in any case and across wrapped lines.

    Rows are laid out to be searched, one after the other from where the user is, so that the first
    match found is the nearest one. It becomes the current one.
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._pattern = re.compile("")
        self._kept: dict[Row, tuple[Lines, Sequence[_Found]]] = {}
        self._ahead: list[Row] = []  # to be searched, the nearest last
        self._again: dict[Row, None] = {}  # new or changed since
        self._hits: dict[Row, int] = {}  # how many matches: of the rows that have any
        self._start = 0
        self._backward = False
        self._at: tuple[Row, int] | None = None
        self.text = ""
        """What is searched; empty if nothing is."""
        rows.on_stale = self._stale

    def _stale(self, row: Row) -> None:
        if self.text:
            self._hits.pop(row, None)
            self._again[row] = None

    def _is_shown(self, row: Row) -> bool:
        return self._rows.rows[row.index : row.index + 1] == [row]

    @property
    def current(self) -> tuple[Row, int] | None:
        """The row of the current match, and which of its matches it is, from 0."""
        if self._at is None:
            return None
        row, nth = self._at
        is_found = row in self._again or nth < self._hits.get(row, 0)
        return self._at if is_found and self._is_shown(row) else None

    @property
    def number(self) -> int:
        """The number of the current match, counted from 1; 0 if there is none."""
        if (current := self.current) is None:
            return 0
        row, nth = current
        above = (hits for other, hits in self._hits.items() if other.index < row.index)
        return sum(above) + nth + 1

    @property
    def count(self) -> int:
        """The number of matches found so far."""
        return sum(self._hits.values())

    @property
    def is_complete(self) -> bool:
        """Whether every row was searched."""
        return not self._ahead and not self._again

    def search(self, text: str, start: int, *, backward: bool) -> None:
        """Search `text` from the row with the index `start` on, or up to it with `backward`."""
        self.text = text.strip()
        words = map(re.escape, self.text.split())
        self._pattern = re.compile(r"\s+".join(words), re.IGNORECASE)
        self._kept.clear()
        self._hits.clear()
        self._again.clear()
        self._start, self._backward, self._at = start, backward, None
        rows = self._rows.rows
        nearest = (rows[start::-1], rows[start + 1 :]) if backward else (rows[start:], rows[:start])
        self._ahead = [*chain(*nearest)][::-1] if self.text else []

    def read(self, enough: Callable[[], bool]) -> None:
        """Search further rows until `enough` returns true."""
        while not self.is_complete:
            row = self._ahead.pop() if self._ahead else next(reversed(self._again))
            if self._is_shown(row):
                self._read(row)
            self._again.pop(row, None)
            if enough():
                return

    def _read(self, row: Row) -> None:
        if row.text is None:
            row.text = _Text(self._rows.whole(row)).text
        if hits := sum(1 for _ in self._pattern.finditer(row.text)):
            self._hits[row] = hits
            if self.current is None:
                self._go(row, -1 if self._backward and row.index <= self._start else 1)

    def step(self, step: int) -> None:
        """Make the next match the current one, or the previous one if negative, wrapping around."""
        if (current := self.current) is None:
            return
        row, nth = current
        if 0 <= nth + step < self._hits.get(row, 0):
            self._at = row, nth + step
        elif self._hits:
            most = len(self._rows.rows)
            away = {other: (other.index - row.index) * step % most or most for other in self._hits}
            self._go(min(away, key=away.__getitem__), step)

    def _go(self, row: Row, step: int) -> None:
        """Make the first match of `row` the current one, or its last one if `step` is negative."""
        self._at = row, 0 if step > 0 else self._hits.get(row, 1) - 1

    def place(self) -> Place | None:
        """Return where the current match is drawn."""
        if (current := self.current) is None:
            return None
        row, nth = current
        found = self._found(row)[nth:]
        return Place(row, found[0][0][0] if found else 0)

    def marked(self, place: Place, line: Line) -> Line:
        """Return `line`, drawn at `place`, with its matches marked."""
        if not self.text:
            return line
        marks = []
        for nth, found in enumerate(self._found(place.row)):
            style = "match-current" if self._at == (place.row, nth) else "match"
            marks += [(start, end, style) for at, start, end in found if at == place.line]
        return restyled(line, marks) if marks else line

    def _found(self, row: Row) -> "Sequence[_Found]":
        """Return what is found in `row`, which is kept while its lines are: every line of it that
        is drawn asks.
        """
        lines = self._rows.lines(row)
        kept = self._kept.get(row)
        if kept is None or kept[0] is not lines:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            kept = self._kept[row] = lines, _Text(lines).found(self._pattern)
        return kept[1]


_Found = Sequence[tuple[int, int, int]]
"""The parts of an occurrence in drawn lines, as (line, start, end), end exclusive."""


class _Piece(NamedTuple):
    """The characters `start` to `end` of a line, and what joins them to the next piece."""

    line: int
    start: int
    end: int
    glue: str


class _Text:
    """The text of `lines` as it reads, without decoration and before it was wrapped."""

    def __init__(self, lines: Lines) -> None:
        texts = [line.text for line in lines]
        self._pieces = [*_pieces(lines)]
        read = [texts[at][start:end] + glue for at, start, end, glue in self._pieces]
        self._starts = [*accumulate(map(len, read), initial=0)]
        self.text = "".join(read)

    def found(self, pattern: re.Pattern[str]) -> Sequence[_Found]:
        """Return the occurrences in the order in which they are drawn."""
        matches = pattern.finditer(self.text)
        return sorted([*self._parts(*match.span())] for match in matches)

    def _parts(self, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        number = bisect_right(self._starts, start) - 1
        while number < len(self._pieces) and self._starts[number] < end:
            piece = self._pieces[number]
            shift = piece.start - self._starts[number]
            yield piece.line, max(start + shift, piece.start), min(end + shift, piece.end)
            number += 1


def _pieces(lines: Lines) -> Iterator[_Piece]:
    """Yield the lines as they are read: those of a table column by column."""
    for columns, group in groupby(enumerate(lines), lambda numbered: len(numbered[1].cells)):
        numbered = [*group]
        for column in range(max(1, columns)):
            for at, line in numbered:
                size = len(line.text)
                if not columns:
                    yield _Piece(at, line.decoration, size, line.glue)
                    continue
                start, end, glue = line.cells[column]
                yield _Piece(at, size + start, size + end, _CELL_END if glue == "\n" else glue)
