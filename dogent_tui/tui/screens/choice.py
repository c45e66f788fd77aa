"""A question of the application with a few answers, or a list to choose from."""

from collections.abc import Sequence
from typing import Any, TypeVar

from textual import events
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
    """Dismissed with one of `answers`, the first of which is harmless, or with None if the user
    goes back. Keys typed before the question was visible are ignored.
    """

    def __init__(
        self,
        dialog: Dialog,
        choices: ChoiceList[Answer],
        values: Sequence[Answer],
        answers: Sequence[Content],
        chosen: int | None = None,
    ) -> None:
        """Choose one of `answers` from `choices`, which are inside `dialog`. `chosen` is for a list
        that the user opened: the cursor starts there, and keys work immediately.
        """
        super().__init__(dialog)
        self.guard = AnswerGuard()
        self._choices = choices
        self._opens_at = chosen
        choices.show(values, answers, chosen or 0)

    def on_mount(self) -> None:
        """Start counting when the question is visible: earlier keys were meant for the prompt."""
        self._choices.focus()
        if self._opens_at is None:
            self.call_after_refresh(self.guard.shown)
        else:
            self.guard.opened()

    def on_key(self, event: events.Key) -> None:
        """Ignore keys typed before the question was visible."""
        if not self.guard.open:
            event.stop()
            event.prevent_default()

    def _on_option_list_option_selected(self) -> None:
        if self.guard.open:
            self.leave(self._choices.chosen)


class ChoiceScreen(AnsweringScreen[int]):
    """Dismissed with the index of the chosen answer, or with None if the user goes back."""

    def __init__(
        self,
        title: str,
        why: str,
        answers: Sequence[str],
        chosen: int | None = None,
        pictures: Sequence[Content] = (),
    ) -> None:
        """Ask `title`, with `why` below it. The first of `answers` is highlighted initially and
        must be harmless.

        `chosen` is for a list that the user opened: this index is highlighted, and keys work
        immediately. `pictures` holds one for each answer, shown beside the answers while it is
        highlighted.
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
    """Ask and return the index of the answer, None if there is none. Must not be awaited in a
    message handler.
    """
    shown = () if app.no_color else pictures  # the pictures consist of colors
    return await answer_of(app, ChoiceScreen(title, why, answers, chosen, shown))
