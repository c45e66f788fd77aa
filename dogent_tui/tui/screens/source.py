"""The form for a source that is typed in: a book, a letter, a page that was never fetched."""

from typing import ClassVar

import msgspec
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input, Label, Static

from dogent_tui.language import tr
from dogent_tui.sources.records import SourceRecord
from dogent_tui.storage.paths import Workspace, is_file
from dogent_tui.tui.dialog import Dialog, DialogScreen
from dogent_tui.tui.screens.withdrawable import Withdrawable
from dogent_tui.tui.stylesheets import stylesheet

_LINES = {
    "author": tr("Author (a name, or an organization)"),
    "title": tr("Title"),
    "published": tr("Published (2024, or 2024-03-05)"),
    "url": tr("Address, if it is on the web"),
    "document": tr("Its file in this folder, if there is one"),
}


class SourceScreen(Withdrawable[SourceRecord], DialogScreen[SourceRecord]):
    """Dismissed with what was typed, without a key, or with None where the user goes back."""

    CSS_PATH = stylesheet("endpoint.tcss")
    AUTO_FOCUS = "#source-author"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", tr("Back"))]

    def __init__(self, workspace: Workspace) -> None:
        """Ask for a source; its file is one of `workspace`."""
        super().__init__()
        self._workspace = workspace

    def compose(self) -> ComposeResult:
        """Lay out the lines."""
        keys = {"enter": tr("Continue, and keep it at the end"), "escape": tr("Back")}
        with Dialog(tr("A source"), keys, id="source"):
            for name, label in _LINES.items():
                yield Label(label, markup=False)
                yield Input(compact=True, id=f"source-{name}")
            yield Static("", id="source-words", classes="dialog-problem", markup=False)

    @on(Input.Submitted)
    def _next(self, event: Input.Submitted) -> None:
        event.stop()
        if event.input.id != "source-document":
            self.focus_next()
            return
        typed = {name: self.query_one(f"#source-{name}", Input).value.strip() for name in _LINES}
        typed["document"] = typed["document"].removeprefix("@")
        name, problem = self._wrong(typed)
        if problem:
            self.query_one(f"#source-{name}", Input).focus()
            self.query_one("#source-words", Static).update(problem)
            return
        if typed["document"]:
            typed["document"] = self._workspace.relative(typed["document"])
        self.leave(msgspec.convert({"key": "", **typed}, SourceRecord))

    def _wrong(self, typed: dict[str, str]) -> tuple[str, str]:
        """Return the line that is wrong, and why; "" where none is."""
        document = typed["document"]
        if not typed["title"]:
            return "title", tr("It needs a title.")
        if document and not self._workspace.contains(document):
            return "document", tr("The file must be in this folder.")
        if document and not is_file(self._workspace.absolute(document)):
            return "document", tr("There is no file {name} here.").format(name=document)
        return "", ""

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        """Take back what was said: it was about something else."""
        event.stop()
        self.query_one("#source-words", Static).update("")

    def action_back(self) -> None:
        """Go back without a source."""
        self.leave(None)
