"""A question of the application itself with a few answers to choose from, or a list to pick one of."""

import asyncio
from collections.abc import Sequence
from typing import Any, ClassVar

from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static

from dogent_tui.plain import one_line
from dogent_tui.tui.questions.guard import AnswerGuard
from dogent_tui.tui.screens.withdrawable import Withdrawable
from dogent_tui.tui.stylesheets import stylesheet


class ChoiceScreen(Withdrawable[int], ModalScreen[int]):
    """Dismissed with the place of the answer that was chosen, or with None where the person goes back without one."""

    CSS_PATH = stylesheet("choice.tcss")
    AUTO_FOCUS = "#choice-answers"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "Back")]

    def __init__(self, title: str, why: str, answers: Sequence[str], chosen: int | None = None) -> None:
        """Ask `title`, with `why` below it. The first of `answers` is highlighted at first: let it do no harm.

        `chosen` is for a list that the person opened: it is highlighted, and keys count at once.
        """
        super().__init__()
        self.guard = AnswerGuard()
        self._chosen = chosen
        self._title = title
        self._why = why
        self._answers = answers

    def compose(self) -> ComposeResult:
        """Lay out the question and the answers."""
        with Vertical(id="choice"):
            yield Static(self._title, id="choice-title", markup=False)
            if self._why:
                yield Static(self._why, id="choice-why", markup=False)
            answers = (Content(one_line(answer)) for answer in self._answers)
            yield OptionList(*answers, id="choice-answers", markup=False, compact=True)
            yield Static("↑ ↓ choose · Enter takes it · Esc goes back", id="choice-keys", markup=False)

    def on_mount(self) -> None:
        """Count from the moment that the question can be seen: keys typed before were meant for the prompt."""
        self.query_one(OptionList).highlighted = self._chosen or 0
        if self._chosen is None:
            self.call_after_refresh(self.guard.shown)
        else:
            self.guard.opened()

    def on_key(self, event: events.Key) -> None:
        """Take no key that was typed before the question could be read."""
        if not self.guard.open:
            event.stop()
            event.prevent_default()

    @on(OptionList.OptionSelected)
    def _picked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if self.guard.open:
            self.leave(event.option_index)

    def action_back(self) -> None:
        """Go back without an answer."""
        self.leave(None)


async def choose(app: App[Any], title: str, why: str, answers: Sequence[str], chosen: int | None = None) -> int | None:
    """Ask and return the place of the answer, None for none. Not to be awaited by a handler of messages."""
    answered: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()

    def settle(answer: int | None) -> None:
        if not answered.done():
            answered.set_result(answer)

    screen = ChoiceScreen(title, why, answers, chosen)
    await app.push_screen(screen, settle)
    try:
        return await answered
    finally:
        if not answered.done():  # whoever asked is gone
            screen.cancel()
