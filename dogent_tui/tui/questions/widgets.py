"""The widgets of a question: scrolling lines, the bar of answers, the input line."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.app import RenderResult
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.style import Style
from textual.widget import Widget

from dogent_tui.tui.painted import PaintedLines
from dogent_tui.tui.questions.model import MARKS, Answer, Placed, answer_rows, scroll_cue
from dogent_tui.tui.transcript.lines import MIN_WIDTH, Lines, Span
from dogent_tui.tui.transcript.palette import LOOKS, MARGIN
from dogent_tui.tui.widgets import styled

QUESTION_LOOKS = LOOKS | {
    "accent": "$text-accent",
    "code-block": "on $background",
    "risk": "bold underline $text-error on $error 20%",
    "error": "bold $text-error",
    "question": "bold $text-warning",
}
"""The appearance of the styles in a question's lines."""

_SCROLLBAR = 1


class QuestionLines(PaintedLines, ScrollView, can_focus=False):
    """Draws the visible part of the lines that `layout` returns for a width."""

    looks = QUESTION_LOOKS
    margin: ClassVar = MARGIN
    """Cells left and right of the lines."""

    def __init__(self, layout: Callable[[int], Lines], *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._layout = layout
        self._width = 0

    def lay_out(self, width: int, *, has_changed: bool = False) -> int:
        """Lay the lines out for a widget of `width` cells; for an unchanged width only if
        `has_changed`. Returns their number.
        """
        room = max(MIN_WIDTH, width - 2 * self.margin - _SCROLLBAR)
        if has_changed or room != self._width:
            self._width = room
            self.lines = self._layout(room)
            self.scroll_over(Size(room, len(self.lines)))
            self.refresh()
        return len(self.lines)

    def render_line(self, y: int) -> Strip:
        """Draw visible line `y`."""
        return self.draw_line(self.scroll_offset.y + y, self._width, Span(" " * self.margin))

    @property
    def cue(self) -> str:
        """A description of the visible part; empty if everything is visible."""
        return scroll_cue(self.scroll_offset.y, self.size.height, self.lines)

    @property
    def scrolls(self) -> bool:
        """Whether there is more than is visible."""
        return self.max_scroll_y > 0

    def scroll_by(self, rows: int) -> bool:
        """Scroll by `rows`, as far as possible. Returns whether it was."""
        before = self.scroll_offset.y
        self.scroll_to(y=before + rows, animate=False, immediate=True)
        return self.scroll_offset.y != before


class AnswerBar(Widget, can_focus=True):
    """The answers in one row, or in several in a narrow window; one is highlighted."""

    COMPONENT_CLASSES = {
        "answers--deny", "answers--allow", "answers--key", "answers--deny-on", "answers--allow-on",
    }  # fmt: skip
    ALLOW_SELECT = False

    highlighted = reactive(0)

    @dataclass
    class Picked(Message):
        """An answer was clicked."""

        answer: Answer

    def __init__(self, answers: Sequence[Answer]) -> None:
        super().__init__(id="answers")
        self.answers = answers
        self.rows: tuple[tuple[Placed, ...], ...] = ()

    @property
    def answer(self) -> Answer:
        """The highlighted answer."""
        return self.answers[self.highlighted]

    def lay_out(self, width: int) -> int:
        """Place the answers for a widget of `width` cells. Returns the number of rows."""
        self.rows = answer_rows(self.answers, width - 2 * MARGIN)
        self.refresh()
        return len(self.rows)

    def step(self, step: int) -> None:
        """Move the highlight, wrapping around at the ends."""
        self.highlighted = (self.highlighted + step) % len(self.answers)

    def render(self) -> RenderResult:
        """Draw the answers; the highlighted one also has a mark, for displays without colors."""
        rows = [
            Content(" ").join(self._drawn(number, label) for number, label in row)
            for row in self.rows
        ]
        return Content("\n").join(rows)

    def _drawn(self, number: int, label: str) -> Content:
        answer = self.answers[number]
        style = f"answers--{'allow' if answer.allows else 'deny'}"
        if number == self.highlighted:
            marked = MARKS[1] + label.removeprefix(MARKS[0])
            words = Content.styled(marked, self.get_visual_style(f"{style}-on"))
        else:
            key = label.rindex(answer.key)
            words = styled(self, label[:key], style) + styled(self, label[key:], "answers--key")
        return words.stylize(Style.from_meta({"answer": number}))

    def on_click(self, event: events.Click) -> None:
        """Pick the answer under the mouse."""
        if (number := event.style.meta.get("answer")) is not None:
            self.highlighted = number
            self.post_message(self.Picked(self.answers[number]))
