"""The connection to the model session: started when needed, read for its lifetime, restarted after
a loss, ended with the service; and one turn: a message is sent, and its end awaited or forced.
"""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, Protocol

from msgspec.structs import replace

from dogent_tui.agent.cli_transcripts import first_remembered, is_remembered, without_dropped
from dogent_tui.agent.conversation import (
    Ask,
    AskForm,
    Conversation,
    Launcher,
    SessionChoice,
    TurnEnded,
)
from dogent_tui.agent.events import Event, Notice
from dogent_tui.agent.failures import session_lost
from dogent_tui.agent.run import Run
from dogent_tui.errors import AgentError, DogentError
from dogent_tui.language import tr

_INTERRUPT_LIMIT_S = 0.25
"""How long to wait for the process to accept an interrupt."""
_TURN_LIMIT_S = 5.0
"""How long an interrupted turn may take to end before its process is killed. Nothing said is lost:
the next process is told what this one did not store.
"""
_LAST_BREATH_S = 0.5
"""How long an ending process takes from the end of its turn to the end of its output (75 ms
measured).
"""
_CLOSE_LIMIT_S = 1.0
"""How long the CLI may take to exit when we close; then it is killed."""
FORGOTTEN = "resume_failed"
"""The code of the notice that the earlier conversation is not remembered."""
_UNKNOWN = ("No conversation found", "No message found")
"""The CLI's message if it does not know the session to resume, or the entry in it: entries before a
summary that replaces them cannot be resumed at.
"""


class Listener(Protocol):
    """Receives what happens on a connection."""

    def on_start(self, conversation: Conversation, *, resumed: bool) -> None:
        """A process is running; nothing has been read from it yet."""

    def on_item(self, item: Event | TurnEnded) -> None:
        """Something arrived: an event without run and number, or the end of a turn."""

    def on_loss(self, message: str, remedy: str) -> None:
        """The process could not be started, or ended on its own."""


