"""`dogent-tui acp`: one conversation of an editor, over the Agent Client Protocol, version 1."""

import asyncio
import base64
import contextlib
import re
import uuid
from collections.abc import Sequence, Set
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import acp
from acp import schema
from acp.helpers import ContentBlock

from dogent_tui.agent import events
from dogent_tui.agent.session import OpenedSession, prompt_of
from dogent_tui.agent.ui_requests import ChangeRequest, read_request
from dogent_tui.changes.hunks import Hunk
from dogent_tui.errors import AgentError, DogentError, UsageError
from dogent_tui.faces import acp_messages as messages
from dogent_tui.faces.shared import Chunk, Connected, open_review, selected_text, write_accepted
from dogent_tui.language import tr
from dogent_tui.references.lookup import format_reference
from dogent_tui.settings.custom_commands import CustomCommand, custom_commands
from dogent_tui.storage.files import delete_unused, private_folder
from dogent_tui.storage.paths import Workspace, state_dir

_SCOPES = ("once", "session", "always")
_ALLOW = (tr("Allow once"), tr("Allow for this session"), tr("Always allow here"))
_KEEP = (tr("Keep"), tr("Keep, and the like in this session"), tr("Always keep such"))
_KEPT_FOR_S = 30 * 86_400
"""How long an image is kept: the conversation may come back to it."""
_FORMS = ("needs_clarification", "needs_outline_edit")


