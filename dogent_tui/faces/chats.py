"""The chats of a server: each is a session of ours, with what its runs said as chunks for whoever reads them."""

import asyncio
import contextlib
import re
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from dogent_tui.agent import events
from dogent_tui.agent.change_requests import ChangeRequest, read_request
from dogent_tui.agent.session import OpenedSession, SessionOptions, open_session
from dogent_tui.agent.ui_requests import RequestError, check_answers
from dogent_tui.errors import DogentError, UsageError
from dogent_tui.faces.chunks import Chunk, MessageChunks
from dogent_tui.faces.connected import Connected
from dogent_tui.faces.reviews import decide, open_review, written
from dogent_tui.faces.seed_names import own_call
from dogent_tui.language import tr
from dogent_tui.workspace.paths import Workspace
from dogent_tui.workspace.sessions import list_sessions

MOST_CHATS = 64
"""Open at once; each may hold a process of the agent."""
_CHATS = uuid.UUID("0f6c3a52-6a53-5f0e-9d6b-3f1f5a4d2c11")
"""The namespace of the UUIDs under which chats with other ids are kept as sessions."""
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_RESULT_S = 3600.0
_BEGIN_S = 60.0


class Turn:
    """What one run says. Readers may begin at any place, also after its end."""

    def __init__(self, chunks: MessageChunks, run_id: str) -> None:
        self.chunks = chunks
        self.run_id = run_id
        self.said: list[Chunk] = []
        self.waiting: set[str] = set()
        self.results: dict[str, events.ToolResult] = {}
        self.paused_at = 0
        self.readers = 0
        self.is_over = False
        self._changed = asyncio.Condition()

    async def hear(self, event: events.Event) -> None:
        """Take in what happened in the run."""
        match event:
            case events.PermissionRequested(request_id=request_id) | events.UiRequested(request_id=request_id, in_run=True):
                self.waiting.add(request_id)
            case events.PermissionDecided(request_id=request_id) | events.UiSettled(request_id=request_id):
                self.waiting.discard(request_id)
            case events.ToolResult(tool_use_id=call):
                self.results[call] = event
            case events.RunFinished():
                self.is_over = True
                self.waiting.clear()
        async with self._changed:
            self.said += self.chunks.of(event)
            self._changed.notify_all()

    async def cut(self, words: str) -> None:
        """End what is said with an error: a stream that just ends looks like a success to the client."""
        async with self._changed:
            if not self.is_over:
                self.said += [{"type": "error", "errorText": words}]
            self.is_over = True
            self._changed.notify_all()

    async def read(self, start: int = 0, *, message_id: str = "", pauses: bool = True) -> AsyncIterator[list[Chunk]]:
        """Yield what is said from `start` on, until the run ends, or waits for the user if it then `pauses`."""
        yield self.chunks.start(message_id or self.run_id)
        place = start
        while True:
            async with self._changed:
                while place == len(self.said) and not self.is_over and not (pauses and self.waiting):
                    await self._changed.wait()
                new, is_over = self.said[place:], self.is_over
            place += len(new)
            if new:
                yield new
            if place == len(self.said) and (is_over or (pauses and self.waiting)):
                break
        if not is_over:
            self.paused_at = place
            yield self.chunks.pause()

    async def result(self, call: str) -> events.ToolResult | None:
        """Return the result of a call once it is there; None where the run ends without it."""
        async with asyncio.timeout(_RESULT_S), self._changed:
            await self._changed.wait_for(lambda: call in self.results or self.is_over)
        return self.results.get(call)


