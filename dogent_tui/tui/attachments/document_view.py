"""Markdown that comes part by part, drawn as in the transcript; only the lines that are seen are
drawn.
"""

import asyncio
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from dogent_tui.language import tr
from dogent_tui.tui.transcript.lines import BLANK, Line
from dogent_tui.tui.transcript.markdown import markdown_lines
from dogent_tui.tui.transcript.palette import MARGIN, Palette

_NARROWEST = 8


class DocumentView(ScrollView, can_focus=True, inherit_bindings=False):
    """Shows the parts that it is given, one below the other, and tells when the end of them
    comes near.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", tr("Up"), show=False),
        Binding("down,j", "scroll_down", tr("Down"), show=False),
        Binding("pageup", "page_up", tr("Page up"), show=False),
        Binding("pagedown,space", "page_down", tr("Page down"), show=False),
        Binding("home", "scroll_home", tr("Beginning"), show=False),
        Binding("end", "scroll_end", tr("End"), show=False),
    ]

    class NearEnd(Message):
        """What there is has nearly been read."""

    def __init__(self, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._parts: list[str] = []
        self._lines: list[Line] = []
        self._laid_out = 0
        self._width = 0
        self._laying_out = asyncio.Lock()
        self._palette: Palette | None = None

    @property
    def near_end(self) -> bool:
        """Whether less than another screen of lines is below what is seen."""
        return self.scroll_offset.y + 2 * self.size.height >= len(self._lines)

    @property
    def line_count(self) -> int:
        """How many lines there are so far."""
        return len(self._lines)

    async def append(self, markdown: str) -> None:
        """Show `markdown` below what is there."""
        self._parts.append(markdown)
        await self._lay_out()

    def clear(self) -> None:
        """Show nothing."""
        self._parts, self._lines, self._laid_out = [], [], 0
        self.virtual_size = Size(self.size.width, 0)
        self.scroll_to(y=0, animate=False)
        self.refresh()

    async def _lay_out(self) -> None:
        """Lay out, in a thread, what is not laid out for the present width."""
        async with self._laying_out:
            width = max(_NARROWEST, self.scrollable_content_region.width - 2 * MARGIN)
            if width != self._width:
                self._width, self._lines, self._laid_out = width, [], 0
            parts = self._parts
            while parts is self._parts and self._laid_out < len(parts):
                lines = await asyncio.to_thread(markdown_lines, parts[self._laid_out], width)
                if parts is not self._parts:  # cleared meanwhile
                    return
                self._lines += [*([BLANK] if self._lines and lines else []), *lines]
                self._laid_out += 1
            self.virtual_size = Size(width, len(self._lines))
            self.refresh()

    def on_resize(self, event: events.Resize) -> None:
        """Lay out for the new width."""
        del event
        if self._parts:
            self.run_worker(self._lay_out(), group="layout")

    def notify_style_update(self) -> None:
        """Colors may have changed."""
        super().notify_style_update()
        self._palette = None

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Tell when the end comes near."""
        super().watch_scroll_y(old_value, new_value)
        if new_value > old_value and self.near_end:
            self.post_message(self.NearEnd())

    def render_line(self, y: int) -> Strip:
        """Draw a line."""
        if self._palette is None:
            self._palette = Palette(self)
        width, place = self.size.width, y + self.scroll_offset.y
        if place >= len(self._lines):
            return Strip([Segment(" " * width, self._palette.base)])
        return self._palette.strip(self._lines[place], self._width, width)
