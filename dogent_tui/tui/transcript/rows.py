"""Rows of lines that are laid out on demand; the others have an estimated height.

Lines are kept for the rows requested last; of the others only heights.
"""

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec

from dogent_tui.tui.transcript.lines import MIN_WIDTH, Lines

_KEPT_LINES = 4_000
"""The number of lines kept: about 2 MB, some twenty screens."""


class Row(msgspec.Struct, eq=False):
    """A unit of layout: an entry, or the characters `start` to `end` of a text.

    `height` is in lines, and an estimate until it is measured. `text` is what a search sees of it,
    None until that is known (`matches.py`).
    """

    entry: int
    part: int
    start: int = 0
    end: int | None = None
    index: int = 0
    height: int = 1
    text: str | None = None


class Place(NamedTuple):
    """A line of a row."""

    row: Row
    line: int


class Rows(ABC):
    """Rows one below the other, laid out at `width` on demand."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.width = 80
        self._tops: list[int] = [0]
        self._valid = 0  # rows whose top is known
        self._lines: OrderedDict[Row, Lines] = OrderedDict()
        self._kept = 0
        self._unmeasured: dict[Row, None] = {}  # in order: to look for them takes long in 60,000
        self.on_stale: Callable[[Row], object] = lambda _: None
        """Called with each row that is new, is drawn differently or is gone."""

    @abstractmethod
    def _draw(self, row: Row) -> Lines:
        """Return the lines of `row`."""

    # ── Places ────────────────────────────────────────────────────────────────────────────────────

    @property
    def total(self) -> int:
        """The total number of lines."""
        return self.top(len(self.rows))

    def top(self, index: int) -> int:
        """Return the number of lines above the row `index`."""
        if self._valid < index:
            del self._tops[self._valid + 1 :]
            top = self._tops[self._valid]
            for row in self.rows[self._valid :]:
                top += row.height
                self._tops.append(top)
            self._valid = len(self.rows)
        return self._tops[index]

    def find(self, y: int) -> Place | None:
        """Return the row and line at line `y`, None below the end."""
        if y < 0 or y >= self.total:
            return None
        index = bisect_right(self._tops, y, 0, len(self.rows)) - 1
        return Place(self.rows[index], y - self._tops[index])

    def resize(self, width: int) -> None:
        """Lay out at `width` cells from now on. Heights are estimated from the previous ones until
        rows are measured again.
        """
        width = max(width, MIN_WIDTH)
        ratio, self.width = self.width / width, width
        for row in self.rows:
            if row.height > 2:
                row.height = max(2, round(row.height * ratio))
        self._unmeasured.clear()
        self._forget(self.rows)
        self._valid = 0

    # ── Lines ─────────────────────────────────────────────────────────────────────────────────────

    def lines(self, row: Row) -> Lines:
        """Return the lines of `row`, which measures it."""
        lines = self._lines.get(row)
        if lines is None:
            lines = self._lines[row] = self._measured(row)
            self._kept += len(lines)
            while self._kept > _KEPT_LINES and len(self._lines) > 1:
                self._kept -= len(self._lines.popitem(last=False)[1])
        else:
            self._lines.move_to_end(row)
        return lines

    def whole(self, row: Row) -> Lines:
        """Return the lines of `row` as they are when it is unfolded, without keeping them."""
        return self._lines.get(row) or self._measured(row)

    def measure(self, enough: Callable[[], bool]) -> None:
        """Measure rows until `enough` returns true, the latest first, without keeping their
        lines.
        """
        while self._unmeasured:
            self._measured(next(reversed(self._unmeasured)))
            if enough():
                return

    @property
    def measured(self) -> bool:
        """Whether every height is known."""
        return not self._unmeasured

    def is_measured(self, row: Row) -> bool:
        """Whether the height of `row` is known."""
        return row not in self._unmeasured

    def _measured(self, row: Row) -> Lines:
        lines = self._draw(row)
        self._unmeasured.pop(row, None)
        if row.height != len(lines):
            row.height = len(lines)
            self._valid = min(self._valid, row.index)
        return lines

    def _forget(self, rows: Iterable[Row]) -> None:
        """Draw `rows`, which are new or have changed, when they are needed; they keep their
        heights until then.
        """
        for row in rows:
            self._drop(row)
            self._unmeasured[row] = row.text = None

    def _drop(self, row: Row) -> None:
        """Keep nothing of `row`."""
        self._kept -= len(self._lines.pop(row, ()))
        self._unmeasured.pop(row, None)
        self.on_stale(row)
