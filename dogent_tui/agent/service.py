"""The agent service: prompts in, typed events out, one run at a time. The app, print mode and every other face use it alike."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, Self

import msgspec
from msgspec.structs import replace

from dogent_tui.agent.conversation import Conversation, PermissionQuestion, TurnEnded, Verdict
from dogent_tui.agent.events import (
    Aborted,
    Event,
    Interrupted,
    Notice,
    PermissionAnswer,
    Prompt,
    QueuedPrompt,
    Reply,
    Retrying,
    RunFinished,
    RunStarted,
    RunStatus,
    SessionLost,
    SessionStarted,
    Stalled,
    ToolResult,
    ToolUse,
    UsageChanged,
)
from dogent_tui.agent.failures import RUN_LOST, Failure, api_failure, session_lost, turn_failure
from dogent_tui.agent.launch import Launcher, SessionChoice
from dogent_tui.agent.prompts import user_prompt
from dogent_tui.agent.questions import PendingQuestions
from dogent_tui.agent.queue import PromptQueue
from dogent_tui.agent.shell import ShellNote, run_shell
from dogent_tui.agent.stream import EventStream
from dogent_tui.agent.tool_names import friendly_name, input_summary
from dogent_tui.errors import AgentError, DogentError
from dogent_tui.workspace.profiles import Endpoint

State = Literal["connecting", "idle", "running", "lost", "closed"]

_INTERRUPT_AGAIN_S = 0.5
_INTERRUPT_LIMIT_S = 5.0
"""How long a turn may take to end after it was interrupted (it takes 6–30 ms) before its process is given up."""
_LAST_BREATH_S = 0.5
"""How long a process that ends takes from the end of its turn to the end of its output (75 ms measured)."""
_UNKNOWN_SESSION = "No conversation found"
"""What the CLI says where it does not know the session that it is asked to resume."""
_CLOSE_LIMIT_S = 1.0
"""How long the CLI may take to end by itself when we close; then it is killed."""


class _Run(msgspec.Struct):
    """The run under way. `ended` gets the end of its turn, or None when the session is lost."""

    id: str
    ended: asyncio.Future[TurnEnded | None]
    started: float
    last_heard: float
    stop: asyncio.Event = msgspec.field(default_factory=asyncio.Event)
    aborted: str = ""
    tools: set[str] = msgspec.field(default_factory=set)
    stalled: int = 0

    @property
    def stopped_by_us(self) -> bool:
        """Whether the person ended it, by an interrupt or a denial."""
        return self.stop.is_set() or bool(self.aborted)


class _SessionLost(Exception):  # noqa: N818  (it says what happened, and is an error only to the run)
    """The agent process is gone in the middle of a run."""


class AgentService:
    """One conversation in one workspace.

    `async with service:` starts it: the agent connects in the background while prompts already queue. `events()` gives every
    subscriber every event from then on. `submit`, `interrupt`, `reply` and the queue calls may be used at any time until `close`.
    """

    def __init__(
        self,
        launcher: Launcher,
        endpoint: Endpoint,
        *,
        cwd: str,
        session: SessionChoice | None = None,
        stall_after_s: float = 10.0,
    ) -> None:
        self.endpoint = endpoint
        self.state: State = "connecting"
        self._launcher = launcher
        self._cwd = cwd
        self._session = session or SessionChoice(str(uuid.uuid4()))
        self._stall_after_s = stall_after_s
        self._stream = EventStream()
        self._questions = PendingQuestions(self._publish)
        self._queue = PromptQueue(self._publish)
        self._run: _Run | None = None
        self._conversation: Conversation | None = None
        self._connecting: asyncio.Task[Conversation] | None = None
        self._worker: asyncio.Task[None] | None = None
        self._warming: asyncio.Task[None] | None = None
        self._reader: asyncio.Task[None] | None = None
        self._endings: list[asyncio.Task[None]] = []
        self._shell: asyncio.Task[ShellNote] | None = None
        self._shell_notes: list[ShellNote] = []
        self._spent_usd = 0.0
        self._usage = UsageChanged(context_tokens=0)

    # ── Life ──────────────────────────────────────────────────────────────────────────────────

    async def __aenter__(self) -> Self:
        self._worker = asyncio.create_task(self._work(), name="agent-runs")
        self._warming = asyncio.create_task(self._warm_up(), name="agent-warm-up")
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End the run, every question and the CLI; subscribers see the stream end. Prompts that wait stay in `queued`.

        Takes some 50 ms; at the most, with a process that does not answer, three seconds.
        """
        if self.state == "closed":
            return
        self._queue.stop()
        await self._stop_run()
        self.state = "closed"
        if self._run is not None:
            self._finish(self._run, "interrupted", Interrupted())
        for task in (self._worker, self._warming, self._reader, self._connecting, self._shell):
            if task is not None and not task.cancelling():
                task.cancel()
        if ending := [task for task in (self._connecting, self._shell) if task is not None]:
            await asyncio.wait(ending, timeout=_CLOSE_LIMIT_S)
        await self._end_conversation()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._launcher.close(), _CLOSE_LIMIT_S)
        self._stream.close()

    async def _stop_run(self) -> None:
        """Interrupt before disconnecting: a disconnect in mid-stream takes 5 s, after an interrupt 0.05 s (measured)."""
        if self._run is None:
            return
        self._run.stop.set()
        self._questions.cancel()
        await self._interrupt_conversation()

    async def _interrupt_conversation(self) -> None:
        """Ask the process to stop; one that hangs is not waited for."""
        if self._conversation is not None:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._conversation.interrupt(), _INTERRUPT_AGAIN_S)

    async def _end_conversation(self) -> None:
        conversation, self._conversation = self._conversation, None
        if conversation is not None:
            self._endings.append(asyncio.create_task(conversation.close(), name="agent-end"))
        if self._endings:
            _, slow = await asyncio.wait(self._endings, timeout=_CLOSE_LIMIT_S)
            if slow and conversation is not None:
                conversation.kill()
                await asyncio.wait(slow, timeout=_LAST_BREATH_S)

    # ── What a face of the service calls ──────────────────────────────────────────────────────

    @property
    def session_id(self) -> str:
        """The id of the conversation, known from the start."""
        return self._session.session_id

    @property
    def queued(self) -> tuple[QueuedPrompt, ...]:
        """The prompts that wait."""
        return self._queue.waiting

    def events(self) -> AsyncIterator[Event]:
        """Return every event from this call on, in order, until the service is closed."""
        return self._stream.subscribe()

    async def submit(self, prompt: Prompt) -> str:
        """Queue `prompt`; it runs when its turn comes. Returns the id under which it waits. Raises AgentError once closed."""
        if self.state == "closed":
            raise AgentError("The session is closed.", "Start the application again.")
        return self._queue.put(prompt, waits=self._run is not None)

    def take_back(self, queued_id: str) -> Prompt | None:
        """Remove a waiting prompt from the queue and return it; None where it does not wait any more."""
        return self._queue.take_back(queued_id)

    async def interrupt(self) -> None:
        """Stop the shell command or the run under way, if any. Waiting prompts stay queued and run next."""
        if self._shell is not None and not self._shell.done():
            if not self._shell.cancelling():
                self._shell.cancel()
        elif self._run is not None and not self._run.stop.is_set():
            await self._stop_run()

    async def reply(self, request_id: str, reply: Reply) -> None:
        """Answer a question. Raises AgentError where it does not wait (any more), or waits for another kind of answer."""
        self._questions.reply(request_id, reply)

    async def run_shell(self, command: str) -> None:
        """Run a shell command of the person in the workspace. What it writes goes to the agent with the next prompt.

        One at a time; `interrupt` stops it. Raises AgentError while another one runs.
        """
        if self._shell is not None and not self._shell.done():
            raise AgentError("A shell command is still running.", "Wait for it, or stop it with Esc.")
        self._shell = asyncio.create_task(run_shell(command, Path(self._cwd), self._publish), name="shell")
        await asyncio.wait({self._shell})
        if not self._shell.cancelled():
            self._shell_notes.append(self._shell.result())

    async def restart(self) -> None:
        """Start the agent process again where it was lost; the conversation goes on where it was."""
        if self._conversation is None:
            with suppress(AgentError):
                await self._connected()

    # ── Runs ──────────────────────────────────────────────────────────────────────────────────

    async def _warm_up(self) -> None:
        """Connect while the person types. What goes wrong is published, and tried again with the first prompt."""
        with suppress(AgentError):
            await self._connected()

    async def _work(self) -> None:
        """Take one prompt after the other."""
        while True:
            await self._perform(await self._queue.next())

    async def _perform(self, prompt: Prompt) -> None:
        loop = asyncio.get_running_loop()
        run = _Run(uuid.uuid4().hex[:12], loop.create_future(), started=loop.time(), last_heard=loop.time())
        self._run = run
        self.state = "running"
        self._publish(RunStarted(prompt=prompt))
        watch = asyncio.create_task(self._watch(run))
        try:
            ended = await self._turn(run, prompt)
            self._conclude(run, ended)
        except _SessionLost:
            self._fail(run, RUN_LOST)
        except AgentError as error:
            self._fail(run, Failure("not_started", error.message, error.remedy))
        except Exception as error:
            self._fail(run, turn_failure(f"an error inside dogent-tui, {type(error).__name__}: {error}"))
        finally:
            watch.cancel()

    async def _turn(self, run: _Run, prompt: Prompt) -> TurnEnded:
        """Send the prompt and wait for the end of the turn. Raises AgentError where the session cannot start or is lost."""
        stopped = asyncio.create_task(run.stop.wait())
        connected = asyncio.ensure_future(self._connected())
        try:
            await _first_of(connected, stopped)
            if run.stop.is_set():
                return TurnEnded("stopped")
            await self._send(connected.result(), self._words(prompt))
            await _first_of(run.ended, stopped)
            if not run.ended.done():
                await self._await_stop(run)
            ended = run.ended.result()
            if ended is not None and ended.outcome in ("error", "stopped") and not run.stopped_by_us:
                await self._await_loss()
            if ended is None:
                raise _SessionLost
            return ended
        finally:
            stopped.cancel()
            if not connected.done():
                connected.cancel()

    def _words(self, prompt: Prompt) -> str:
        """Return the message for `prompt`; what the person ran in the shell since the last one follows it, once."""
        notes, self._shell_notes = self._shell_notes, []
        return "\n\n".join([user_prompt(prompt.text, prompt.attachments), *(note.as_text() for note in notes)])

    async def _send(self, conversation: Conversation, text: str) -> None:
        try:
            await conversation.send(text)
        except AgentError as error:
            raise _SessionLost from error

    async def _await_stop(self, run: _Run) -> None:
        """Wait for an interrupted turn to end; ask again, as an interrupt may overtake its prompt; then give the process up."""
        deadline = asyncio.get_running_loop().time() + _INTERRUPT_LIMIT_S
        while asyncio.get_running_loop().time() < deadline:
            done, _ = await asyncio.wait({run.ended}, timeout=_INTERRUPT_AGAIN_S)
            if done:
                return
            await self._interrupt_conversation()
        if not run.ended.done():
            run.ended.set_result(TurnEnded("stopped"))
        if self._conversation is not None:
            self._conversation.kill()
        if self._reader is not None:
            await asyncio.wait({self._reader}, timeout=_LAST_BREATH_S)  # it finds the process gone: the next run starts another

    async def _await_loss(self) -> None:
        """A CLI that a signal ends finishes its turn first, then itself. Raises AgentError where that is what happened."""
        if self._reader is not None:
            await asyncio.wait({self._reader}, timeout=_LAST_BREATH_S)
        if self._conversation is None:
            raise _SessionLost

    def _conclude(self, run: _Run, ended: TurnEnded) -> None:
        cost = self._cost(ended)
        if ended.window and ended.window != self._usage.window:
            self._usage = replace(self._usage, window=ended.window)
            self._publish(self._usage)
        if run.aborted:
            self._finish(run, "aborted", Aborted(reason=run.aborted), reason=run.aborted, cost=cost)
        elif run.stop.is_set():
            self._finish(run, "interrupted", Interrupted(), cost=cost)
        elif ended.outcome == "completed":
            self._finish(run, "completed", result=ended.text, cost=cost, turns=ended.num_turns)
        elif ended.outcome == "api_error":
            self._fail(run, api_failure(ended.status, ended.error, self.endpoint.name))
        else:
            self._fail(run, turn_failure(ended.error))

    def _cost(self, ended: TurnEnded) -> float | None:
        """What this run cost, only where the figure is real: the CLI prices every endpoint as if it were Anthropic's."""
        if ended.cost_usd is None or self.endpoint.kind != "anthropic":
            return None
        cost, self._spent_usd = ended.cost_usd - self._spent_usd, ended.cost_usd
        return max(cost, 0.0)

    def _fail(self, run: _Run, failure: Failure) -> None:
        self._finish(run, "failed", reason=failure.message, remedy=failure.remedy, code=failure.code)

    def _finish(
        self,
        run: _Run,
        status: RunStatus,
        *before: Event,
        result: str = "",
        reason: str = "",
        remedy: str = "",
        code: str = "",
        cost: float | None = None,
        turns: int = 0,
    ) -> None:
        self._questions.cancel()
        for event in before:
            self._publish(event)
        duration_ms = round((asyncio.get_running_loop().time() - run.started) * 1000)
        self._publish(
            RunFinished(
                status=status,
                duration_ms=duration_ms,
                result=result,
                reason=reason,
                remedy=remedy,
                code=code,
                cost_usd=cost,
                num_turns=turns,
            )
        )
        self._run = None
        if self.state == "running":
            self.state = "idle"

    async def _watch(self, run: _Run) -> None:
        """Say for how long nothing has come, unless a tool or the person is what we wait for."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(min(1.0, self._stall_after_s))
            if run.tools or self._questions or self._conversation is None:
                run.last_heard = loop.time()
            quiet = loop.time() - run.last_heard
            if quiet >= max(self._stall_after_s, run.stalled + 5.0 if run.stalled else 0.0):
                run.stalled = max(1, int(quiet))
                self._publish(Stalled(seconds=run.stalled))

    # ── The session ───────────────────────────────────────────────────────────────────────────

    async def _connected(self) -> Conversation:
        """Return the live conversation, starting one where there is none. Raises AgentError where there can be none."""
        if self._conversation is not None:
            return self._conversation
        if self._connecting is None or self._connecting.done():
            self._connecting = asyncio.create_task(self._connect(), name="agent-connect")
        return await asyncio.shield(self._connecting)

    async def _connect(self) -> Conversation:
        try:
            conversation = await self._launch()
        except Exception as error:
            failure = _as_agent_error(error)
            self.state = "lost"
            self._publish(SessionLost(message=failure.message, remedy=failure.remedy))
            raise failure from error
        self._conversation = conversation
        self._spent_usd = 0.0  # each process counts from zero
        if self.state != "closed":
            self.state = "running" if self._run is not None else "idle"
        self._reader = asyncio.create_task(self._read(conversation), name="agent-reader")
        self._publish(
            SessionStarted(
                session_id=conversation.session_id,
                profile=self.endpoint.name,
                model=self.endpoint.model,
                endpoint=self.endpoint.kind,
                cwd=self._cwd,
                resumed=self._session.resume,
            )
        )
        self._session = SessionChoice(conversation.session_id, resume=True)
        return conversation

    async def _launch(self) -> Conversation:
        """Start the chosen session; where an earlier one cannot be resumed, a new one, and say so."""
        try:
            return await self._launcher.start(self._session, self._ask)
        except AgentError as error:
            if not (self._session.resume and _UNKNOWN_SESSION in error.message):
                raise
        anew = SessionChoice(str(uuid.uuid4()))
        conversation = await self._launcher.start(anew, self._ask)
        self._session = anew
        self._publish(
            Notice(
                level="warning",
                code="resume_failed",
                message="The earlier conversation could not be resumed.",
                remedy="The agent starts without memory of it; repeat what it should know.",
            )
        )
        return conversation

    async def _read(self, conversation: Conversation) -> None:
        """Read for life. When the stream ends, the session is lost, with an exception or without."""
        detail = ""
        try:
            async for item in conversation.messages():
                self._receive(item)
        except Exception as error:
            detail = _as_agent_error(error).message
        if self.state != "closed" and self._conversation is conversation:
            self._lose(detail)
            self._endings.append(asyncio.create_task(conversation.close(), name="agent-end"))

    def _lose(self, detail: str) -> None:
        self._conversation = None
        self.state = "lost"
        failure = session_lost(detail)
        self._questions.cancel()
        self._publish(SessionLost(message=failure.message, remedy=failure.remedy))
        if self._run is not None and not self._run.ended.done():
            self._run.ended.set_result(None)

    def _receive(self, item: Event | TurnEnded) -> None:
        run = self._run
        if run is not None:
            self._heard(run, item)
        if isinstance(item, TurnEnded):
            if run is not None and not run.ended.done():
                run.ended.set_result(item)
            return
        if isinstance(item, UsageChanged):
            item = self._usage = replace(item, window=item.window or self._usage.window)
        self._publish(item)

    def _heard(self, run: _Run, item: Event | TurnEnded) -> None:
        run.last_heard = asyncio.get_running_loop().time()
        if run.stalled:
            run.stalled = 0
            self._publish(Stalled(seconds=0))
        if isinstance(item, ToolUse):
            run.tools.add(item.tool_use_id)
        elif isinstance(item, ToolResult):
            run.tools.discard(item.tool_use_id)
        elif isinstance(item, Retrying):
            run.last_heard += item.delay_ms / 1000

    # ── Questions ─────────────────────────────────────────────────────────────────────────────

    async def _ask(self, question: PermissionQuestion) -> Verdict:
        """Put a tool call to the person and wait for as long as it takes."""
        run = self._run
        if run is None or run.stop.is_set() or run.aborted:
            return Verdict(allow=False, message="The run was stopped.", stop=True)
        answer = await self._questions.ask(question)
        return self._verdict(run, question, answer)

    def _verdict(self, run: _Run, question: PermissionQuestion, answer: PermissionAnswer | None) -> Verdict:
        if answer is None:
            return Verdict(allow=False, message="The run was stopped.", stop=True)
        if answer.behavior == "allow":
            return Verdict(allow=True)
        if answer.message:
            return Verdict(allow=False, message=f"The person denied this call and says: {answer.message}")
        run.aborted = f"Denied: {friendly_name(question.tool)} {input_summary(question.input, self._cwd)}".rstrip()
        self._questions.cancel()
        return Verdict(allow=False, message="The person denied this call.", stop=True)

    def _publish(self, event: Event) -> None:
        self._stream.publish(event, self._run.id if self._run is not None else "")


def _as_agent_error(error: Exception) -> AgentError:
    """Return `error` as a sentence: whatever goes wrong on the way to the agent ends a run, never the service."""
    if isinstance(error, AgentError):
        return error
    words = error.message if isinstance(error, DogentError) else f"{type(error).__name__}: {error}"
    return AgentError(f"The agent could not be reached ({words}).", "Send the prompt again, or restart dogent-tui.")


async def _first_of(*waits: asyncio.Future[Any]) -> None:
    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
