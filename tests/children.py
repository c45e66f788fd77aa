"""The processes that the tests started."""

from contextlib import suppress

import psutil


def children_running(words: str) -> list[psutil.Process]:
    """Return the children of this process whose command line holds `words`; one that ends while it is looked at is none."""
    found = []
    for child in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):
            if words in " ".join(child.cmdline()):
                found.append(child)
    return found
