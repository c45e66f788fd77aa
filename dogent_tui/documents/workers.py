"""Running the worker process: its limits on time and memory, its end, and what is said when it
ends on its own.
"""

import asyncio
import contextlib
import os
import signal
import socket
import sys
import time
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import TypeAlias

import msgspec

from dogent_tui.documents.messages import Failed, Finished, Message, Piece, Request
from dogent_tui.documents.model import DocumentError, unreadable
from dogent_tui.documents.pandoc.program import pandoc_places
from dogent_tui.documents.worker import LONG_CHARS, worker_command
from dogent_tui.language import tr
from dogent_tui.processes import end_tree, talk_process, tree_cpu, tree_memory
from dogent_tui.storage.places import open_real
from dogent_tui.wall.own import walled

_LONGEST_S = 600.0
"""No conversion takes longer, however many blocks come: 64 MB of Markdown come sooner."""
_WATCH_S = 0.05
_IDLE_BYTES = 250 << 20
"""A worker that has more resident is not kept for the next document."""
_IDLE_S = 300.0
_PING_S = 2.0
_START_S = 15.0
_MOST_AT_ONCE = 4
_CHUNK = 262_144

_PASSED_ON = (
    "PATH", "HOME", "TMPDIR", "TEMP", "TMP", "LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH",
    "SYSTEMROOT", "DOGENT_HOME", "XDG_DATA_HOME",
)  # fmt: skip
"""What the worker gets of our environment: no key of anybody's."""

_MESSAGE = msgspec.json.Decoder(Message)


class Limits(msgspec.Struct, frozen=True):
    """When a conversion is given up: without a new block for `silence_s` seconds, or for `cpu_s`
    seconds of processor time, which others who work here do not shorten, and where the worker and
    all that it started have more than `memory_bytes` resident.
    """

    silence_s: float = 6.5
    cpu_s: float = _LONGEST_S
    memory_bytes: int = 560 << 20


Line: TypeAlias = tuple[bytes, Message]


