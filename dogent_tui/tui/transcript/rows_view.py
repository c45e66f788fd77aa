"""What draws rows of lines: the place that is seen, its scrollbar, and the time in which the rest
is measured.
"""

import time
from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from dogent_tui.language import tr
from dogent_tui.tui.painted import Painted
from dogent_tui.tui.textual_fixes.fast_render import cached_lines
from dogent_tui.tui.textual_fixes.timers import after
from dogent_tui.tui.transcript.lines import MIN_WIDTH
from dogent_tui.tui.transcript.palette import MARGIN
from dogent_tui.tui.transcript.viewport import Viewport
from dogent_tui.tui.widgets import hidden

if TYPE_CHECKING:
    from asyncio import TimerHandle

    from dogent_tui.tui.transcript.rows import Rows

_SLICE = 0.008
_SLICE_PAUSE = 0.04
"""Seconds of measuring at a time while nobody waits for it, and between two of them."""


class RowsView(Painted, ScrollView, can_focus=True, inherit_bindings=False):
    """Draws the lines of `rows` that are visible, and nothing else."""

    BINDINGS = [
        hidden("up,k", "move(-1)", tr("Up")),
        hidden("down,j", "move(1)", tr("Down")),
        hidden("pageup,b", "page(-1)", tr("Page up")),
        hidden("pagedown,space", "page(1)", tr("Page down")),
        hidden("home,g", "end(-1)", tr("Beginning")),
        hidden("end,G", "end(1)", tr("End")),
    ]

    WIDEST: ClassVar[int]
    """Cells of a line of text. Longer ones are hard to read."""

    def __init__(self, rows: "Rows", id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._viewport = Viewport(rows)
        self._rows = rows
        self._placing = False
        self._measuring: TimerHandle | None = None

    @abstractmethod
    def _strip(self, y: int) -> Strip:
        """Draw line `y` of what is visible."""

    def _moved(self) -> None:
        """Take notice that the user went to another place."""

    def focus_on_click(self) -> bool:
        """Leave the focus where the user types: the next letter goes to the prompt."""
        return False

    def on_resize(self) -> None:
        """Wrap what is visible again, and the rest when there is time."""
        self._place()

    @property
    def _text_width(self) -> int:
        return max(MIN_WIDTH, min(self.WIDEST, self.size.width - 2 * MARGIN))

    def _go(self, top: int) -> None:
        """Go where the user wants to be."""
        self._viewport.scroll_to(top)
        self._moved()
        self._place()

    def _place(self) -> None:
        """Bring scroll position, scrollbar and screen in line with the viewport."""
        # A scrollbar may have come since the widget was told its size.
        size = (self._text_width, max(1, self.size.height))
        if self.size and size != (self._rows.width, self._viewport.height):
            self._viewport.resize(*size)
        self._placing = True
        try:
            whole = Size(self.size.width, self._viewport.total)
            if whole != self.virtual_size:
                # Not through the reactive, which would lay out the whole screen: nothing but the
                # scrollbar depends on it.
                self.set_reactive(Widget.virtual_size, whole)
                self._scroll_update(whole)
            self.scroll_target_y = self.scroll_y = self._viewport.top
        finally:
            self._placing = False
        self.refresh()
        if not self._rows.measured and self._measuring is None:
            self._measuring = after(self, _SLICE_PAUSE, self._measure)

    def _measure(self) -> None:
        self._measuring = None
        end = time.monotonic() + _SLICE
        self._rows.measure(lambda: time.monotonic() >= end)
        self._viewport.settle()
        self._place()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Somebody scrolled, by whatever means: take over the place."""
        super().watch_scroll_y(old_value, new_value)
        top = round(new_value)
        if self._placing or top == self._viewport.top:
            return
        if self.size.height != self._viewport.height:
            self.on_resize()  # the widget has grown, and Textual drew the end closer
            return
        self._viewport.scroll_to(top)
        self._moved()
        if (self._viewport.top, self._viewport.total) != (top, self.virtual_size.height):
            self._place()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw the lines in `crop`, straight from the cache."""
        if not self.is_attached:  # closed, and drawn once more
            return [Strip.blank(crop.width)] * crop.height
        if self._rows.width != self._text_width:
            self.call_later(self.on_resize)  # a scrollbar came or went: no resize to Textual
        return cached_lines(self, crop, self._strip)

    def render_line(self, y: int) -> Strip:
        """Draw line `y` of what is visible."""
        return self._strip(y)

    def action_move(self, step: int) -> None:
        """A line down, or up where negative."""
        self._go(self._viewport.top + step)

    def action_page(self, step: int) -> None:
        """A screen down, or up where negative, less two lines."""
        self._go(self._viewport.top + step * max(1, self.size.height - 2))

    def action_end(self, step: int) -> None:
        """To the end, or to the beginning where negative."""
        self._go(self._viewport.last_top if step > 0 else 0)
