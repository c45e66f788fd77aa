"""The screen on which a user and the agent write: a composition of transcript, attachments,
prompt and status.
"""

import asyncio
from collections.abc import Sequence
from enum import Enum
from functools import cached_property
from posixpath import basename
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events as textual_events
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical

from dogent_tui.agent.events import (
    BUDGET_SPENT,
    Event,
    Notice,
    PermissionDecided,
    PermissionRequested,
    QueueChanged,
    RunFinished,
    RunStarted,
    ToolResult,
    UiRequested,
    UiSettled,
    UsageChanged,
)
from dogent_tui.agent.session import OpenedSession
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.references.file_index import FileIndex
from dogent_tui.sample.requests import requests_for
from dogent_tui.storage.paths import display_path, state_dir
from dogent_tui.tui import clipboard
from dogent_tui.tui.attachments.controller import AttachmentsController
from dogent_tui.tui.attachments.model import Attachments
from dogent_tui.tui.commands.table import CommandTable
from dogent_tui.tui.conversation_layout import ConversationLayout
from dogent_tui.tui.foreground import ForegroundTask
from dogent_tui.tui.key_hints import KeyHints
from dogent_tui.tui.lessons import LessonOffer
from dogent_tui.tui.pane.live_documents import Showing
from dogent_tui.tui.ports import AppPort, ConversationPort
from dogent_tui.tui.prompt.box import PromptBox
from dogent_tui.tui.prompt.controller import PromptController
from dogent_tui.tui.prompt.editor import PromptEditor
from dogent_tui.tui.prompt.hints import shortened
from dogent_tui.tui.prompt.pending_strip import PendingStrip
from dogent_tui.tui.prompt.queue import QueueStrip
from dogent_tui.tui.prompt.references import WorkspaceReferences
from dogent_tui.tui.request_banner import RequestBanner
from dogent_tui.tui.results.controller import ResultsController
from dogent_tui.tui.results.model import Result, Results
from dogent_tui.tui.status import StatusBar, opening_status
from dogent_tui.tui.todos import TodoPanel
from dogent_tui.tui.welcome import Welcome

if TYPE_CHECKING:  # imported when they are made, after the first paint
    from dogent_tui.agent.service import AgentService
    from dogent_tui.tui.attachments.sidebar import AttachmentsSidebar
    from dogent_tui.tui.pane.controller import PaneController
    from dogent_tui.tui.pane.pane import DocumentPane
    from dogent_tui.tui.pane.view import PaneView
    from dogent_tui.tui.requests import RequestController
    from dogent_tui.tui.transcript.view import Transcript


_MOST_ASKED_ABOUT = 200
"""Files of which some are offered to be asked about: those changed lately, then those nearest to
the root.
"""


class Origin(Enum):
    """Where events come from.

    `LIVE`: the session of this window. `EARLIER`: a log, of which all is over. `OPEN_ELSEWHERE`:
    the log of a session that another window has. `ELSEWHERE`: what that window adds.
    """

    LIVE = "live"
    EARLIER = "earlier"
    OPEN_ELSEWHERE = "open elsewhere"
    ELSEWHERE = "elsewhere"

    @property
    def is_now(self) -> bool:
        """Whether it happens now, rather than being read from a log."""
        return self in (Origin.LIVE, Origin.ELSEWHERE)


