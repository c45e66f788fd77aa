"""Counting matches in processes of their own: each gets files as the walk comes by them."""

import os
import signal
import struct
from contextlib import suppress
from typing import NoReturn, TypeAlias

import msgspec

from dogent_tui.markdown_search.matcher import Matcher
from dogent_tui.markdown_search.open_below import (
    SMALL,
    WIDE_MARKS,
    as_utf8,
    folder_below,
    open_in,
    read_on,
)

LIMIT_S = 22
"""Seconds after which a counting process ends itself: whoever started it is gone then, or would
have ended it before.
"""
_BUFFER = 1 << 20
_NEWLINE = ord("\n")
_LENGTH = struct.Struct("<I")

Chunk: TypeAlias = tuple[str, list[str]]
"""A folder below the root, and the names of some files in it."""


class Counts(msgspec.Struct, array_like=True):
    """What was found: the files with a match as bytes of their paths, how many each has, and the
    files that were not read.
    """

    matched: list[tuple[bytes, int]] = msgspec.field(default_factory=list)
    skipped: list[bytes] = msgspec.field(default_factory=list)


class Counter:
    """Looks through files below `root` for what is `wanted`.

    Small files are read one behind the other into one buffer, and looked through together: with
    each on its own the calls cost more than the search, and fresh memory more than the reading.
    """

    def __init__(self, root: str, wanted: Matcher) -> None:
        self._root = root
        self._wanted = wanted
        self._counts = Counts()
        self._buffer = bytearray(_BUFFER)
        self._view = memoryview(self._buffer)
        self._paths: list[str] = []
        self._ends: list[int] = []  # of the files in the buffer, each with a newline behind it
        self._used = 0

    def add(self, chunk: Chunk) -> None:
        """Look through the files of `chunk`, or do so later."""
        inside, names = chunk
        prefix = f"{inside}/" if inside else ""
        done = 0
        try:
            with folder_below(self._root, inside) as folder:
                for done, name in enumerate(names):  # noqa: B007 — where it stopped
                    try:
                        self._take(folder, prefix, name)
                    except OSError:
                        self._counts.skipped.append(os.fsencode(prefix + name))
        except OSError:  # the folder went away, or became a link
            self._counts.skipped += [os.fsencode(prefix + name) for name in names[done:]]

    def finish(self) -> Counts:
        """Return what was found in all that was added."""
        self._flush()
        return self._counts

    def _take(self, folder: int, prefix: str, name: str) -> None:
        if self._used + SMALL >= _BUFFER:
            self._flush()
        start = self._used
        file = open_in(folder, name)
        try:
            size = os.readv(file, [self._view[start : start + SMALL]])
            if size == SMALL:
                self._count(prefix + name, read_on(file, bytes(self._view[start : start + size])))
                return
        finally:
            os.close(file)
        end = start + size
        if self._buffer[start : start + 2] in WIDE_MARKS:
            self._count(prefix + name, as_utf8(bytes(self._view[start:end])))
            return
        self._buffer[end] = _NEWLINE
        self._used = end + 1
        self._paths.append(prefix + name)
        self._ends.append(self._used)

    def _flush(self) -> None:
        paths, ends = self._paths, self._ends
        if not paths:
            return
        try:
            candidates = self._wanted.holders(self._view[: self._used], ends)
        except ValueError:  # one of them is no UTF-8
            candidates = range(len(paths))
        for place in candidates:
            start = ends[place - 1] if place else 0
            self._count(paths[place], bytes(self._view[start : ends[place] - 1]))
        self._paths, self._ends, self._used = [], [], 0

    def _count(self, path: str, data: bytes) -> None:
        if found := self._wanted.count(data):
            self._counts.matched.append((os.fsencode(path), found))


class CountingProcess:
    """A forked process that counts. Only for a process that has no threads."""

    def __init__(self, root: str, wanted: Matcher, siblings: "list[CountingProcess]") -> None:
        """Fork. `siblings` are those that were forked before. Raises OSError where that fails."""
        self._jobs: int
        self._results: int
        jobs_out, jobs_in = os.pipe()
        results_out, results_in = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            for other in siblings:  # else they would not see the end of their jobs while we live
                other.finish()
            os.close(jobs_in)
            os.close(results_out)
            _work(root, wanted, jobs_out, results_in)
        os.close(jobs_out)
        os.close(results_in)
        self._jobs, self._results = jobs_in, results_out

    def send(self, chunk: Chunk) -> None:
        """Give it files."""
        inside, names = chunk
        job = b"\0".join(map(os.fsencode, (inside, *names)))
        data = memoryview(_LENGTH.pack(len(job)) + job)
        while data:
            data = data[os.write(self._jobs, data) :]

    def finish(self) -> None:
        """There are no more files."""
        os.close(self._jobs)

    def counts(self) -> Counts:
        """Wait for what it found. Raises OSError where it did not end well."""
        with os.fdopen(self._results, "rb") as results:
            data = results.read()
        _, status = os.waitpid(self._pid, 0)
        if status != 0:
            raise OSError("a counting process ended on its own")
        return msgspec.msgpack.decode(data, type=Counts)


def _work(root: str, wanted: Matcher, jobs: int, results: int) -> NoReturn:
    status = 1
    with suppress(BaseException):
        signal.alarm(LIMIT_S)
        counter = Counter(root, wanted)
        with os.fdopen(jobs, "rb") as stream:
            while head := stream.read(_LENGTH.size):
                inside, *names = map(os.fsdecode, stream.read(*_LENGTH.unpack(head)).split(b"\0"))
                counter.add((inside, names))
        with os.fdopen(results, "wb") as stream:
            stream.write(msgspec.msgpack.encode(counter.finish()))
        status = 0
    os._exit(status)
