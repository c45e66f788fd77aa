"""Press the key that should do something."""

from collections.abc import Callable
from typing import Any

from textual import events
from textual.app import App, ComposeResult
from textual.widgets import Static

from dogent_tui.language import tr
from dogent_tui.tui.dialog import Dialog, DialogScreen
from dogent_tui.tui.screens.withdrawable import Withdrawable, answer_of


class PressKeyScreen(Withdrawable[str], DialogScreen[str]):
    """Dismissed with Textual's name of the key that was pressed, or with None."""

    def __init__(self, title: str, problem: Callable[[str], str]) -> None:
        """Ask for a key. `problem` says why one cannot be taken, or nothing."""
        super().__init__()
        self._title = title
        self._problem = problem

    def compose(self) -> ComposeResult:
        """Lay out the question."""
        with Dialog(self._title, {"escape": tr("Back")}, id="typing"):
            yield Static(tr("Press the key now."), markup=False)
            yield Static("", id="typing-problem", classes="dialog-problem", markup=False)

    def on_key(self, event: events.Key) -> None:
        """Take the key, if it can be taken."""
        event.stop()
        event.prevent_default()
        if event.key == "escape":
            self.leave(None)
        elif problem := self._problem(event.key):
            self.query_one("#typing-problem", Static).update(problem)
        else:
            self.leave(event.key)


async def press_key(app: App[Any], title: str, problem: Callable[[str], str]) -> str | None:
    """Ask for a key and return its name, None for none. Not to be awaited by a handler of
    messages.
    """
    return await answer_of(app, PressKeyScreen(title, problem))