class Workers:
    """Workers for one event loop: `at_once` of them at the most, and `kept` that wait with their
    libraries loaded.

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
        self._retiring: asyncio.Task[None] | None = None

    async def convert(
        self, path: Path, request: Request, real: Path
    ) -> AsyncGenerator[list[Line], None]:
        """Yield what a worker says of a document, as it comes, until all is said. `real` is where
        `path` leads.

        Raises DocumentError where it takes too long or too much, or ends on its own.
        """
        async with self._free:
            images = request.options.images_dir
            worker = await (self._take() if images is None else self._start(images))
            try:
                async with contextlib.aclosing(worker.answer(path, request, real)) as said:
                    async for lines in said:
                        yield lines
            finally:
                if images is None and await worker.is_reusable() and len(self._idle) < self._kept:
                    self._keep(worker)
                else:
                    await worker.end()

    async def warm(self) -> None:
        """Have a worker wait that has loaded its libraries, so that the time of the next
        document is its own.
        """
        if self._idle:
            return
        worker = await self._start()
        wanted = False
        try:
            wanted = await worker.is_there(_START_S) and not self._idle
            if wanted:
                self._keep(worker)
        finally:  # also where nobody waits for it any more
            if not wanted:
                await worker.end()

    async def close(self) -> None:
        """End the workers that wait. Those that work end with their conversions."""
        if self._retiring is not None:
            self._retiring.cancel()
        while self._idle:
            await self._idle.pop().end()

    async def _take(self) -> "_Worker":
        while self._idle:
            worker = self._idle.pop()
            try:
                is_there = (
                    worker.places == await asyncio.to_thread(pandoc_places)
                    and await worker.is_there()
                )
            except asyncio.CancelledError:
                await worker.end()
                raise
            if is_there:
                return worker
            await worker.end()
        worker = await self._start()
        if self._limits.cpu_s < _LONGEST_S:  # what it loads is no document's fault
            await worker.is_there(_START_S)
        return worker

    async def _start(self, *writable: str) -> "_Worker":
        """Return a worker that sees nothing of the user's but what it is given, and may write in
        the folders `writable`.
        """
        places = await asyncio.to_thread(pandoc_places)
        command = await asyncio.to_thread(
            walled, self._command, readable=places, writable=writable, rereads=True
        )
        return await _Worker.start(command, self._limits, places)

    def _keep(self, worker: "_Worker") -> None:
        self._idle.append(worker)
        if self._retiring is not None:
            self._retiring.cancel()
        self._retiring = asyncio.create_task(self._retire())

    async def _retire(self) -> None:
        await asyncio.sleep(_IDLE_S)
        while self._idle:
            await self._idle.pop().end()


class _Worker:
    """One process. It sees the pandoc that was at `places` when it started, and none that came
    later.
    """

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        requests: socket.socket,
        limits: Limits,
        places: Sequence[Path],
    ) -> None:
        self.places = places
        self._process = process
        self._requests = requests
        self._limits = limits
        self._rest = b""
        self._chars = 0
        self._too_much = self._too_slow = False
        self._cpu_used: float | None = None
        self._finished = False
        self._is_last = False
        self._patience_until = self._give_up_at = 0.0

    @classmethod
    async def start(
        cls, command: Sequence[str], limits: Limits, places: Sequence[Path]
    ) -> "_Worker":
        environment = {
            name: value
            for name, value in os.environ.items()
            if name in _PASSED_ON or name.startswith("LC_")
        }
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                process = await talk_process(
                    command, cwd=Path("/"), env=environment, stdin=theirs.fileno()
                )
            return cls(process, ours, limits, places)
        except OSError as error:
            raise DocumentError(
                tr("Documents cannot be read: {strerror}.").format(
                    strerror=error.strerror or error
                ),
                tr("Try again."),
            ) from error

    async def is_there(self, limit_s: float = _PING_S) -> bool:
        """Tell whether it answers. That a process has ended is known some time later only."""
        assert self._process.stdout is not None
        try:
            self._requests.send(b"\n")
            async with asyncio.timeout(limit_s):
                return await self._process.stdout.read(_CHUNK) == b"\n"
        except (ConnectionError, TimeoutError):
            return False

    async def is_reusable(self) -> bool:
        """Whether it is in order, lean, and in no worse place in the queue for the processor."""
        in_order = self._finished and not self._is_last
        return in_order and self._chars < LONG_CHARS and await self._memory() < _IDLE_BYTES

    async def answer(
        self, path: Path, request: Request, real: Path
    ) -> AsyncGenerator[list[Line], None]:
        """See `Workers.convert`."""
        self._chars, self._finished = 0, False
        self._give_up_at = asyncio.get_running_loop().time() + _LONGEST_S
        self._be_patient()
        watching = asyncio.create_task(self._watch())
        try:
            await asyncio.to_thread(self._send, real, request)
            while not self._finished:
                yield await self._next_lines()
        except TimeoutError:
            raise _too_slow(path) from None
        except EOFError:
            raise await self._ended(path) from None
        finally:
            watching.cancel()

    def _send(self, real: Path, request: Request) -> None:
        """Send a request with its document, open. Raises DocumentError."""
        try:
            file = open_real(real)
        except OSError as error:
            raise unreadable(real, error) from None
        passed = sys.platform.startswith("linux")
        line = msgspec.json.encode(msgspec.structs.replace(request, passed=passed)) + b"\n"
        try:
            socket.send_fds(self._requests, [line], [file] if passed else [])
        except ConnectionError:
            pass  # told by the end of its output
        finally:
            os.close(file)

    async def end(self) -> None:
        """End it, with what it started."""
        self._requests.close()
        await asyncio.shield(end_tree(self._process))

    async def _next_lines(self) -> list[Line]:
        """Return what it says next: at least one message. Raises TimeoutError and EOFError."""
        assert self._process.stdout is not None
        found: list[Line] = []
        async with asyncio.timeout_at(min(self._patience_until, self._give_up_at)):
            while not found:
                chunk = await self._process.stdout.read(_CHUNK)
                if not chunk:
                    raise EOFError
                found = await asyncio.to_thread(self._decode, chunk)
        if any(isinstance(message, Piece) for _, message in found):
            self._be_patient()
        return found

    def _be_patient(self) -> None:
        self._patience_until = asyncio.get_running_loop().time() + self._limits.silence_s
        self._cpu_used = None

    def _decode(self, chunk: bytes) -> list[Line]:
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        found = [(line, _MESSAGE.decode(line)) for line in lines]
        self._chars += sum(len(message.text) for _, message in found if isinstance(message, Piece))
        last = found[-1][1] if found else None
        self._finished = isinstance(last, Finished | Failed)
        self._is_last = isinstance(last, Failed) and last.last
        return found

    async def _watch(self) -> None:
        while not (self._too_much or self._too_slow):
            await asyncio.sleep(_WATCH_S)  # there is nothing that tells of memory
            self._too_much = await self._memory() > self._limits.memory_bytes
            used = await asyncio.to_thread(tree_cpu, self._process.pid)
            used = time.monotonic() if used is None else used
            self._cpu_used = used if self._cpu_used is None else self._cpu_used
            self._too_slow = used - self._cpu_used > self._limits.cpu_s
        await self.end()

    async def _memory(self) -> int:
        return await asyncio.to_thread(tree_memory, self._process.pid)

    async def _ended(self, path: Path) -> DocumentError:
        status = await self._process.wait()
        if self._too_slow:
            return _too_slow(path)
        if self._too_much:
            return DocumentError(
                tr("{path} exceeds the memory limit for a document.").format(path=path.name),
                tr("Split it, or save it again with the program that created it."),
                code="hostile",
            )
        how = (
            tr("was ended by {signals}").format(signals=signal.Signals(-status).name)
            if status < 0
            else tr("exited with status {status}").format(status=status)
        )
        return DocumentError(
            tr("{path} could not be read: the process that reads documents {how}.").format(
                path=path.name, how=how
            ),
            tr(
                "The file is probably damaged: open it with the program that created it and save it"
                " again."
            ),
            code="damaged",
        )


def _too_slow(path: Path) -> DocumentError:
    return DocumentError(
        tr("{path} takes too long to read.").format(path=path.name),
        tr(
            "Read part of it if it has pages or sheets, split it, or save it again with the program"
            " that created it."
        ),
        code="timeout",
    )
