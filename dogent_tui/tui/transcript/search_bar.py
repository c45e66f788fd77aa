"""The bar in which the transcript is searched."""

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Static

from dogent_tui.language import tr
from dogent_tui.tui.stylesheets import styles
from dogent_tui.tui.transcript.view import Transcript

if TYPE_CHECKING:
    from textual.widget import Widget


class TranscriptSearch(Horizontal):
    """A line to type into, and how many matches there are. `open` shows it; Esc hides it and
    gives the focus back.
    """

    DEFAULT_CSS = styles("search.tcss")

    BINDINGS = [
        Binding("escape", "close", tr("Close search")),
        Binding("enter,up", "step(-1)", tr("Previous match"), key_display="⏎"),
        Binding("shift+enter,down", "step(1)", tr("Next match"), key_display="↓"),
    ]

    def __init__(self, transcript: Transcript) -> None:
        super().__init__(id="search")
        self._transcript = transcript
        self._from: Widget | None = None
        self._count = 0

    def compose(self) -> ComposeResult:
        """A title, the line, the counter."""
        yield Static(Content(tr("Find ")), classes="search--title")
        yield Input(compact=True, select_on_focus=True)
        yield Static(Content(""), classes="search--count")

    def open(self) -> None:
        """Show the bar and type into it; what was looked for last is looked for again."""
        if not self.has_class("-open"):
            self._from = self.screen.focused
        self.add_class("-open")
        line = self.query_one(Input)
        line.focus()
        self._look_for(line.value)

    def action_close(self) -> None:
        """Hide the bar, and the marks with it."""
        self.remove_class("-open")
        self._transcript.search("")
        if self._from is not None and self._from.is_attached:
            self._from.focus()

    def action_step(self, step: int) -> None:
        """Go to a later or, with a negative `step`, an earlier match."""
        self._transcript.action_match(step)
        self._tell()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Look for what is typed, with each key."""
        event.stop()
        if self.has_class("-open"):
            self._look_for(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter moves to an earlier match: the search began at the end."""
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
