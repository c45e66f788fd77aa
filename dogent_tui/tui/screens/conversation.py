"""The conversation screen: a composition of transcript, attachments, prompt and status."""

import asyncio
from collections.abc import Sequence
from enum import Enum
from functools import cached_property
from posixpath import basename
from typing import TYPE_CHECKING

from textual import events as textual_events
from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from dogent_tui.agent.events import (
    BUDGET_SPENT,
    Attachment,
    Event,
    Notice,
    PermissionDecided,
    PermissionRequested,
    QueueChanged,
    QueuedPrompt,
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
from dogent_tui.tui.attachments.controller import AttachmentsController
from dogent_tui.tui.attachments.model import measure
from dogent_tui.tui.clipboard import copy
from dogent_tui.tui.commands.table import CommandTable
from dogent_tui.tui.conversation_layout import ConversationLayout
from dogent_tui.tui.foreground import ForegroundTask
from dogent_tui.tui.key_hints import KeyHints
from dogent_tui.tui.lessons import LessonOffer
from dogent_tui.tui.pane.live_documents import Showing
from dogent_tui.tui.ports import ConversationPort
from dogent_tui.tui.prompt.box import PromptBox
from dogent_tui.tui.prompt.controller import PromptController
from dogent_tui.tui.prompt.editor import PromptEditor
from dogent_tui.tui.prompt.hints import shortened
from dogent_tui.tui.prompt.pending_strip import Chip
from dogent_tui.tui.prompt.references import WorkspaceReferences
from dogent_tui.tui.request_banner import RequestBanner
from dogent_tui.tui.results.controller import act
from dogent_tui.tui.results.model import Result, Results
from dogent_tui.tui.status import StatusBar, opening_status
from dogent_tui.tui.todos import TodoPanel
from dogent_tui.tui.welcome import Welcome
from dogent_tui.tui.widgets import ActionRequested, bound, hidden

if TYPE_CHECKING:  # imported on creation, after the first paint
    from dogent_tui.tui.pane.controller import PaneController
    from dogent_tui.tui.requests import RequestController


_MOST_ASKED_ABOUT = 200
"""The number of files from which suggestions are chosen: the most recently changed, then those
closest to the root.
"""


class Origin(Enum):
    """The origin of events.

    `LIVE`: the session of this window. `EARLIER`: the log of a finished conversation.
    `OPEN_ELSEWHERE`: the log of a session owned by another window. `ELSEWHERE`: what that window
    adds.
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

    BINDINGS = [
        bound("ctrl+f", "find", "Find", id="find"),
        bound("ctrl+b", "sidebar", "Files", id="attachments"),
        hidden("ctrl+r", "app.history", "Earlier prompts", id="history"),
        bound("ctrl+o", "fold_all", "Expand tools", id="unfold"),
        bound("ctrl+t", "todos", "Plan", id="plan"),
        hidden("f2", "answer", "Answer the agent"),
        hidden("f3", "document", "Switch to the open document and back", id="document"),
        hidden("f5", "app.setup", "Choose a model", id="setup"),
        hidden("ctrl+end", "follow", "Follow", id="follow"),
        hidden("pageup,shift+pageup", "transcript_page(-1)", "Scroll the transcript"),
        hidden("pagedown,shift+pagedown", "transcript_page(1)", "Scroll the transcript"),
        hidden("escape", "escape", "Interrupt, or back to the prompt"),
        hidden("f4,ctrl+comma", "app.settings", "Settings", id="settings"),
        bound("f1", "app.help", "Help", id="help"),
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
        self.prompt = PromptBox(self._references)
        self.foreground = ForegroundTask(self.prompt.set_doing)
        self._made_in_run: list[str] = []
        self.showing = Showing(self)
        self._open(opened)
        self.todos = TodoPanel(lambda: self.key_of("plan"))
        self.asked = RequestBanner()
        self.keys = KeyHints(id="keys", first=("say('ask')", "say('close')"))
        self.keys.display = False
        self.status_bar = StatusBar(opening_status(opened))
        root, endpoint = opened.workspace.root, self.status_bar.status.endpoint
        self.welcome = Welcome(display_path(root), endpoint)
        self.typed = PromptController(self, commands)
        self.conversation_layout = ConversationLayout(self)

    def _open(self, opened: OpenedSession) -> None:
        root = opened.workspace.root
        self.opened = opened
        self.attaching = AttachmentsController(root, self._references, self._show_attachments)
        self.results = Results(root)
        self.lessons = LessonOffer(offers=opened.settings.learn_auto)

    @cached_property
    def requests(self) -> "RequestController":
        """The questions waiting for the user."""
        from dogent_tui.tui.requests import RequestController

        return RequestController(self)

    @cached_property
    def documents(self) -> "PaneController":
        """The document open beside the conversation."""
        from dogent_tui.tui.pane.controller import PaneController

        return PaneController(self)

    @property
    def has_document(self) -> bool:
        """Whether a document is open."""
        return "documents" in self.__dict__ and self.documents.open_document is not None

    def compose(self) -> ComposeResult:
        """Lay out what the first paint shows; `ConversationLayout.bring` adds the rest."""
        with Horizontal(id="body"), Vertical(id="conversation"):
            yield self.welcome
        yield self.todos
        yield self.asked
        yield self.prompt
        yield self.keys
        yield self.status_bar

    def on_mount(self) -> None:
        """Accept keys as soon as the prompt is visible."""
        self.prompt.focus_editor()
        self.bindings_updated_signal.subscribe(self, lambda _: self._place_keys())

    @on(PromptBox.HintChanged)
    def _place_keys(self) -> None:
        """Show one line of keys: those of the prompt, or of whatever else has the focus."""
        elsewhere = self.focused is not None and not self.prompt.editor.has_focus
        self.keys.display = elsewhere
        self.prompt.show_hints(shows=not elsewhere or not self.prompt.shown_hint.is_usual)

    async def show_session(self, opened: OpenedSession) -> None:
        """Show another session from its beginning, in place of the current one."""
        self.foreground.stop()
        self._open(opened)
        self.showing.forget()
        self._name_document()
        self.todos.forget()
        self.prompt.set_attached(())
        self.status_bar.show(opening_status(opened))
        self.welcome.answered_by(self.status_bar.status.endpoint)
        self.prompt.queue.show(())
        self.prompt.set_busy(False)
        self.requests.clear()
        await self.app.edits.settle()
        await self.conversation_layout.clear()
        if self.has_document and self.documents.is_result:
            await self.documents.close()
        elif self.has_document:
            self.documents.session_changed()

    # ── Events of the session become what is seen ─────────────────────────────────────────────

    def handle(self, event: Event) -> None:
        """Show an event."""
        self._dispatch((event,), Origin.LIVE)

    async def replay(self, events: Sequence[Event], *, ended: bool = True) -> None:
        """Show an earlier conversation, and return when its end is visible. Not `ended`: another
        window continues it.
        """
        self._dispatch(events, Origin.EARLIER if ended else Origin.OPEN_ELSEWHERE)
        self.conversation_layout.show_transcript()
        if self.transcript.is_running:  # the user may have left already
            await self.transcript.wait_for_refresh()

    def show_elsewhere(self, events: Sequence[Event]) -> None:
        """Show what happens to the conversation in another window, where the agent's questions are
        answered too.
        """
        self._dispatch(events, Origin.ELSEWHERE)

    def _dispatch(self, events: Sequence[Event], origin: Origin) -> None:
        """Pass `events` to everything that shows them. This is the only place where events reach
        the widgets.
        """
        is_live = origin is Origin.LIVE
        if not is_live:
            self.transcript.replay(events, ended=origin is Origin.EARLIER)
            self.attaching.replay(events)
        made = []
        for event in events:
            if is_live:
                self.transcript.apply(event)
                self.attaching.handle(event)
            if origin is not Origin.EARLIER or isinstance(event, UsageChanged):
                self.status_bar.handle(event)  # of past events only the context still matters
            elif isinstance(event, RunFinished):
                self.status_bar.status.count(event)
            self.todos.handle(event)
            if (result := self._to_documents(event, origin)) is not None:
                made.append(result)
            if is_live:
                self._to_prompt(event)
                self._to_questions(event)
        if made:
            self.place_sidebar()
            if not origin.is_now:
                self.showing.replayed(made)

    def _to_documents(self, event: Event, origin: Origin) -> Result | None:
        """Show the effect of `event` on the open document. Returns the result it produced, if
        any.
        """
        if isinstance(event, RunStarted):
            self._made_in_run.clear()
        made = self.results.handle(event)
        if made is not None:
            self._made_in_run.append(made.name)
        if origin.is_now:
            if self.has_document:
                self.documents.handle(event)
            self.showing.handle(event, made)
            if isinstance(event, ToolResult):
                self.refresh_files()
        return made

    def _to_prompt(self, event: Event) -> None:
        match event:
            case RunStarted() | Notice():
                self.conversation_layout.show_transcript()
                self.prompt.offer_requests(())
                status = self.status_bar.status
                self.prompt.set_busy(status.running and not status.elsewhere)
            case RunFinished():
                self.prompt.set_busy(False)
            case QueueChanged(prompts=prompts):
                self.prompt.queue.show(prompts)
        if isinstance(event, RunStarted | RunFinished):
            self.prompt.offer(self.lessons.offer(event))

    def _to_questions(self, event: Event) -> None:
        """Show a request of the agent, in this window only."""
        match event:
            case PermissionRequested() | PermissionDecided() | UiRequested() | UiSettled():
                self.requests.handle(event)
                self._call_back(event)
            case RunFinished():
                if self.asked.display:
                    self.requests.handle(event)
                self._call_back(event)
                if event.code == BUDGET_SPENT:
                    from dogent_tui.tui.budget import ask_for_budget

                    asks = ask_for_budget(self.app, self.service)
                    self.app.run_worker(asks, group="budget", exclusive=True)

    def _name_document(self) -> None:
        """Show which key opens what was written last."""
        written = self.results.written
        words = (
            tr("{key} shows {name}", key=self.key_of("document"), name=shortened(basename(written)))
            if written
            else ""
        )
        self.prompt.set_document(words)

    def set_open_elsewhere(self, *, continues: bool) -> None:
        """Show whether another window continues the conversation. If that window closed, its run
        was stopped.
        """
        if not continues:
            self.transcript.replay((), ended=True)
        self.prompt.notify_hint("")
        self.status_bar.set_open_elsewhere(continues=continues)

    def _call_back(self, event: Event) -> None:
        """Notify a user who is looking at another window."""
        from dogent_tui.tui.notifications import words_for  # on use: not before something happens

        words = words_for(event, tuple(dict.fromkeys(self._made_in_run)))
        if words and not self.app.app_focus:
            self.app.call_back(words)

    # ── What is typed ─────────────────────────────────────────────────────────────────────────

    def on_key(self, event: textual_events.Key) -> None:
        """Characters go to the prompt, wherever the focus is, unless they are keys there."""
        if event.is_printable and event.key not in self.active_bindings:
            self._to_editor(event, textual_events.Key(event.key, event.character))

    def on_paste(self, event: textual_events.Paste) -> None:
        """What is pasted goes to the prompt, wherever the focus is."""
        self._to_editor(event, textual_events.Paste(event.text))

    def _to_editor(self, event: textual_events.Event, again: textual_events.Event) -> None:
        event.stop()
        self.prompt.focus_editor()
        self.prompt.editor.post_message(again)

    def _on_prompt_editor_submitted(self, event: PromptEditor.Submitted) -> None:
        self.typed.submit(event.text, event.references)

    def _on_prompt_editor_draft_changed(self, event: PromptEditor.DraftChanged) -> None:
        self.app.save_draft(event.text)
        if "@" in event.text or event.text.startswith("/"):
            self.refresh_files()

    async def _on_prompt_editor_interrupt_requested(self) -> None:
        await self.typed.stop()

    async def _on_prompt_editor_external_editor_requested(
        self, event: PromptEditor.ExternalEditorRequested
    ) -> None:
        await self.typed.edit_externally(event.text)

    @work(group="index", exclusive=True)
    async def refresh_files(self) -> None:
        """Refresh the list of files after a pause in events."""
        await self.typed.refresh_index()
        self.prompt.picker.search_again()
        self.place_sidebar()

    @work(group="offer", exclusive=True)
    async def offer_requests(self) -> None:
        """Suggest prompts about the files of the folder while the conversation is empty."""
        if not self.index.ready:
            await asyncio.to_thread(self.index.refresh)
        if self.is_attached and self.query("#welcome") and self.query_one("#welcome").display:
            found = [
                hit.path for hit in self.index.search("", _MOST_ASKED_ABOUT) if not hit.is_folder
            ]
            requests = requests_for(found)
            self.query_one(Welcome).offer(requests)
            self.prompt.offer_requests(requests)

    # ── Attachments ───────────────────────────────────────────────────────────────────────────

    def _show_attachments(self) -> None:
        self.prompt.set_attached(self.attachments.pending)
        if self.has_document:
            self.documents.attachments_changed()
        self.place_sidebar()

    async def _open_attached(self, attached: Attachment) -> None:
        documents = await self.load_documents()
        line = int((attached.lines or "0").partition("-")[0])
        said = await documents.open(attached.path, line=line, sheet=attached.sheet or "")
        if documents.shows(attached.path):
            await documents.go()
        else:
            self.prompt.notify_hint(said, warning=True)

    @work(group="attachments", exclusive=True)
    async def place_sidebar(self) -> None:
        """Update results and attachments, and again once their sizes are known."""
        self._name_document()
        await self.conversation_layout.place_sidebar()
        results = [result.path for result in self.results.entries]
        attached = [entry.attachment.path for entry in self.attachments.entries]
        sizes = await asyncio.to_thread(measure, self.opened.workspace.root, [*results, *attached])
        self.results.gone = {path for path in results if sizes[path] is None}
        self._name_document()
        await self.conversation_layout.place_sidebar(sizes)

    async def on_action_requested(  # noqa: C901  (one flat table of requests)
        self, event: ActionRequested
    ) -> None:
        """Do what is requested of a part of the screen, or by it."""
        match event.what, event.item:
            case what, Result() as result:
                self.run_worker(act(self, what, result), group="result", exclusive=True)
            case "link", str() as url:  # the text of a link may say anything
                await copy(self.app, url)
                self.notify(one_line(url), title=tr("This link points to"))
            case "write", str() as request:
                self.prompt.editor.replace_all(request)
                self.prompt.focus_editor()
            case "add", None:
                self.prompt.focus_editor()
                self.prompt.editor.insert("@")
            case "attach", list() as paths:
                self.prompt.notify_hint(await self.attaching.attach_dropped(paths))
            case "remove", Attachment() as attachment:
                self.prompt.notify_hint(self.attaching.remove(attachment))
            case "open", Attachment() as attachment:
                self.run_worker(self._open_attached(attachment), group="result", exclusive=True)
            case what, Chip(attachment=Attachment() as attachment):
                await self.on_action_requested(ActionRequested(what, attachment))
            case "edit" | "drop", QueuedPrompt(id=queued):
                prompt = self.service.take_back(queued)
                if prompt is not None and event.what == "edit":
                    self.prompt.put_back(prompt.text)
            case what, None:
                await self.documents.want(what)

    # ── Keys ──────────────────────────────────────────────────────────────────────────────────

    async def action_escape(self) -> None:
        """Interrupt the run, if there is one, and focus the prompt."""
        if self.prompt.editor.has_focus or self.focused is None:
            await self.typed.stop()
        self.prompt.focus_editor()

    async def action_find(self) -> None:
        """Search the conversation, or the open document."""
        await self.conversation_layout.open_search()

    def action_answer(self) -> None:
        """Open the agent's request."""
        if not (self.asked.display and self.requests.open()):
            self.prompt.notify_hint(tr("The agent isn't asking anything right now."))

    async def action_document(self) -> None:
        """Focus the open document or what was written last; from there, return to the prompt."""
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
            self.notify(tr("The agent has made no plan yet. It will appear here."))

    def action_fold_all(self) -> None:
        """Unfold or fold every card."""
        self.transcript.action_fold_all()

    async def action_sidebar(self) -> None:
        """Show and focus the attachments; if they have the focus or are in the way, hide them."""
        await self.conversation_layout.toggle_sidebar()

    async def on_resize(self, event: textual_events.Resize) -> None:
        """Adapt the layout to the window."""
        self.todos.place()
        await self.conversation_layout.fit(event.size)
