"""The widget that draws a document and lets lines of it be chosen; only the lines that are seen
are laid out at once.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual import events
from textual.actions import SkipAction
from textual.binding import Binding
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from dogent_tui.language import tr
from dogent_tui.tui.pane.rows import DocumentRows, Unit
from dogent_tui.tui.pane.text import Changes, Part
from dogent_tui.tui.transcript.lines import BLANK
from dogent_tui.tui.transcript.palette import LOOKS, MARGIN
from dogent_tui.tui.transcript.rows_view import RowsView
from dogent_tui.tui.widgets import hidden

if TYPE_CHECKING:
    from dogent_tui.tui.transcript.rows import Place

_MARKS = {"added": ("▎", "success"), "cut": ("▔", "error")}
"""What stands in the margin beside lines that changed."""
_VERDICTS = {
    "verbatim": ("✓", "success"),
    "altered": ("≠", "error"),
    "found_elsewhere": ("↷", "warning"),
    "not_found": ("?", "error"),
    "unreadable_source": ("⊘", "warning"),
}
"""What stands behind that, beside lines that were checked."""


class PaneView(RowsView):
    """Shows the parts of a document. `changes` are marked in its margin; `chosen` are lines of
    the file, None for none.
    """

    WIDEST = 100
    ALLOW_SELECT = False  # the mouse chooses lines
    looks = {**LOOKS, "chosen": "on $primary 30%"}

    BINDINGS = [
        Binding("shift+down,J", "extend(1)", tr("Select lines"), key_display="⇧↓"),
        hidden("shift+up,K", "extend(-1)", tr("Select lines upward")),
        hidden(
            "left_square_bracket",
            "heading(-1)",
            tr("Previous heading"),
            key_display="[",
        ),
        Binding("right_square_bracket", "heading(1)", tr("Next heading"), key_display="]"),
        hidden("n", "change(1)", tr("Next change")),
        hidden("N", "change(-1)", tr("Previous change")),
    ]

    changes = reactive(Changes())
    """What changed."""
    verdicts = reactive[Mapping[int, str]](dict)
    """What was said of the lines of the file that were checked."""

    class Chosen(Message):
        """Lines of the file were chosen, others, or no longer."""

    class NearEnd(Message):
        """What there is has nearly been read."""

    def __init__(self, id: str = "pane-view") -> None:  # noqa: A002
        self._document = DocumentRows()
        super().__init__(self._document, id)
        self.headings: Sequence[int] = ()
        """The lines on which headings begin, rising."""
        self._anchor: Unit | None = None
        self._head: Unit | None = None
        self._is_dragging = False
        self._grows = False
        self.scrolled = False
        """Whether the user went to a place of their own: a text that grows is not followed from
        there.
        """

    # ── What is shown ─────────────────────────────────────────────────────────────────────────────

    def show(
        self, parts: Sequence[Part], definitions: Mapping[str, str], top: int | None = 0
    ) -> None:
        """Show `parts`, with line `top` of the file at the top; None leaves the place as it is,
        for parts with no lines.
        """
        y, scrolled, self._grows = self._viewport.top, self.scrolled, False
        self._document.show(parts, definitions)
        place = self._document.place_of(top) if top else None
        if top is not None:
            y = 0 if place is None else self._document.y_of(place)
        self._go(y)
        self.scrolled = scrolled  # it was not the user who went there

    def grow(self, parts: Sequence[Part], definitions: Mapping[str, str]) -> None:
        """Show `parts`, of which more will come, at their end, unless the user went to a place
        of their own.
        """
        self._document.show(parts, definitions)
        self._grows = True
        self._place()

    def append(self, part: Part, *, go: bool = False) -> None:
        """Show a part below what is there, and `go` there."""
        self._document.append([part])
        if go:
            self._go(self._document.top(len(self._document.rows) - 1))
        else:
            self._place()

    @property
    def top_line(self) -> int:
        """The first line of the file that is seen."""
        unit = self._unit_at_y(self._viewport.top)
        return unit[0] if unit else 0

    @property
    def near_end(self) -> bool:
        """Whether less than another screen of lines is below what is seen."""
        return self._viewport.top + 2 * self.size.height >= self._viewport.total

    # ── Choosing ──────────────────────────────────────────────────────────────────────────────────

    @property
    def chosen(self) -> Unit | None:
        """The lines of the file that are chosen: the first, and the one after the last, from 0."""
        if self._anchor is None or self._head is None:
            return None
        return min(self._anchor[0], self._head[0]), max(self._anchor[1], self._head[1])

    def choose(self, lines: Unit | None) -> None:
        """Choose `lines`, or none."""
        self._choose(lines, lines)

    def _choose(self, anchor: Unit | None, head: Unit | None) -> None:
        before = self.chosen
        self._anchor, self._head = anchor, head
        if self.chosen != before:
            self.post_message(self.Chosen())
            self.refresh()

    def reveal(self, lines: Unit) -> None:
        """Scroll as far as needed to see the first of `lines`."""
        place = self._document.place_of(lines[0])
        if place is not None:
            self._viewport.show(place.row, place.line)
            self._place()

    def _unit_at_y(self, y: int) -> Unit | None:
        place = self._document.find(y)
        return self._document.unit_at(place) if place is not None else None

    def _see(self, unit: Unit) -> None:
        """Scroll so far that `unit` is in sight: its end, or where it is higher than the window
        its beginning.
        """
        first, last = self._document.place_of(unit[0]), self._document.last_place_of(unit)
        if first is None or last is None:
            return
        y, end, height = (
            self._document.y_of(first),
            self._document.y_of(last),
            max(1, self.size.height),
        )
        if end >= self._viewport.top + height:
            self._go(min(y, end - height + 2) if end - y < height else y)
        if y < self._viewport.top:
            self._go(y - 1)

    # ── The place ─────────────────────────────────────────────────────────────────────────────────

    def _moved(self) -> None:
        self.scrolled = self._viewport.top < self._viewport.last_top
        if self.near_end:
            self.post_message(self.NearEnd())

    def _place(self) -> None:
        if self._grows and not self.scrolled:
            self._viewport.follow()
        else:
            self._viewport.hold()
            self._viewport.settle()
        super()._place()
        if self.near_end:
            self.post_message(self.NearEnd())

    # ── Keys and the mouse ────────────────────────────────────────────────────────────────────────

    def action_move(self, step: int) -> None:
        """Choose what is beside what is chosen; where nothing is, scroll a line."""
        if self._head is None:
            super().action_move(step)
        elif (unit := self._document.unit_beside(self._head, step)) is not None:
            self._choose(unit, unit)
            self._see(unit)

    def action_extend(self, step: int) -> None:
        """Choose more, or less again; begin with the first lines in sight."""
        if self._anchor is None or self._head is None:
            unit = self._unit_at_y(self._viewport.top)
            self._choose(unit, unit)
        elif (unit := self._document.unit_beside(self._head, step)) is not None:
            self._choose(self._anchor, unit)
            self._see(unit)

    def action_end(self, step: int) -> None:
        """To the end, or to the beginning where negative."""
        super().action_end(step)
        if step > 0:  # what is there was guessed before it was seen
            super().action_end(step)

    def action_heading(self, step: int) -> None:
        """To the next heading, or the one above where negative."""
        self._jump(self.headings, step)

    def action_change(self, step: int) -> None:
        """To the next lines that changed, or those above where negative."""
        added = self.changes.added
        if not added and not self.changes.cut:
            raise SkipAction  # the key may mean something else to the screen
        begins = [line for at, line in enumerate(added) if not at or added[at - 1] != line - 1]
        self._jump(sorted({*begins, *self.changes.cut}), step)

    def _jump(self, lines: Sequence[int], step: int) -> None:
        unit = self._unit_at_y(self._viewport.top)
        if unit is None:
            return
        ahead = [line for line in lines if (line >= unit[1] if step > 0 else line < unit[0])]
        if ahead:
            self.show_line(ahead[0] if step > 0 else ahead[-1])

    def show_line(self, line: int) -> None:
        """Put a line of the file at the top."""
        place = self._document.place_of(line)
        if place is not None:
            self._go(self._document.y_of(place))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Choose the lines under the mouse; with Shift, from those that are chosen to there."""
        unit = self._unit_at_y(self._viewport.top + event.y)
        if unit is None or event.button != 1:
            return
        self._is_dragging = True
        self.capture_mouse()
        self._choose(self._anchor if event.shift and self._anchor is not None else unit, unit)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Choose on while the button is down, and beyond the edges scroll."""
        if not self._is_dragging:
            return
        if not 0 <= event.y < self.size.height:
            self._go(self._viewport.top + (1 if event.y > 0 else -1))
        y = max(0, min(event.y, self.size.height - 1))
        if (unit := self._unit_at_y(self._viewport.top + y)) is not None:
            self._choose(self._anchor, unit)

    def on_mouse_up(self) -> None:
        """What is chosen is chosen."""
        if self._is_dragging:
            self._is_dragging = False
            self.release_mouse()

    # ── Drawing ───────────────────────────────────────────────────────────────────────────────────

    def _strip(self, y: int) -> Strip:
        place: Place | None = self._document.find(self.scroll_offset.y + y)
        lines = self._document.lines(place.row) if place is not None else []
        line = lines[place.line] if place is not None and place.line < len(lines) else BLANK
        mark = verdict = (" ", "")
        if place is not None and line.source is not None:
            happened = self.changes.mark(line.source, self._document.drawn_above(place))
            mark = _MARKS.get(happened, mark)
            said = [self.verdicts[at] for at in range(*line.source) if at in self.verdicts]
            worst = next((one for one in said if one != "verbatim"), said[0] if said else "")
            verdict = _VERDICTS.get(worst, verdict)
            chosen = self.chosen
            if chosen is not None and chosen[0] < line.source[1] and line.source[0] < chosen[1]:
                line = line._replace(fill="chosen")
        strip = self.palette.strip(line, self._document.width, self.size.width)
        if not (mark[1] or verdict[1]):
            return strip
        cells = ((mark, 1), (verdict, MARGIN - 1)) if verdict[1] else ((mark, MARGIN),)
        margin = [Segment(text.ljust(n), self.palette.style(style)) for (text, style), n in cells]
        return Strip([*margin, *list(strip)[1:]], strip.cell_length)
