"""A question of the application itself with a few answers to choose from, or a list to pick one of."""

import asyncio
from collections.abc import Sequence

from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static

from dogent_tui.plain import one_line
from dogent_tui.tui.screens.answering import AnsweringScreen
from dogent_tui.tui.stylesheets import stylesheet


class ChoiceScreen(AnsweringScreen[int]):
    """Dismissed with the place of the answer that was chosen, or with None where the person goes back without one."""

    CSS_PATH = stylesheet("choice.tcss")
    AUTO_FOCUS = "#choice-answers"

    def __init__(self, title: str, why: str, answers: Sequence[str]) -> None:
        """Ask `title`, with `why` below it. The first of `answers` is highlighted at first: let it do no harm."""
        super().__init__()
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

    def answer(self, picked: OptionList.OptionSelected) -> int:
        """Return the place of the answer."""
        return picked.option_index


async def choose(app: App[None], title: str, why: str, answers: Sequence[str]) -> int | None:
    """Ask and return the place of the answer, None for none. Not to be awaited by a handler of messages."""
    answered: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()

    def settle(answer: int | None) -> None:
        if not answered.done():
            answered.set_result(answer)

    screen = ChoiceScreen(title, why, answers)
    await app.push_screen(screen, settle)
    try:
        return await answered
    finally:
        if not answered.done():  # whoever asked is gone
            screen.cancel()
