"""The screen on which a person and the agent write: a composition of transcript, attachments, prompt and status."""

import asyncio
import importlib
import os
import time
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from textual import events as textual_events
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen

from dogent_tui.agent.events import (
    Attachment,
    Event,
    Notice,
    PermissionAnswer,
    PermissionDecided,
    PermissionRequested,
    QueueChanged,
    RunFinished,
    RunStarted,
    ToolResult,
    UsageChanged,
)
from dogent_tui.agent.session import OpenedSession, endpoint_label, make_prompt
from dogent_tui.errors import AgentError
from dogent_tui.plain import one_line
from dogent_tui.tui import clipboard
from dogent_tui.tui.attachments.model import Attachments, measure
from dogent_tui.tui.commands import Command, CommandTable
from dogent_tui.tui.key_hints import KeyHints
from dogent_tui.tui.prompt import completion
from dogent_tui.tui.prompt.box import PromptBox
from dogent_tui.tui.prompt.editor import PromptEditor
from dogent_tui.tui.prompt.queue import QueueStrip
from dogent_tui.tui.prompt.references import WorkspaceReferences
from dogent_tui.tui.status import Status, StatusBar
from dogent_tui.tui.terminal import edit_externally
from dogent_tui.tui.welcome import Welcome
from dogent_tui.workspace.file_index import FileIndex
from dogent_tui.workspace.paths import display_path

if TYPE_CHECKING:  # imported when they are made, after the first paint
    from dogent_tui.agent.service import AgentService
    from dogent_tui.tui.attachments.sidebar import AttachmentsSidebar
    from dogent_tui.tui.screens.permission import PermissionScreen
    from dogent_tui.tui.transcript.search_bar import TranscriptSearch
    from dogent_tui.tui.transcript.view import Transcript

SIDEBAR_FROM = 110
"""Columns from which the attachments stand beside the transcript by themselves; in a narrower window they come with Ctrl+B."""

COMFORTABLE_ROWS = 20
"""Rows from which an empty line stands above the prompt."""


