"""The pane: the name of the document, what is to be said of it, and the document."""

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.tui.pane.view import PaneView
from dogent_tui.tui.stylesheets import styles
from dogent_tui.tui.widgets import told


class DocumentPane(Vertical):
    """A document beside the conversation. What its keys mean to the conversation it says with
    messages.
    """

    DEFAULT_CSS = styles("pane.tcss")

    BINDINGS = [
        Binding("enter", "say('ask')", tr("Ask about it"), key_display="⏎"),
        Binding("h", "say('headings')", tr("Headings")),
        Binding("c", "say('copy')", tr("Copy")),
        Binding("escape", "say('leave')", tr("Back")),
        Binding("q", "say('close')", tr("Close")),
    ]

    @told
    class Wanted(Message):
        """The user wants something that concerns more than the pane: ask, headings, copy, leave,
        close, look.
        """

        what: str

    def __init__(self) -> None:
        super().__init__(id="pane")
        self._title = Static("", id="pane-title", markup=False)
        self.view = PaneView()

    def compose(self) -> ComposeResult:
        """Lay out the title and the document."""
        yield self._title
        yield self.view

    def on_mount(self) -> None:
        """Look at the file when the user comes back from another window, where it may have been
        changed.
        """
        self.watch(self.app, "app_focus", self._window_changed, init=False)

    def _window_changed(self, app_focus: bool) -> None:
        if app_focus:
            self.post_message(self.Wanted("look"))

    def say(self, name: str, *facts: str) -> None:
        """Show what the document is called, and `facts` about it."""
        known = "".join(f" · {one_line(fact)}" for fact in facts if fact)
        self._title.update(Content.assemble(one_line(name), (known, "not bold")))

    def action_say(self, what: str) -> None:
        """Tell what the user wants."""
        self.post_message(self.Wanted(what))
