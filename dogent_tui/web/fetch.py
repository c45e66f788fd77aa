"""Fetching what stands at an address: a page as its article, a document as its text, an image as a file."""

from collections.abc import Collection
from pathlib import Path
from types import TracebackType

from dogent_tui.documents.library import DocumentLibrary
from dogent_tui.web.model import DEFAULT_CHARS, FetchMode, FetchResult


class Fetcher:
    """Fetches for one session and one event loop. Cheap to make: nothing is started before the first fetch.

    Images are saved in `images` (made on demand), and their snippets name them relative to `root`. `documents` reads what is no
    page; without it one is made. `allow` are the private hosts and addresses that the settings name, exactly: ``wiki.corp``,
    ``10.1.2.3``, ``[fd00::1]``, each with or without a port. `proxy` is the address of one that was configured on purpose: it sees
    where we go, and the guard does not.
    """

    def __init__(
        self,
        images: Path,
        root: Path,
        *,
        documents: DocumentLibrary | None = None,
        allow: Collection[str] = (),
        proxy: str = "",
    ) -> None:
        raise NotImplementedError

    async def __aenter__(self) -> "Fetcher":
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def fetch(
        self,
        url: str,
        *,
        mode: FetchMode = "auto",
        max_chars: int = DEFAULT_CHARS,
        offset: int = 0,
        filename: str = "",
        allow: Collection[str] = (),
    ) -> FetchResult:
        """Return what stands at `url`.

        `filename` is what an image is to be called. `allow` are private hosts that the person named and approved, for this once
        (see `WebError.host`). Raises WebError.
        """
        raise NotImplementedError

    async def close(self) -> None:
        """Forget what was fetched, and end the processes that read it. Saved images stay."""
