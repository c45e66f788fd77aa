"""Runs the worker process: its limits on time and memory, its end, and the error if it ends on its
own.
"""

import asyncio
import contextlib
import os
import signal
import socket
import sys
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from dogent_tui.documents.messages import Failed, Finished, Message, Piece, Request
from dogent_tui.documents.model import DocumentError, unreadable
from dogent_tui.documents.pandoc.program import pandoc_places
from dogent_tui.documents.worker import LONG_CHARS, too_large, worker_command
from dogent_tui.language import tr
from dogent_tui.processes import end_tree, talk_process, tree_cpu, tree_memory
from dogent_tui.records import Record
from dogent_tui.storage.places import open_real
from dogent_tui.wall.own import own_environment, walled

_LONGEST_S = 600.0
"""The time limit of a conversion, however many blocks arrive: 64 MB of Markdown arrive sooner."""
_WATCH_S = 0.05
_IDLE_BYTES = 250 << 20
"""A worker with more resident memory is not reused."""
_PING_S = 2.0
_START_S = 15.0
_MOST_AT_ONCE = 4
_CHUNK = 262_144

_MESSAGE = msgspec.json.Decoder(Message)


class Limits(Record):
    """When to give up a conversion: without a new block for `cpu_s` seconds of processor time,
    which other load does not shorten, or for `silence_s` seconds in which it may wait for the
    processor, or when the worker and its children have more than `memory_bytes` resident.
    """

    silence_s: float = 60.0
    cpu_s: float = 6.5
    memory_bytes: int = 560 << 20


class Workers:
    """Workers for one event loop: at most `at_once`, and `kept` idle ones with their libraries
    loaded.

    `command` starts one.
    """

    def __init__(
        self,
        limits: Limits = Limits(),  # noqa: B008 — frozen
        command: Sequence[str] = (),
        *,
        at_once: int = _MOST_AT_ONCE,
        kept: int = 1,
    ) -> None:
        self._limits = limits
        self._command = command or worker_command()
        self._free = asyncio.Semaphore(at_once)
        self._kept = kept
        self._idle: list[_Worker] = []

    async def convert(
        self, path: Path, request: Request, real: Path
    ) -> AsyncGenerator[list[Message], None]:
        """Yield a worker's messages about a document as they arrive. `real` is where `path` leads.

        Raises DocumentError if it takes too long or too much memory, or ends on its own.
        """
        images = request.options.images_dir
        async with self._free, self._lent(*filter(None, [images])) as worker:
            await worker.is_there(_START_S)  # loading libraries is not the document's fault
            async with contextlib.aclosing(worker.answer(path, request, real)) as said:
                async for messages in said:
                    yield messages

    async def close(self) -> None:
        """End idle workers. Busy ones end with their conversions."""
        while self._idle:
            await self._idle.pop().end()

    @contextlib.asynccontextmanager
    async def _lent(self, *writable: str) -> AsyncIterator["_Worker"]:
        """Provide a worker that sees nothing of the user's except what it is given, and may write
        to the folders `writable`; an idle one if there are none.
        """
        places = await asyncio.to_thread(pandoc_places)
        command = await asyncio.to_thread(
            walled, self._command, readable=places, writable=writable, rereads=True
        )
        worker = None if writable else await self._idle_one(command)
        worker = worker or await _start(command, self._limits)
        try:
            yield worker
        finally:
            try:
                if not writable and await worker.is_reusable():
                    self._idle.append(worker)
                    worker = None if len(self._idle) <= self._kept else self._idle.pop(0)
            finally:  # even if no one waits for it any more
                if worker is not None:
                    await worker.end()

    async def _idle_one(self, command: Sequence[str]) -> "_Worker | None":
        """Return an idle worker that was started with `command`: others see another pandoc, or
        none.
        """
        while self._idle:
            worker, is_there = self._idle.pop(), False
            try:
                is_there = worker.command == command and await worker.is_there()
            finally:  # even if no one waits for it any more
                if not is_there:
                    await worker.end()
            if is_there:
                return worker
        return None


async def _start(command: Sequence[str], limits: Limits) -> "_Worker":
    ours, theirs = socket.socketpair()
    try:
        with theirs:
            process = await talk_process(
                command, cwd=Path("/"), env=own_environment(), stdin=theirs.fileno()
            )
    except OSError as error:
        raise DocumentError(
            tr("Documents cannot be read: {strerror}.", strerror=error.strerror or error),
            tr("Try again."),
        ) from error
    return _Worker(command, process, ours, limits)


