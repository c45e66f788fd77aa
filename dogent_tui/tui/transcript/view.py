"""The transcript: a widget that draws only the visible lines."""

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec.structs import replace
from rich.cells import cell_len
from textual import events
from textual.cache import LRUCache
from textual.geometry import Region
from textual.reactive import reactive
from textual.selection import Selection
from textual.strip import Strip

from dogent_tui.agent.events import Event
from dogent_tui.language import tr
from dogent_tui.tui import clipboard
from dogent_tui.tui.stylesheets import styles
from dogent_tui.tui.textual_fixes.timers import after
from dogent_tui.tui.transcript import text_selection
from dogent_tui.tui.transcript.entries import foldable
from dogent_tui.tui.transcript.layout import Layout
from dogent_tui.tui.transcript.lines import BLANK, Line, Span, crop
from dogent_tui.tui.transcript.model import ToolCall, TranscriptModel
from dogent_tui.tui.transcript.palette import EMPTY_MARGIN, MARGIN, restyled
from dogent_tui.tui.transcript.rows import Place
from dogent_tui.tui.transcript.rows_view import RowsView
from dogent_tui.tui.widgets import ActionRequested, bound, hidden

if TYPE_CHECKING:
    from asyncio import TimerHandle

FLUSH_INTERVAL = 1 / 15
"""The minimum time in seconds between two flushes of streamed text."""

_PAINT_LIMIT_S = 0.5
"""Seconds to wait for the paint of one flush before the next."""

_FLUSH_SHARE = 4
"""The pause after a slow flush as a multiple of its duration: layout takes at most a fifth of the
time.
"""

_TICK = 0.25
"""Seconds between two frames of the spinner of a running tool."""

_KEPT_STRIPS = 600
"""The number of strips cached, by content: about ten screens. Each includes what is sent to the
terminal, which saves a third of the time while a reply streams.
"""

_CURSOR = (Span("❯ ", "accent"),)
_BEHIND = tr(" ↓ new text · End ")


