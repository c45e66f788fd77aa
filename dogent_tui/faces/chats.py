"""The chats of a server: each is a session of ours, with the output of its runs as chunks for any
reader.
"""

import asyncio
import contextlib
import re
import uuid
from collections.abc import AsyncIterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from dogent_tui.agent import events
from dogent_tui.agent.session import OpenedSession, SessionOptions
from dogent_tui.agent.ui_requests import ChangeRequest, check_answers, read_request
from dogent_tui.errors import DogentError, UsageError
from dogent_tui.faces.bodies import AnswerBody, ApprovalBody, Part, ToolBody, own_call
from dogent_tui.faces.chunks import MessageChunks, Turn
from dogent_tui.faces.shared import Chunk, Connected, open_review, open_to_write, write_accepted
from dogent_tui.language import tr
from dogent_tui.storage.paths import Workspace
from dogent_tui.storage.sessions import SessionRecord, all_sessions

MOST_CHATS = 64
"""The number of open chats; each may have an agent process."""
_CHATS = uuid.UUID("0f6c3a52-6a53-5f0e-9d6b-3f1f5a4d2c11")
"""The namespace of the UUIDs under which chats with other ids are stored as sessions."""
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_BEGIN_S = 60.0
_Answer: TypeAlias = tuple[events.UiAnswer, dict[str, Any]]


