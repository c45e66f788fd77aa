"""The process that reads documents: it may hang, grow or crash without affecting the application.

It receives a `Request` per line on its standard input, a socket, with the open file, and answers
with one message per line: it sees no other file of the user's. What libraries print is discarded.
It ends with the process that started it: at the end of its input it kills itself and its children,
and if a library blocks Python, a watchdog that does not need Python does so.
"""

import contextlib
import faulthandler
import json
import os
import queue
import shutil
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from dogent_tui.documents.kinds import kind_of, reader_of
from dogent_tui.documents.messages import (
    DocumentOpened,
    Failed,
    Finished,
    Joint,
    Message,
    Piece,
    Progress,
    Request,
)
from dogent_tui.documents.model import DocumentError, Opened, ReadOptions, damaged
from dogent_tui.language import tr
from dogent_tui.processes import kill_tree, python_command
from dogent_tui.temporary import temporary_folder

LONG_CHARS = 256_000
"""A longer conversion is no longer waited for: the worker lowers its priority, and is not used
again.
"""

_DATA_BYTES = 448 << 20
"""The memory limit of this process, and of each of its children. The parent watches their total."""
_PIECE_CHARS = 16_000
"""The maximum length of a piece, so that a page can be cut from a block of any size in bounded
memory.
"""
_STALLED_S = 120.0
"""Without a block for this long it ends itself. Its parent would have ended it before, unless it is
gone.
"""
_IDLE_S = 300.0
"""Without a request for this long it ends: its libraries take memory."""
_PROGRESS_S = 0.1
_WITH_SHEETS = {"workbook", "values"}
_CHUNK = 65_536


def main() -> None:
    """Answer requests until the input ends, or none arrives for a long time."""
    channel = _Channel()
    _limit_memory()
    try:
        while _answer(channel.next_request(), channel):
            faulthandler.cancel_dump_traceback_later()  # it is answered
    finally:  # the parent may be gone, and our children would live on
        kill_tree(os.getpid())


def _answer(request: Request, channel: "_Channel") -> bool:
    """Answer a request, and return whether the process can be used again, given the unknown state
    of libraries.
    """
    error, is_known = None, True
    try:
        _read(request, channel)
    except DocumentError as known:
        error = known
    except Exception as unexpected:
        error, is_known = _told(Path(os.fsdecode(request.path)).name, unexpected), False
    if error is not None:
        channel.send(Failed(error.message, error.remedy, error.code))
    return is_known


class _Channel:
    """The two pipes to the parent process."""

    def __init__(self) -> None:
        self._in, self._out = os.dup(0), os.dup(1)  # not inherited by children
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nothing, standard)
        self._requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._files: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._sent = 0
        self._watched_from = self._reported_at = 0.0
        threading.Thread(target=self._listen, daemon=True).start()

    def next_request(self) -> Request:
        """Wait for it; raise queue.Empty if none arrives for a long time. An empty line is a ping,
        and is answered with one.
        """
        while (line := self._requests.get(timeout=_IDLE_S)) == b"\n":
            os.write(self._out, line)
        self._sent, self._reported_at = 0, time.monotonic()
        self._be_watched()
        return msgspec.json.decode(line, type=Request)

    def send(self, message: Message) -> None:
        data = memoryview(_encoded(message) + b"\n")
        while data:
            data = data[os.write(self._out, data) :]
        if time.monotonic() - self._watched_from > 1:
            self._be_watched()
        if isinstance(message, Piece):
            before, self._sent = self._sent, self._sent + len(message.text)
            if before <= LONG_CHARS < self._sent:
                os.nice(10)

    def _be_watched(self) -> None:
        self._watched_from = time.monotonic()
        faulthandler.dump_traceback_later(_STALLED_S, exit=True)

    def report(self, done: int, total: int, what: str) -> None:
        """Report progress, at most as often as someone can read."""
        now = time.monotonic()
        if now - self._reported_at >= _PROGRESS_S:
            self._reported_at = now
            self.send(Progress(done, total, what))

    @contextlib.contextmanager
    def file_of(self, request: Request) -> Iterator[Path]:
        """Provide a path, with the document's own name, at which it can be opened while it is
        read.
        """
        path = Path(os.fsdecode(request.path))
        if not request.passed:
            yield path
            return
        file = self._files.get()
        try:
            with temporary_folder() as folder:
                yield _placed(file, folder / path.name)
        finally:
            os.close(file)

    def _listen(self) -> None:
        """Receive requests, each after its file, until the parent is gone."""
        rest = b""
        with contextlib.suppress(OSError), socket.socket(fileno=self._in) as requests:
            while (received := socket.recv_fds(requests, _CHUNK, 1))[0]:
                for file in received[1]:
                    os.set_inheritable(file, False)
                    self._files.put(file)
                *lines, rest = (rest + received[0]).split(b"\n")
                for line in lines:
                    self._requests.put(line + b"\n")
        kill_tree(os.getpid())


