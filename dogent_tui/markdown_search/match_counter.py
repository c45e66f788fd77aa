"""Counting matches, in a process of its own where there are many files."""

import os
import signal
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

import msgspec

from dogent_tui.markdown_search.matcher import Matcher
from dogent_tui.markdown_search.open_below import text_in
from dogent_tui.storage.places import real_folder

LIMIT_S = 22
"""Seconds after which a counting process ends itself: whoever started it is gone then, or would
have ended it before.
"""

Chunk: TypeAlias = tuple[str, list[str]]
"""A folder below the root with a ``/`` at its end, and the names of some files in it."""


class Counts(msgspec.Struct, array_like=True):
    """What was found: the files with a match as bytes of their paths, how many each has, and the
    files that were not read.
    """

    matched: list[tuple[bytes, int]] = msgspec.field(default_factory=list)
    skipped: list[bytes] = msgspec.field(default_factory=list)


def count_matches(root: str, wanted: Matcher, chunks: Iterable[Chunk]) -> Counts:
    """Count what is `wanted` in files below `root`."""
    counts = Counts()
    for folder, names in chunks:
        left = [*names]
        # the folder may have gone away, or become a link
        with suppress(OSError), real_folder(Path(root, folder)) as opened:
            while left:
                path = os.fsencode(folder + left[-1])
                try:
                    if found := wanted.count(text_in(opened, left[-1])):
                        counts.matched.append((path, found))
                except OSError:
                    counts.skipped.append(path)
                left.pop()
        counts.skipped += [os.fsencode(folder + name) for name in left]
    return counts


def forked(count: Callable[[], Counts]) -> Callable[[], Counts]:
    """Call `count` in a forked process, and return what waits for its result. Both raise OSError.

    Only for a process that has no threads. Pools of the standard library need semaphores, which
    there are none of behind the wall.
    """
    source, sink = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        with suppress(BaseException):
            signal.alarm(LIMIT_S)
            with os.fdopen(sink, "wb") as stream:
                stream.write(msgspec.msgpack.encode(count()))
            status = 0
        os._exit(status)
    os.close(sink)

    def counts() -> Counts:
        with os.fdopen(source, "rb") as stream:
            data = stream.read()
        if os.waitpid(pid, 0)[1] != 0:
            raise OSError("a counting process ended on its own")
        return msgspec.msgpack.decode(data, type=Counts)

    return counts
