"""What the features of the interface need from the application and its first screen; `app` and
`screens.conversation` implement it.

A feature takes an `AppPort` or a `ConversationPort` and imports neither of the two, so that imports
point one way.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

from textual.screen import Screen

from dogent_tui.tui.imports import loaded
from dogent_tui.tui.textual_fixes.keys_in_turn import KeysInTurn

if TYPE_CHECKING:  # for the type checker only
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
    """Where the application asks questions of its own."""

    async def ask(self, request: "PermissionRequested") -> "PermissionAnswer | None":
        """Return the answer, None if the session was closed."""

    def restore(self, requests: "Sequence[UiRequested]") -> None:
        """Show what an earlier session left undecided."""


class SessionPort(Protocol):
    """The session shown in the window."""

    opened: "OpenedSession"

    async def ensure_writable(self) -> bool:
        """Whether the conversation can be continued here."""

    async def wait_until_started(self) -> None:
        """Return once the conversation is shown and its service is running."""

    async def open(self, session_id: str = "", *, fork: bool = False) -> None:
        """Show another conversation of this workspace, or a new one without an id. Raises
        DogentError if it does not exist.
        """

    async def change_profile(self, name: str, model: str = "", effort: "Effort" = "") -> None:
        """Continue with the profile `name`; `model` and `effort` override its own."""


class TypedPort(Protocol):
    """Accepts prompts and commands that were not typed."""

    async def send(self, text: str, references: Sequence[Any]) -> None:
        """Send a prompt with the files of its references."""

    async def run(self, command: "Command", argument: str, text: str) -> None:
        """Run a command, and record it as `text`."""


class LayoutPort(Protocol):
    """Where a feature displays its content."""

    @property
    def transcript(self) -> "Transcript":
        """The widget of the conversation."""

    def show_transcript(self) -> None:
        """Show the conversation instead of the welcome."""

    async def bring(self) -> None:
        """Add what is not visible at first."""

    async def show_setup(self, panel: "SetupPanel | None") -> None:
        """Show `panel` above the prompt; None removes it."""

    async def show_pane(self, pane: "DocumentPane", *, covers: bool = True) -> None:
        """Show the open document."""

    def uncover(self) -> None:
        """Show the conversation if the document covers it."""

    async def take_pane(self) -> None:
        """Remove the document."""


class DocumentsPort(Protocol):
    """The document open beside the conversation."""

    @property
    def view(self) -> "PaneView":
        """The widget of the document."""

    @property
    def is_result(self) -> bool:
        """Whether the agent wrote it and may replace it with the next one."""

    def shows(self, name: str) -> bool:
        """Whether the document `name` is open."""

    async def open(self, typed: str, *, line: int = 0, pages: str = "", sheet: str = "") -> str:
        """Open what `typed` names. Returns a message about the result."""

    async def show_growing(self, name: str, text: str) -> None:
        """Show the beginning of a text that is about to be written."""

    async def end_growing(self) -> None:
        """Show the file on the disk after a text was about to be written there."""

    async def show_result(self, name: str, hunks: Sequence[tuple[str, str]] = ()) -> None:
        """Show a document that the agent wrote. Raises DogentError."""

    def checked(self) -> None:
        """Note that a document may have been checked."""

    async def go(self) -> None:
        """Focus the document."""

    async def close(self) -> None:
        """Close it."""


class ShowingPort(Protocol):
    """Shows the documents that the agent writes."""

    async def open(self, path: str) -> bool:
        """Show the document at `path`. Returns whether that is possible."""

    def close(self) -> None:
        """Show none until the user asks for one."""


class ConversationPort(Screen[None]):
    """The conversation screen, as its features see it."""

    app: "AppPort"
    opened: "OpenedSession"
    index: "FileIndex"
    prompt: "PromptBox"
    foreground: "ForegroundTask"
    lessons: "LessonOffer"
    todos: "TodoPanel"
    asked: "RequestBanner"
    attaching: "AttachmentsController"
    results: "Results"
    status_bar: "StatusBar"
    welcome: "Welcome"
    typed: TypedPort
    conversation_layout: LayoutPort
    showing: ShowingPort

    @property
    def service(self) -> "AgentService":
        """The service of the current session."""
        return self.opened.service

    @property
    def transcript(self) -> "Transcript":
        """The widget of the conversation."""
        return self.conversation_layout.transcript

    @property
    def attachments(self) -> "Attachments":
        """The files referred to in the conversation."""
        return self.attaching.attachments

    @property
    def requests(self) -> RequestsPort:
        """The questions waiting for the user."""
        raise NotImplementedError

    @property
    def documents(self) -> DocumentsPort:
        """The document open beside the conversation."""
        raise NotImplementedError

    async def load_documents(self) -> DocumentsPort:
        """Return `documents`, whose module is imported in a thread when first needed."""
        await loaded("dogent_tui.tui.pane.controller")
        return self.documents

    @property
    def has_document(self) -> bool:
        """Whether a document is open."""
        raise NotImplementedError

    async def show_session(self, opened: "OpenedSession") -> None:
        """Show another session in place of the current one."""
        raise NotImplementedError

    def handle(self, event: "Event") -> None:
        """Show an event."""
        raise NotImplementedError

    async def replay(self, events: "Sequence[Event]", *, ended: bool = True) -> None:
        """Show an earlier conversation."""
        raise NotImplementedError

    def show_elsewhere(self, events: "Sequence[Event]") -> None:
        """Show what happens to the conversation in another window."""
        raise NotImplementedError

    def set_open_elsewhere(self, *, continues: bool) -> None:
        """Show whether another window owns the conversation."""
        raise NotImplementedError

    def refresh_files(self) -> "Worker[None]":
        """Refresh the list of workspace files."""
        raise NotImplementedError

    def place_sidebar(self) -> "Worker[None]":
        """Update results and attachments."""
        raise NotImplementedError

    def key_of(self, action_id: str) -> str:
        """Return the label of an action's key, which the user may have changed, for a sentence."""
        return self.app.keys.shown(action_id)

    def action_follow(self) -> None:
        """Scroll to the end of the transcript and follow it."""
        self.transcript.action_end(1)

    def action_transcript_page(self, step: int) -> None:
        """Scroll the transcript while the prompt keeps the focus."""
        self.transcript.action_page(step)


class AppPort(KeysInTurn):
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
        """The opened parts of the current session."""
        return self.session.opened

    def call_back(self, words: str) -> None:
        """Have the terminal notify a user who is looking at another window."""
        raise NotImplementedError

    def go_elsewhere(self, workspace: "Workspace", session_id: str, *, fork: bool = False) -> None:
        """Leave this workspace for a conversation in another one."""
        raise NotImplementedError

    def save_draft(self, text: str) -> None:
        """Save what is typed, so that a crash does not lose it."""
        raise NotImplementedError

    async def record_command(self, text: str) -> None:
        """Add a command that was run to the history."""
        raise NotImplementedError

    async def load_recall(self) -> list[str]:
        """Give the prompt the latest prompts and commands to recall, and return them."""
        raise NotImplementedError

    def recall(self, limit: int) -> list[str]:
        """Return the latest prompts and commands, oldest first; none if they cannot be read."""
        with suppress(OSError):
            return self.history.recall(limit)
        return []

    def dismiss_setup(self) -> bool:
        """Close the setup screen. Returns whether it was open."""
        raise NotImplementedError

    def show_theme(self, name: str) -> None:
        """Apply the theme `name`."""
        raise NotImplementedError

    def use_keys(self, wanted: Mapping[str, str]) -> None:
        """Apply the key bindings from the settings."""
        raise NotImplementedError