class Transcript(RowsView):
    """The conversation so far. `apply` processes each event as it happens, `replay` a whole log.

    It follows the end while the end is visible; otherwise the scroll position is kept, and `behind`
    tells that there is new content below.
    """

    WIDEST = 120
    NEWEST_FIRST = True
    DEFAULT_CSS = styles("transcript.tcss")

    BINDINGS = [
        bound("end", "end(1)", "Follow"),
        bound("left_square_bracket", "card(-1)", "Previous card"),
        bound("right_square_bracket", "card(1)", "Next card"),
        bound("enter,space", "fold", "Fold"),
        bound("ctrl+o", "fold_all", "Fold all"),
        bound("c", "copy", "Copy"),
        hidden("n", "match(-1)", "Previous match"),
        hidden("N", "match(1)", "Next match"),
    ]

    behind = reactive(False, repaint=False)
    """Whether there is new content below the visible part."""

    def __init__(self) -> None:
        self.model = TranscriptModel()
        self._layout = Layout(self.model)
        super().__init__(self._layout, "transcript")
        self._cursor: int | None = None  # an entry
        self._selection: Selection | None = None
        self._strips: LRUCache[object, Strip] = LRUCache(_KEPT_STRIPS)
        self._waiting: set[int] = set()  # entries that changed since the last flush
        self._flush_timer: TimerHandle | None = None
        self._unpainted = False
        self._paint_limit: TimerHandle | None = None
        self._next_flush = 0.0

    # ── What happens ──────────────────────────────────────────────────────────────────────────────

    def apply(self, event: Event) -> None:
        """Process an event. It is drawn with the next flush, at most `FLUSH_INTERVAL` later."""
        self._take(self.model.apply(event))

    def replay(self, log: Iterable[Event], *, ended: bool = True) -> None:
        """Process many events at once. `ended`: nothing in the log is still in progress, whatever
        it says.
        """
        self._take({number for event in log for number in self.model.apply(event)})
        if ended:
            self._take(self.model.close())

    @property
    def measured(self) -> bool:
        """Whether layout is complete: all heights are known, all text is searched and drawn."""
        is_laid_out = self._layout.measured and self.matches.is_complete
        return is_laid_out and not self._waiting and not self._unpainted

    def _take(self, entries: Iterable[int]) -> None:
        self._waiting.update(entries)
        self._schedule()

    def _schedule(self) -> None:
        """Flush what waits, or else move the spinners that are visible, as soon as it is time."""
        if self._unpainted or not self.is_mounted or not (self._waiting or self._moving()):
            return
        tick = 0.0 if self._waiting else _TICK if self._animating else 1.0
        if self._flush_timer is not None:
            self._flush_timer.cancel()
        wait = max(0.001, tick, self._next_flush - time.monotonic())
        self._flush_timer = after(self, wait, self._flush)

    def _moving(self) -> set[int]:
        """Return the visible tool calls in progress."""
        return {
            row.entry
            for row in self._viewport.visible_rows()
            if isinstance(call := self.model.entries[row.entry], ToolCall)
            and call.moves
            and not call.gone
        }

    def _flush(self) -> None:
        self._flush_timer, self._unpainted = None, True
        began = time.monotonic()
        self._waiting |= self._moving()
        self._lay_out(int(began / _TICK) if self._animating else None)
        self._place()
        spent = time.monotonic() - began
        self._next_flush = began + max(FLUSH_INTERVAL, spent * _FLUSH_SHARE)
        self.call_after_refresh(self._painted)
        # Textual delivers it to the top screen, and it is lost if that screen is just being
        # dismissed.
        self._paint_limit = after(self, _PAINT_LIMIT_S, self._painted)

    def _lay_out(self, frame: int | None = None) -> None:
        """Lay out what has arrived. Must precede every action on entries."""
        entries, self._waiting = sorted(self._waiting), set()
        self._layout.look = replace(
            self._layout.look, cwd=self.model.cwd, now=self.model.now, frame=frame
        )
        was_total = self._viewport.total
        self._layout.update(entries)
        self._viewport.settle()
        if not self._viewport.following and self._viewport.total > was_total:
            self.behind = True

    def _painted(self) -> None:
        self._unpainted = False
        if self._paint_limit is not None:
            self._paint_limit.cancel()
            self._paint_limit = None
        self._schedule()

    @property
    def _animating(self) -> bool:
        return self.app.animation_level != "none"

    # ── The place ─────────────────────────────────────────────────────────────────────────────────

    def _place(self) -> None:
        super()._place()
        self._moved()
        if self._flush_timer is None:
            self._schedule()

    def _moved(self) -> None:
        if self._viewport.following:
            self.behind = False

    def on_mount(self) -> None:
        """Draw the pending events."""
        self._schedule()

    # ── Drawing ───────────────────────────────────────────────────────────────────────────────────

    def render_line(self, y: int) -> Strip:
        """Draw visible line `y`, tagged with its position for the selection."""
        place = self._layout.find(self.scroll_offset.y + y)
        strip = self._strip(y)
        return strip if place is None else strip.apply_offsets(-MARGIN, text_selection.key(place))

    def _strip(self, y: int) -> Strip:
        width, height = self.size
        if self.behind and y == height - 1:
            before = max(0, (width - cell_len(_BEHIND)) // 2 - MARGIN)
            mark = crop([Span(_BEHIND, "behind")], width)
            return self._drawn(Line((Span(" " * before), *mark)))
        place = self._layout.find(self.scroll_offset.y + y)
        if place is None:
            return self._drawn(BLANK)
        lines = self._layout.lines(place.row)
        line = lines[place.line] if place.line < len(lines) else BLANK
        line = self.matches.marked(place, line)
        if self._selection and (
            selected := text_selection.span(self._selection, text_selection.key(place), line)
        ):
            line = restyled(line, [(*selected, "selection")])
        is_at_cursor = self._cursor == place.row.entry and self.has_focus and self._on_head(place)
        return self._drawn(line, _CURSOR if is_at_cursor else EMPTY_MARGIN)

    def _on_head(self, place: Place) -> bool:
        """Return whether `place` is the line that folds a card."""
        return place.row.part == 0 and place.line == self._layout.space_above(place.row)

    def _drawn(self, line: Line, margin: tuple[Span, ...] = EMPTY_MARGIN) -> Strip:
        palette, content, width = self.palette, self._layout.width, self.size.width
        key = (palette, line, content, width, margin)
        strip = self._strips.get(key)
        if strip is None:
            strip = self._strips[key] = palette.strip(line, content, width, margin)
        return strip

    def watch_behind(self) -> None:
        """Show or hide the mark on the last line."""
        self.refresh(Region(0, self.size.height - 1, self.size.width, 1))

    # ── Keys and clicks ───────────────────────────────────────────────────────────────────────────

    def action_card(self, step: int) -> None:
        """Move to the next foldable card, starting from the cursor or the visible part."""
        self._lay_out()
        cursor = self._cursor
        if cursor is None:
            visible = [row.entry for row in self._viewport.visible_rows()]
            cursor = (visible[-1] + 1 if step < 0 else visible[0] - 1) if visible else -1
        last = len(self.model.entries) if step > 0 else -1
        following = next(filter(self._is_card, range(cursor + step, last, step)), None)
        if following is not None:
            self._cursor = following
            row = self._layout.rows_of(self._cursor)[0]
            self._viewport.show(row, self._layout.space_above(row))
            self._place()

    def _is_card(self, number: int) -> bool:
        entry = self.model.entries[number]
        return not entry.gone and foldable(entry)

    def action_fold(self) -> None:
        """Fold or unfold the heading under the cursor."""
        if self._cursor is not None:
            self.toggle(self._cursor)

    def action_fold_all(self) -> None:
        """Unfold everything, or fold everything if anything is unfolded."""
        self._lay_out()
        cards = [*filter(self._is_card, range(len(self.model.entries)))]
        self.toggle(*(self._layout.unfolded.intersection(cards) or cards))

    def action_copy(self) -> None:
        """Copy the selection, or else the last reply."""
        text = self.screen.get_selected_text() or self.model.last_reply()
        if text:
            self.run_worker(clipboard.copy(self.app, text), group="copy", exclusive=True)
        else:
            self.notify(tr("There is nothing to copy yet."), severity="warning")

    def toggle(self, *entries: int) -> None:
        """Fold or unfold the entries with these numbers."""
        # The visible part keeps its position: a card opens downwards, even at the end of the
        # transcript.
        self._viewport.hold()
        for number in entries:
            self._layout.toggle(number)
        self._viewport.settle()
        self._go(self._viewport.top)

    async def on_click(self, event: events.Click) -> None:
        """Unfold a card, open a link or go to the end, depending on the position; two clicks select
        a word, three a paragraph.
        """
        if self.screen.selections or event.button != 1:
            return
        if self.behind and event.y == self.size.height - 1:
            self.action_end(1)
            return
        place = self._layout.find(self.scroll_offset.y + event.y)
        if place is None:
            return
        if event.chain > 1:
            event.prevent_default()
            self._select(place, event.x - MARGIN, whole=event.chain > 2)
        elif (url := event.style.link) is not None:
            self.post_message(ActionRequested("link", url))
        elif self._on_head(place) and foldable(self.model.entries[place.row.entry]):
            self._cursor = place.row.entry
            self.toggle(place.row.entry)

    def _select(self, place: Place, cell: int, *, whole: bool) -> None:
        selection = (
            text_selection.paragraph(self._layout, place)
            if whole
            else text_selection.word(self._layout, place, cell)
        )
        self.screen.selections = {self: selection}

    # ── Selecting ─────────────────────────────────────────────────────────────────────────────────

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the selected text and what follows it."""
        if selection.start is None and selection.end is None:
            return self.model.plain_text(), "\n"
        numbered = text_selection.numbered(selection, self._layout)
        return text_selection.selected_text(selection, numbered), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Show the selection. The text stays under the mouse while more arrives."""
        self._selection = selection
        if selection is None:
            self._go(self._viewport.top)
        else:
            self._viewport.hold()
        self.refresh()

    # ── Searching ─────────────────────────────────────────────────────────────────────────────────

    def search(self, text: str) -> None:
        """Search `text` in everything that has arrived."""
        self._lay_out()
        super().search(text)

    def _reveal_entry(self, entry: int) -> None:
        if entry not in self._layout.unfolded:
            self._layout.toggle(entry)