class Chat(Connected):
    """One conversation over HTTP. Raises DogentError where something cannot be done as it stands."""

    def __init__(self, chat_id: str, opened: OpenedSession, *, page_runs_tools: bool = False) -> None:
        super().__init__(opened)
        self.id = chat_id
        self.page_runs_tools = page_runs_tools
        self.turn: Turn | None = None
        self._expected: list[tuple[events.Prompt, asyncio.Future[Turn]]] = []
        self._asked: dict[str, events.PermissionRequested] = {}
        self._runs: list[str] = []
        self._answered = asyncio.Event()

    @property
    def is_busy(self) -> bool:
        """Whether a run is under way, or waits for its turn."""
        return bool(self._expected) or (self.turn is not None and not self.turn.is_over)

    @property
    def said(self) -> list[tuple[str, str]]:
        """Who said what, without what the run under way replied so far: that is read from its turn."""
        said = [*self.service.said]
        while self.turn is not None and not self.turn.is_over and said and said[-1][0] == "assistant":
            said.pop()
        return said

    async def open_requests(self) -> list[Chunk]:
        """Return what a run that ended asked on a screen, and nobody has answered."""
        chunks = MessageChunks(self.service.session_id)
        asked = [await asyncio.to_thread(self._with_hunks, each) for each in self.service.requests if not each.in_run]
        return [chunk for each in asked for chunk in chunks.of(each)]

    # ── Prompts ───────────────────────────────────────────────────────────────────────────────────

    async def submit(self, prompt: events.Prompt) -> Turn:
        """Send a prompt and return the turn that answers it, once that begins: another may be under way."""
        begun: asyncio.Future[Turn] = asyncio.get_running_loop().create_future()
        self._expected.append((prompt, begun))
        try:
            for request in self.service.requests:  # a prompt in place of answers
                await self.service.reply(request.request_id, events.UiAnswer())
            await self.service.submit(prompt)
            return await begun
        finally:
            self._expected = [each for each in self._expected if each[1] is not begun]

    async def rewind(self, before: int) -> None:
        """Go back to before the prompt number `before`, from 1. Does nothing where there are fewer."""
        if before > len(self._runs):
            return
        if self.is_busy:
            raise DogentError(tr("The agent is still working."), tr("Stop it first, then edit the prompt."))
        await self.service.rewind(self._runs[before - 1])
        del self._runs[before - 1 :]

    async def stop(self) -> None:
        """Interrupt the run."""
        await self.service.interrupt()

    # ── Answers ───────────────────────────────────────────────────────────────────────────────────

    async def decide(
        self, request_id: str, *, approved: bool, scope: str = "once", reason: str = "", continues: bool = False
    ) -> None:
        """Answer a permission. After a denial the run goes on where it `continues`, or where denials of this tool end none."""
        asked = self._asked.get(request_id)
        if asked is None:
            raise UsageError(tr("This question is no longer open."), tr("Nothing was done; the run continues."))
        if scope not in ("once", "session", "always"):
            raise UsageError(tr("“{scope}” is not a scope.").format(scope=scope), tr("Use once, session or always."))
        if approved:
            await self.service.reply(request_id, events.PermissionAnswer("allow", scope=scope))  # type: ignore[arg-type]
            return
        ends = asked.ends_run and not continues
        await self.service.reply(request_id, events.PermissionAnswer("deny", message="" if ends else reason, ends_run=ends))

    async def execute(self, tool: str, parameters: Mapping[str, Any]) -> events.ToolResult | None:
        """Approve the question that waits with this very call, and return what the call gave. Raises PermissionError."""
        wanted = own_call(tool, parameters, self.opened.workspace)
        turn = self.turn
        for request_id, asked in [*self._asked.items()]:
            if turn is not None and own_call(asked.tool, asked.input, self.opened.workspace) == wanted:
                await self.decide(request_id, approved=True)
                return await turn.result(asked.tool_use_id)
        raise PermissionError(tr("No question waits for this call, so it is not run."))

    async def answer(self, request_id: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a form, an outline or a review. Returns what came of it. Raises DogentError where the answer does not fit."""
        request = next((each for each in self.service.requests if each.request_id == request_id), None)
        if request is None:
            raise UsageError(tr("This request is no longer open."), tr("Nothing was done; the conversation continues."))
        done: dict[str, Any] = {}
        if body.get("abandon") is True:
            answer = events.UiAnswer()
        else:
            asked = read_request(request.payload)
            if isinstance(asked, ChangeRequest):
                answer, done = await asyncio.to_thread(self._reviewed, asked, body.get("hunks"))
            else:
                given = body.get("answers", body)
                if not isinstance(given, Mapping):
                    raise RequestError("answers", tr("is not an object."))
                answer = check_answers(asked, given)
        self._answered.clear()
        await self.service.reply(request_id, answer)
        if not (request.in_run or answer.is_empty or self.service.requests):
            async with asyncio.timeout(_BEGIN_S):
                await self._answered.wait()  # the answers begin a run, which can be read from now on
        return done

    def _reviewed(self, asked: ChangeRequest, given: Any) -> tuple[events.UiAnswer, dict[str, Any]]:
        """Write the hunks that are accepted. What is not named stays as it is. Blocks."""
        reviewed = open_review(self.opened, asked)
        decide(reviewed, given)
        answer, is_written = written(self.opened, reviewed)
        content = reviewed.change.result.content.decode("utf-8", "replace") if is_written else None
        return answer, {"written": is_written, "content": content}

    # ── Following ─────────────────────────────────────────────────────────────────────────────────

    async def restore(self, earlier: Sequence[events.Event]) -> None:
        """See `Connected`."""
        for event in earlier:
            self._count(event)

    async def hear(self, event: events.Event) -> None:
        """Hand what happens to the turn that it belongs to."""
        self._count(event)
        match event:
            case events.RunStarted():
                self._begin(event)
            case events.PermissionRequested():
                self._asked[event.request_id] = event
            case events.PermissionDecided():
                self._asked.pop(event.request_id, None)
            case events.UiRequested(kind="document_change"):
                event = await asyncio.to_thread(self._with_hunks, event)
        if self.turn is not None:
            await self.turn.hear(event)

    async def end(self) -> None:
        """End what is read: a stream that just stops looks like a success."""
        if self.turn is not None:
            await self.turn.cut(tr("The session was closed before the answer was complete."))
        for _, begun in self._expected:
            begun.cancel()

    def _count(self, event: events.Event) -> None:
        if isinstance(event, events.RunStarted) and not event.prompt.answers:
            self._runs.append(event.run_id)

    def _begin(self, event: events.RunStarted) -> None:
        chunks = MessageChunks(self.service.session_id, page_runs_tools=self.page_runs_tools)
        self.turn = Turn(chunks, event.run_id)
        if event.prompt.answers:
            self._answered.set()
            return
        for expected, begun in self._expected:
            if expected == event.prompt and not begun.done():
                begun.set_result(self.turn)
                return

    def _with_hunks(self, event: events.UiRequested) -> events.UiRequested:
        """Return a proposed change with the hunks that its answer decides about. Blocks."""
        asked = read_request(event.payload)
        with contextlib.suppress(DogentError):
            if isinstance(asked, ChangeRequest):
                change = open_review(self.opened, asked).change
                hunks = [{"kind": hunk.kind, **msgspec.to_builtins(hunk)} for hunk in change.hunks]
                return msgspec.structs.replace(event, payload={**event.payload, "hunks": hunks})
        return event


class Chats:
    """The chats of the folder that is served."""

    def __init__(self, root: Workspace, options: SessionOptions) -> None:
        self.root = root
        self._options = options
        self._open: dict[str, Chat] = {}
        self._opening = asyncio.Lock()

    def all(self) -> tuple[Chat, ...]:
        """Return the chats that are open."""
        return tuple(self._open.values())

    def get(self, chat_id: str) -> Chat | None:
        """Return a chat that is open."""
        return self._open.get(chat_id)

    async def open(self, chat_id: str, folder: Path, profile: str = "", *, page_runs_tools: bool = False) -> Chat:
        """Return the chat of this id: one that is open, one that was held before, or a new one. Raises DogentError."""
        async with self._opening:
            chat = self._open.get(chat_id)
            if chat is None:
                await self._make_room()
                opened = await asyncio.to_thread(self._session, chat_id, Workspace(folder), profile)
                chat = Chat(chat_id, opened, page_runs_tools=page_runs_tools)
                await chat.connect()
                self._open[chat_id] = chat
            elif chat.opened.workspace.root != folder:
                raise UsageError(tr("This chat belongs to another folder."), tr("Start another chat for it."))
            elif profile and profile != chat.opened.endpoint.name:
                words = tr("This chat uses the model {name}.").format(name=chat.opened.endpoint.name)
                raise UsageError(words, tr("Start another chat for another model."))
            return chat

    async def close(self) -> None:
        """Close every chat."""
        await asyncio.gather(*(chat.close() for chat in self._open.values()), return_exceptions=True)
        self._open.clear()

    async def _make_room(self) -> None:
        if len(self._open) < MOST_CHATS:
            return
        idle = next((chat for chat in self._open.values() if not chat.is_busy), None)
        if idle is None:
            raise UsageError(
                tr("{count} chats are open and all of them work.").format(count=MOST_CHATS), tr("Wait for one to end.")
            )
        del self._open[idle.id]
        await idle.close()

    def _session(self, chat_id: str, workspace: Workspace, profile: str) -> OpenedSession:
        wanted = chat_id if _UUID.fullmatch(chat_id) else str(uuid.uuid5(_CHATS, f"{workspace.root}\n{chat_id}"))
        records = (each for each in list_sessions(workspace) if wanted in (each.session_id, each.first_id, *each.before))
        known = next((each.session_id for each in records), "")
        chosen = profile or self._options.profile
        opened = open_session(workspace, msgspec.structs.replace(self._options, resume=known, begin=wanted, profile=chosen))
        if opened.read_only:
            words = tr("This conversation is open in another window.")
            raise UsageError(words, tr("Close it there first, or start another chat."))
        if profile and opened.unusable_profile:
            words = tr("There is no usable profile {name}.").format(name=profile)
            raise UsageError(words, tr("dogent-tui doctor lists the profiles."))
        return opened
