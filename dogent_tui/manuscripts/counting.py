"""Counting matches in processes of their own: each gets files as the walk comes by them."""

import os
import signal
import struct
from contextlib import suppress
from typing import NoReturn, TypeAlias

import msgspec

from dogent_tui.manuscripts.matching import Matcher
from dogent_tui.manuscripts.opening import folder_below, text_in

LIMIT_S = 22
"""Seconds after which a counting process ends itself: whoever started it is gone then, or would have ended it before."""
_LENGTH = struct.Struct("<I")

Chunk: TypeAlias = tuple[str, list[str]]
"""A folder below the root, and the names of some files in it."""


class Counts(msgspec.Struct, array_like=True):
    """What was found: the files with a match as bytes of their paths, how many each has, and the files that were not read."""

    matched: list[tuple[bytes, int]] = msgspec.field(default_factory=list)
    skipped: list[bytes] = msgspec.field(default_factory=list)


def count_chunk(root: str, wanted: Matcher, chunk: Chunk, counts: Counts) -> None:
    """Look through the files of `chunk` and add what is found to `counts`."""
    inside, names = chunk
    prefix = f"{inside}/" if inside else ""
    done = 0
    try:
        with folder_below(root, inside) as folder:
            for done, name in enumerate(names):  # noqa: B007 — where it stopped
                try:
                    data = text_in(folder, name)
                except OSError:
                    counts.skipped.append(os.fsencode(prefix + name))
                    continue
                if found := wanted.count(data):
                    counts.matched.append((os.fsencode(prefix + name), found))
    except OSError:  # the folder went away, or became a link
        counts.skipped += [os.fsencode(prefix + name) for name in names[done:]]


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
        counts = Counts()
        with os.fdopen(jobs, "rb") as stream:
            while head := stream.read(_LENGTH.size):
                inside, *names = map(os.fsdecode, stream.read(*_LENGTH.unpack(head)).split(b"\0"))
                count_chunk(root, wanted, (inside, names), counts)
        with os.fdopen(results, "wb") as stream:
            stream.write(msgspec.msgpack.encode(counts))
        status = 0
    os._exit(status)
