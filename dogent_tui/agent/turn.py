"""One turn: sends a message to the agent, and waits for its end or forces it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from dogent_tui.agent.connection import Connection
from dogent_tui.agent.conversation import Conversation, TurnEnded
from dogent_tui.agent.run import Run
from dogent_tui.errors import AgentError

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
