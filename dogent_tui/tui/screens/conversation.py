"""The screen on which a person and the agent write: a composition of transcript, attachments, prompt and status."""

import asyncio
import importlib
import os
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from textual import events as textual_events
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widget import Widget

from dogent_tui.agent.events import (
    Attachment,
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
from dogent_tui.agent.session import OpenedSession, make_prompt
from dogent_tui.errors import AgentError
from dogent_tui.plain import one_line
from dogent_tui.tui import clipboard
from dogent_tui.tui.attachments.controller import AttachmentsController
from dogent_tui.tui.attachments.model import Attachments
from dogent_tui.tui.commands import Command, CommandTable
from dogent_tui.tui.key_hints import KeyHints
from dogent_tui.tui.prompt import completion
from dogent_tui.tui.prompt.box import PromptBox
from dogent_tui.tui.prompt.editor import PromptEditor
from dogent_tui.tui.prompt.pending import PendingStrip
from dogent_tui.tui.prompt.queue import QueueStrip
from dogent_tui.tui.prompt.references import WorkspaceReferences
from dogent_tui.tui.request_banner import RequestBanner
from dogent_tui.tui.status import StatusBar, opening_status
from dogent_tui.tui.terminal import edit_externally
from dogent_tui.tui.todos import TodoPanel
from dogent_tui.tui.trusting import settle_trust
from dogent_tui.tui.welcome import Welcome
from dogent_tui.workspace.file_index import FileIndex
from dogent_tui.workspace.paths import display_path

if TYPE_CHECKING:  # imported when they are made, after the first paint
    from dogent_tui.agent.service import AgentService
    from dogent_tui.tui.attachments.sidebar import AttachmentsSidebar
    from dogent_tui.tui.questions.controller import QuestionController
    from dogent_tui.tui.requests import RequestController
    from dogent_tui.tui.transcript.search_bar import TranscriptSearch
    from dogent_tui.tui.transcript.view import Transcript

SIDEBAR_FROM = 110
"""Columns from which the attachments stand beside the transcript by themselves; in a narrower window they come with Ctrl+B."""

COMFORTABLE_ROWS = 20
"""Rows from which an empty line stands above the prompt."""

COMFORTABLE_COLUMNS = 60
"""Columns from which the status bar has a margin."""


class ConversationScreen(Screen[None]):
    """Shows one session and sends what is typed to its service."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+f", "find", "Find"),
        Binding("ctrl+b", "sidebar", "Attachments"),
        Binding("ctrl+r", "app.history", "Earlier prompts", show=False),
        Binding("ctrl+o", "fold_all", "Unfold tools"),
        Binding("ctrl+t", "todos", "Plan"),
        Binding("f2", "answer", "Answer the agent", show=False),
        Binding("ctrl+end", "follow", "Follow", show=False),
        Binding("shift+pageup", "transcript_page(-1)", "Scroll the transcript", show=False),
        Binding("shift+pagedown", "transcript_page(1)", "Scroll the transcript", show=False),
        Binding("escape", "escape", "Interrupt or back to the prompt", show=False),
        Binding("f1", "app.help", "Help"),
    ]

    def __init__(self, opened: OpenedSession, commands: CommandTable) -> None:
        super().__init__()
        self.opened = opened
        self.commands = commands
        self.index = FileIndex(opened.workspace.root)
        offered = [completion.Command(command.name, command.help, command.argument) for command in commands]
        self._references = WorkspaceReferences(opened.workspace, self.index, offered)
        self.prompt = PromptBox(self._references, id="prompt")
        self.todos = TodoPanel(id="todos")
        self.asked = RequestBanner(id="asked")
        self.attaching = self._attaching()
        self.status_bar = StatusBar(opening_status(opened), id="status")
        self._sending = asyncio.Lock()
        self._sidebar_wanted: bool | None = None
        self._furniture: list[Widget] = []

    @property
    def service(self) -> "AgentService":
        """The service of the session on the screen."""
        return self.opened.service

    @cached_property
    def transcript(self) -> "Transcript":
        """The conversation as it is drawn."""
        from dogent_tui.tui.transcript.view import Transcript

        return Transcript(id="transcript")

    @cached_property
    def sidebar(self) -> "AttachmentsSidebar":
        """The files that the conversation refers to."""
        from dogent_tui.tui.attachments.sidebar import AttachmentsSidebar

        sidebar = AttachmentsSidebar(id="attachments")
        sidebar.display = False
        return sidebar

    @cached_property
    def search(self) -> "TranscriptSearch":
        """The line that searches the conversation."""
        from dogent_tui.tui.transcript.search_bar import TranscriptSearch

        return TranscriptSearch(self.transcript, id="search")

    @cached_property
    def questions(self) -> "QuestionController":
        """The permission questions that wait for the person."""
        from dogent_tui.tui.desks import question_controller

        return question_controller(self)

    @cached_property
    def requests(self) -> "RequestController":
        """What the agent asks on screens of its own."""
        from dogent_tui.tui.desks import request_controller

        return request_controller(self)

    async def keep_answers(self) -> None:
        """Wait until the answers so far are saved."""
        if "requests" in self.__dict__:  # else nothing was asked
            await self.requests.close()

    def compose(self) -> ComposeResult:
        """Lay out what the first paint shows; the rest comes with `furnish`."""
        with Horizontal(id="body"), Vertical(id="conversation"):
            yield Welcome(display_path(self.opened.workspace.root), self.status_bar.status.endpoint, id="welcome")
        yield self.todos
        yield self.asked
        yield self.prompt
        yield self.status_bar
        yield KeyHints(id="keys")

    def on_mount(self) -> None:
        """Take the first key as soon as there is something to see."""
        self.prompt.focus_editor()

    async def show_session(self, opened: OpenedSession) -> None:
        """Show another session in place of the one before, from its beginning."""
        self.opened = opened
        self.attaching = self._attaching()
        self.todos.forget()
        self.prompt.set_attached(())
        self.status_bar.show(opening_status(opened))
        self.prompt.set_queue(())
        self.prompt.set_busy(False)
        self.questions.clear()
        await self.keep_answers()
        self.requests.clear()
        for part in self._furniture:
            await part.remove()
        self._furniture.clear()
        for name in ("transcript", "search", "sidebar"):
            self.__dict__.pop(name, None)
        self.query_one("#welcome").display = True

    async def furnish(self) -> None:
        """Bring what is not seen at first, once the rest is: its imports and its styles alone cost a third of the first paint."""
        await asyncio.to_thread(importlib.import_module, "dogent_tui.tui.transcript")  # where keys come between
        if self.is_attached:  # else the person has left
            self.transcript.display = False
            await self._place(self.transcript, "#conversation")
            await self._place_sidebar()

    async def _place(self, part: Widget, room: str, before: int | None = None) -> None:
        """Mount `part` where it is not yet."""
        if part not in self._furniture:
            self._furniture.append(part)
            await self.query_one(room).mount(part, before=before)

    # ── Events of the session become what is seen ─────────────────────────────────────────────

    def handle(self, event: Event) -> None:
        """Show what happened. The one place where events reach the widgets."""
        self.transcript.apply(event)
        self.status_bar.handle(event)
        self.attaching.handle(event)
        self.todos.handle(event)
        match event:
            case RunStarted() | Notice():
                self._leave_welcome()
                self.prompt.set_busy(self.status_bar.status.running)
            case RunFinished():
                self.prompt.set_busy(False)
                self._ask(event)
                self._call_back()
            case UiRequested() | UiSettled():
                self.requests.handle(event)
            case QueueChanged(prompts=prompts):
                self.prompt.set_queue(prompts)
            case PermissionRequested():
                self.questions.handle(event)
                self._call_back()
            case PermissionDecided():
                self.questions.handle(event)
                self._ask(event)
            case ToolResult():
                self._refresh_index()

    async def replay(self, events: Sequence[Event]) -> None:
        """Show an earlier conversation, and return when its end can be seen."""
        for event in events:
            self.todos.handle(event)
            if isinstance(event, UsageChanged):
                self.status_bar.handle(event)
        self.transcript.replay(events)
        self.attaching.replay(events)
        self._leave_welcome()
        if self.transcript.is_running:  # the person may have left already
            await self.transcript.wait_for_refresh()

    def _ask(self, event: Event) -> None:
        """Open what the agent asks on a screen, where it does and it is time for it."""
        if self.asked.display:
            self.requests.handle(event)

    def _call_back(self) -> None:
        """Ring, where the person looks at another window."""
        if not self.app.app_focus:
            self.app.bell()

    def _leave_welcome(self) -> None:
        if not self.transcript.display:
            self.query_one("#welcome").display = False
            self.transcript.display = True

    # ── What is typed ─────────────────────────────────────────────────────────────────────────

    @on(PromptEditor.Submitted)
    async def _submitted(self, event: PromptEditor.Submitted) -> None:
        event.stop()
        if event.text.startswith("/"):
            self.app.run_worker(self._run_command(event.text), group="command")  # it may replace this screen
        elif event.text.startswith("!"):
            self.run_worker(self._run_shell(event.text[1:].strip()), group="shell")
        else:
            self.run_worker(self._send(event), group="send")

    async def _send(self, event: PromptEditor.Submitted) -> None:
        async with self._sending:  # one at a time: prompts go in the order in which they were sent
            prompt, missing = await asyncio.to_thread(
                make_prompt, event.text, self.opened.workspace, event.references, self.attachments.pending
            )
            try:
                await settle_trust(self.app, self.opened)
                await self.service.submit(prompt)
            except AgentError as error:
                self.prompt.put_back(event.text)
                self.prompt.notify_hint(str(error))
                return
            self.attaching.sent(prompt.attachments)
        if self.service.requests:
            self.prompt.notify_hint("This waits until the agent has your answers. F2 answers.")
        for reference in missing:
            self.notify(f"There is no file {one_line(reference.path)} here; it was sent as plain text.", markup=False)
        self.transcript.action_follow()

    async def _run_shell(self, command: str) -> None:
        self._leave_welcome()
        self.transcript.action_follow()
        try:
            await self.service.run_shell(command)
        except AgentError as error:
            self.prompt.put_back(f"!{command}")
            self.prompt.notify_hint(str(error))
            return
        await self.app.record_command(f"!{command}")  # type: ignore[attr-defined]

    async def _run_command(self, text: str) -> None:
        command, argument = self.commands.find(text)
        if command is None:
            self.prompt.put_back(text)
            self.prompt.notify_hint(self.commands.unknown(text))
            return
        await self.run_command(command, argument, text)

    async def run_command(self, command: Command, argument: str, text: str) -> None:
        """Run `command`, say what it did, and have it recorded as typed."""
        done = await command.run(argument)
        await self.app.record_command(text)  # type: ignore[attr-defined]
        if done:
            self.prompt.notify_hint(done)

    @on(PromptEditor.DraftChanged)
    async def _draft_changed(self, event: PromptEditor.DraftChanged) -> None:
        event.stop()
        self.app.save_draft(event.text)  # type: ignore[attr-defined]
        if "@" in event.text:
            self._refresh_index()

    @on(PromptEditor.InterruptRequested)
    async def _interrupt(self, event: PromptEditor.InterruptRequested) -> None:
        event.stop()
        await self._stop()

    async def _stop(self) -> None:
        """Take back what waits, or where nothing waits, interrupt the run."""
        waiting = [self.service.take_back(queued.id) for queued in self.service.queued]
        if waiting:
            self.prompt.put_back("\n\n".join(prompt.text for prompt in waiting if prompt is not None))
            self.prompt.notify_hint("These waited, and are yours again. Esc once more stops the run.")
        else:
            await self.service.interrupt()

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
        try:
            with self.app.suspend():
                text = await asyncio.to_thread(edit_externally, event.text, os.environ)
        except (OSError, ValueError) as error:
            self.prompt.notify_hint(f"The editor did not start: {one_line(str(error))}. Set $EDITOR to one that is installed.")
            return
        self.prompt.editor.replace_all(text)
        self.refresh(layout=True)

    @on(QueueStrip.Edit)
    async def _edit_queued(self, event: QueueStrip.Edit) -> None:
        event.stop()
        prompt = self.service.take_back(event.id)
        if prompt is not None:
            self.prompt.put_back(prompt.text)

    @on(QueueStrip.Drop)
    async def _drop_queued(self, event: QueueStrip.Drop) -> None:
        event.stop()
        self.service.take_back(event.id)

    # ── Attachments ───────────────────────────────────────────────────────────────────────────

    def _attaching(self) -> AttachmentsController:
        return AttachmentsController(self, self.opened.workspace, self._references, self._show_attachments)

    @property
    def attachments(self) -> Attachments:
        """The files that the conversation refers to."""
        return self.attaching.attachments

    def _show_attachments(self) -> None:
        self.prompt.set_attached(self.attachments.pending)
        self._place_attachments()

    @work(group="attachments", exclusive=True)
    async def _place_attachments(self) -> None:
        await self._place_sidebar()

    async def on_attachments_sidebar_paths_pasted(self, event: "AttachmentsSidebar.PathsPasted") -> None:
        """Have pasted or dropped files go with the next prompt."""
        event.stop()
        self.notify(await self.attaching.attach_dropped(event.paths), markup=False)

    async def on_attachments_sidebar_add_requested(self, event: "AttachmentsSidebar.AddRequested") -> None:
        """Let the person pick a file."""
        event.stop()
        self.prompt.focus_editor()
        self.prompt.editor.insert("@")

    async def on_attachments_sidebar_remove_requested(self, event: "AttachmentsSidebar.RemoveRequested") -> None:
        """Leave a file out, or off the list."""
        event.stop()
        self._remove(event.attachment)

    @on(PendingStrip.Detached)
    def _detached(self, event: PendingStrip.Detached) -> None:
        event.stop()
        self._remove(event.attachment)

    def _remove(self, attachment: Attachment) -> None:
        if said := self.attaching.remove(attachment):
            self.notify(said, markup=False)

    async def on_attachments_sidebar_preview_requested(self, event: "AttachmentsSidebar.PreviewRequested") -> None:
        """Show what is in a file."""
        event.stop()
        self.attaching.preview(event.path)

    @on(PendingStrip.PreviewRequested)
    def _preview(self, event: PendingStrip.PreviewRequested) -> None:
        event.stop()
        self.attaching.preview(event.path)

    @work(group="index", exclusive=True)
    async def _refresh_index(self) -> None:
        await self.refresh_index()

    async def refresh_index(self) -> None:
        """Look again which files there are, in a thread."""
        await asyncio.sleep(INDEX_DELAY_S)  # tool results come in bursts; the last one of a burst is enough
        await asyncio.to_thread(self.index.refresh)

    # ── Keys ──────────────────────────────────────────────────────────────────────────────────

    async def action_escape(self) -> None:
        """Interrupt the run, if there is one, and go back to the prompt."""
        if self.prompt.editor.has_focus or self.focused is None:
            await self._stop()
        self.prompt.focus_editor()

    async def action_find(self) -> None:
        """Search the transcript."""
        await self._place(self.search, "#conversation", before=0)
        self.search.open()

    def action_answer(self) -> None:
        """Open what the agent asked."""
        if not (self.asked.display and self.requests.open()):
            self.prompt.notify_hint("The agent asks nothing just now.")

    def action_todos(self) -> None:
        """Show the agent's plan above the prompt, or hide it."""
        if not self.todos.toggle():
            self.notify("The agent has made no plan yet. It will be shown here when there is one.", markup=False)

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
        """Show the attachments and go there; from there, or where they only take room, hide them."""
        if self.sidebar.display and self.sidebar.has_focus_within:
            self._sidebar_wanted = False
            self.prompt.focus_editor()
        else:
            self._sidebar_wanted = True
        await self._place_sidebar()
        if self._sidebar_wanted:
            self.sidebar.focus_list()

    async def on_resize(self, event: textual_events.Resize) -> None:
        """Let the sidebar give way in a narrow window, and the empty lines in a low one."""
        self.todos.place()
        self.set_class(event.size.height < COMFORTABLE_ROWS, "-short")
        self.set_class(event.size.width < COMFORTABLE_COLUMNS, "-slim")
        await self._place_sidebar(event.size.width)

    async def _place_sidebar(self, width: int = 0) -> None:
        """Show the attachments where there are any and room for them, or as the person wanted it."""
        wide = (width or self.size.width) >= SIDEBAR_FROM
        by_itself = wide and bool(self.attachments.entries)
        wanted = by_itself if self._sidebar_wanted is None else self._sidebar_wanted
        if wanted:
            await self._place(self.sidebar, "#body")
        if "sidebar" in self.__dict__:
            self.sidebar.show(self.attachments.entries)
            self.sidebar.display = wanted
            self.sidebar.set_class(not wide, "-narrow")

    async def on_transcript_link_clicked(self, event: "Transcript.LinkClicked") -> None:
        """Show where a link leads, and have it ready to paste: the words of a link may say anything."""
        event.stop()
        await self.copy(event.url)
        self.notify(one_line(event.url), title="This link leads to", markup=False)

    # ── Copying ───────────────────────────────────────────────────────────────────────────────

    def on_text_selected(self) -> None:
        """Copy what was selected with the mouse."""
        text = self.get_selected_text()
        if text:
            self.run_worker(self.copy(text), group="copy")

    async def copy(self, text: str) -> None:
        """Copy `text`, and say what is known of it."""
        self.notify(await clipboard.copy(self.app, text), markup=False)


INDEX_DELAY_S = 0.5
"""How long the file index waits after a tool result before it looks again."""