class Connection:
    """Holds a session's process, one at a time. After `close` the listener is not called any
    more.
    """

    def __init__(
        self,
        launcher: Launcher,
        session: SessionChoice,
        ask: Ask,
        form: AskForm,
        listener: Listener,
    ) -> None:
        self.live: Conversation | None = None
        self._launcher = launcher
        self._session = session
        self._ask = ask
        self._form = form
        self._listener = listener
        self._connecting: asyncio.Task[Conversation] | None = None
        self._reader: asyncio.Task[None] | None = None
        self._endings: list[asyncio.Task[None]] = []
        self._turn_left: asyncio.Future[None] | None = None
        self._leaving: asyncio.Task[None] | None = None
        self._resumed = False
        self._fork_of = ""

    @property
    def session_id(self) -> str:
        """The id of the session, known from the start."""
        return self._session.session_id

    @property
    def remembers(self) -> tuple[str, str]:
        """The session whose transcript the process started from, and the run from whose prompt on
        it had to forget.
        """
        return self._fork_of or self._session.session_id, self._session.dropped

    async def get(self) -> Conversation:
        """Return the live conversation, starting one if there is none. Raises AgentError if that is
        impossible.
        """
        if self._leaving is not None:
            await asyncio.wait({self._leaving})
        if self.live is not None:
            return self.live
        if self._connecting is None or self._connecting.done():
            self._connecting = asyncio.create_task(self._connect(), name="agent-connect")
        return await asyncio.shield(self._connecting)

    async def warm_up(self) -> None:
        """Connect if there is no conversation yet. Errors are reported, and the next `get` tries
        again.
        """
        with suppress(AgentError):
            await self.get()

    async def start_again(self, *, is_begun: bool = True) -> None:
        """End the process and start another with the launcher's current settings. It continues the
        conversation, if that `is_begun`.
        """
        conversation = await self._end_process()
        if conversation is not None and not is_begun:
            self._session = self._as_before(conversation)
        await self.warm_up()

    async def forget(self, runs: Sequence[str]) -> str:
        """End the process; the next one remembers nothing of `runs`, which are the last ones.

        Return the first of them in its transcript, empty if it contains none.
        """
        conversation = await self._end_process()
        if (
            conversation is not None
            and self._fork_of
            and not await asyncio.to_thread(is_remembered, conversation.session_id)
        ):
            self._session = self._as_before(conversation)
        remembered = self._session.fork_of or self._session.session_id
        first = await asyncio.to_thread(first_remembered, remembered, runs)
        self._session = replace(self._session, dropped=first or self._session.dropped)
        return self._session.dropped

    async def _end_process(self) -> Conversation | None:
        """End the current process, if any, and wait: it writes to its transcript until it exits."""
        if self._connecting is not None:
            await asyncio.wait({self._connecting})
        conversation = self._leave()
        if self._endings:
            await asyncio.wait(self._endings, timeout=_CLOSE_LIMIT_S)
        return conversation

    def _leave(self) -> Conversation | None:
        """End the current process and ignore it from now on."""
        conversation, self.live = self.live, None
        if conversation is not None:
            if self._reader is not None:
                self._reader.cancel()
            self._end(conversation)
        return conversation

    def _as_before(self, conversation: Conversation) -> SessionChoice:
        """Return the choice with which `conversation`, in which nothing was said, starts again."""
        if self._fork_of:  # with a new id: the previous one may be in use
            return SessionChoice(
                str(uuid.uuid4()), fork_of=self._fork_of, dropped=self._session.dropped
            )
        return SessionChoice(conversation.session_id, self._resumed, dropped=self._session.dropped)

    async def interrupt(self) -> None:
        """Ask the process to stop its turn."""
        if self.live is not None:
            with suppress(TimeoutError):
                await asyncio.wait_for(self.live.interrupt(), _INTERRUPT_LIMIT_S)

    @property
    def is_leaving_turn(self) -> bool:
        """Whether an abandoned turn is still ending."""
        return self._turn_left is not None

    def leave_turn(self) -> None:
        """Ignore the rest of the interrupted turn. `get` waits until it has ended or its process
        has been killed.
        """
        self._turn_left = asyncio.get_running_loop().create_future()
        self._leaving = asyncio.create_task(self._end_turn(self._turn_left), name="agent-turn-end")

    async def _end_turn(self, turn_left: asyncio.Future[None]) -> None:
        """Wait for the end of the turn; interrupt again, as an interrupt may overtake its prompt;
        then kill the process.
        """
        deadline = asyncio.get_running_loop().time() + _TURN_LIMIT_S
        waits = {turn_left} if self._reader is None else {turn_left, self._reader}
        try:
            while asyncio.get_running_loop().time() < deadline:
                await self.interrupt()
                if (
                    await asyncio.wait(
                        waits, timeout=_INTERRUPT_LIMIT_S, return_when=asyncio.FIRST_COMPLETED
                    )
                )[0]:
                    return
            await self.give_up()
        finally:
            self._turn_left = None

    async def give_up(self) -> None:
        """Kill a process that does not answer; the next `get` starts another.

        If the kernel cannot end it yet because its disk hangs, it is ignored from now on.
        """
        conversation = self.live
        if conversation is not None:
            conversation.kill()
        await self.last_breath()
        if conversation is not None and self.live is conversation:
            self._leave()

    async def last_breath(self, limit_s: float = 0.0) -> None:
        """Wait a moment, or `limit_s` seconds, for a process that may be exiting, after which
        `live` is None.
        """
        if self._reader is not None:
            await asyncio.wait({self._reader}, timeout=limit_s or _LAST_BREATH_S)

    async def close(self) -> None:
        """End the process and the launcher, within about two and a half seconds."""
        for task in (self._reader, self._connecting, self._leaving):
            if task is not None:
                task.cancel()
        if self._connecting is not None:
            await asyncio.wait({self._connecting}, timeout=_CLOSE_LIMIT_S)
        conversation = self._leave()
        if self._endings:
            _, slow = await asyncio.wait(self._endings, timeout=_CLOSE_LIMIT_S)
            if slow and conversation is not None:
                conversation.kill()
                await asyncio.wait(slow, timeout=_LAST_BREATH_S)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._launcher.close(), _CLOSE_LIMIT_S)

    # ── Starting and reading ──────────────────────────────────────────────────────────────────

    async def _connect(self) -> Conversation:
        try:
            conversation = await self._launch()
        except Exception as error:
            failure = _as_agent_error(error)
            self._listener.on_loss(failure.message, failure.remedy)
            raise failure from error
        self.live = conversation
        self._reader = asyncio.create_task(self._read(conversation), name="agent-reader")
        self._resumed, self._fork_of = self._session.resume, self._session.fork_of
        self._session = SessionChoice(
            conversation.session_id, resume=True, dropped=self._session.dropped
        )
        self._listener.on_start(conversation, resumed=self._resumed or bool(self._fork_of))
        return conversation

    async def _launch(self) -> Conversation:
        """Start the chosen session; if an earlier one cannot be resumed, start a new one and report
        it.
        """
        self._session = choice = await asyncio.to_thread(without_dropped, self._session)
        try:
            return await self._launcher.start(choice, self._ask, self._form)
        except AgentError as error:
            if not (
                (choice.resume or choice.fork_of)
                and any(words in error.message for words in _UNKNOWN)
            ):
                raise
        new = SessionChoice(str(uuid.uuid4()))
        conversation = await self._launcher.start(new, self._ask, self._form)
        self._session = new
        self._listener.on_item(
            Notice(
                code=FORGOTTEN,
                message=tr("The agent no longer remembers the earlier conversation."),
                remedy=tr(
                    "It has been given what the transcript recorded, but may have to reread the"
                    " files."
                ),
            )
        )
        return conversation

    async def _read(self, conversation: Conversation) -> None:
        """Read for the lifetime of the process. When the stream ends, with or without an exception,
        the session is lost.
        """
        detail = ""
        try:
            async for item in conversation.messages():
                if self._turn_left is None:
                    self._listener.on_item(item)
                elif isinstance(item, TurnEnded) and not self._turn_left.done():
                    self._turn_left.set_result(None)
        except Exception as error:
            detail = _as_agent_error(error).message
        if self.live is conversation:
            self.live = None
            failure = session_lost(detail)
            self._listener.on_loss(failure.message, failure.remedy)
            self._end(conversation)

    def _end(self, conversation: Conversation) -> None:
        self._endings.append(asyncio.create_task(conversation.close(), name="agent-end"))