class ConversationScreen(Screen[None]):
    """Shows one session and sends what is typed to its service."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+f", "find", "Find"),
        Binding("ctrl+b", "sidebar", "Attachments"),
        Binding("ctrl+r", "app.history", "Earlier prompts", show=False),
        Binding("ctrl+o", "fold_all", "Unfold tools"),
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
        self.attachments = Attachments(opened.workspace.root)
        self.index = FileIndex(opened.workspace.root)
        offered = [completion.Command(command.name, command.help, command.argument) for command in commands]
        self._references = WorkspaceReferences(opened.workspace, self.index, offered)
        self.prompt = PromptBox(self._references, id="prompt")
        self.status_bar = StatusBar(_status(opened), id="status")
        self._sending = asyncio.Lock()
        self._questions: list[PermissionRequested] = []
        self._asking: PermissionScreen | None = None
        self._sidebar_wanted: bool | None = None
        self._search: TranscriptSearch | None = None

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

        return AttachmentsSidebar(id="attachments")

    def compose(self) -> ComposeResult:
        """Lay out what the first paint shows; the rest comes with `furnish`."""
        with Horizontal(id="body"), Vertical(id="conversation"):
            yield Welcome(display_path(self.opened.workspace.root), self.status_bar.status.endpoint, id="welcome")
        yield self.prompt
        yield self.status_bar
        yield KeyHints(id="keys")

    def on_mount(self) -> None:
        """Take the first key as soon as there is something to see."""
        self.prompt.focus_editor()

    async def show_session(self, opened: OpenedSession) -> None:
        """Show another session in place of the one before, from its beginning."""
        self.opened = opened
        self.attachments = Attachments(opened.workspace.root)
        self.status_bar.show(_status(opened))
        self.prompt.set_queue(())
        self.prompt.set_busy(False)
        if self._search is not None:
            await self._search.remove()
            await self.transcript.remove()
            await self.sidebar.remove()
            self._search = None
            del self.transcript, self.sidebar
        self.query_one("#welcome").display = True

    async def furnish(self) -> None:
        """Bring what is not seen at first, once the rest is: its imports and its styles alone cost a third of the first paint."""
        await asyncio.to_thread(_import_furniture)  # where keys come between
        from dogent_tui.tui.transcript.search_bar import TranscriptSearch

        if not self.is_attached or self._search is not None:  # the person has left, or it is all there
            return
        self._search = TranscriptSearch(self.transcript, id="search")
        self.transcript.display = False
        room = self.query_one("#conversation")
        await room.mount(self._search, before=0)
        await room.mount(self.transcript)
        self._place_sidebar()
        await self.query_one("#body").mount(self.sidebar)

    # ── Events of the session become what is seen ─────────────────────────────────────────────

    def handle(self, event: Event) -> None:
        """Show what happened. The one place where events reach the widgets."""
        self.transcript.apply(event)
        self.status_bar.handle(event)
        if self.attachments.handle(event):
            self._show_attachments()
        match event:
            case RunStarted() | Notice():
                self._leave_welcome()
                self.prompt.set_busy(self.status_bar.status.running)
            case RunFinished():
                self.prompt.set_busy(False)
                self._call_back()
            case QueueChanged(prompts=prompts):
                self.prompt.set_queue(prompts)
            case PermissionRequested():
                self._questions.append(event)
                self._ask_next()
                self._call_back()
            case PermissionDecided(request_id=request_id):
                self._settle(request_id)
            case ToolResult():
                self._refresh_index()

    def replay(self, events: Sequence[Event]) -> None:
        """Show an earlier conversation."""
        for event in events:
            self.attachments.handle(event)
            if isinstance(event, UsageChanged):
                self.status_bar.handle(event)
        self.transcript.replay(events)
        self._show_attachments()
        self._leave_welcome()

    def _call_back(self) -> None:
        """Ring, where the person looks at another window."""
        if not self.app.app_focus:
            self.app.bell()

    def _leave_welcome(self) -> None:
        if not self.transcript.display:
            self.query_one("#welcome").display = False
            self.transcript.display = True

    # ── Questions ─────────────────────────────────────────────────────────────────────────────

    def _ask_next(self) -> None:
        if self._asking is not None or not self._questions:
            return
        request = self._questions[0]
        from dogent_tui.tui.screens.permission import TYPING_S, PermissionScreen

        typing = time.monotonic() - self.prompt.editor.last_typed < TYPING_S
        self._asking = PermissionScreen(request, typed=self._type, typing=typing, count=len(self._questions))
        self.app.push_screen(self._asking, lambda answer: self._answered(request, answer))

    def _type(self, character: str) -> None:
        self.prompt.editor.insert(character)

    def _answered(self, request: PermissionRequested, answer: PermissionAnswer | None) -> None:
        self._asking = None
        if answer is not None:
            self.run_worker(self._reply(request.request_id, answer))
        else:
            self._ask_next()

    async def _reply(self, request_id: str, answer: PermissionAnswer) -> None:
        try:
            await self.service.reply(request_id, answer)
        except AgentError as error:
            self.notify(str(error), severity="warning", markup=False)
            self._settle(request_id)

    def _settle(self, request_id: str) -> None:
        self._questions = [question for question in self._questions if question.request_id != request_id]
        if self._asking is not None and self._asking.request.request_id == request_id:
            self._asking.cancel()
        else:
            self._ask_next()

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
                await self.service.submit(prompt)
            except AgentError as error:
                self.prompt.put_back(event.text)
                self.prompt.notify_hint(str(error))
                return
            if self.attachments.sent(prompt.attachments):
                self._show_attachments()
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
            self.notify(done, markup=False)

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

    async def attach(self, paths: list[str]) -> str:
        """Have the files at `paths` go with the next prompt. Returns the sentence that says so, or what is wrong."""
        attachments = await asyncio.to_thread(self._references.attachments_at, paths)
        if not attachments:
            return f"There is no file {one_line(', '.join(paths))} here."
        for attachment in attachments:
            self.attachments.attach(attachment)
        self._show_attachments()
        return f"{one_line(', '.join(attachment.name for attachment in attachments))}: goes with the next prompt."

    async def on_attachments_sidebar_paths_pasted(self, event: "AttachmentsSidebar.PathsPasted") -> None:
        """Have pasted or dropped files go with the next prompt."""
        event.stop()
        self.notify(await self.attach(event.paths), markup=False)

    async def on_attachments_sidebar_add_requested(self, event: "AttachmentsSidebar.AddRequested") -> None:
        """Let the person pick a file."""
        event.stop()
        self.prompt.focus_editor()
        self.prompt.editor.insert("@")

    async def on_attachments_sidebar_remove_requested(self, event: "AttachmentsSidebar.RemoveRequested") -> None:
        """Leave a file out."""
        event.stop()
        self.attachments.remove(event.attachment)
        self._show_attachments()

    async def on_attachments_sidebar_remove_refused(self, event: "AttachmentsSidebar.RemoveRefused") -> None:
        """Say why a file stays."""
        event.stop()
        self.notify("It was sent with an earlier prompt and belongs to the conversation.", markup=False)

    async def on_attachments_sidebar_preview_requested(self, event: "AttachmentsSidebar.PreviewRequested") -> None:
        """Show what is in a file."""
        event.stop()
        from dogent_tui.tui.attachments.preview import PreviewScreen

        self.app.push_screen(PreviewScreen(self.opened.workspace.absolute(event.path), event.path))

    def _show_attachments(self) -> None:
        self._place_sidebar()
        self.sidebar.show(self.attachments.entries)
        if self.attachments.unmeasured():
            self.run_worker(self._measure(self.attachments.unmeasured()), group="measure", exclusive=True)

    async def _measure(self, unmeasured: Sequence[Attachment]) -> None:
        self.attachments.measured(await asyncio.to_thread(measure, self.opened.workspace.root, unmeasured))
        self.sidebar.show(self.attachments.entries)

    def _refresh_index(self) -> None:
        self.run_worker(self.refresh_index, group="index", exclusive=True)

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

    def action_find(self) -> None:
        """Search the transcript."""
        if self._search is not None:
            self._search.open()

    def action_fold_all(self) -> None:
        """Unfold or fold every card."""
        self.transcript.action_fold_all()

    def action_follow(self) -> None:
        """Go to the end of the transcript and stay there."""
        self.transcript.action_follow()

    def action_transcript_page(self, step: int) -> None:
        """Scroll the transcript while the prompt keeps the keyboard."""
        (self.transcript.action_page_down if step > 0 else self.transcript.action_page_up)()

    def action_sidebar(self) -> None:
        """Show the attachments and go there; from there, or where they only take room, hide them."""
        shown = self.sidebar.display
        if shown and self.sidebar.has_focus_within:
            self._sidebar_wanted = False
            self.prompt.focus_editor()
        else:
            self._sidebar_wanted = True
        self._place_sidebar()
        if self._sidebar_wanted and self.sidebar.is_attached:
            self.sidebar.focus_list()

    def on_resize(self, event: textual_events.Resize) -> None:
        """Let the sidebar give way in a narrow window, and the empty lines in a low one."""
        self._place_sidebar(event.size.width)
        self.set_class(event.size.height < COMFORTABLE_ROWS, "-short")

    def _place_sidebar(self, width: int = 0) -> None:
        if self._search is None:  # not furnished yet
            return
        wide = (width or self.size.width) >= SIDEBAR_FROM
        by_itself = wide and bool(self.attachments.entries)
        self.sidebar.display = by_itself if self._sidebar_wanted is None else self._sidebar_wanted
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


def _import_furniture() -> None:
    for module in ("transcript.search_bar", "transcript.view", "attachments.sidebar"):
        importlib.import_module(f"dogent_tui.tui.{module}")


def _status(opened: OpenedSession) -> Status:
    endpoint = opened.endpoint
    label = endpoint_label(endpoint.name, endpoint.kind, endpoint.model)
    return Status(one_line(display_path(opened.workspace.root)), one_line(label))