class Chat(Connected):
    """One conversation over HTTP. Methods raise DogentError if something is not possible now."""

    def __init__(self, chat_id: str, opened: OpenedSession, *, page_runs_tools: bool) -> None:
        super().__init__(opened)
        self.id = chat_id
        self.turn: Turn | None = None
        self._page_runs_tools = page_runs_tools
        self._expected: list[tuple[events.Prompt, asyncio.Future[Turn]]] = []
        self._answered = asyncio.Event()
        self._heard = asyncio.Event()  # another with each event
        self.is_closed = False

    @property
    def is_busy(self) -> bool:
        """Whether a run is in progress or waiting."""
        return bool(self._expected) or (self.turn is not None and not self.turn.is_over)

    # ── Prompts ───────────────────────────────────────────────────────────────────────────────────

    async def submit(self, prompt: events.Prompt, *, stays: bool = False) -> Turn:
        """Send a prompt and return the turn that answers it, once that begins: another may be in
        progress. If this is cancelled before, the prompt is taken back, unless it `stays`.
        """
        begun: asyncio.Future[Turn] = asyncio.get_running_loop().create_future()
        self._expected.append((prompt, begun))
        try:
            await self.service.abandon()  # a prompt instead of answers
            queued = await self.service.submit(prompt)
            return await begun
        finally:
            self._expected.remove((prompt, begun))
            if begun.cancelled() and not stays:
                self.service.take_back(queued)

    async def rewind(self, before: int) -> None:
        """Rewind to before the prompt number `before`, counted from 1. Does nothing if there are
        fewer.
        """
        prompts = self.service.prompt_ids
        if before <= len(prompts):
            if self.is_busy:
                words = tr("The agent is still working.")
                raise DogentError(words, tr("Stop it first, then edit the prompt."))
            await self.service.rewind(prompts[before - 1])

    # ── Answers ───────────────────────────────────────────────────────────────────────────────────

    async def decide(self, request_id: str, given: ApprovalBody) -> None:
        """Answer a permission. After a denial the run continues if it `continues`, or if denials of
        this tool do not end runs.
        """
        asked = self.service.find_request(request_id, events.PermissionAnswer("deny"))
        assert isinstance(asked, events.PermissionRequested)
        ends = asked.ends_run and not given.continues
        words = "" if ends else given.reason or ""
        answer = events.PermissionAnswer("deny", message=words, ends_run=ends)
        if given.approved:
            answer = events.PermissionAnswer("allow", scope=given.scope or "once")
        await self.service.reply(request_id, answer)

    async def take_answers(self, parts: Sequence[Part]) -> Turn:
        """Apply the answers in the parts of a message, and return the turn that continues.

        A permission is answered by its approval or, if the page runs the tools, by an error of the
        tool, which is a denial.
        """
        if self.turn is None:
            raise UsageError(tr("Nothing waits for this answer any more."), tr("Send a prompt."))
        asked_by = {each.tool_use_id: each.request_id for each in self.service.permissions}
        for part in parts:
            answer, waiting = part.approval, asked_by.get(part.tool_call_id, "")
            if answer and part.state == "approval-responded" and answer.id in asked_by.values():
                given = ApprovalBody(answer.approved is True, reason=answer.reason)
                await self.decide(answer.id, given)
            elif waiting and part.state == "output-error":
                await self.decide(waiting, ApprovalBody(approved=False, reason=part.error_text))
            # otherwise it would be sent repeatedly
            elif waiting and part.state == "output-available":
                words = tr("This call still waits for its permission, so it has no output yet.")
                raise UsageError(words, tr("Approve it, or run it by execute-tool."))
        return self.turn

    def waiting_with(self, body: ToolBody) -> list[events.PermissionRequested]:
        """Return the open questions about this call."""
        folder, asked = self.opened.workspace, self.service.permissions
        wanted = own_call(body.tool_name, body.parameters, folder)
        return [each for each in asked if own_call(each.tool, each.input, folder) == wanted]

    async def answer(self, request_id: str, body: AnswerBody) -> dict[str, Any]:
        """Answer a form, an outline or a review. Return the result. Raises DogentError if the
        answer is invalid.
        """
        request = self.service.find_request(request_id, events.UiAnswer())
        assert isinstance(request, events.UiRequested)
        answer, done = await asyncio.to_thread(self._answer, request, body)
        self._answered.clear()
        await self.service.reply(request_id, answer)
        if not (request.in_run or answer.is_empty or self.service.requests):
            async with asyncio.timeout(_BEGIN_S):
                await self._answered.wait()  # they begin a run, which can be read from now on
        return done

    def _answer(self, request: events.UiRequested, body: AnswerBody) -> _Answer:
        """Return the answer and the result, with the accepted hunks written. Blocks. Raises
        RequestError.
        """
        if body.abandon:
            return events.UiAnswer(), {}
        asked = read_request(request.payload)
        if not isinstance(asked, ChangeRequest):
            own = {"outline": body.outline, "comment": body.comment}
            return check_answers(asked, {**own, **(body.answers or {})}), {}
        reviewed = open_review(self.opened, asked)
        change = reviewed.change
        body.decide(change)
        answer, is_written = write_accepted(self.opened, reviewed), change.count("accepted") > 0
        content = change.result.content.decode("utf-8", "replace") if is_written else None
        return answer, {"written": is_written, "content": content}

    # ── Following ─────────────────────────────────────────────────────────────────────────────────

    async def hear(self, event: events.Event) -> None:
        """Pass each event to the turn it belongs to."""
        match event:
            case events.RunStarted():
                self._begin(event)
            case events.UiRequested(kind="document_change"):
                event = await asyncio.to_thread(self.with_hunks, event)
        if self.turn is not None:
            self.turn.hear(event)
        self._wake()

    def _wake(self) -> None:
        heard, self._heard = self._heard, asyncio.Event()
        heard.set()

    async def waiting(self) -> Sequence[events.PermissionRequested | events.UiRequested]:
        """Return the open questions that belong to no run under way: of commands in the background,
        and of the last run.
        """
        is_over = self.turn is None or self.turn.is_over
        # those of commands in the background are repeated by a turn
        background = self.service.permissions if is_over else ()
        asked = [each for each in self.service.requests if not each.in_run]
        return [*background, *[await asyncio.to_thread(self.with_hunks, each) for each in asked]]

    @property
    def last_run(self) -> str:
        """The run that began last; empty if none began since the chat was opened."""
        return self.turn.run_id if self.turn is not None else ""

    async def rest(self, after: str) -> AsyncIterator[list[Chunk]]:
        """Yield what is asked while nothing runs, and what is settled, until there is a run after
        the one with the id `after`.
        """
        chunks, told = MessageChunks(self.service.session_id), set[str]()
        while not self.is_closed and self.last_run == after:
            heard = self._heard
            asked = {each.request_id: each for each in await self.waiting()}
            settled = [{"id": each, "status": "answered"} for each in told - asked.keys()]
            new = [chunks.of(each) for key, each in asked.items() if key not in told]
            told = {*asked}
            yield [
                *({"type": "data-settled", "id": each["id"], "data": each} for each in settled),
                *chain.from_iterable(new),
            ]
            await heard.wait()

    async def end(self) -> None:
        """End what is being read: a stream that just stops looks like a success."""
        words = tr("The session was closed before the answer was complete.")
        self.is_closed = True
        self._wake()
        if self.turn is not None:
            self.turn.cut(words)
        for _, begun in self._expected:
            if not begun.done():
                begun.set_exception(UsageError(words))

    def _begin(self, event: events.RunStarted) -> None:
        chunks = MessageChunks(self.service.session_id, page_runs_tools=self._page_runs_tools)
        turn = self.turn = Turn(chunks, event.run_id)
        for asked in self.service.permissions:
            if not asked.in_run:  # of a command that an earlier run left in the background
                turn.hear(asked)
        if event.prompt.answers:
            self._answered.set()
        for expected, begun in self._expected:
            if expected == event.prompt and not begun.done():
                begun.set_result(turn)
                return

    def with_hunks(self, event: events.UiRequested) -> events.UiRequested:
        """Return a proposed change with the hunks to decide about. Blocks."""
        asked = read_request(event.payload)
        with contextlib.suppress(DogentError):
            if isinstance(asked, ChangeRequest):
                change = open_review(self.opened, asked).change
                hunks = [{"kind": hunk.kind, **msgspec.to_builtins(hunk)} for hunk in change.hunks]
                return msgspec.structs.replace(event, payload={**event.payload, "hunks": hunks})
        return event


