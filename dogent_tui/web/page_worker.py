"""The worker process for pages: the one that reads documents, with the extractors loaded before it takes a page.

So the time of a page is its own, and a short limit on it is no limit on a slow disk.
"""

import trafilatura  # noqa: F401

from dogent_tui.documents import worker
from dogent_tui.web import page  # noqa: F401
from dogent_tui.web.cleaning import cleaned  # noqa: F401


def main() -> None:
    """Answer requests until the input ends."""
    worker.main()
