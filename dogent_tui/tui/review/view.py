"""The widgets of the review: the list of hunks, and the hunk under the cursor. Both lay out only
visible lines.
"""

from collections.abc import Callable
from functools import lru_cache

from textual import events
from textual.strip import Strip
from textual.widget import Widget

from dogent_tui.changes.hunks import Hunk
from dogent_tui.changes.model import DocumentChange
from dogent_tui.language import tr
from dogent_tui.tui.painted import Painted
from dogent_tui.tui.questions.widgets import QuestionLines
from dogent_tui.tui.review.rows import LOOKS, list_row
from dogent_tui.tui.transcript.lines import Lines, Span

_MOST_ROWS = 1_000
"""The number of drawn rows cached."""


class HunkList(Painted, Widget, can_focus=True):
    """A row for each hunk. `choose` goes to the hunk at an index; `loses_quote` tells whether a
    hunk changes a verbatim quotation.
    """

    looks = LOOKS

    def __init__(
        self,
        change: DocumentChange,
        choose: Callable[[int], None],
        loses_quote: Callable[[Hunk], bool],
    ) -> None:
        super().__init__(id="review-list")
        self.change = change
        self.cursor = 0
        self._choose = choose
        self._loses_quote = loses_quote
        self._drawn = lru_cache(_MOST_ROWS)(self._draw)

    @property
    def _top(self) -> int:
        """The first visible row: the cursor is in the middle, except near the ends."""
        height = max(1, self.size.height)
        return max(0, min(self.cursor - height // 2, len(self.change.hunks) - height))

    def render_line(self, y: int) -> Strip:
        """Draw the row of a hunk."""
        place = self._top + y
        if place >= len(self.change.hunks):
            return self.row()
        fill = ("cursor" if self.has_focus else "idle") if place == self.cursor else ""
        decision = self.change.decision(self.change.hunks[place].number)
        return self._drawn(self.change, place, fill, decision, self.size.width, self.palette)

    def _draw(self, change: DocumentChange, place: int, fill: str, *_: object) -> Strip:
        """Draw a row. Cached by everything it depends on."""
        hunk, width = change.hunks[place], self.size.width
        is_cursor, loses_quote = bool(fill), self._loses_quote(hunk)
        spans = list_row(change, hunk, width, is_cursor=is_cursor, loses_quote=loses_quote)
        return self.row(spans, fill)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Go to the clicked hunk."""
        self._go(self._top + event.y)

    def on_mouse_scroll_down(self) -> None:
        """Go to the next hunk."""
        self._go(self.cursor + 1)

    def on_mouse_scroll_up(self) -> None:
        """Go to the previous hunk."""
        self._go(self.cursor - 1)

    def _go(self, place: int) -> None:
        if 0 <= place < len(self.change.hunks):
            self._choose(place)


class HunkView(QuestionLines):
    """Shows a hunk, or the preview around it. It is laid out when its width is known."""

    looks = LOOKS
    margin = 0

    def __init__(self) -> None:
        super().__init__(lambda _: [], id="review-hunk")
        self._is_new = False

    def show(self, layout: Callable[[int], Lines], *, is_new: bool) -> None:
        """Draw what `layout` returns for a width in cells; if the content changed (`is_new`), from
        its first line, or from the change where that would be out of sight.
        """
        self._layout = layout
        self._is_new = self._is_new or is_new
        self.on_resize()

    def on_resize(self) -> None:
        """Lay out for the available width."""
        if not self.size:
            return
        self.lay_out(self.outer_size.width, has_changed=True)
        if self._is_new:
            self._is_new = False
            change = next((place for place, line in enumerate(self.lines) if line.fill), 0)
            top = 0 if change < self.size.height - 1 else change
            self.scroll_to(y=top, animate=False, immediate=True)

    def render_line(self, y: int) -> Strip:
        """Draw a line; the last visible one shows how many follow."""
        below = len(self.lines) - self.scroll_offset.y - y
        if y == self.size.height - 1 and below > 1:
            return self.row([Span(tr("  ↓ {below} more lines · Space", below=below), "muted")])
        return super().render_line(y)
