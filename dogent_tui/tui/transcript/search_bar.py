"""The search bar of the transcript."""

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Static

from dogent_tui.language import tr
from dogent_tui.tui.stylesheets import styles
from dogent_tui.tui.transcript.view import Transcript
from dogent_tui.tui.widgets import bound

if TYPE_CHECKING:
    from textual.widget import Widget


class TranscriptSearch(Horizontal):
    """An input line and the number of matches. `open` shows it; Esc hides it and returns the
    focus.
    """

    DEFAULT_CSS = styles("search.tcss")

    BINDINGS = [
        bound("escape", "close", "Close search"),
        bound("enter,up", "step(-1)", "Previous match", key_display="⏎"),
        bound("shift+enter,down", "step(1)", "Next match", key_display="↓"),
    ]

    def __init__(self, transcript: Transcript) -> None:
        super().__init__(id="search")
        self._transcript = transcript
        self._from: Widget | None = None
        self._count = 0

    def compose(self) -> ComposeResult:
        """A title, the input line, the counter."""
        yield Static(Content(tr("Find ")), classes="search--title")
        yield Input(compact=True, select_on_focus=True)
        yield Static(Content(""), classes="search--count")

    def open(self) -> None:
        """Show and focus the bar, repeating the last search."""
        if not self.has_class("-open"):
            self._from = self.screen.focused
        self.add_class("-open")
        line = self.query_one(Input)
        line.focus()
        self._look_for(line.value)

    def action_close(self) -> None:
        """Hide the bar and the marks."""
        self.remove_class("-open")
        self._transcript.search("")
        if self._from is not None and self._from.is_attached:
            self._from.focus()

    def action_step(self, step: int) -> None:
        """Go to the next match, or to the previous one if `step` is negative."""
        self._transcript.action_match(step)
        self._tell()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search what is typed, on every key."""
        event.stop()
        if self.has_class("-open"):
            self._look_for(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter goes to the previous match, because the search starts at the end."""
        event.stop()
        self.action_step(-1)

    def _look_for(self, text: str) -> None:
        self._count = self._transcript.search(text)
        self._tell()

    def _tell(self) -> None:
        line = self.query_one(Input)
        words = (
            tr("{match} of {count}", match=self._transcript.match, count=self._count)
            if self._count
            else tr("not found")
            if line.value.strip()
            else ""
        )
        self.query_one(".search--count", Static).update(Content(words))
