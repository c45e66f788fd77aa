"""A question of the application itself with a few answers to choose from, or a list to pick one
of.
"""

from collections.abc import Sequence
from typing import Any

from textual.app import App, ComposeResult
from textual.content import Content
from textual.widgets import OptionList, Static

from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.tui.dialog import ChoiceList, Dialog
from dogent_tui.tui.screens.answering import AnsweringScreen
from dogent_tui.tui.screens.withdrawable import answer_of


class ChoiceScreen(AnsweringScreen[int]):
    """Dismissed with the place of the answer that was chosen, or with None where the user goes
    back without one.
    """

    AUTO_FOCUS = "#choice-answers"

    def __init__(
        self, title: str, why: str, answers: Sequence[str], chosen: int | None = None
    ) -> None:
        """Ask `title`, with `why` below it. The first of `answers` is highlighted at first: let it
        do no harm.

        `chosen` is for a list that the user opened: it is highlighted, and keys count at once.
        """
        super().__init__(chosen)
        self._title = title
        self._why = why
        self._answers = answers

    def compose(self) -> ComposeResult:
        """Lay out the question and the answers."""
        with Dialog(
            self._title,
            {"enter": tr("Select"), "up,down": tr("Choose"), "escape": tr("Back")},
            id="choice",
        ):
            if self._why:
                yield Static(self._why, classes="dialog-why -first", markup=False)
            answers = (Content(one_line(answer)) for answer in self._answers)
            yield ChoiceList(*answers, id="choice-answers", markup=False, compact=True)

    def answer(self, picked: OptionList.OptionSelected) -> int:
        """Return the place of the answer."""
        return picked.option_index


async def choose(
    app: App[Any], title: str, why: str, answers: Sequence[str], chosen: int | None = None
) -> int | None:
    """Ask and return the place of the answer, None for none. Not to be awaited by a handler of
    messages.
    """
    return await answer_of(app, ChoiceScreen(title, why, answers, chosen))
