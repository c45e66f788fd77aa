"""One line of text to type: the value of a setting, a name."""

from collections.abc import Callable
from typing import Any, ClassVar

from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input, Static

from dogent_tui.language import tr
from dogent_tui.tui.dialog import Dialog, DialogScreen
from dogent_tui.tui.screens.withdrawable import Withdrawable, answer_of


class TypingScreen(Withdrawable[str], DialogScreen[str]):
    """Dismissed with what was typed, or with None where the user goes back."""

    AUTO_FOCUS = "#typing-text"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", tr("Back"))]

    def __init__(
        self,
        title: str,
        why: str,
        text: str,
        *,
        secret: bool,
        problem: Callable[[str], str],
        unset: str = "",
    ) -> None:
        """Ask for `title`, with `why` below it. `secret`: dots are shown. `problem` says why not,
        or nothing.

        `unset` says what holds as long as nothing is typed.
        """
        super().__init__()
        self._title = title
        self._why = why
        self._text = text
        self._secret = secret
        self._problem = problem
        self._unset = unset

    def compose(self) -> ComposeResult:
        """Lay out the line."""
        with Dialog(self._title, {"enter": tr("Confirm"), "escape": tr("Back")}, id="typing"):
            yield Input(
                self._text,
                placeholder=self._unset,
                password=self._secret,
                compact=True,
                id="typing-text",
            )
            yield Static(self._why, classes="dialog-why", markup=False)
            yield Static("", id="typing-problem", classes="dialog-problem", markup=False)

    def on_mount(self) -> None:
        """Keep the line still for whoever reads along."""
        self.query_one(Input).cursor_blink = False

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.query_one("#typing-problem", Static).update("")

    @on(Input.Submitted)
    def _take(self, event: Input.Submitted) -> None:
        event.stop()
        problem = self._problem(event.value)
        if problem:
            self.query_one("#typing-problem", Static).update(problem)
        else:
            self.leave(event.value)

    def action_back(self) -> None:
        """Go back, and leave it as it is."""
        self.leave(None)


async def type_text(
    app: App[Any],
    title: str,
    why: str,
    text: str = "",
    *,
    secret: bool = False,
    problem: Callable[[str], str] = lambda _: "",
    unset: str = "",
) -> str | None:
    """Ask for a line and return it, None for none. Not to be awaited by a handler of messages."""
    return await answer_of(
        app, TypingScreen(title, why, text, secret=secret, problem=problem, unset=unset)
    )
