"""Which lines are visible, and how that position is kept while heights change. Independent of
Textual.
"""

from bisect import bisect_right
from itertools import accumulate

from dogent_tui.tui.transcript.lines import Lines
from dogent_tui.tui.transcript.rows import Place, Row, Rows

_BELOW = 1
"""Empty lines below the last entry."""


class Viewport:
    """A window of `height` lines on `layout`, starting at line `top`. `following`: it stays at the
    end as lines are added.
    """

    def __init__(self, layout: Rows) -> None:
        self.top = 0
        self.height = 24
        self.following = True
        self._layout = layout
        self._anchor: Place | None = None  # the topmost visible line, kept unless following

    @property
    def total(self) -> int:
        """The number of lines that can be scrolled through."""
        return self._layout.total + _BELOW if self._layout.rows else 0

    @property
    def last_top(self) -> int:
        """The largest `top`."""
        return max(0, self.total - self.height)

    def scroll_to(self, top: int) -> None:
        """Scroll line `top` to the top, within the limits. At the end, following begins."""
        top = max(0, top)
        if not self.last_top:  # everything is visible: by an estimate, perhaps
            self._measure_up(len(self._layout.rows), self.height)
        self.following = top >= self.last_top
        if not self.following:
            self._anchor = self._guessed(top)
        self.settle(above=True)

    def follow(self) -> None:
        """Scroll to the end and follow it."""
        self.following = True
        self.settle()

    def hold(self) -> None:
        """Keep this position, whatever is added or unfolded below."""
        self._anchor = self._layout.find(self.top)
        self.following = self._anchor is None

    def show(self, row: Row, line: int) -> None:
        """Scroll a line of `row` to the upper third, unless it is well visible already."""
        self._layout.lines(row)
        y = self._layout.top(row.index) + line
        if not self.top + 2 <= y < self.top + self.height - 3:
            self.scroll_to(max(0, y - self.height // 3))

    def resize(self, width: int, height: int) -> None:
        """Change the size. The text at the top stays there, however it is wrapped now."""
        self.height = height
        if width == self._layout.width:
            self.settle()
            return
        row, line = self._anchor or (None, 0)
        read = _offsets(self._layout.lines(row)[:line])[-1] if row is not None else 0
        self._layout.resize(width)
        if row is not None:
            lines = self._layout.lines(row)
            at = bisect_right(_offsets(lines), read, 0, len(lines)) - 1
            self._anchor = Place(row, max(0, at))
        self.settle()

    def settle(self, *, above: bool = False) -> None:
        """Measure the visible rows, keeping the visible part in place. `above`: also measure a
        screen above it.
        """
        if self.following or self._anchor is None:
            self._measure_up(len(self._layout.rows), self.height)
            self.top = self.last_top
            self._anchor = self._layout.find(self.top)
            return
        anchor = self._anchor
        if above:
            self._measure_up(anchor.row.index, self.height)
        wanted = self.height + anchor.line
        for row in self._layout.rows[anchor.row.index :]:
            wanted -= len(self._layout.lines(row))
            if wanted <= 0:
                break
        height = anchor.row.height
        y = self._layout.top(anchor.row.index) + min(anchor.line, max(0, height - 1))
        if y > self.last_top:  # the content below has shrunk
            self._measure_up(len(self._layout.rows), self.height)
            y = min(y, self.last_top)
            self._anchor = self._layout.find(y)
        self.top = y

    def visible_rows(self) -> list[Row]:
        """Return the rows with a visible line."""
        first = self._layout.find(self.top)
        last = self._layout.find(min(self.top + self.height, self._layout.total) - 1)
        if first is None or last is None:
            return []
        return self._layout.rows[first.row.index : last.row.index + 1]

    def _guessed(self, top: int) -> Place | None:
        """Find line `top`; in an unmeasured row, at the estimated relative position."""
        place = self._layout.find(min(top, max(0, self._layout.total - 1)))
        if place is None or self._layout.is_measured(place.row):
            return place
        guess = max(1, place.row.height)
        return Place(place.row, place.line * len(self._layout.lines(place.row)) // guess)

    def _measure_up(self, index: int, lines: int) -> None:
        while index > 0 and lines > 0:
            index -= 1
            lines -= len(self._layout.lines(self._layout.rows[index]))


def _offsets(lines: Lines) -> list[int]:
    """Return where each line begins in what they show, before it was wrapped."""
    sizes = (len(line.text) - line.decoration + len(line.glue) for line in lines)
    return [*accumulate(sizes, initial=0)]
