"""The parts of the form on the screen: lines that can be clicked, a field for the user's own
words, a question of both.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from dogent_tui.language import tr
from dogent_tui.plain import one_line, revealed
from dogent_tui.tui.clarification.model import Entry, Placed, question_lines, row_mark, skip_lines
from dogent_tui.tui.painted import Painted
from dogent_tui.tui.prompt.literal import carry, release
from dogent_tui.tui.textual_fixes.literal_area import LiteralArea
from dogent_tui.tui.textual_fixes.terminal_keys import NEWLINE_KEYS
from dogent_tui.tui.transcript.lines import MIN_WIDTH, Line
from dogent_tui.tui.transcript.palette import LOOKS, MARGIN

SEND_KEYS = frozenset({"ctrl+s", "ctrl+enter", "ctrl+\r"})
"""The keys that send, under every name that Textual gives them."""

_MOST_ROWS = 6


class FormLines(Painted, Widget):
    """Draws the lines that `layout` gives for a width, as high as they are."""

    ALLOW_SELECT = False
    looks = LOOKS | {"on": "bold $text-success", "key": "bold $text-accent"}

    @dataclass
    class Clicked(Message):
        """One of `lines` was clicked; `row` is the row that it shows, -1 where it shows none."""

        lines: "FormLines"
        row: int

    def __init__(self, layout: Callable[[int], Sequence[Placed]], *, classes: str = "") -> None:
        super().__init__(classes=classes)
        self._layout = layout
        self._laid_out: tuple[int, Sequence[Placed]] = (0, ())

    def look_again(self) -> None:
        """Lay the lines out again: what they show has changed."""
        width, before = self._laid_out
        self._laid_out = (0, ())
        if width and (lines := self.lines(width)) != before:
            self.refresh(layout=len(lines) != len(before))

    def lines(self, width: int) -> Sequence[Placed]:
        """Return the lines for a widget of `width` cells."""
        if self._laid_out[0] != width:
            self._laid_out = (width, self._layout(max(MIN_WIDTH, width - 2 * MARGIN)))
        return self._laid_out[1]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the number of lines."""
        del container, viewport
        return len(self.lines(width))

    def render_line(self, y: int) -> Strip:
        """Draw line `y`."""
        width = self.size.width
        lines = self.lines(width)
        line = lines[y].line if y < len(lines) else Line()
        return self.palette.strip(line, max(MIN_WIDTH, width - 2 * MARGIN), width)

    def region_of(self, row: int) -> Region:
        """Return where `row` is drawn, in the coordinates of the widget's container."""
        place = self.virtual_region
        ys = [y for y, placed in enumerate(self.lines(place.width)) if placed.row == row]
        return Region(place.x, place.y + ys[0], place.width, len(ys)) if ys else place

    def on_click(self, event: events.Click) -> None:
        """Say which row was clicked."""
        y = event.get_content_offset_capture(self).y
        lines = self.lines(self.size.width)
        if 0 <= y < len(lines):
            self.post_message(self.Clicked(self, lines[y].row))


