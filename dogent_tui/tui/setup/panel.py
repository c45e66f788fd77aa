"""The panel above the prompt that says who could answer. The prompt keeps the keyboard: F5 goes
here, Esc takes it away.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.widget import Widget

from dogent_tui.language import tr
from dogent_tui.tui.setup.model import Choice

_LOW = 20
"""Rows of a window in which the panel is one line until one goes there."""


class SetupPanel(Widget, can_focus=True):
    """Shows `choices`. Posts `Chosen` and `Dismissed`; it does not take itself away."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES = {
        "setup--title",
        "setup--key",
        "setup--label",
        "setup--note",
        "setup--here",
    }
    BINDINGS = [
        Binding("up", "step(-1)", tr("Up"), show=False),
        Binding("down", "step(1)", tr("Down"), show=False),
        Binding("enter", "choose", tr("Choose")),
        Binding("escape", "dismiss_panel", tr("Not now")),
    ]

    @dataclass
    class Chosen(Message):
        """The user chose."""

        choice: Choice

    class Dismissed(Message):
        """The user does not want to choose now."""

    @dataclass
    class Typed(Message):
        """The user went on writing, with this character."""

        character: str

    def __init__(self, choices: Sequence[Choice], now: str, key: str) -> None:
        """Offer `choices`; `now` says who answers until one is made, and `key` goes to the
        panel.
        """
        super().__init__(id="setup")
        self._key = key
        self._now = now
        self.choices = choices
        self.at = 0
        self._low = False

    # ── Keys and mouse ────────────────────────────────────────────────────────────────────────────

    def on_key(self, event: events.Key) -> None:
        """Choose by number; anything else that is typed belongs to the prompt."""
        if not event.is_printable or event.character is None:
            return
        event.stop()
        event.prevent_default()
        if event.character.isdecimal() and event.character.isascii():
            self._choose(int(event.character) - 1)
        else:
            self.post_message(self.Typed(event.character))

    def action_step(self, step: int) -> None:
        """Go up or down."""
        self.at = (self.at + step) % len(self.choices)
        self.refresh()

    def action_choose(self) -> None:
        """Choose what the mark is at."""
        self._choose(self.at)

    def action_dismiss_panel(self) -> None:
        """Go away for good."""
        self.post_message(self.Dismissed())

    def on_click(self, event: events.Click) -> None:
        """Choose the line under the mouse."""
        event.stop()
        if self._is_line:
            self.focus()
        else:
            self._choose(event.y - 1)

    def _choose(self, at: int) -> None:
        if 0 <= at < len(self.choices):
            self.post_message(self.Chosen(self.choices[at]))

    # ── What is seen ──────────────────────────────────────────────────────────────────────────────

    @property
    def _is_line(self) -> bool:
        return self._low and not self.has_focus

    def on_mount(self) -> None:
        """Take as many rows as there are lines."""
        self.place()

    def watch_has_focus(self, has_focus: bool) -> None:
        """Show the mark, or take it away."""
        super().watch_has_focus(has_focus)
        if self.is_attached:
            self.place()

    def place(self, height: int = 0) -> None:
        """Fit into a window of `height` rows: call it when that changes its size."""
        self._low = (height or self.screen.size.height) < _LOW
        self.styles.height = 1 if self._is_line else 2 + len(self.choices)
        self.refresh()

    def _style(self, name: str) -> Style:
        return self.get_visual_style(f"setup--{name}", partial=True)

    def render(self) -> Content:
        """Draw the lines, literally."""
        key, note, width = self._style("key"), self._style("note"), self.content_size.width
        question = Content.styled(tr("Choose a model"), self._style("title"))
        keys = Content.assemble(
            (self._key, key), (tr(" chooses · "), note), ("Esc", key), (tr(" not now"), note)
        )
        if self._is_line:
            return Content.assemble(question, " ", keys).truncate(width, ellipsis=True)
        if self.has_focus:
            enter = [(tr(" or a number, "), note), (tr("Enter"), key), (tr(" chooses · "), note)]
            keys = Content.assemble(("↑ ↓", key), *enter, ("Esc", key), (tr(" not now"), note))
        lines = [
            Content.assemble(question, (f"  {self._now}", note)),
            *(self._line(at, choice) for at, choice in enumerate(self.choices)),
            Content.assemble(keys, (tr(" · any time with "), note), ("/setup", key)),
        ]
        return Content("\n").join(line.truncate(width, ellipsis=True) for line in lines)

    def _line(self, at: int, choice: Choice) -> Content:
        is_here = self.has_focus and at == self.at
        label = self._style("here" if is_here else "label")
        room = max(cell_len(one.label) for one in self.choices)
        gap = " " * (room - cell_len(choice.label) + 2)
        return Content.assemble(
            ("›" if is_here else " ", label),
            (f" {at + 1}  ", self._style("key")),
            (choice.label, label),
            (gap + choice.note, self._style("note")),
        )
