"""The processes that the tests started."""

from contextlib import suppress

import psutil


def children_running(words: str, below: psutil.Process | None = None) -> list[psutil.Process]:
    """Return the processes below this one, or another, whose command line holds `words`; one that is ending is none."""
    found = []
    for child in (below or psutil.Process()).children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if words in " ".join(child.cmdline()):
                found.append(child)
    return found
