"""A session of ours that another program sees: the agent connected, what is said written down,
and followed.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence

from dogent_tui.agent.events import Event
from dogent_tui.agent.recording import start_recording
from dogent_tui.agent.replay import earlier_events
from dogent_tui.agent.session import OpenedSession, SessionOptions, check_writable, open_session
from dogent_tui.storage.paths import Workspace


def open_to_write(workspace: Workspace, options: SessionOptions) -> OpenedSession:
    """Return the session, which nobody else writes. Blocks. Raises DogentError."""
    opened = open_session(workspace, options)
    check_writable(opened)
    return opened


class Connected(ABC):
    """One session."""

    def __init__(self, opened: OpenedSession) -> None:
        self.opened = opened
        self.service = opened.service
        self._tasks: list[asyncio.Task[None]] = []

    async def connect(self) -> None:
        """Connect the agent; what was said before is told by `restore`, and what is said from
        now on by `hear`.
        """
        heard, recording = self.service.events(), start_recording(self.opened)
        if (log := self.opened.earlier_log) is not None:
            earlier = await asyncio.to_thread(lambda: list(earlier_events(log)))
            self.service.restore(earlier)
            await self.restore(earlier)
        await self.service.__aenter__()
        self._tasks = [asyncio.create_task(self._follow(heard)), recording]

    async def close(self) -> None:
        """End the run and the agent."""
        await self.service.close()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @abstractmethod
    async def restore(self, earlier: Sequence[Event]) -> None:
        """Take in what was said before."""

    @abstractmethod
    async def hear(self, event: Event) -> None:
        """Take in what happened."""

    @abstractmethod
    async def end(self) -> None:
        """Nothing more will be heard."""

    async def _follow(self, heard: AsyncIterator[Event]) -> None:
        try:
            async for event in heard:
                await self.hear(event)
        finally:
            await self.end()