class Chats:
    """The chats of the served folder."""

    def __init__(self, root: Workspace, options: SessionOptions) -> None:
        self.root = root
        self._options = options
        self._open: dict[str, Chat] = {}
        self._opening = asyncio.Lock()

    def get(self, chat_id: str) -> Chat | None:
        """Return a chat that is open."""
        return self._open.get(chat_id)

    async def known(self, chat_id: str) -> Chat:
        """Return an open chat, or an earlier one, even of an earlier server. Raises UsageError."""
        if (chat := self._open.get(chat_id)) is not None:
            return chat
        record = await asyncio.to_thread(self._record, chat_id)
        if record is None:
            raise UsageError(tr("There is no such chat here."), tr("Send a prompt to begin it."))
        return await self.open(chat_id, Path(record.workspace))

    async def open(self, chat_id: str, folder: Path, profile: str = "", mode: str = "") -> Chat:
        """Return the chat with this id: an open one, an earlier one, or a new one. Raises
        DogentError.

        `mode` ``page``: its page runs the tools that ask.
        """
        async with self._opening:
            if (chat := self._open.get(chat_id)) is None:
                await self._make_room()
                opened = await asyncio.to_thread(self._session, chat_id, folder, profile)
                chat = Chat(chat_id, opened, page_runs_tools=mode == "page")
                await chat.connect()
                self._open[chat_id] = chat
            elif profile and profile != (name := chat.opened.endpoint.name):
                words = tr("This chat uses the model {name}.", name=name)
                raise UsageError(words, tr("Start another chat for another model."))
            _check_folder(chat.opened.workspace.root, folder)
            return chat

    async def execute(self, body: ToolBody, folder: Path) -> events.ToolResult:
        """Approve the latest open question about this call in a chat of `folder`; return the result
        of the call.

        Raises PermissionError if there is no such question, UsageError if the run ends before the
        call is done.
        """
        waiting = [
            (asked, chat)
            for chat in self._open.values()
            if body.id in (None, chat.id) and chat.opened.workspace.root == folder
            for asked in chat.waiting_with(body)
        ]
        if not waiting:
            raise PermissionError(tr("No question waits for this call, so it is not run."))
        asked, chat = max(waiting, key=lambda each: each[0].time)
        turn = chat.turn
        await chat.decide(asked.request_id, ApprovalBody(approved=True))
        if turn is None or (result := await turn.result(asked.tool_use_id)) is None:
            raise UsageError(tr("The run ended before the call was done."))
        return result

    async def close(self, _: object = None) -> None:
        """Close every chat."""
        closing = [chat.close() for chat in self._open.values()]
        await asyncio.gather(*closing, return_exceptions=True)
        self._open.clear()

    async def _make_room(self) -> None:
        if len(self._open) < MOST_CHATS:
            return
        idle = next((chat for chat in self._open.values() if not chat.is_busy), None)
        if idle is None:
            words = tr("{count} chats are open and all of them work.", count=MOST_CHATS)
            raise UsageError(words, tr("Wait for one to end."))
        del self._open[idle.id]
        await idle.close()

    def _record(self, chat_id: str) -> SessionRecord | None:
        """Return the session of an earlier chat in the served folder. Blocks."""
        wanted, root = self._session_id(chat_id), self.root.root
        found = (each for each in all_sessions() if wanted in each.ids)
        return next((each for each in found if Path(each.workspace).is_relative_to(root)), None)

    def _session(self, chat_id: str, folder: Path, profile: str) -> OpenedSession:
        known = {"begin": self._session_id(chat_id), "profile": profile or self._options.profile}
        if (record := self._record(chat_id)) is not None:
            _check_folder(Path(record.workspace), folder)
            known["resume"] = record.session_id
        return open_to_write(Workspace(folder), msgspec.structs.replace(self._options, **known))

    def _session_id(self, chat_id: str) -> str:
        """Return the session id for a chat: its own if that is a UUID."""
        name = f"{self.root.root}\n{chat_id}"
        return chat_id if _UUID.fullmatch(chat_id) else str(uuid.uuid5(_CHATS, name))


def _check_folder(place: Path, folder: Path) -> None:
    if place != folder:
        words = tr("This chat belongs to another folder.")
        raise UsageError(words, tr("Start another chat for it."))
