"""The pane: the name of the document, facts about it, and its content."""

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from dogent_tui.plain import one_line
from dogent_tui.tui.pane.view import PaneView
from dogent_tui.tui.stylesheets import styles
from dogent_tui.tui.transcript.search_bar import SearchBar
from dogent_tui.tui.widgets import ActionRequested, bound


class DocumentPane(Vertical):
    """A document beside the conversation. Keys that concern the conversation are posted as
    messages.
    """

    DEFAULT_CSS = styles("pane.tcss")

    BINDINGS = [
        bound("enter", "say('ask')", "Ask about it"),
        bound("h", "say('contents')", "Contents"),
        bound("c", "say('copy')", "Copy"),
        bound("escape", "say('leave')", "Back"),
        bound("q", "say('close')", "Close"),
    ]

    def __init__(self) -> None:
        super().__init__(id="pane")
        self._title = Static("", id="pane-title", markup=False)
        self.view = PaneView()
        self.search = SearchBar(self.view)

    def compose(self) -> ComposeResult:
        """Lay out the title, the search bar and the document."""
        yield self._title
        yield self.search
        yield self.view

    def on_mount(self) -> None:
        """Check the file when the user returns from another window, where it may have been
        changed.
        """
        self.watch(self.app, "app_focus", self._window_changed, init=False)

    def _window_changed(self, app_focus: bool) -> None:
        if app_focus:
            self.post_message(ActionRequested("look"))

    def say(self, name: str, *facts: str) -> None:
        """Show the name of the document and `facts` about it."""
        known = "".join(f" · {one_line(fact)}" for fact in facts if fact)
        self._title.update(Content.assemble(one_line(name), (known, "not bold")))

    def action_say(self, what: str) -> None:
        """Report what the user requests."""
        self.post_message(ActionRequested(what))
