"""The widgets of the form: clickable lines, a field for the user's own words, and a question that
combines them.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from dogent_tui.language import tr
from dogent_tui.plain import revealed_line
from dogent_tui.tui.clarification.model import Entry, Row, question_lines, row_lines
from dogent_tui.tui.painted import PaintedLines
from dogent_tui.tui.textual_fixes.literal_area import LiteralArea
from dogent_tui.tui.textual_fixes.terminal_keys import NEWLINE_KEYS
from dogent_tui.tui.transcript.lines import MIN_WIDTH, Line
from dogent_tui.tui.transcript.palette import LOOKS, MARGIN
from dogent_tui.tui.widgets import bound

SEND_KEYS = frozenset({"ctrl+enter", "ctrl+\r"})
"""The names that Textual gives the key that sends."""

_MOST_ROWS = 6


class FormLines(PaintedLines, Widget):
    """Draws the lines that `layout` returns for a width; its height is their number. `shows` is the
    row of the question that they belong to, -1 for none.
    """

    looks = LOOKS | {"on": "bold $text-success", "key": "bold $text-accent"}

    def __init__(
        self, layout: Callable[[int], Iterable[Line]], *, shows: int = -1, classes: str = ""
    ) -> None:
        super().__init__(classes=classes)
        self.shows = shows
        self._layout = layout
        self._room = 0

    def lay_out_again(self) -> None:
        """Lay out the lines again because their content changed."""
        before, room, self._room = self.lines, self._room, 0
        if room and (lines := self._lay_out(room)) != before:
            self.refresh(layout=len(lines) != len(before))

    def _lay_out(self, room: int) -> Sequence[Line]:
        room = max(MIN_WIDTH, room)
        if room != self._room:
            self._room, self.lines = room, [*self._layout(room)]
        return self.lines

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the number of lines."""
        del container, viewport
        return len(self._lay_out(width - 2 * MARGIN))

    def render_line(self, y: int) -> Strip:
        """Draw line `y`."""
        self._lay_out(self.size.width - 2 * MARGIN)
        return self.draw_line(y, self._room)


class FreeText(LiteralArea):
    """A multi-line field for the user's own words. Up and Down leave it at its edges, Enter
    continues.
    """

    BINDINGS = [
        bound("enter", "go_on", "Continue"),
        bound(",".join(sorted(NEWLINE_KEYS - SEND_KEYS)), "newline", "New line", key_display="^J"),
        bound("ctrl+underscore,super+z", "undo", "Undo", show=False),
    ]

    @dataclass
    class Left(Message):
        """The cursor leaves the field: one row up or down, or to the next question with 0."""

        step: int

    def __init__(self, text: str, placeholder: str, held: Callable[[events.Key], bool]) -> None:
        """Show `text`. `held` tells whether a key was meant for what had the focus before the form,
        and consumes it if so.
        """
        # no markup: it comes from the agent
        hint = Content(revealed_line(placeholder) or tr("In your own words"))
        super().__init__(text, placeholder=hint, highlight_cursor_line=False)
        self._held = held
        self.move_cursor(self.document.end)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the number of rows of the text, up to a maximum."""
        return max(1, min(_MOST_ROWS, super().get_content_height(container, viewport, width)))

    def on_key(self, event: events.Key) -> None:
        """Pass on the keys that the text area would take for text."""
        if not self._held(event) and event.key == "enter":
            event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        """Keep from the form what is inserted here."""
        event.stop()

    def take(self, text: str) -> None:
        """Replace the selection with `text`."""
        result = self.replace(text, *self.selection, maintain_selection_offset=False)
        self.move_cursor(result.end_location)

    def action_newline(self) -> None:
        """Insert a line break."""
        self.take("\n")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave Ctrl+X to the form if nothing is selected."""
        del parameters
        return action != "cut" or not self.selection.is_empty

    def action_go_on(self) -> None:
        """Move to the next question."""
        self.post_message(self.Left(0))

    def action_cursor_up(self, select: bool = False) -> None:
        """Move up, leaving the field from its first line."""
        if not select and self.navigator.is_first_wrapped_line(self.cursor_location):
            self.post_message(self.Left(-1))
        else:
            super().action_cursor_up(select)

    def action_cursor_down(self, select: bool = False) -> None:
        """Move down, leaving the field from its last line."""
        if not select and self.navigator.is_last_wrapped_line(self.cursor_location):
            self.post_message(self.Left(1))
        else:
            super().action_cursor_down(select)


class QuestionBlock(Vertical):
    """A question: its lines, the field for own words if it accepts them, and the line that skips
    it.
    """

    @dataclass
    class Picked(Message):
        """A row was clicked, or the question itself (-1)."""

        number: int
        row: int

    def __init__(self, number: int, entry: Entry, held: Callable[[events.Key], bool]) -> None:
        super().__init__(classes="form-question")
        self.number = number
        self.entry = entry
        self.cursor: int | None = None
        self.area: FreeText | None = None
        if entry.question.takes_text:
            self.area = FreeText(entry.text, entry.question.placeholder, held)
        self._question = FormLines(partial(question_lines, entry))
        self._rows = [
            FormLines(partial(self._lines, row), shows=row) for row in range(len(entry.rows))
        ]
        self._parts: list[Widget] = [*self._rows]
        if self.area is not None:
            at = entry.rows.index(Row("text"))
            self._rows[at].add_class("form-mark")
            self._parts[at] = Horizontal(self._rows[at], self.area, classes="form-text")

    def _lines(self, row: int, width: int) -> Iterable[Line]:
        return row_lines(self.entry, row, self.cursor, width)

    def compose(self) -> ComposeResult:
        """Lay out the parts."""
        yield self._question
        yield from self._parts

    def show(self, cursor: int | None) -> None:
        """Draw the current state of the question. `cursor` is the row under the cursor, None if the
        cursor is elsewhere.
        """
        self.cursor = cursor
        self.set_class(cursor is not None, "-at")
        for part in (self._question, *self._rows):
            part.lay_out_again()

    def row_region(self, row: int) -> Region:
        """Return the position of `row` in the coordinates of this block's container."""
        return self._parts[row].virtual_region.translate(self.virtual_region.offset)

    def on_click(self, event: events.Click) -> None:
        """Report which row was clicked, unless its text was selected."""
        clicked, _ = self.screen.get_widget_at(*event.screen_offset)
        if isinstance(clicked, FormLines) and not self.screen.selections:
            event.stop()
            self.post_message(self.Picked(self.number, clicked.shows))
