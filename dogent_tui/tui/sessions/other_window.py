"""A conversation owned by another window: shown here while it continues there, and taken over once
the other window closes it.
"""

import asyncio
from contextlib import suppress

from dogent_tui.agent.events import Event, Level, Notice, SessionLost
from dogent_tui.agent.replay import events_of
from dogent_tui.agent.session import OpenedSession
from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.storage.session_log import PATIENCE_S, LogTail, is_held
from dogent_tui.storage.sessions import list_sessions
from dogent_tui.tui.ports import ConversationPort, SessionPort

LOOK_EVERY_S = 0.5
"""Seconds between two checks. Nothing is read if nothing was added: a following window takes 0.4 %
of a CPU, any idle one 0.2 % (measured).
"""

_THERE = tr(
    "This conversation is open in another window, so it is read-only here. It updates live."
)
_THERE_REMEDY = tr(
    "Continue there; once that window leaves it, you can continue here. Or fork it with /sessions"
    " to continue separately."
)

_LEFT = tr("The other window has left this conversation.")
_LEFT_REMEDY = tr("Send a prompt to continue here.")
_GONE = tr("The log of this conversation is gone: it was deleted.")
_GONE_REMEDY = tr("Use /new to start another, or /sessions to open one.")


class OtherWindow:
    """Follows in `screen` what another window does with the conversation `opened`."""

    def __init__(self, screen: ConversationPort, opened: OpenedSession) -> None:
        """Follow `opened`, which must be read-only."""
        assert opened.earlier_log is not None
        self._screen = screen
        self._log = opened.earlier_log
        self._tail = LogTail(self._log)
        self._has_it = True

    async def begin(self) -> None:
        """Show what happened so far."""
        events = []
        with suppress(OSError):
            events = await asyncio.to_thread(self._new)
        await self._screen.replay(events, ended=False)
        self._say(_THERE, _THERE_REMEDY)

    async def follow(self) -> None:
        """Show what happens from then on, until cancelled or the conversation is deleted."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            try:
                has_it, events = await asyncio.to_thread(self._look)
            except OSError:
                self._screen.set_open_elsewhere(continues=False)
                self._screen.handle(SessionLost(message=_GONE, remedy=_GONE_REMEDY))
                return
            if events:
                self._screen.show_elsewhere(events)
            if has_it != self._has_it:
                self._has_it = has_it
                self._changed_hands()

    def _changed_hands(self) -> None:
        self._screen.set_open_elsewhere(continues=self._has_it)
        if self._has_it:
            self._say(_THERE, _THERE_REMEDY)
        else:
            self._say(_LEFT, _LEFT_REMEDY, level="info")

    def _look(self) -> tuple[bool, list[Event]]:
        """Return whether a window owns the conversation, and what was added: everything, if that
        window has left.
        """
        # a deleted conversation must not be created again by mistake
        patience_s = 0.0 if self._has_it else PATIENCE_S
        return is_held(self._log, patience_s=patience_s), self._new()

    def _new(self) -> list[Event]:
        return list(events_of([*self._tail.lines()]))

    def _say(self, message: str, remedy: str, *, level: Level = "warning") -> None:
        self._screen.handle(Notice(level=level, message=message, remedy=remedy, code="read_only"))


async def take_over(session: SessionPort) -> bool:
    """Take over the conversation shown here if the other window has left it. Returns whether that
    was possible.
    """
    log = session.opened.earlier_log
    records = await asyncio.to_thread(list_sessions, session.opened.workspace)
    record = next((record for record in records if record.path == log), None)
    if record is None or await asyncio.to_thread(is_held, record.path):
        return False
    try:
        await session.open(record.session_id)
    except DogentError:
        return False
    await session.wait_until_started()
    return not session.opened.read_only