class ConversationScreen(ConversationPort):
    """Shows one session and sends what is typed to its service."""

    typed: PromptController
    conversation_layout: ConversationLayout
    showing: Showing

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+f", "find", tr("Find"), id="find"),
        Binding("ctrl+b", "sidebar", tr("Files"), id="attachments"),
        Binding("ctrl+r", "app.history", tr("Earlier prompts"), show=False, id="history"),
        Binding("ctrl+o", "fold_all", tr("Expand tools"), id="unfold"),
        Binding("ctrl+t", "todos", tr("Plan"), id="plan"),
        Binding("f2", "answer", tr("Answer the agent"), show=False),
        Binding(
            "f3", "document", tr("Switch to the open document and back"), show=False, id="document"
        ),
        Binding("f5", "app.setup", tr("Choose a model"), show=False, id="setup"),
        Binding("ctrl+end", "follow", tr("Follow"), show=False, id="follow"),
        Binding("shift+pageup", "transcript_page(-1)", tr("Scroll the transcript"), show=False),
        Binding("shift+pagedown", "transcript_page(1)", tr("Scroll the transcript"), show=False),
        Binding("escape", "escape", tr("Interrupt, or back to the prompt"), show=False),
        Binding(
            "f4,ctrl+comma",
            "app.settings",
            tr("Settings"),
            show=False,
            id="settings",
            key_display="F4, Ctrl+,",
        ),
        Binding("f1", "app.help", tr("Help"), id="help"),
    ]

    def __init__(self, opened: OpenedSession, commands: CommandTable) -> None:
        super().__init__()
        self.opened = opened
        self.index = FileIndex(
            opened.workspace.root, kept=state_dir() / "names" / opened.workspace.key
        )
        self._references = WorkspaceReferences(
            opened.workspace, self.index, commands, lambda: self.opened.trust.trusted
        )
        self.prompt = PromptBox(self._references, id="prompt")
        self.foreground = ForegroundTask(self.prompt.set_doing)
        self.made = ResultsController(self)
        self._made_in_run: list[str] = []
        self.showing = Showing(self)
        self.lessons = LessonOffer(offers=opened.settings.learn_auto)
        self.todos = TodoPanel(lambda: self.key_of("plan"))
        self.asked = RequestBanner()
        self.attaching = AttachmentsController(
            self, opened, self._references, self._show_attachments
        )
        self.keys = KeyHints(id="keys", first=("say('ask')", "say('close')"))
        self.keys.display = False
        self.status_bar = StatusBar(opening_status(opened), id="status")
        root, endpoint = opened.workspace.root, self.status_bar.status.endpoint
        self.welcome = Welcome(display_path(root), endpoint)
        self.typed = PromptController(self, commands)
        self.conversation_layout = ConversationLayout(self)

    @property
    def service(self) -> "AgentService":
        """The service of the session on the screen."""
        return self.opened.service

    @property
    def transcript(self) -> "Transcript":
        """The conversation as it is drawn."""
        return self.conversation_layout.transcript

    @property
    def sidebar(self) -> "AttachmentsSidebar":
        """The files that the conversation refers to, as they are shown."""
        return self.conversation_layout.sidebar

    @property
    def attachments(self) -> Attachments:
        """The files that the conversation refers to."""
        return self.attaching.attachments

    @property
    def results(self) -> Results:
        """The documents that the conversation made."""
        return self.made.results

    @cached_property
    def requests(self) -> "RequestController":
        """What waits for the user."""
        from dogent_tui.tui.requests import RequestController

        return RequestController(self)

    @cached_property
    def documents(self) -> "PaneController":
        """The document that is open beside the conversation."""
        from dogent_tui.tui.pane.controller import PaneController

        return PaneController(self)

    @property
    def has_document(self) -> bool:
        """Whether a document is open."""
        return "documents" in self.__dict__ and self.documents.open_document is not None

    async def keep_answers(self) -> None:
        """Wait until the answers so far are saved."""
        if "requests" in self.__dict__:  # else nothing was asked
            await self.requests.close()

    def compose(self) -> ComposeResult:
        """Lay out what the first paint shows; the rest comes with `ConversationLayout.bring`."""
        with Horizontal(id="body"), Vertical(id="conversation"):
            yield self.welcome
        yield self.todos
        yield self.asked
        yield self.prompt
        yield self.keys
        yield self.status_bar

    def on_mount(self) -> None:
        """Take the first key as soon as there is something to see."""
        self.prompt.focus_editor()
        self.bindings_updated_signal.subscribe(self, lambda _: self._place_keys())

    def _place_keys(self) -> None:
        """Show one line of keys: those of the prompt, or where something else has the keyboard,
        those that work there.
        """
        elsewhere = self.focused is not None and not self.prompt.editor.has_focus
        self.keys.display = elsewhere
        self.prompt.show_hints(shows=not elsewhere or not self.prompt.hint_is_usual)

    @on(PromptBox.HintChanged)
    def _hint_changed(self, event: PromptBox.HintChanged) -> None:
        event.stop()
        self._place_keys()

    async def show_session(self, opened: OpenedSession) -> None:
        """Show another session in place of the one before, from its beginning."""
        self.foreground.stop()
        self.opened = opened
        self.attaching = AttachmentsController(
            self, opened, self._references, self._show_attachments
        )
        self.made = ResultsController(self)
        self.showing.forget()
        self._name_document()
        self.lessons = LessonOffer(offers=opened.settings.learn_auto)
        self.todos.forget()
        self.prompt.set_attached(())
        self.status_bar.show(opening_status(opened))
        self.welcome.answered_by(self.status_bar.status.endpoint)
        self.prompt.set_queue(())
        self.prompt.set_busy(False)
        self.requests.clear()
        await self.keep_answers()
        await self.conversation_layout.clear()
        if self.has_document and self.documents.is_result:
            await self.documents.close()
        elif self.has_document:
            self.documents.session_changed()

    # ── Events of the session become what is seen ─────────────────────────────────────────────

    def handle(self, event: Event) -> None:
        """Show what happened."""
        self._dispatch((event,), Origin.LIVE)

    async def replay(self, events: Sequence[Event], *, ended: bool = True) -> None:
        """Show an earlier conversation, and return when its end can be seen. Not `ended`:
        another window continues it.
        """
        self._dispatch(events, Origin.EARLIER if ended else Origin.OPEN_ELSEWHERE)
        self.conversation_layout.show_transcript()
        if self.transcript.is_running:  # the user may have left already
            await self.transcript.wait_for_refresh()

    def show_elsewhere(self, events: Sequence[Event]) -> None:
        """Show what happens with the conversation in another window, which is also the one to
        answer what the agent asks.
        """
        self._dispatch(events, Origin.ELSEWHERE)

    def _dispatch(self, events: Sequence[Event], origin: Origin) -> None:
        """Give `events` to all that show them. The one place where events reach the widgets."""
        for subscriber in (
            self._to_transcript,
            self._to_status,
            self._to_attachments,
            self._to_plan,
            self._to_documents,
            self._to_prompt,
            self._to_questions,
            self._to_index,
        ):
            subscriber(events, origin)

    def _to_transcript(self, events: Sequence[Event], origin: Origin) -> None:
        if origin is not Origin.LIVE:
            self.transcript.replay(events, ended=origin is Origin.EARLIER)
            return
        for event in events:
            self.transcript.apply(event)
            if isinstance(event, RunStarted | Notice):
                self.conversation_layout.show_transcript()

    def _to_status(self, events: Sequence[Event], origin: Origin) -> None:
        for event in events:
            if origin is not Origin.EARLIER or isinstance(
                event, UsageChanged
            ):  # of what is over only the context lasts
                self.status_bar.handle(event)
            elif isinstance(event, RunFinished):
                self.status_bar.status.count(event)

    def _to_attachments(self, events: Sequence[Event], origin: Origin) -> None:
        if origin is not Origin.LIVE:
            self.attaching.replay(events)
            return
        for event in events:
            self.attaching.handle(event)

    def _to_plan(self, events: Sequence[Event], origin: Origin) -> None:
        del origin
        for event in events:
            self.todos.handle(event)

    def _to_documents(self, events: Sequence[Event], origin: Origin) -> None:
        """Show what `events` mean to the documents that were made, and to the one that is open."""
        all_made: list[Result] = []
        for event in events:
            if isinstance(event, RunStarted):
                self._made_in_run.clear()
            if (made := self.made.learn(event)) is not None:
                all_made.append(made)
                self._made_in_run.append(made.name)
            if origin.is_now:
                if self.has_document:
                    self.documents.handle(event)
                self.showing.handle(event, made)
        if all_made:
            self.made.show()
            if not origin.is_now:
                self.showing.replayed(all_made)

    def _to_prompt(self, events: Sequence[Event], origin: Origin) -> None:
        if origin is not Origin.LIVE:
            return
        for event in events:
            match event:
                case RunStarted():
                    self.prompt.offer(self.lessons.offer(event))
                    self.prompt.offer_requests(())
                    self.prompt.set_busy(self.status_bar.status.running)
                case Notice():
                    self.prompt.offer_requests(())
                    self.prompt.set_busy(self.status_bar.status.running)
                case RunFinished():
                    self.prompt.offer(self.lessons.offer(event))
                    self.prompt.set_busy(False)
                case QueueChanged(prompts=prompts):
                    self.prompt.set_queue(prompts)

    def _to_questions(self, events: Sequence[Event], origin: Origin) -> None:
        """Ask what the agent asks: in this window alone."""
        if origin is not Origin.LIVE:
            return
        for event in events:
            match event:
                case PermissionRequested() | PermissionDecided() | UiRequested() | UiSettled():
                    self.requests.handle(event)
                    self._call_back(event)
                case RunFinished():
                    if self.asked.display:
                        self.requests.handle(event)
                    self._call_back(event)
                    if event.code == BUDGET_SPENT:
                        self.app.run_worker(self._ask_for_budget(), group="budget", exclusive=True)

    def _to_index(self, events: Sequence[Event], origin: Origin) -> None:
        if origin.is_now and any(isinstance(event, ToolResult) for event in events):
            self.look_again()

    def _name_document(self) -> None:
        """Say with which key what was written last is seen."""
        written = self.results.written
        words = (
            tr("{key} shows {name}").format(
                key=self.key_of("document"), name=shortened(basename(written))
            )
            if written
            else ""
        )
        self.prompt.set_document(words)

    def set_open_elsewhere(self, *, goes_on: bool) -> None:
        """Show whether another window continues the conversation. Where it left, what was
        under way there was stopped.
        """
        if not goes_on:
            self.transcript.replay((), ended=True)
        self.status_bar.set_open_elsewhere(goes_on=goes_on)

    async def _ask_for_budget(self) -> None:
        from dogent_tui.tui.budget import ask_for_budget

        await ask_for_budget(cast("AppPort", self.app), self.service)

    def _call_back(self, event: Event) -> None:
        """Ring and say why, where the user looks at another window."""
        from dogent_tui.tui.notifications import words_for  # on use: not before something happens

        words = words_for(event, tuple(dict.fromkeys(self._made_in_run)))
        if words and not self.app.app_focus:
            cast("AppPort", self.app).call_back(words)

    # ── What is typed ─────────────────────────────────────────────────────────────────────────

    @on(PromptEditor.Submitted)
    def _submitted(self, event: PromptEditor.Submitted) -> None:
        event.stop()
        self.typed.submit(event.text, event.references)

    @on(PromptEditor.DraftChanged)
    def _draft_changed(self, event: PromptEditor.DraftChanged) -> None:
        event.stop()
        self.typed.draft_changed(event.text)

    @on(PromptEditor.InterruptRequested)
    async def _interrupt(self, event: PromptEditor.InterruptRequested) -> None:
        event.stop()
        await self.typed.stop()

    @on(PromptEditor.HelpRequested)
    async def _help(self, event: PromptEditor.HelpRequested) -> None:
        event.stop()
        await self.app.run_action("help")

    @on(PromptEditor.QuitRequested)
    async def _quit(self, event: PromptEditor.QuitRequested) -> None:
        event.stop()
        await self.app.run_action("quit")

    @on(PromptEditor.ExternalEditorRequested)
    async def _edit_externally(self, event: PromptEditor.ExternalEditorRequested) -> None:
        event.stop()
        await self.typed.edit_externally(event.text)

    @on(QueueStrip.Edit)
    def _edit_queued(self, event: QueueStrip.Edit) -> None:
        event.stop()
        self.typed.edit_queued(event.id)

    @on(QueueStrip.Drop)
    def _drop_queued(self, event: QueueStrip.Drop) -> None:
        event.stop()
        self.typed.drop_queued(event.id)

    @work(group="index", exclusive=True)
    async def look_again(self) -> None:
        """Look again which files there are, once nothing more comes."""
        await self.typed.refresh_index()
        self.made.show()

    @work(group="offer", exclusive=True)
    async def offer_requests(self) -> None:
        """Offer requests about what is in the folder, as long as nothing was said."""
        if not self.index.ready:
            await asyncio.to_thread(self.index.refresh)
        if self.is_attached and self.query("#welcome") and self.query_one("#welcome").display:
            found = [
                hit.path for hit in self.index.search("", _MOST_ASKED_ABOUT) if not hit.is_folder
            ]
            requests = requests_for(found)
            self.query_one(Welcome).offer(requests)
            self.prompt.offer_requests(requests)

    @on(Welcome.Chosen)
    def _request_chosen(self, event: Welcome.Chosen) -> None:
        event.stop()
        self.prompt.editor.replace_all(event.request)
        self.prompt.focus_editor()

    # ── Attachments ───────────────────────────────────────────────────────────────────────────

    def _show_attachments(self) -> None:
        self.prompt.set_attached(self.attachments.pending)
        if self.has_document:
            self.documents.attachments_changed()
        self.place_sidebar()

    @work(group="attachments", exclusive=True)
    async def place_sidebar(self) -> None:
        """Show results and attachments as they are now."""
        self._name_document()
        await self.conversation_layout.place_sidebar()

    async def on_attachments_sidebar_paths_pasted(
        self, event: "AttachmentsSidebar.PathsPasted"
    ) -> None:
        """Have pasted or dropped files go with the next prompt."""
        event.stop()
        self.notify(await self.attaching.attach_dropped(event.paths), markup=False)

    def on_attachments_sidebar_add_requested(
        self, event: "AttachmentsSidebar.AddRequested"
    ) -> None:
        """Let the user pick a file."""
        event.stop()
        self.prompt.focus_editor()
        self.prompt.editor.insert("@")

    def on_attachments_sidebar_remove_requested(
        self, event: "AttachmentsSidebar.RemoveRequested"
    ) -> None:
        """Leave a file out, or off the list."""
        event.stop()
        self.attaching.remove(event.attachment)

    @on(PendingStrip.Detached)
    def _detached(self, event: PendingStrip.Detached) -> None:
        event.stop()
        self.attaching.remove(event.attachment)

    def on_attachments_sidebar_result_wanted(
        self, event: "AttachmentsSidebar.ResultWanted"
    ) -> None:
        """Open, export or reveal a document that was made."""
        event.stop()
        self.run_worker(self.made.want(event.what, event.result), group="result", exclusive=True)

    def on_attachments_sidebar_preview_requested(
        self, event: "AttachmentsSidebar.PreviewRequested"
    ) -> None:
        """Show what is in a file."""
        event.stop()
        self.attaching.preview(event.attachment)

    @on(PendingStrip.PreviewRequested)
    def _preview(self, event: PendingStrip.PreviewRequested) -> None:
        event.stop()
        self.attaching.preview(event.attachment)

    # ── The open document ─────────────────────────────────────────────────────────────────────

    async def on_document_pane_wanted(self, event: "DocumentPane.Wanted") -> None:
        """Do what a key of the document means."""
        event.stop()
        await self.documents.want(event.what)

    def on_pane_view_chosen(self, event: "PaneView.Chosen") -> None:
        """Have what was chosen go with the next prompt."""
        event.stop()
        self.documents.chosen()

    def on_pane_view_near_end(self, event: "PaneView.NearEnd") -> None:
        """Read on."""
        event.stop()
        self.documents.read_on()

    # ── Keys ──────────────────────────────────────────────────────────────────────────────────

    def key_of(self, action_id: str) -> str:
        """Return the key of an action as a sentence names it: the user may have changed it."""
        return cast("AppPort", self.app).keys.shown(action_id)

    async def action_escape(self) -> None:
        """Interrupt the run, if there is one, and go back to the prompt."""
        if self.prompt.editor.has_focus or self.focused is None:
            await self.typed.stop()
        self.prompt.focus_editor()

    async def action_find(self) -> None:
        """Search the transcript."""
        await self.conversation_layout.open_search()

    def action_answer(self) -> None:
        """Open what the agent asked."""
        if not (self.asked.display and self.requests.open()):
            self.prompt.notify_hint(tr("The agent isn't asking anything right now."))

    async def action_document(self) -> None:
        """Go to the open document, or what was written last, or from there back to the prompt."""
        if self.has_document:
            await self.documents.toggle()
        elif self.results.written:
            await self.showing.open(self.results.written)
        else:
            self.prompt.notify_hint(
                tr("No document is open. /open PATH opens one beside the conversation.")
            )

    def action_todos(self) -> None:
        """Show the agent's plan above the prompt, or hide it."""
        if not self.todos.toggle():
            self.notify(tr("The agent has made no plan yet. It will appear here."), markup=False)

    def action_fold_all(self) -> None:
        """Unfold or fold every card."""
        self.transcript.action_fold_all()

    def action_follow(self) -> None:
        """Go to the end of the transcript and stay there."""
        self.transcript.action_follow()

    def action_transcript_page(self, step: int) -> None:
        """Scroll the transcript while the prompt keeps the keyboard."""
        (self.transcript.action_page_down if step > 0 else self.transcript.action_page_up)()

    async def action_sidebar(self) -> None:
        """Show the attachments and go there; from there, or where they only take room, hide
        them.
        """
        await self.conversation_layout.toggle_sidebar()

    async def on_resize(self, event: textual_events.Resize) -> None:
        """Fit what there is into the window."""
        self.todos.place()
        await self.conversation_layout.fit(event.size)

    async def on_transcript_link_clicked(self, event: "Transcript.LinkClicked") -> None:
        """Show where a link leads, and have it ready to paste: the words of a link may say
        anything.
        """
        event.stop()
        await self.copy(event.url)
        self.notify(one_line(event.url), title=tr("This link points to"), markup=False)

    def on_text_selected(self) -> None:
        """Copy what was selected with the mouse."""
        text = self.get_selected_text()
        if text:
            self.run_worker(self.copy(text), group="copy")

    async def copy(self, text: str) -> None:
        """Copy `text`, and say what is known of it."""
        self.notify(await clipboard.copy(self.app, text), markup=False)