def _as_agent_error(error: Exception) -> AgentError:
    """Return `error` as a sentence: an error in reaching the agent ends a run, never the
    service.
    """
    if isinstance(error, AgentError):
        return error
    words = error.message if isinstance(error, DogentError) else f"{type(error).__name__}: {error}"
    return AgentError(
        tr("The agent could not be reached ({words}).", words=words),
        tr("Send the prompt again, or restart dogent-tui."),
    )


_STOP_LIMIT_S = 0.3
"""How long an interrupted turn may keep the user waiting (it takes 6–30 ms to end)."""
_DYING_LIMIT_S = 10.0
"""How long a process may take to exit if its turn was cut short by a signal and not by us (75 ms on
a quiet machine).
"""


class TurnLost(Exception):  # noqa: N818  (it says what happened, and is an error only to the run)
    """The agent process is gone in the middle of a turn."""


class Turn:
    """The turn of `run` over a connection."""

    def __init__(self, run: Run, connection: Connection) -> None:
        self.run = run
        self._connection = connection
        self._ended: asyncio.Future[TurnEnded | None] = asyncio.get_running_loop().create_future()
        self._stop = asyncio.Event()

    @property
    def is_left(self) -> bool:
        """Whether its end is no longer waited for."""
        return self._stop.is_set()

    def leave(self) -> None:
        """Wait for its end only briefly from now on."""
        self._stop.set()

    def hear_end(self, ended: TurnEnded | None) -> None:
        """Accept its end, None if the agent is lost; the first one counts."""
        if not self._ended.done():
            self._ended.set_result(ended)

    async def take(self, send: Callable[[Conversation], Awaitable[None]]) -> TurnEnded:
        """Let `send` send the message once the agent is there, and return how the turn ended.

        Raises AgentError if the session cannot start, and TurnLost.
        """
        stopped = asyncio.create_task(self._stop.wait())
        connected = asyncio.ensure_future(self._connection.get())
        try:
            await _first_of(connected, stopped)
            if self.is_left:
                return TurnEnded("stopped")
            conversation = connected.result()
            try:
                await send(conversation)
            except AgentError as error:
                raise TurnLost from error
            await _first_of(self._ended, stopped)
            ended = self._ended.result() if self._ended.done() else await self._await_stop()
            if ended is None or await self._was_cut(ended, stopped):
                raise TurnLost
            return ended
        finally:
            stopped.cancel()
            if not connected.done():
                connected.cancel()

    async def _await_stop(self) -> TurnEnded | None:
        """Briefly wait for an interrupted turn to end. If it takes longer, the user may continue,
        and the connection waits for it.
        """
        await asyncio.wait({self._ended}, timeout=_STOP_LIMIT_S)
        if not self._ended.done():
            self.hear_end(TurnEnded("stopped"))
            self._connection.leave_turn()
        return self._ended.result()

    async def _was_cut(self, ended: TurnEnded, stopped: asyncio.Future[Any]) -> bool:
        """Return whether the process died of what ended the turn: a CLI ended by a signal finishes
        its turn first.
        """
        if self.run.state != "working" or ended.outcome not in ("cut", "error", "stopped"):
            return False
        limit_s = _DYING_LIMIT_S if ended.outcome == "cut" else 0.0
        dying = asyncio.create_task(self._connection.last_breath(limit_s))
        await _first_of(dying, stopped)
        dying.cancel()
        return self._connection.live is None


async def _first_of(*waits: asyncio.Future[Any]) -> None:
    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
