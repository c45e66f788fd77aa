"""The widgets of the review: the list of hunks, and the one under the cursor. Both draw lines;
only what is seen is laid out.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual import events
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from dogent_tui.language import tr
from dogent_tui.tui.review.rows import LOOKS, list_row
from dogent_tui.tui.textual_fixes.immediate_keys import ImmediateKeys
from dogent_tui.tui.transcript.palette import Palette

if TYPE_CHECKING:
    from dogent_tui.changes.hunks import Hunk
    from dogent_tui.changes.model import DocumentChange
    from dogent_tui.tui.transcript.lines import Line

_MOST_ROWS = 1_000
"""Rows of the list that are kept as they were drawn."""


class _Drawn(Widget):
    """Draws lines in the colors of the review."""

    _palette: Palette | None = None
    _is_styled = False

    def notify_style_update(self) -> None:
        """Colors may have changed."""
        super().notify_style_update()
        self._is_styled = False

    @property
    def palette(self) -> Palette:
        """The styles as they are now: another object only where they look different."""
        if self._palette is None or not self._is_styled:
            made = Palette(self, LOOKS)
            if not made.same_as(self._palette):
                self._palette = made
            self._is_styled = True
        assert self._palette is not None
        return self._palette


class HunkList(ImmediateKeys, _Drawn, can_focus=True):
    """A row for each hunk. `perform` does what a key means, `choose` goes to the hunk in a
    place; `loses_quote` says whether a hunk changes a quotation that was verbatim.
    """

    def __init__(
        self,
        change: "DocumentChange",
        perform: Callable[[str], Awaitable[bool]],
        choose: Callable[[int], None],
        loses_quote: "Callable[[Hunk], bool]",
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self.change = change
        self.cursor = 0
        self._rows: dict[tuple[object, ...], Strip] = {}
        self._perform = perform
        self._choose = choose
        self._loses_quote = loses_quote

    async def press(self, key: str) -> bool:
        """Do what `key` means in the review."""
        return await self._perform(key)

    @property
    def _top(self) -> int:
        """The first row in sight: the cursor stands in the middle, but for the ends."""
        height = max(1, self.size.height)
        return max(0, min(self.cursor - height // 2, len(self.change.hunks) - height))

    def render_line(self, y: int) -> Strip:
        """Draw the row of a hunk."""
        place, width = self._top + y, self.size.width
        if place >= len(self.change.hunks):
            return Strip([Segment(" " * width, self.palette.base)])
        is_cursor = place == self.cursor
        fill = ("cursor" if self.has_focus else "idle") if is_cursor else ""
        hunk = self.change.hunks[place]
        key = (
            self.change,
            hunk.number,
            self.change.decision(hunk.number),
            width,
            fill,
            self.palette,
        )
        strip = self._rows.get(key)
        if strip is None:
            if len(self._rows) > _MOST_ROWS:
                self._rows.clear()
            spans = list_row(
                self.change,
                hunk,
                width,
                is_cursor=is_cursor,
                loses_quote=self._loses_quote(hunk),
            )
            segments = [
                Segment(span.text, self.palette.style(span.style, fill=fill)) for span in spans
            ]
            strip = Strip(segments).adjust_cell_length(width, self.palette.style("", fill=fill))
            self._rows[key] = strip
        return strip

    def _on_focus(self, event: events.Focus) -> None:
        self._turn(event, events.DescendantFocus(self), has_focus=True)

    def _on_blur(self, event: events.Blur) -> None:
        self._turn(event, events.DescendantBlur(self), has_focus=False)

    def _turn(self, event: events.Event, told: events.Event, *, has_focus: bool) -> None:
        """Do what a widget does where the focus changes, but draw the one row again that looks
        different for it.

        No style of the list depends on the focus: it is not styled again.
        """
        event.prevent_default()
        self.set_reactive(HunkList.has_focus, has_focus)
        self.refresh(Region(0, self.cursor - self._top, self.size.width, 1))
        if self.parent is not None:
            self.parent.post_message(told)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Go to the hunk that is pressed."""
        place = self._top + event.y
        if place < len(self.change.hunks):
            event.stop()
            self._choose(place)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """To the next hunk."""
        event.stop()
        self._choose(min(self.cursor + 1, len(self.change.hunks) - 1))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """To the hunk above."""
        event.stop()
        self._choose(max(self.cursor - 1, 0))


class HunkView(_Drawn):
    """Shows lines, from the one that is scrolled to. They are made when they are drawn: before
    that it has no width.
    """

    def __init__(self, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._make: Callable[[int], Sequence[Line]] = lambda _width: ()
        self._made: Sequence[Line] = ()
        self._made_for: int | None = None
        self._top = 0

    def show(self, make: "Callable[[int], Sequence[Line]]", *, is_new: bool) -> None:
        """Draw what `make` lays out for a number of cells, from its first line where they are
        others than before (`is_new`).
        """
        self._make, self._made_for = make, None
        self._top = 0 if is_new else self._top
        self.refresh()

    @property
    def _lines(self) -> "Sequence[Line]":
        width = self.size.width
        if width and width != self._made_for:
            self._made, self._made_for = self._make(width - 1), width
            self._top = min(self._top, max(0, len(self._made) - max(1, self.size.height)))
        return self._made

    @property
    def _furthest(self) -> int:
        return max(0, len(self._lines) - max(1, self.size.height))

    def roll(self, lines: int) -> None:
        """Scroll some lines down, or up where negative."""
        self._top = max(0, min(self._top + lines, self._furthest))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw a line; the last one in sight says how many are below."""
        width = self.size.width
        lines = self._lines
        place = self._top + y
        if place >= len(lines):
            return Strip([Segment(" " * width, self.palette.base)])
        below = len(lines) - place
        if y == self.size.height - 1 and below > 1:
            words = tr("  ↓ {below} more lines · Space").format(below=below)
            return Strip([Segment(words, self.palette.style("muted"))]).adjust_cell_length(
                width, self.palette.base
            )
        line = lines[place]
        segments = [
            Segment(span.text, self.palette.style(span.style, span.link, line.fill))
            for span in line.spans
        ]
        fill = self.palette.style("", fill=line.fill) if line.fill else self.palette.base
        return (
            Strip(segments)
            .adjust_cell_length(width - 1, fill)
            .adjust_cell_length(width, self.palette.base)
        )

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll down."""
        event.stop()
        self.roll(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll up."""
        event.stop()
        self.roll(-3)