class FreeText(LiteralArea):
    """A field of some lines for the user's own words. Up and down leave it at its edges, Enter
    continues.
    """

    BINDINGS = [
        Binding("enter", "go_on", tr("Continue")),
        Binding("ctrl+j,shift+enter,alt+enter", "newline", tr("New line")),
        Binding("ctrl+underscore,super+z", "undo", tr("Undo"), show=False, key_display="Ctrl+_"),
    ]

    @dataclass
    class Left(Message):
        """The cursor leaves the field: a row up or down, or on to the next question with 0."""

        step: int

    def __init__(self, text: str, placeholder: str, held: Callable[[events.Key], bool]) -> None:
        """Show `text`. `held` says whether a key was meant for what was here before the form,
        and takes it then.
        """
        # no markup: it comes from the agent
        hint = Content(one_line(revealed(placeholder)) or tr("In your own words"))
        super().__init__(carry(text), placeholder=hint, compact=True, highlight_cursor_line=False)
        self._held = held
        self.cursor_blink = False
        self.match_cursor_bracket = False
        self.move_cursor(self.document.end)

    @property
    def value(self) -> str:
        """The text as it was typed."""
        return release(self.text)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the rows of the text, some at the most."""
        return max(1, min(_MOST_ROWS, super().get_content_height(container, viewport, width)))

    async def on_key(self, event: events.Key) -> None:
        """Take new lines, and let those keys go by that the text area would take for text."""
        if self._held(event):
            return
        if event.key in NEWLINE_KEYS - SEND_KEYS:
            self.action_newline()
        elif event.key == "enter":
            self.action_go_on()
        else:
            return
        event.stop()
        event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        """Insert what the terminal pasted."""
        event.stop()
        event.prevent_default()
        self.take(event.text)

    def take(self, text: str) -> None:
        """Insert `text` instead of what is selected."""
        result = self.replace(carry(text), *self.selection, maintain_selection_offset=False)
        self.move_cursor(result.end_location)

    def action_newline(self) -> None:
        """Begin a new line."""
        self.take("\n")

    def action_paste(self) -> None:
        """Insert the app's own clipboard."""
        self.take(self.app.clipboard)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Cut and copy what is selected; where nothing is, Ctrl+X and Ctrl+C are the form's."""
        return (
            not self.selection.is_empty
            if action in ("cut", "copy")
            else super().check_action(action, parameters)
        )

    def action_go_on(self) -> None:
        """Move to the next question."""
        self.post_message(self.Left(0))

    def action_cursor_up(self, select: bool = False) -> None:
        """Move up, out of the field from its first line."""
        if not select and self.navigator.is_first_wrapped_line(self.cursor_location):
            self.post_message(self.Left(-1))
        else:
            super().action_cursor_up(select)

    def action_cursor_down(self, select: bool = False) -> None:
        """Move down, out of the field from its last line."""
        if not select and self.navigator.is_last_wrapped_line(self.cursor_location):
            self.post_message(self.Left(1))
        else:
            super().action_cursor_down(select)


class QuestionBlock(Vertical):
    """One question: its lines, the field for own words where it takes them, and the line that
    skips it.
    """

    @dataclass
    class Picked(Message):
        """A row was clicked, or the question itself with -1."""

        number: int
        row: int

    def __init__(self, number: int, entry: Entry, held: Callable[[events.Key], bool]) -> None:
        super().__init__(classes="form-question")
        self.number = number
        self.entry = entry
        self.cursor: int | None = None
        self._options = FormLines(lambda width: question_lines(entry, self.cursor, width))
        self._skip = FormLines(lambda width: skip_lines(entry, self.cursor, width))
        self._mark = FormLines(lambda _: self._text_mark(), classes="form-mark")
        self.area: FreeText | None = None
        if entry.question.takes_text:
            self.area = FreeText(entry.text, entry.question.placeholder, held)
            self._text = Horizontal(self._mark, self.area, classes="form-text")

    def compose(self) -> ComposeResult:
        """Lay out the parts."""
        yield self._options
        if self.area is not None:
            yield self._text
        yield self._skip

    def _text_mark(self) -> list[Placed]:
        row = len(self.entry.rows) - 2
        return [Placed(Line(row_mark(self.entry, row, self.cursor)), row)]

    def show(self, cursor: int | None) -> None:
        """Draw the question as it is now. `cursor` is the row under the cursor, None where that
        is elsewhere.
        """
        self.cursor = cursor
        self.set_class(cursor is not None, "-at")
        for part in (self._options, self._mark, self._skip):
            part.look_again()

    def row_region(self, row: int) -> Region:
        """Return where `row` stands, in the coordinates of the container of this block."""
        match self.entry.rows[row].kind:
            case "text":
                region = self._text.virtual_region
            case "skip":
                region = self._skip.region_of(row)
            case _:
                region = self._options.region_of(row)
        return region.translate(self.virtual_region.offset)

    def on_form_lines_clicked(self, event: FormLines.Clicked) -> None:
        """Say which row of which question was clicked."""
        event.stop()
        self.post_message(self.Picked(self.number, event.row))
