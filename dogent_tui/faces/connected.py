"""A session of ours that another program sees: the agent connected, what is said written down,
and followed.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterable, Sequence

from dogent_tui.agent.events import Attachment, Event, Prompt
from dogent_tui.agent.recording import start_recording
from dogent_tui.agent.replay import earlier_events
from dogent_tui.agent.session import (
    OpenedSession,
    SessionOptions,
    make_prompt,
    open_session,
    with_template,
)
from dogent_tui.errors import UsageError
from dogent_tui.language import tr
from dogent_tui.references.lookup import find_references
from dogent_tui.storage.paths import Workspace


def open_to_write(workspace: Workspace, options: SessionOptions) -> OpenedSession:
    """Return the session, which nobody else writes. Blocks. Raises DogentError."""
    opened = open_session(workspace, options)
    if opened.read_only:
        words = tr("This conversation is open in another window.")
        raise UsageError(words, tr("Close it there first, or start another chat."))
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

    def prompt_of(self, text: str, also: Iterable[Attachment]) -> Prompt:
        """Return a prompt with what it refers to, and `also`. Blocks. Raises DogentError."""
        prompt, _ = make_prompt(text, self.opened.workspace, find_references(text), also)
        return with_template(prompt, self.opened.workspace, trusted=self.opened.trust.trusted)

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