class _Worker:
    """One process, started with `command`. `is_in_order`: it sent everything it had to."""

    def __init__(
        self,
        command: Sequence[str],
        process: asyncio.subprocess.Process,
        requests: socket.socket,
        limits: Limits,
    ) -> None:
        self.command = command
        self.is_in_order = False
        self._process = process
        self._requests = requests
        self._limits = limits
        self._rest = b""
        self._chars = 0
        self._given_up: DocumentError | None = None
        self._cpu_used: float | None = None
        self._give_up_at = self._wait_until = 0.0

    async def is_there(self, limit_s: float = _PING_S) -> bool:
        """Return whether it answers. The end of a process is noticed only some time later."""
        assert self._process.stdout is not None
        try:
            self._requests.send(b"\n")
            async with asyncio.timeout(limit_s):
                return await self._process.stdout.read(_CHUNK) == b"\n"
        except (ConnectionError, TimeoutError):
            return False

    async def is_reusable(self) -> bool:
        """Whether it is usable again: in order, small, and with normal priority."""
        is_lean = self.is_in_order and self._chars < LONG_CHARS
        return is_lean and await self._memory() < _IDLE_BYTES

    async def answer(
        self, path: Path, request: Request, real: Path
    ) -> AsyncGenerator[list[Message], None]:
        """See `Workers.convert`."""
        self._chars, self.is_in_order = 0, False
        self._give_up_at = asyncio.get_running_loop().time() + _LONGEST_S
        self._be_patient()
        watching = asyncio.create_task(self._watch(path))
        try:
            await asyncio.to_thread(self._send, real, request)
            while not self.is_in_order:
                messages = await self._next_messages()
                self.is_in_order = isinstance(messages[-1], Finished | Failed)
                yield messages
        except TimeoutError:
            raise _too_slow(path) from None
        except EOFError:
            raise self._given_up or await self._ended(path) from None
        finally:
            watching.cancel()

    def _send(self, real: Path, request: Request) -> None:
        """Send a request with its open document. Raises DocumentError."""
        try:
            file = open_real(real)
        except OSError as error:
            raise unreadable(real, error) from None
        passed = sys.platform.startswith("linux")
        line = msgspec.json.encode(replace(request, passed=passed)) + b"\n"
        try:
            socket.send_fds(self._requests, [line], [file] if passed else [])
        except ConnectionError:
            pass  # indicated by the end of its output
        finally:
            os.close(file)

    async def end(self) -> None:
        """End it and its children."""
        self._requests.close()
        await asyncio.shield(end_tree(self._process))

    async def _next_messages(self) -> list[Message]:
        """Return its next messages, at least one. Raises TimeoutError and EOFError."""
        assert self._process.stdout is not None
        found: list[Message] = []
        async with asyncio.timeout_at(self._wait_until):
            while not found:
                chunk = await self._process.stdout.read(_CHUNK)
                if not chunk:
                    raise EOFError
                *lines, self._rest = (self._rest + chunk).split(b"\n")
                told = filter(None, lines)  # an empty one answers a ping, late
                found = await asyncio.to_thread(lambda: [*map(_MESSAGE.decode, told)])  # noqa: B023 — waited for at once
        pieces = [len(message.text) for message in found if isinstance(message, Piece)]
        if pieces:
            self._chars += sum(pieces)
            self._be_patient()
        return found

    def _be_patient(self) -> None:
        now = asyncio.get_running_loop().time()
        self._wait_until = min(now + self._limits.silence_s, self._give_up_at)
        self._cpu_used = None

    async def _watch(self, path: Path) -> None:
        while self._given_up is None:
            await asyncio.sleep(_WATCH_S)  # memory usage is not available
            used = await asyncio.to_thread(tree_cpu, self._process.pid)
            used = time.monotonic() if used is None else used
            self._cpu_used = used if self._cpu_used is None else self._cpu_used
            if await self._memory() > self._limits.memory_bytes:
                self._given_up = too_large(path.name)
            elif used - self._cpu_used > self._limits.cpu_s:
                self._given_up = _too_slow(path)
        await self.end()

    async def _memory(self) -> int:
        return await asyncio.to_thread(tree_memory, self._process.pid)

    async def _ended(self, path: Path) -> DocumentError:
        status = await self._process.wait()
        how = (
            tr("was ended by {signals}", signals=signal.Signals(-status).name)
            if status < 0
            else tr("exited with status {status}", status=status)
        )
        return DocumentError(
            tr(
                "{path} could not be read: the process that reads documents {how}.",
                path=path.name,
                how=how,
            ),
            tr(
                "The file is probably damaged: open it with the program that created it and save it"
                " again."
            ),
            code="damaged",
        )


def _too_slow(path: Path) -> DocumentError:
    return DocumentError(
        tr("{path} takes too long to read.", path=path.name),
        tr(
            "Read part of it if it has pages or sheets, split it, or save it again with the program"
            " that created it."
        ),
        code="timeout",
    )
