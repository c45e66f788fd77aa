"""What the features of the interface need of the application and of its first screen; `app` and
`screens.conversation` have it.

A feature takes an `AppPort` or a `ConversationPort` and imports neither of the two, so that arrows
of imports lead one way.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast

from textual.app import App
from textual.screen import Screen

from dogent_tui.tui import clipboard

if TYPE_CHECKING:  # for the checker alone
    from textual.worker import Worker

    from dogent_tui.agent.conversation import Effort
    from dogent_tui.agent.events import Event, PermissionAnswer, PermissionRequested, UiRequested
    from dogent_tui.agent.service import AgentService
    from dogent_tui.agent.session import OpenedSession
    from dogent_tui.references.file_index import FileIndex
    from dogent_tui.storage.answer_drafts import AnswerDrafts
    from dogent_tui.storage.history import History
    from dogent_tui.storage.paths import Workspace
    from dogent_tui.tui.attachments.controller import AttachmentsController
    from dogent_tui.tui.attachments.model import Attachments
    from dogent_tui.tui.commands.table import Command, CommandTable
    from dogent_tui.tui.draft_keeper import DraftKeeper
    from dogent_tui.tui.foreground import ForegroundTask
    from dogent_tui.tui.keymap import Keymap
    from dogent_tui.tui.lessons import LessonOffer
    from dogent_tui.tui.pane.pane import DocumentPane
    from dogent_tui.tui.pane.view import PaneView
    from dogent_tui.tui.prompt.box import PromptBox
    from dogent_tui.tui.request_banner import RequestBanner
    from dogent_tui.tui.results.model import Results
    from dogent_tui.tui.setup.panel import SetupPanel
    from dogent_tui.tui.status import StatusBar
    from dogent_tui.tui.todos import TodoPanel
    from dogent_tui.tui.transcript.view import Transcript
    from dogent_tui.tui.welcome import Welcome


class RequestsPort(Protocol):
    """Where the application puts a question of its own."""

    async def ask(self, request: "PermissionRequested") -> "PermissionAnswer | None":
        """Return the answer, None where the session was left."""

    def restore(self, requests: "Sequence[UiRequested]") -> None:
        """Show what an earlier session left open."""


class SessionPort(Protocol):
    """The session that the window shows."""

    opened: "OpenedSession"

    async def ensure_writable(self) -> bool:
        """Whether the conversation can be continued here."""

    async def wait_until_started(self) -> None:
        """Return once the conversation is on the screen, and its service runs."""

    async def open(self, session_id: str = "", *, fork: bool = False) -> None:
        """Show another conversation of this workspace, a new one where no id is given. Raises
        DogentError where it is not there.
        """

    async def change_profile(self, name: str, model: str = "", effort: "Effort" = "") -> None:
        """Continue with the profile `name`; `model` and `effort` take the place of its own."""


class TypedPort(Protocol):
    """Where prompts and commands go that nobody typed."""

    async def send(self, text: str, references: Sequence[Any]) -> None:
        """Send a prompt with the files of its references."""

    async def run(self, command: "Command", argument: str, text: str) -> None:
        """Run a command, and have it recorded as `text`."""


class LayoutPort(Protocol):
    """Where a feature shows what it has to show."""

    @property
    def transcript(self) -> "Transcript":
        """The conversation as it is drawn."""

    def show_transcript(self) -> None:
        """Show the conversation in place of the welcome."""

    async def bring(self) -> None:
        """Bring what is not seen at first."""

    async def show_setup(self, panel: "SetupPanel | None") -> None:
        """Show `panel` above the prompt, or none."""

    async def show_pane(self, pane: "DocumentPane", *, covers: bool = True) -> None:
        """Show the open document."""

    def uncover(self) -> None:
        """Show the conversation where the document covers it."""

    async def take_pane(self) -> None:
        """Take the document away."""


class DocumentsPort(Protocol):
    """The document that is open beside the conversation."""

    @property
    def view(self) -> "PaneView":
        """The document as it is drawn."""

    @property
    def is_result(self) -> bool:
        """Whether it was written by the agent, and may give way to what it writes next."""

    def shows(self, name: str) -> bool:
        """Whether the document `name` is open."""

    async def open(self, typed: str, *, line: int = 0, pages: str = "", sheet: str = "") -> str:
        """Open what `typed` names. Returns what came of it."""

    async def show_growing(self, name: str, text: str) -> None:
        """Show the beginning of a text that is about to be written."""

    async def end_growing(self) -> None:
        """Show what is on the disk where a text was about to be written."""

    async def show_result(self, name: str, hunks: Sequence[tuple[str, str]] = ()) -> None:
        """Show a document that the agent wrote. Raises DogentError."""

    def checked(self) -> None:
        """Learn that a document may have been checked."""

    async def go(self) -> None:
        """Give the document the keyboard."""

    async def close(self) -> None:
        """Close it."""


class ShowingPort(Protocol):
    """What shows the documents that the agent writes."""

    async def open(self, path: str) -> bool:
        """Show the document at `path`. Returns whether it can be shown."""

    def close(self) -> None:
        """Show none until the user asks for one."""


class ConversationPort(Screen[None]):
    """The screen on which a user and the agent write, as its features see it."""

    opened: "OpenedSession"
    index: "FileIndex"
    prompt: "PromptBox"
    foreground: "ForegroundTask"
    lessons: "LessonOffer"
    todos: "TodoPanel"
    asked: "RequestBanner"
    attaching: "AttachmentsController"
    status_bar: "StatusBar"
    welcome: "Welcome"
    typed: TypedPort
    conversation_layout: LayoutPort
    showing: ShowingPort

    @property
    def service(self) -> "AgentService":
        """The service of the session on the screen."""
        return self.opened.service

    @property
    def transcript(self) -> "Transcript":
        """The conversation as it is drawn."""
        return self.conversation_layout.transcript

    @property
    def attachments(self) -> "Attachments":
        """The files that the conversation refers to."""
        return self.attaching.attachments

    @property
    def results(self) -> "Results":
        """The documents that the conversation made."""
        raise NotImplementedError

    @property
    def requests(self) -> RequestsPort:
        """What waits for the user."""
        raise NotImplementedError

    @property
    def documents(self) -> DocumentsPort:
        """The document that is open beside the conversation."""
        raise NotImplementedError

    @property
    def has_document(self) -> bool:
        """Whether a document is open."""
        raise NotImplementedError

    async def show_session(self, opened: "OpenedSession") -> None:
        """Show another session in place of the one before."""
        raise NotImplementedError

    def handle(self, event: "Event") -> None:
        """Show what happened."""
        raise NotImplementedError

    async def replay(self, events: "Sequence[Event]", *, ended: bool = True) -> None:
        """Show an earlier conversation."""
        raise NotImplementedError

    def show_elsewhere(self, events: "Sequence[Event]") -> None:
        """Show what happens with the conversation in another window."""
        raise NotImplementedError

    def set_open_elsewhere(self, *, goes_on: bool) -> None:
        """Show whether another window has the conversation."""
        raise NotImplementedError

    def look_again(self) -> "Worker[None]":
        """Look again which files there are."""
        raise NotImplementedError

    def place_sidebar(self) -> "Worker[None]":
        """Show results and attachments as they are now."""
        raise NotImplementedError

    def key_of(self, action_id: str) -> str:
        """Return the key of an action as a sentence names it: the user may have changed it."""
        return cast("AppPort", self.app).keys.shown(action_id)

    async def copy(self, text: str) -> None:
        """Copy `text`, and say what is known of it."""
        self.notify(await clipboard.copy(self.app, text), markup=False)

    def action_follow(self) -> None:
        """Go to the end of the transcript and stay there."""
        self.transcript.action_end(1)

    def action_transcript_page(self, step: int) -> None:
        """Scroll the transcript while the prompt keeps the keyboard."""
        self.transcript.action_page(step)


class AppPort(App[None]):
    """The application, as its features see it."""

    session: SessionPort
    conversation: ConversationPort
    keys: "Keymap"
    commands: "CommandTable"
    history: "History"
    edits: "DraftKeeper[AnswerDrafts]"
    notify_by: str

    @property
    def opened(self) -> "OpenedSession":
        """What is opened of the session that the window shows."""
        return self.session.opened

    def call_back(self, words: str) -> None:
        """Have the terminal say `words`: the user looks at another window."""
        raise NotImplementedError

    def go_elsewhere(self, workspace: "Workspace", session_id: str, *, fork: bool = False) -> None:
        """Leave this workspace for a conversation of another."""
        raise NotImplementedError

    def save_draft(self, text: str) -> None:
        """Keep what is typed, so that a crash does not lose it."""
        raise NotImplementedError

    async def record_command(self, text: str) -> None:
        """Put a command that was run into the history."""
        raise NotImplementedError

    async def load_recall(self) -> list[str]:
        """Have the prompt walk the latest prompts and commands, and return these."""
        raise NotImplementedError

    def take_earlier(self, prompt: str | None) -> None:
        """Take an earlier prompt into the prompt, where there is one."""
        raise NotImplementedError

    def dismiss_setup(self) -> bool:
        """Take the set-up away, where it is shown. Returns whether it was."""
        raise NotImplementedError

    def show_theme(self, name: str) -> None:
        """Have the theme `name` hold."""
        raise NotImplementedError

    def use_keys(self, wanted: Mapping[str, str]) -> None:
        """Have the keys that the user wants do what they do from now on."""
        raise NotImplementedError

    def choose_command(self, command: "Command") -> None:
        """Do what choosing `command` in the palette does."""
        raise NotImplementedError
