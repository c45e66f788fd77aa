"""The way between the CLI and the endpoint: a proxy of bytes on loopback that can be cut,
slowed, spoiled and taken away.
"""

import asyncio
import random
from typing import Self

_SLICE = 65_536
_SLOW_BYTES, _SLOW_S = 64, 0.02


class Network:
    """An async context manager. The CLI asks `base_url`; what it asks goes to the port `upstream`
    while `state` is good.

    `state`: ``good``; ``gone`` (every connection is closed at once), ``stop`` (nothing passes),
    ``slow``, ``garbage`` (every answer is spoiled).
    """

    def __init__(self, upstream: int, draw: random.Random) -> None:
        self.upstream = upstream
        self.state = "good"
        self._draw = draw
        self._changed = asyncio.Event()
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    @property
    def base_url(self) -> str:
        """What ``ANTHROPIC_BASE_URL`` becomes."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def become(self, state: str) -> None:
        """Be in another state; ``cut`` resets every connection and is good again at once."""
        self.state = "good" if state == "cut" else state
        self._changed.set()
        if state in ("cut", "gone"):
            for writer in self._writers:
                writer.transport.abort()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_failure: object) -> None:
        assert self._server is not None
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.state == "gone":
            writer.transport.abort()
            return
        self._writers.add(writer)
        try:
            theirs, to_them = await asyncio.open_connection("127.0.0.1", self.upstream)
        except OSError:
            writer.transport.abort()
            return
        self._writers.add(to_them)
        try:
            await asyncio.gather(
                self._carry(reader, to_them, spoils=False), self._carry(theirs, writer, spoils=True)
            )
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            for each in (writer, to_them):
                each.transport.abort()
                self._writers.discard(each)

    async def _carry(
        self, source: asyncio.StreamReader, target: asyncio.StreamWriter, *, spoils: bool
    ) -> None:
        while data := await source.read(_SLICE):
            while self.state == "stop":
                self._changed.clear()
                await self._changed.wait()
            if self.state == "garbage" and spoils:
                data = self._draw.randbytes(len(data))
            while self.state == "slow" and len(data) > _SLOW_BYTES:
                target.write(data[:_SLOW_BYTES])
                data = data[_SLOW_BYTES:]
                await asyncio.sleep(_SLOW_S)
            target.write(data)
            await target.drain()
        if target.can_write_eof():
            target.write_eof()
