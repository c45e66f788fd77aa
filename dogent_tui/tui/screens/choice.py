"""A question of the application itself with a few answers to choose from, or a list to pick one
of.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

from textual import events, on
from textual.app import App
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import OptionList, Static

from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.tui.dialog import ChoiceList, Dialog, DialogScreen, Words
from dogent_tui.tui.questions.guard import AnswerGuard
from dogent_tui.tui.screens.withdrawable import answer_of

Answer = TypeVar("Answer")


class AnsweringScreen(DialogScreen[Answer]):
    """Dismissed with one of `answers`, whose first one does no harm, or with None where the user
    goes back. Keys that were typed before the question could be read are no answers.
    """

    def __init__(
        self,
        dialog: Dialog,
        choices: ChoiceList[Answer],
        values: Sequence[Answer],
        answers: Sequence[Content],
        chosen: int | None = None,
    ) -> None:
        """Let one of `answers`, each with its value, be picked of `choices`, which are in `dialog`.
        `chosen` is for a list that the user opened: there it begins, and keys count at once.
        """
        super().__init__(dialog)
        self.guard = AnswerGuard()
        self._choices = choices
        self._opens_at = chosen
        choices.show(values, answers, chosen or 0)

    def on_mount(self) -> None:
        """Count from the moment that the question can be seen: keys typed before were meant for
        the prompt.
        """
        self._choices.focus()
        if self._opens_at is None:
            self.call_after_refresh(self.guard.shown)
        else:
            self.guard.opened()

    def on_key(self, event: events.Key) -> None:
        """Take no key that was typed before the question could be read."""
        if not self.guard.open:
            event.stop()
            event.prevent_default()

    @on(OptionList.OptionSelected)
    def _picked(self) -> None:
        if self.guard.open:
            self.leave(self._choices.chosen)


class ChoiceScreen(AnsweringScreen[int]):
    """Dismissed with the place of the answer that was chosen, or with None where the user goes
    back without one.
    """

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
        self._pictures = pictures
        self._picture = Static("", id="choice-picture")
        choices = ChoiceList[int](id="choice-answers")
        dialog = Dialog(
            title,
            {"enter": tr("Select"), "up,down": tr("Choose"), "escape": tr("Back")},
            *([Words(why, classes="dialog-why -first")] if why else []),
            Horizontal(choices, self._picture, id="choice-pictured") if pictures else choices,
            id="choice",
        )
        rows = [Content(one_line(words)) for words in answers]
        super().__init__(dialog, choices, range(len(answers)), rows, chosen)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show the picture of the answer."""
        if self._pictures:
            self._picture.update(self._pictures[event.option_index])


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
    shown = () if app.no_color else pictures  # which are made of colors
    return await answer_of(app, ChoiceScreen(title, why, answers, chosen, shown))
