"""The widget that draws rows of lines: scroll position, scrollbar, and measuring the rest in idle
time.
"""

import time
from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual.geometry import Region, Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from dogent_tui.language import tr
from dogent_tui.tui.painted import Painted
from dogent_tui.tui.textual_fixes.fast_render import cached_lines
from dogent_tui.tui.textual_fixes.timers import after
from dogent_tui.tui.transcript.lines import MIN_WIDTH
from dogent_tui.tui.transcript.matches import Matches
from dogent_tui.tui.transcript.palette import MARGIN
from dogent_tui.tui.transcript.viewport import Viewport
from dogent_tui.tui.widgets import hidden

if TYPE_CHECKING:
    from asyncio import TimerHandle

    from dogent_tui.tui.transcript.rows import Rows

_SLICE = 0.008
_SLICE_PAUSE = 0.04
"""Seconds of measuring or searching at a time in idle time, and the pause between two of them."""


class RowsView(Painted, ScrollView, can_focus=True, inherit_bindings=False):
    """Draws the visible lines of `rows`."""

    BINDINGS = [
        hidden("up,k", "move(-1)", "Up"),
        hidden("down,j", "move(1)", "Down"),
        hidden("pageup,b", "page(-1)", "Page up"),
        hidden("pagedown,space", "page(1)", "Page down"),
        hidden("home,g", "end(-1)", "Beginning"),
        hidden("end,G", "end(1)", "End"),
    ]

    FOCUS_ON_CLICK = False  # the focus stays where the user types

    WIDEST: ClassVar[int]
    """The maximum width of a line of text in cells; longer ones are hard to read."""

    NEWEST_FIRST: ClassVar = False
    """Whether a search starts at the end and goes up."""

    found = reactive("", repaint=False)
    """Which match of how many is the current one, in words."""

    def __init__(self, rows: "Rows", id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self.matches = Matches(rows)
        self._viewport = Viewport(rows)
        self._rows = rows
        self._placing = False
        self._measuring: TimerHandle | None = None

    @abstractmethod
    def _strip(self, y: int) -> Strip:
        """Draw visible line `y`."""

    def _moved(self) -> None:
        """Called when the user scrolled."""

    def _reveal_entry(self, entry: int) -> None:
        """Called before a match in `entry` is shown."""

    def on_resize(self) -> None:
        """Wrap the visible part again, and the rest in idle time."""
        self._place()

    @property
    def _text_width(self) -> int:
        return max(MIN_WIDTH, min(self.WIDEST, self.size.width - 2 * MARGIN))

    def _go(self, top: int) -> None:
        """Scroll to where the user wants to be."""
        self._viewport.scroll_to(top)
        self._moved()
        self._place()

    def _place(self) -> None:
        """Update scroll position, scrollbar and screen to the viewport, and search further."""
        self._adjust()
        self.refresh()

    def _adjust(self) -> None:
        """Do the same where what is visible stays as it is."""
        # A scrollbar may have appeared since the widget was told its size.
        size = (self._text_width, max(1, self.size.height))
        if self.size and size != (self._rows.width, self._viewport.height):
            self._viewport.resize(*size)
        if not self.matches.is_complete:
            self._search_on()
        self._placing = True
        try:
            self.scroll_over(Size(self.size.width, self._viewport.total))
            self.scroll_target_y = self.scroll_y = self._viewport.top
        finally:
            self._placing = False
        self.found = self._found_in_words()
        is_searched = self.matches.is_complete
        if not (is_searched and self._rows.measured) and self._measuring is None:
            pause = _SLICE_PAUSE if is_searched else _SLICE
            self._measuring = after(self, pause, self._measure)

    def _measure(self) -> None:
        self._measuring = None
        self._rows.measure(_enough())
        self._viewport.settle()
        self._adjust()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Adopt the new scroll position, however it was set."""
        super().watch_scroll_y(old_value, new_value)
        top = round(new_value)
        if self._placing or top == self._viewport.top:
            return
        if self.size.height != self._viewport.height:
            self.on_resize()  # the widget grew, and Textual moved the end closer
            return
        self._viewport.scroll_to(top)
        self._moved()
        if (self._viewport.top, self._viewport.total) != (top, self.virtual_size.height):
            self._place()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw the lines in `crop`, directly from the cache."""
        if not self.is_attached:  # drawn once more after closing
            return [Strip.blank(crop.width)] * crop.height
        if self._rows.width != self._text_width:
            # a scrollbar appeared or disappeared, which is no resize for Textual
            self.call_later(self.on_resize)
        return cached_lines(self, crop, self._strip)

    def render_line(self, y: int) -> Strip:
        """Draw visible line `y`."""
        return self._strip(y)

    def action_move(self, step: int) -> None:
        """Scroll down by a line, or up if negative."""
        self._go(self._viewport.top + step)

    def action_page(self, step: int) -> None:
        """Scroll down by a screen less two lines, or up if negative."""
        self._go(self._viewport.top + step * max(1, self.size.height - 2))

    def action_end(self, step: int) -> None:
        """Go to the end, or to the beginning if negative."""
        self._go(self._viewport.last_top if step > 0 else 0)

    # ── Searching ─────────────────────────────────────────────────────────────────────────────────

    @property
    def is_reading_on(self) -> bool:
        """Whether more matches may be found in what is still to be searched."""
        return not self.matches.is_complete

    def _found_in_words(self) -> str:
        if not self.matches.text:
            return ""
        words, reads_on = "", self.is_reading_on
        if count := self.matches.count:
            words = tr("{match:,} of {count:,}", match=self.matches.number, count=count)
        elif not reads_on:
            words = tr("not found")
        return f"{words} …" if reads_on else words

    def search(self, text: str) -> None:
        """Mark every occurrence of `text` and go to the nearest one. An empty text ends the
        search.
        """
        visible = self._viewport.visible_rows()
        start = visible[-1 if self.NEWEST_FIRST else 0].index if visible else 0
        self.matches.search(text, start, backward=self.NEWEST_FIRST)
        self._place()

    def _search_on(self) -> None:
        """Search a while, and go to the nearest match once it is found."""
        had = self.matches.current
        self.matches.read(_enough())
        self._viewport.settle()
        if not had:
            self._show_match()

    def action_match(self, step: int) -> None:
        """Go to the next match, or to the previous one if `step` is negative, wrapping around."""
        self.matches.step(step)
        self._show_match()

    def _show_match(self) -> None:
        if (current := self.matches.current) is not None:
            self._reveal_entry(current[0].entry)
        if (place := self.matches.place()) is not None:
            self._viewport.show(place.row, place.line)
            self._moved()
            self._place()


def _enough() -> Callable[[], bool]:
    end = time.monotonic() + _SLICE
    return lambda: time.monotonic() >= end