class EditorSession(Connected):
    """One conversation for an editor. `replays`: it is sent what was said before.

    `session_id` remains what the editor knows; the agent's own changes if its process dies.
    """

    def __init__(
        self, session_id: str, opened: OpenedSession, client: acp.Client, forms: bool, replays: bool
    ) -> None:
        super().__init__(opened)
        self.id = session_id
        self._client = client
        self._has_forms = forms
        self._replays = replays
        self._updates = messages.Updates(opened.workspace.root)
        self._asking: dict[str, asyncio.Task[None]] = {}
        self._prompt: events.Prompt | None = None
        self._is_cancelled = False
        self._run_id = ""
        self._ended: asyncio.Future[str] | None = None
        self._commands: dict[str, CustomCommand] = {}

    async def start(self) -> None:
        """Connect the agent. After the answer to its request, the editor is sent the available
        commands, and asked what an earlier process left open.
        """
        await self.connect()
        where, trusted = self.opened.workspace, self.opened.trust.trusted
        found = await asyncio.to_thread(custom_commands, where, Path.home(), trusted=trusted)
        self._commands = {each.name: each for each in found}
        self._tasks.append(asyncio.create_task(self._greet()))

    async def _greet(self) -> None:
        commands: list[Chunk] = []
        for each in self._commands.values():
            told: Chunk = {"name": each.name, "description": each.description or each.name}
            commands.append(told | ({"input": {"hint": each.argument}} if each.argument else {}))
        update = {"sessionUpdate": "available_commands_update", "availableCommands": commands}
        await self._tell(update)
        for asked in self.service.requests:
            self._ask(asked)

    async def _tell(self, update: Chunk) -> None:
        told = schema.SessionNotification.model_validate({"sessionId": self.id, "update": update})
        await self._client.session_update(self.id, told.update)

    # ── Prompts ───────────────────────────────────────────────────────────────────────────────────

    async def prompt(self, blocks: Sequence[ContentBlock]) -> str:
        """Send a prompt and return why its turn ended, in the protocol's terms. Raises
        DogentError.
        """
        if self._prompt is not None:
            words = tr("The agent is still working.")
            raise UsageError(words, tr("Wait for its answer, or cancel it."))
        self._prompt, self._is_cancelled = events.Prompt(""), False
        try:
            self._prompt = prompt = await asyncio.to_thread(self._made, blocks)
            self._ended, self._run_id = asyncio.get_running_loop().create_future(), ""
            if self._is_cancelled:
                return "cancelled"
            if not await self._answers(prompt.text):
                await self.service.submit(prompt)
            status = await self._ended
        finally:
            self._prompt = None
        return "cancelled" if status == "interrupted" else "end_turn"

    async def cancel(self) -> None:
        """Stop the run, a prompt about to begin one, and open questions."""
        self._is_cancelled = True
        self._stop_asking(self._asking.keys())
        if [each for each in self.service.queued if self.service.take_back(each.id)]:
            self._finish("interrupted")
        await self.service.interrupt()
        await self.service.abandon()  # a form whose run has ended
        for asked in self.service.permissions:  # of commands in the background
            await self.service.reply(asked.request_id, events.PermissionAnswer("deny"))

    async def _answers(self, text: str) -> bool:
        """Take a prompt for the answer to what was asked as text, if it is one; otherwise all that
        is asked is abandoned.
        """
        asked = self.service.requests
        self._stop_asking({each.request_id for each in asked})
        if len(asked) == 1 and (answer := messages.from_text(read_request(asked[0].payload), text)):
            await self.service.reply(asked[0].request_id, answer)
            return True
        await self.service.abandon()
        return False

    def _made(self, blocks: Sequence[ContentBlock]) -> events.Prompt:
        """Return the prompt for some blocks. Blocks. Raises DogentError."""
        texts, quoted, also = list[str](), list[str](), list[events.Attachment]()
        for block in blocks:
            match block:
                case schema.TextContentBlock(text=text):
                    texts.append(text)
                case schema.ResourceContentBlock():
                    texts.append(_mentioned(block, self.opened.workspace))
                case schema.EmbeddedResourceContentBlock(resource=given):
                    text = given.text if isinstance(given, schema.TextResourceContents) else ""
                    quoted += [selected_text(text, given.uri)] if text else []
                case schema.ImageContentBlock():
                    also.append(_image(block))
        text = "\n\n".join(filter(str.strip, texts))
        if not (text or quoted or also):
            raise UsageError(tr("The message has no text."))
        if text.startswith("/") and (command := self._commands.get((text[1:].split() or [""])[0])):
            text = command.filled_in(text[1 + len(command.name) :].strip())
        return prompt_of(self.opened, text, also, "\n\n".join(quoted))[0]

    # ── Following ─────────────────────────────────────────────────────────────────────────────────

    async def restore(self, earlier: Sequence[events.Event]) -> None:
        """Send the editor what was said before, if it has not seen it."""
        for event in earlier if self._replays else ():
            for update in self._updates.of(event, replayed=True):
                await self._tell(update)

    async def hear(self, event: events.Event) -> None:
        """Send the editor what happens, and ask the questions."""
        for update in self._updates.of(event):
            await self._tell(update)
        match event:
            case events.RunStarted(prompt=prompt) if prompt == self._prompt or prompt.answers:
                self._run_id = event.run_id
            case events.RunFinished() if event.run_id == self._run_id:
                if not (self._has_forms and event.status in _FORMS):
                    self._finish(event.status)  # otherwise the answers continue the same turn
            case events.PermissionRequested() | events.UiRequested():
                self._ask(event)
            case events.PermissionDecided(decision="cancelled"):
                self._stop_asking({event.request_id})

    async def end(self) -> None:
        """End the turn and its questions."""
        self._stop_asking(self._asking.keys())
        self._finish("interrupted")

    def _finish(self, status: str) -> None:
        if self._ended is not None and not self._ended.done():
            self._ended.set_result(status)

    # ── Asking ────────────────────────────────────────────────────────────────────────────────────

    def _ask(self, event: events.Request) -> None:
        task = self._asking[event.request_id] = asyncio.create_task(self._put(event))
        task.add_done_callback(lambda _: self._asking.pop(event.request_id, None))

    async def _put(self, event: events.Request) -> None:
        with contextlib.suppress(ConnectionError):  # the editor is gone: a form stays open
            if isinstance(event, events.UiRequested):
                await self._request(event)
            else:
                await self._permission(event)

    def _stop_asking(self, requests: Set[str]) -> None:
        for request_id in requests & self._asking.keys():
            self._asking[request_id].cancel()

    async def _permission(self, event: events.PermissionRequested) -> None:
        """Have the editor ask. An unanswered question is a denial, which ends the run."""
        names = dict(zip(_SCOPES, _KEEP if event.happened else _ALLOW, strict=True))
        allow = [(scope, names[scope]) for scope in event.scopes]
        chosen = await self._chosen(self._updates.asked(event), tr("Deny"), *allow)
        answer = events.PermissionAnswer("deny")
        if chosen in event.scopes:
            answer = events.PermissionAnswer("allow", scope=chosen)
        with contextlib.suppress(AgentError):  # it was cancelled in the meantime
            if chosen is None and event.in_run:
                await self.service.interrupt()
            else:
                await self.service.reply(event.request_id, answer)

    async def _chosen(self, call: Chunk, deny: str, *allow: tuple[str, str]) -> Any:
        """Return the id of the chosen option, of `allow` or ``deny``; None if the editor cancelled,
        or failed to ask. An option is an id and a name.
        """
        options = [{"optionId": "deny", "name": deny, "kind": "reject_once"}]
        for key, name in allow:
            kind = "allow_once" if key == "once" else "allow_always"
            options.append({"optionId": key, "name": name, "kind": kind})
        asked = {"sessionId": self.id, "toolCall": call, "options": options}
        request = schema.RequestPermissionRequest.model_validate(asked)
        try:
            ask = self._client.request_permission
            outcome = (await ask(self.id, request.tool_call, request.options)).outcome
        except (acp.RequestError, ValueError):
            return None
        return outcome.option_id if isinstance(outcome, schema.AllowedOutcome) else None

    async def _request(self, event: events.UiRequested) -> None:
        asked = read_request(event.payload)
        try:
            if isinstance(asked, ChangeRequest):
                answer = await self._review(event.request_id, asked)
            elif self._has_forms:
                title = f"{asked.title}\n\n{asked.preface}".strip()
                given = await self._elicited(title, messages.fields_of(asked))
                answer = events.UiAnswer() if given is None else messages.filled_in(asked, given)
            else:
                await self._tell(messages.said(messages.as_text(asked), event.request_id))
                return
            await self.service.reply(event.request_id, answer)
        except (DogentError, acp.RequestError, ValueError) as error:
            if not isinstance(error, AgentError):  # otherwise it was settled in the meantime
                await self._tell(messages.said(f"\n\n{error}", event.request_id))
            with contextlib.suppress(AgentError):
                await self.service.reply(event.request_id, events.UiAnswer())

    async def _elicited(self, title: str, properties: Chunk) -> dict[str, Any] | None:
        """Return the submitted values; None if the user declined."""
        form = {"type": "object", "properties": properties}
        asked = {"mode": "form", "sessionId": self.id, "requestedSchema": form}
        mode = schema.ElicitationFormSessionMode.model_validate(asked)
        answer = await self._client.create_elicitation(title, mode)
        is_taken = isinstance(answer, schema.AcceptElicitationResponse)
        return answer.content or {} if is_taken else None

    async def _review(self, request_id: str, asked: ChangeRequest) -> events.UiAnswer:
        """Have the user choose hunks."""
        reviewed = await asyncio.to_thread(open_review, self.opened, asked)
        change, path = reviewed.change, str(reviewed.path)
        hunks = change.hunks
        title = tr("Change of {path}: {summary}", path=asked.path, summary=asked.summary)
        content = messages.hunk_diffs(path, hunks)
        places = [{"path": path, "line": hunk.start + 1} for hunk in hunks[:1]]
        tool = "propose_document_change"
        asking = messages.call(request_id, tool, title, content=content, locations=places)
        await self._tell(messages.begun(asking))
        taken = await self._taken(asking, hunks)
        if taken is None:
            return events.UiAnswer()
        for hunk in hunks:
            change.decide(hunk.number, "accepted" if str(hunk.number) in taken else "rejected")
        answer = await asyncio.to_thread(write_accepted, self.opened, reviewed)
        await self._tell(messages.progress(request_id, status="completed" if taken else "failed"))
        return answer

    async def _taken(self, call: Chunk, hunks: Sequence[Hunk]) -> set[str] | None:
        """Return the numbers of the hunks to write; None if nothing was decided."""
        numbers = {str(hunk.number) for hunk in hunks}
        if self._has_forms:
            given = await self._elicited(call["title"], messages.field_of_hunks(hunks))
            return None if given is None else numbers & {*(given.get("hunks") or ())}
        words = tr("Write all of it")
        chosen = await self._chosen(call, tr("Write nothing"), ("once", words))
        return {"once": numbers, "deny": set[str]()}.get(chosen)


def image_folder() -> Path:
    """Return the private folder for images of prompts."""
    return private_folder(state_dir() / "prompt-images")


def _mentioned(link: schema.ResourceContentBlock, workspace: Workspace) -> str:
    """Return a link to a file as a reference, with the lines from ``#L10-40``; any other as a
    link.
    """
    parts = urlsplit(link.uri)
    if parts.scheme != "file":
        return f"[{link.name}]({link.uri})"
    found = re.fullmatch(r"L(\d{1,9})(?:[-:]L?(\d{1,9}))?", parts.fragment)
    lines = (int(found[1]), int(found[2] or found[1])) if found else None
    return format_reference(workspace.relative(Path(unquote(parts.path))), lines=lines)


def _image(block: schema.ImageContentBlock) -> events.Attachment:
    kind = block.mime_type.rpartition("/")[2].partition("+")[0] or "png"
    folder = image_folder()
    delete_unused(folder, "*", _KEPT_FOR_S)
    path = folder / f"{uuid.uuid4().hex[:12]}.{kind if kind.isalnum() else 'png'}"
    path.write_bytes(base64.b64decode(block.data, validate=True))
    return events.Attachment(str(path), path.name, kind)
