"""The processes that the tests started."""

from contextlib import suppress

import psutil


def children_running(words: str, below: psutil.Process | None = None) -> list[psutil.Process]:
    """Return the processes below this one, or another, whose command line holds `words`; one that
    is ending is none.

    The newest is the last one: their ids start again at the bottom now and then.
    """
    found = list[tuple[float, psutil.Process]]()
    for child in (below or psutil.Process()).children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if words in " ".join(child.cmdline()):
                found.append((child.create_time(), child))
    return [child for _, child in sorted(found, key=lambda each: each[0])]


def lives(process: psutil.Process) -> bool:
    """Return whether a process runs; one that has ended and that no one has reaped does not."""
    with suppress(psutil.Error):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False
