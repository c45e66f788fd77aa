"""The widget that draws a document and lets the user select lines; only visible lines are laid
out.
"""

from collections.abc import Mapping, Sequence

from textual import events
from textual.actions import SkipAction
from textual.reactive import reactive
from textual.strip import Strip

from dogent_tui.tui.pane.reading import Part
from dogent_tui.tui.pane.rows import DocumentRows, Unit
from dogent_tui.tui.pane.text import Changes
from dogent_tui.tui.transcript.lines import BLANK, Span
from dogent_tui.tui.transcript.palette import LOOKS, MARGIN
from dogent_tui.tui.transcript.rows_view import RowsView
from dogent_tui.tui.widgets import ActionRequested, bound, hidden

_MARKS = {"added": Span("▎", "success"), "cut": Span("▔", "error")}
"""The margin marks of changed lines."""
_VERDICTS = {
    "verbatim": Span("✓", "success"),
    "altered": Span("≠", "error"),
    "found_elsewhere": Span("↷", "warning"),
    "not_found": Span("?", "error"),
    "unreadable_source": Span("⊘", "warning"),
}
"""The margin marks of checked lines, after the former if there is one."""


class PaneView(RowsView):
    """Shows the parts of a document. `changes` are marked in its margin; `chosen` are the selected
    lines of the file, or None.
    """

    WIDEST = 100
    ALLOW_SELECT = False  # the mouse selects whole lines
    looks = {**LOOKS, "chosen": "on $primary 30%"}

    BINDINGS = [
        bound("shift+down,J", "extend(1)", "Select lines"),
        hidden("shift+up,K", "extend(-1)", "Select lines upward"),
        hidden("left_square_bracket", "heading(-1)", "Previous heading"),
        bound("right_square_bracket", "heading(1)", "Next heading"),
        hidden("n", "change(1)", "Next change"),
        hidden("N", "change(-1)", "Previous change"),
    ]

    changes = reactive(Changes())
    """The changes to mark."""
    verdicts = reactive[Mapping[int, str]](dict)
    """The findings about checked lines of the file."""
    headings = reactive[Sequence[int]]((), bindings=True)
    """The lines where headings start, ascending."""
    has_lines = reactive(False, bindings=True)
    """Whether its lines are those of the file, and can be selected."""

    def __init__(self) -> None:
        self._document = DocumentRows()
        super().__init__(self._document, "pane-view")
        self._anchor: Unit | None = None
        self._head: Unit | None = None
        self._is_dragging = False
        self._grows = False
        self.has_more = False
        """Whether the document has more than what is shown."""
        self.scrolled = False
        """Whether the user scrolled away, so that the end of a growing text is not followed."""

    # ── What is shown ─────────────────────────────────────────────────────────────────────────────

    def show(
        self, parts: Sequence[Part], definitions: Mapping[str, str], top: int | None = 0
    ) -> None:
        """Show `parts` with line `top` of the file at the top; None keeps the scroll position, for
        parts without lines.
        """
        y, scrolled, self._grows = self._viewport.top, self.scrolled, False
        self._document.show(parts, definitions)
        place = self._document.place_of(top) if top else None
        if top is not None:
            y = 0 if place is None else self._document.y_of(place)
        self._go(y)
        self.scrolled = scrolled  # it was not the user who scrolled

    def grow(self, parts: Sequence[Part], definitions: Mapping[str, str]) -> None:
        """Show `parts`, which will grow, at their end, unless the user scrolled away."""
        self._document.show(parts, definitions)
        self._grows = True
        self._place()

    def append(self, part: Part) -> None:
        """Append a part."""
        is_below = self._viewport.top + self.size.height <= self._document.total
        self._document.append([part])
        if is_below and not self._follows:
            self._viewport.hold()
            self._adjust()
        else:
            self._place()

    @property
    def _follows(self) -> bool:
        return self._grows and not self.scrolled

    @property
    def top_line(self) -> int:
        """The first visible line of the file."""
        unit = self._unit_at_y(self._viewport.top)
        return unit[0] if unit else 0

    @property
    def near_end(self) -> bool:
        """Whether there is more, and less than a screen of lines follows below the visible part, or
        the rest is being searched.
        """
        is_below = self._viewport.top + 2 * self.size.height >= self._viewport.total
        return self.has_more and (is_below or bool(self.matches.text))

    # ── Searching ─────────────────────────────────────────────────────────────────────────────────

    @property
    def is_reading_on(self) -> bool:
        """Whether the rest of the document is being read or searched."""
        return (self.has_more and bool(self.matches.text)) or super().is_reading_on

    # ── Choosing ──────────────────────────────────────────────────────────────────────────────────

    @property
    def chosen(self) -> Unit | None:
        """The selected lines of the file: the first, and the one after the last, from 0."""
        if self._anchor is None or self._head is None:
            return None
        return min(self._anchor[0], self._head[0]), max(self._anchor[1], self._head[1])

    def choose(self, lines: Unit | None) -> None:
        """Select `lines`, or none."""
        self._choose(lines, lines)

    def _choose(self, anchor: Unit | None, head: Unit | None) -> None:
        before = self.chosen
        self._anchor, self._head = anchor, head
        if self.chosen != before:
            self.post_message(ActionRequested("chosen"))
            self.refresh()

    def reveal(self, line: int) -> None:
        """Scroll as little as needed to show a line of the file."""
        place = self._document.place_of(line)
        if place is not None:
            self._viewport.show(place.row, place.line)
            self._place()

    def _unit_at_y(self, y: int) -> Unit | None:
        place = self._document.find(y)
        return self._document.unit_at(place) if place is not None else None

    def _see(self, unit: Unit) -> None:
        """Scroll until `unit` is visible: its end, or its beginning if it is higher than the
        window.
        """
        first, below = self._document.place_of(unit[0]), self._document.place_of(unit[1])
        if first is None or below is None:
            return
        y, end = self._document.y_of(first), self._document.y_of(below)
        height = max(1, self.size.height)
        if end >= self._viewport.top + height:
            self._go(min(y, end - height + 1))
        if y < self._viewport.top:
            self._go(y - 1)

    # ── The place ─────────────────────────────────────────────────────────────────────────────────

    def _moved(self) -> None:
        self.scrolled = self._viewport.top < self._viewport.last_top
        if self.near_end:
            self.post_message(ActionRequested("more"))

    def _place(self) -> None:
        if self._follows:
            self._viewport.follow()
        else:
            self._viewport.hold()
            self._viewport.settle()
        super()._place()
        if self.near_end:
            self.post_message(ActionRequested("more"))

    # ── Keys and the mouse ────────────────────────────────────────────────────────────────────────

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what this document has: lines to select, headings to go to."""
        missing = {"extend": not self.has_lines, "heading": not self.headings}
        return None if missing.get(action) else super().check_action(action, parameters)

    def action_move(self, step: int) -> None:
        """Select the next unit; without a selection, scroll by a line."""
        if self._head is None:
            super().action_move(step)
        elif (unit := self._document.unit_beside(self._head, step)) is not None:
            self._choose(unit, unit)
            self._see(unit)

    def action_extend(self, step: int) -> None:
        """Extend or reduce the selection, starting with the first visible lines."""
        if self._anchor is None or self._head is None:
            unit = self._unit_at_y(self._viewport.top)
            self._choose(unit, unit)
        elif (unit := self._document.unit_beside(self._head, step)) is not None:
            self._choose(self._anchor, unit)
            self._see(unit)

    def action_end(self, step: int) -> None:
        """Go to the end, reading on, or to the beginning if negative."""
        self._grows = self._grows or step > 0
        super().action_end(step)

    def action_heading(self, step: int) -> None:
        """Go to the next heading, or the previous one if negative."""
        self._jump(self.headings, step)

    def action_change(self, step: int) -> None:
        """Go to the next changed lines, or the previous ones if negative."""
        added = self.changes.added
        if not added and not self.changes.cut:
            raise SkipAction  # the key may have a meaning for the screen
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
        """Scroll a line of the file to the top."""
        place = self._document.place_of(line)
        if place is not None:
            self._go(self._document.y_of(place))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Select the lines under the mouse; with Shift, extend the selection to them."""
        unit = self._unit_at_y(self._viewport.top + event.y)
        if unit is None or event.button != 1 or not self.has_lines:
            return
        self._is_dragging = True
        self.capture_mouse()
        self._choose(self._anchor if event.shift and self._anchor is not None else unit, unit)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Extend the selection while the button is down, scrolling beyond the edges."""
        if not self._is_dragging:
            return
        if not 0 <= event.y < self.size.height:
            self._go(self._viewport.top + (1 if event.y > 0 else -1))
        y = max(0, min(event.y, self.size.height - 1))
        if (unit := self._unit_at_y(self._viewport.top + y)) is not None:
            self._choose(self._anchor, unit)

    def on_mouse_up(self) -> None:
        """Finish the selection."""
        if self._is_dragging:
            self._is_dragging = False
            self.release_mouse()

    # ── Drawing ───────────────────────────────────────────────────────────────────────────────────

    def _strip(self, y: int) -> Strip:
        place = self._document.find(self.scroll_offset.y + y)
        lines = self._document.lines(place.row) if place is not None else []
        line, marks = BLANK, []
        if place is not None and place.line < len(lines):
            line = self.matches.marked(place, lines[place.line])
        if place is not None and line.source is not None:
            if happened := self.changes.mark(line.source, self._document.drawn_above(place)):
                marks.append(_MARKS[happened])
            said = [self.verdicts[at] for at in range(*line.source) if at in self.verdicts]
            if said:
                worst = next((one for one in said if one != "verbatim"), said[0])
                marks.append(_VERDICTS[worst])
            chosen = self.chosen
            if chosen is not None and chosen[0] < line.source[1] and line.source[0] < chosen[1]:
                line = line._replace(fill="chosen")
        margin = (*marks, Span(" " * (MARGIN - len(marks))))
        return self.palette.strip(line, self._document.width, self.size.width, margin)
