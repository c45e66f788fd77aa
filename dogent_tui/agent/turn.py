"""One turn: a message goes to the agent, and its end is waited for, or made to come."""

import asyncio
from collections.abc import Awaitable, Callable

from dogent_tui.agent.connection import Connection
from dogent_tui.agent.conversation import Conversation, TurnEnded
from dogent_tui.agent.run import Run, first_of
from dogent_tui.errors import AgentError

_STOP_LIMIT_S = 0.3
"""How long an interrupted turn may keep the user waiting (it takes 6–30 ms to end)."""
_DYING_LIMIT_S = 10.0
"""How long a process may take to end whose turn was cut, and not by us: it got a signal (75 ms
on a quiet machine).
"""


class TurnLost(Exception):  # noqa: N818  (it says what happened, and is an error only to the run)
    """The agent process is gone in the middle of a turn."""


async def take_turn(
    connection: Connection, run: Run, send: Callable[[Conversation], Awaitable[None]]
) -> TurnEnded:
    """Have `send` send what the run is about once the agent is there, and return how the turn of
    `run` ended.

    Raises AgentError where the session cannot start, and TurnLost.
    """
    stopped = asyncio.create_task(run.stop.wait())
    connected = asyncio.ensure_future(connection.get())
    try:
        await first_of(connected, stopped)
        if run.stop.is_set():
            return TurnEnded("stopped")
        await _sent(send(connected.result()))
        await first_of(run.ended, stopped)
        if not run.ended.done():
            await _await_stop(connection, run)
        ended = run.ended.result()
        if (
            ended is not None
            and ended.outcome in ("cut", "error", "stopped")
            and run.state == "working"
        ):
            dying = asyncio.create_task(
                connection.last_breath(_DYING_LIMIT_S if ended.outcome == "cut" else 0.0)
            )
            await first_of(dying, stopped)
            dying.cancel()
            if (
                connection.live is None
            ):  # a CLI that a signal ends finishes its turn first, then itself
                raise TurnLost
        if ended is None:
            raise TurnLost
        return ended
    finally:
        stopped.cancel()
        if not connected.done():
            connected.cancel()


async def _sent(sending: Awaitable[None]) -> None:
    try:
        await sending
    except AgentError as error:
        raise TurnLost from error


async def _await_stop(connection: Connection, run: Run) -> None:
    """Wait a moment for an interrupted turn to end. Where it takes longer, the user is free, and
    the connection waits for it.
    """
    await asyncio.wait({run.ended}, timeout=_STOP_LIMIT_S)
    if not run.ended.done():
        run.end(TurnEnded("stopped"))
        connection.leave_turn()
