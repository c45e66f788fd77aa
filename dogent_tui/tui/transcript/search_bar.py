"""The search bar of the transcript or a document."""

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from dogent_tui.language import tr
from dogent_tui.tui.stylesheets import styles
from dogent_tui.tui.text_line import TextLine
from dogent_tui.tui.transcript.rows_view import RowsView
from dogent_tui.tui.widgets import bound

if TYPE_CHECKING:
    from textual.widget import Widget


class SearchBar(Horizontal):
    """An input line and the number of matches in `view`. `open` shows it; Esc hides it and returns
    the focus.
    """

    DEFAULT_CSS = styles("search.tcss")

    BINDINGS = [
        bound("escape", "close", "Close search"),
        # before those of the input line, which would scroll it
        bound("up", "step(-1)", "Previous match", priority=True),
        bound("down", "step(1)", "Next match", priority=True),
    ]

    def __init__(self, view: RowsView) -> None:
        super().__init__()
        self._view = view
        self._from: Widget | None = None

    def compose(self) -> ComposeResult:
        """A title, the input line, the counter."""
        yield Static(Content(tr("Find ")), classes="search--title")
        yield TextLine()
        yield Static(Content(""), classes="search--count")

    def on_mount(self) -> None:
        """Show which match of how many is the current one."""
        counter = self.query_one(".search--count", Static)
        self.watch(self._view, "found", lambda words: counter.update(Content(words)))

    @property
    def is_open(self) -> bool:
        """Whether it is shown."""
        return self.has_class("-open")

    def open(self) -> None:
        """Show and focus the bar, repeating the last search."""
        if not self.is_open:
            self._from = self.screen.focused
        self.add_class("-open")
        line = self.query_one(TextLine)
        line.focus()
        self._view.search(line.value)

    def action_close(self) -> None:
        """Hide the bar and the marks."""
        had_focus = self.has_focus_within
        self.remove_class("-open")
        self._view.search("")
        if had_focus and self._from is not None and self._from.is_attached:
            self._from.focus()

    def action_step(self, step: int) -> None:
        """Go to the next match, or to the previous one if `step` is negative."""
        self._view.action_match(step)

    def on_input_changed(self, event: TextLine.Changed) -> None:
        """Search what is typed, on every key."""
        event.stop()
        if self.is_open:
            self._view.search(event.value)

    def on_input_submitted(self, event: TextLine.Submitted) -> None:
        """Go to the next match in the direction of the search."""
        event.stop()
        self.action_step(-1 if self._view.NEWEST_FIRST else 1)
