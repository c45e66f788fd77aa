"""What the screens share that put a question of the application itself: a list of answers, and a
guard against stray keys.
"""

from typing import ClassVar, TypeVar

from textual import events, on
from textual.binding import Binding, BindingType
from textual.widgets import OptionList

from dogent_tui.language import tr
from dogent_tui.tui.dialog import DialogScreen
from dogent_tui.tui.questions.guard import AnswerGuard
from dogent_tui.tui.screens.withdrawable import Withdrawable

Answer = TypeVar("Answer")


class AnsweringScreen(Withdrawable[Answer], DialogScreen[Answer]):
    """Dismissed with an answer of its `OptionList`, whose first one does no harm, or with None
    where the user goes back.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", tr("Back"))]

    def __init__(self, chosen: int | None = None) -> None:
        """Begin with the first answer. `chosen` is for a list that the user opened: there it
        begins, and keys count at once.
        """
        super().__init__()
        self.guard = AnswerGuard()
        self._chosen = chosen

    def answer(self, picked: OptionList.OptionSelected) -> Answer:
        """Return what the picked option stands for."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Count from the moment that the question can be seen: keys typed before were meant for
        the prompt.
        """
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
            self.leave(self.answer(event))

    def action_back(self) -> None:
        """Go back without an answer."""
        self.leave(None)