def _placed(file: int, path: Path) -> Path:
    """Return `path`, a link to an open file, or to a copy if that cannot be reopened."""
    path.symlink_to(f"/proc/self/fd/{file}")
    try:
        path.open("rb").close()
    except OSError:
        path.unlink()
        with path.open("xb") as copy, os.fdopen(os.dup(file), "rb") as source:
            shutil.copyfileobj(source, copy)
    return path


def _read(request: Request, channel: _Channel) -> None:
    options = request.options
    with channel.file_of(request) as path:
        kind = kind_of(path) if options.page is None else "page"
        opened = reader_of(kind)(path, options, channel.report)
        opened.warnings += _ignored(kind, options)
        channel.send(DocumentOpened(opened.format, opened.metadata, opened.warnings))
        is_empty = True
        for piece in _pieces(opened):
            channel.send(piece)
            is_empty = is_empty and not piece.text.strip()
        if is_empty and not opened.warnings:
            opened.warnings.append(tr("The document contains no text."))
        channel.send(Finished(opened.metadata, opened.warnings))


def _ignored(kind: str, options: ReadOptions) -> Iterator[str]:
    if options.sheet and kind not in _WITH_SHEETS:
        yield tr("Only workbooks have sheets: `sheet` was ignored.")
    if options.rows and kind not in {*_WITH_SHEETS, "table"}:
        yield tr("Only sheets and tables have rows: `rows` was ignored.")
    if options.pages and kind != "pdf":
        yield tr(
            "Documents of this kind have no pages: `pages` was ignored; use offset to read on."
        )


def _pieces(opened: Opened) -> Iterator[Piece]:
    """Yield the blocks; a long one in parts, cut at the end of a line if possible."""
    is_first = True
    for block in opened.blocks:
        joint: Joint = "" if is_first else "\n" if block.tight else "\n\n"
        is_first = False
        text, start = block.markdown, 0
        while len(text) - start > _PIECE_CHARS:
            end = text.rfind("\n", start, start + _PIECE_CHARS) + 1 or start + _PIECE_CHARS
            yield Piece(text[start:end], block.source, joint)
            start, joint = end, ""
        yield Piece(text[start:], block.source, joint)


def _encoded(message: Message) -> bytes:
    try:
        return msgspec.json.encode(message, enc_hook=str)
    except UnicodeEncodeError:  # lone surrogates, which some formats allow
        plain = msgspec.to_builtins(message, enc_hook=str)
        return json.dumps(plain, ensure_ascii=False).encode("utf-8", "replace")


def _told(name: str, error: Exception) -> DocumentError:
    """Return the error for an unexpected failure of a reader."""
    if isinstance(error, MemoryError | RecursionError):
        return too_large(name)
    if isinstance(error, ImportError):
        message = tr(
            "{name} cannot be read: {missing} is missing.",
            name=name,
            missing=error.name or str(error),
        )
        return DocumentError(message, tr("Reinstall dogent-tui."), code="engine_missing")
    said = " ".join(str(error).split())[:200]
    why = ": ".join(filter(None, (type(error).__name__, said)))
    return damaged(tr("{name} could not be read: {error}.", name=name, error=why))


def too_large(name: str) -> DocumentError:
    """Return the error for a document that needs more memory than allowed."""
    return DocumentError(
        tr("{name} exceeds the memory limit for a document.", name=name),
        tr("Split it, or save it again with the program that created it."),
        code="hostile",
    )


def _limit_memory() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource  # not on Windows

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (_DATA_BYTES, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def worker_command(*, preload: Sequence[str] = ()) -> list[str]:
    """Return the command line of this process. `preload` are modules to load before it accepts a
    request.
    """
    return python_command("dogent_tui.documents.worker", preload=preload)
