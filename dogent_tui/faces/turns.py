"""What one run says as chunks, for whoever reads it, from any place, also after its end."""

import asyncio
from collections.abc import AsyncIterator

from dogent_tui.agent import events
from dogent_tui.faces.chunks import MessageChunks
from dogent_tui.faces.seen import Chunk

_RESULT_S = 3600.0


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
            case events.PermissionRequested() | events.UiRequested(in_run=True):
                self.waiting.add(event.request_id)
            case events.PermissionDecided() | events.UiSettled():
                self.waiting.discard(event.request_id)
            case events.ToolResult(tool_use_id=call):
                self.results[call] = event
            case events.RunFinished():
                self.is_over = True
                self.waiting.clear()
        async with self._changed:
            self.said += self.chunks.of(event)
            self._changed.notify_all()

    async def cut(self, words: str) -> None:
        """End what is said with an error: a stream that just ends looks like a success to the
        client.
        """
        async with self._changed:
            if not self.is_over:
                self.said += [{"type": "error", "errorText": words}]
            self.is_over = True
            self._changed.notify_all()

    async def read(
        self, start: int, message_id: str, *, pauses: bool
    ) -> AsyncIterator[list[Chunk]]:
        """Yield what is said from `start` on, until the run ends, or waits for the user if it then
        `pauses`.

        `message_id` is the message that is continued, "" for a new one.
        """
        yield self.chunks.start(message_id or self.run_id)
        place = start
        while place < len(self.said) or not self._rests(pauses):
            async with self._changed:
                while place == len(self.said) and not self._rests(pauses):
                    await self._changed.wait()
            if new := self.said[place:]:
                place += len(new)
                yield new
        if not self.is_over:
            self.paused_at = place
            yield self.chunks.pause()

    def _rests(self, pauses: bool) -> bool:
        return self.is_over or (pauses and bool(self.waiting))

    async def result(self, call: str) -> events.ToolResult | None:
        """Return the result of a call once it is there; None where the run ends without it."""
        async with asyncio.timeout(_RESULT_S), self._changed:
            await self._changed.wait_for(lambda: call in self.results or self.is_over)
        return self.results.get(call)
