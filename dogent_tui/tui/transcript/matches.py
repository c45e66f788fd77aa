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
        self._backward = False
        self._at: tuple[Row, int] | None = None
        self.text = ""
        """What is searched; empty if nothing is."""
        self.start = 0
        """The index of the row from which the nearest match is looked for."""

    @property
    def current(self) -> tuple[Row, int] | None:
        """The row of the current match, and which of its matches it is, from 0."""
        if self._at is None:
            return None
        row, nth = self._at
        is_shown = self._rows.rows[row.index : row.index + 1] == [row]
        is_found = row.hits is None or nth < row.hits
        return self._at if is_shown and is_found else None

    @property
    def number(self) -> int:
        """The number of the current match, counted from 1; 0 if there is none."""
        if (current := self.current) is None:
            return 0
        row, nth = current
        return sum(above.hits or 0 for above in self._rows.rows[: row.index]) + nth + 1

    @property
    def count(self) -> int:
        """The number of matches found so far."""
        return sum(row.hits or 0 for row in self._rows.rows)

    @property
    def is_complete(self) -> bool:
        """Whether every row was searched."""
        return not self.text or all(row.hits is not None for row in self._rows.rows)

    def search(self, text: str, start: int, *, backward: bool) -> None:
        """Search `text` from the row with the index `start` on, or up to it with `backward`."""
        self.text = text.strip()
        words = map(re.escape, self.text.split())
        self._pattern = re.compile(r"\s+".join(words), re.IGNORECASE)
        self._kept.clear()
        self.start, self._backward, self._at = start, backward, None
        for row in self._rows.rows:
            row.hits = None

    def read(self, enough: Callable[[], bool]) -> None:
        """Search further rows until `enough` returns true."""
        if self.is_complete:
            return
        rows, start = self._rows.rows, self.start
        ahead = (rows[start::-1], rows[start + 1 :]) if self._backward else (rows[start:], rows)
        for row in chain(*ahead):
            if row.hits is not None:
                continue
            if row.text is None:
                row.text = _Text(self._rows.whole(row)).text
            row.hits = sum(1 for _ in self._pattern.finditer(row.text))
            if row.hits and self.current is None:
                self._go(row, -1 if self._backward and row.index <= start else 1)
            if enough():
                return

    def step(self, step: int) -> None:
        """Make the next match the current one, or the previous one if negative, wrapping around."""
        if (current := self.current) is None:
            return
        row, nth = current
        if 0 <= nth + step < (row.hits or 0):
            self._at = row, nth + step
            return
        rows = self._rows.rows
        for away in range(1, len(rows) + 1):
            other = rows[(row.index + step * away) % len(rows)]
            if other.hits:
                self._go(other, step)
                return

    def _go(self, row: Row, step: int) -> None:
        """Make the first match of `row` the current one, or its last one if `step` is negative."""
        self._at = row, 0 if step > 0 else (row.hits or 1) - 1
        self.start = row.index

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
