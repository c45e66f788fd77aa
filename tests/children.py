"""The processes that the tests started."""

from contextlib import suppress

import psutil


def children_running(words: str) -> list[psutil.Process]:
    """Return the processes below this one whose command line holds `words`; one that ends while it is looked at is none."""
    found = []
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if words in " ".join(child.cmdline()):
                found.append(child)
    return found
