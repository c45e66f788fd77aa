"""A question of the application itself with a few answers to choose from, or a list to pick one
of.
"""

from collections.abc import Sequence
from typing import Any

from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import OptionList, Static

from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.tui.dialog import ChoiceList, Dialog
from dogent_tui.tui.screens.answering_screen import AnsweringScreen
from dogent_tui.tui.screens.withdrawable import answer_of


class ChoiceScreen(AnsweringScreen[int]):
    """Dismissed with the place of the answer that was chosen, or with None where the user goes
    back without one.
    """

    AUTO_FOCUS = "#choice-answers"

    def __init__(
        self,
        title: str,
        why: str,
        answers: Sequence[str],
        chosen: int | None = None,
        pictures: Sequence[Content] = (),
    ) -> None:
        """Ask `title`, with `why` below it. The first of `answers` is highlighted at first: let it
        do no harm.

        `chosen` is for a list that the user opened: it is highlighted, and keys count at once.
        `pictures` has one for each of the answers, shown beside them while that is highlighted.
        """
        super().__init__(chosen)
        self._title = title
        self._why = why
        self._answers = answers
        self._pictures = pictures
        self._picture = Static("", id="choice-picture")

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
            choices = ChoiceList(*answers, id="choice-answers", markup=False, compact=True)
            if self._pictures and not self.app.no_color:  # which is made of colors
                yield Horizontal(choices, self._picture, id="choice-pictured")
            else:
                yield choices

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show the picture of the answer."""
        if self._pictures:
            self._picture.update(self._pictures[event.option_index])

    def answer(self, picked: OptionList.OptionSelected) -> int:
        """Return the place of the answer."""
        return picked.option_index


async def choose(
    app: App[Any],
    title: str,
    why: str,
    answers: Sequence[str],
    chosen: int | None = None,
    pictures: Sequence[Content] = (),
) -> int | None:
    """Ask and return the place of the answer, None for none. Not to be awaited by a handler of
    messages.
    """
    return await answer_of(app, ChoiceScreen(title, why, answers, chosen, pictures))
