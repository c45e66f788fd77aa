"""The libraries behind the tools of a session: each is created on first use, and all are closed
with the session.

Screens and commands use the same ones (`OpenedSession.libraries`). A new library gets a
`cached_property` here, which imports it and registers it for closing (`self._closed_with_us`): this
module is imported before the first paint.
"""

import logging
from contextlib import AsyncExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from dogent_tui.settings.values import WorkspaceSettings
from dogent_tui.storage.paths import Workspace, dogent_home, state_dir
from dogent_tui.storage.places import ApprovedPlaces
from dogent_tui.web.named import NamedHosts
from dogent_tui.web.profiles import WebAccess

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from dogent_tui.documents.exporter import Exporter
    from dogent_tui.documents.library import DocumentLibrary
    from dogent_tui.markdown_search.library import MarkdownLibrary
    from dogent_tui.markdown_search.requests import RequestBook
    from dogent_tui.sources.quotes.marks import CheckedDraft
    from dogent_tui.sources.quotes.quote_checker import QuoteChecker
    from dogent_tui.sources.records import SourceRecords
    from dogent_tui.tools.progress import Tell
    from dogent_tui.web.fetch import Fetcher
    from dogent_tui.web.search.searcher import Searcher

_LOG = logging.getLogger(__name__)


class Closable(Protocol):
    """A library with a resource: a process, a browser, a connection."""

    async def close(self) -> None:
        """Release it within half a second; the application is waiting to exit."""


_Library = TypeVar("_Library", bound=Closable)


class Libraries:
    """What the tools of one session work with. Survives a restart of the agent process. `listener`
    receives the progress of calls.

    `open_document` is the path of the document open next to the conversation, empty for none.
    `unsaved` is the unsaved content of open files: real path → text. `checked` are the findings of
    drafts: real path → text and findings. `consent`: only offer tools that ask before every access
    to a document.
    """

    def __init__(
        self,
        workspace: Workspace,
        settings: WorkspaceSettings,
        web: WebAccess | None = None,
        *,
        consent: bool = False,
        patience_s: float | None = None,
    ) -> None:
        """Work in `workspace`. `web` are its web settings; `hosts` knows which private hosts the
        user named. `patience_s` is how long to wait for all of a page, instead of a part of it.
        """
        self._patience_s = patience_s
        self.consent = consent
        self.unsaved: dict[Path, str] = {}
        self.workspace = workspace
        self.settings = settings
        self.web = web or WebAccess()
        self.hosts = NamedHosts(self.web.allow_hosts, look_up=not self.web.proxy)
        self.listener: Tell | None = None
        self.open_document = ""
        self.keeps_sources: Callable[[], bool] = bool
        self.places = ApprovedPlaces()
        self.checked: dict[Path, CheckedDraft] = {}
        self._open = AsyncExitStack()

    def tell(self, tool: str, payload: "Mapping[str, Any]", text: str) -> None:
        """Report the progress of a call (`ToolProgress`) to the listener."""
        if self.listener is not None:
            self.listener(tool, payload, text)

    @cached_property
    def documents(self) -> "DocumentLibrary":
        """Reads documents."""
        from dogent_tui.documents.library import DocumentLibrary

        return self._closed_with_us(DocumentLibrary())

    @cached_property
    def exporter(self) -> "Exporter":
        """Exports pdf and docx."""
        from dogent_tui.documents.exporter import Exporter

        return self._closed_with_us(Exporter())

    @cached_property
    def markdown(self) -> "MarkdownLibrary":
        """Finds and searches Markdown files, but never our own folders, even if they are in the
        workspace.
        """
        from dogent_tui.markdown_search.library import MarkdownLibrary

        private = (dogent_home(), state_dir())
        return self._closed_with_us(
            MarkdownLibrary(
                self.workspace, self.settings.ignored_folders, private, unsaved=self.unsaved
            )
        )

    @cached_property
    def requests(self) -> "RequestBook":
        """What the agent asked to consult, and the answers: written by the gate, enforced by the
        tools.
        """
        from dogent_tui.markdown_search.requests import RequestBook

        return RequestBook()

    @cached_property
    def quotes(self) -> "QuoteChecker":
        """Checks drafts against their sources."""
        from dogent_tui.sources.quotes.quote_checker import QuoteChecker

        return QuoteChecker(self.documents, checked=self.checked)

    @cached_property
    def sources(self) -> "SourceRecords":
        """Stores pages read on the web, if `keeps_sources` allows it."""
        from dogent_tui.sources.records import SourceRecords

        return SourceRecords(self.workspace, lambda: self.keeps_sources())

    @property
    def images(self) -> Path:
        """Where images from the web are saved, only if inside the workspace."""
        return self.workspace.absolute(self.settings.images_path or "./images")

    @cached_property
    def searcher(self) -> "Searcher":
        """Searches the web."""
        from dogent_tui.web.search.searcher import Searcher

        return Searcher(self.web.profile, proxy=self.web.proxy)

    @cached_property
    def fetcher(self) -> "Fetcher":
        """Fetches pages and images."""
        from dogent_tui.web.fetch import Fetcher

        fetcher = Fetcher(
            self.images,
            self.workspace.root,
            documents=self.documents,
            allow=self.web.allow_hosts,
            proxy=self.web.proxy,
            patience_s=self._patience_s,
        )
        return self._closed_with_us(fetcher)

    async def close(self) -> None:
        """Close what was created, in reverse order. Never raises: a failure does not keep the
        others or the session open.
        """
        await self._open.aclose()

    def _closed_with_us(self, library: _Library) -> _Library:
        self._open.push_async_callback(_close, library)
        return library


async def _close(library: Closable) -> None:
    try:
        await library.close()
    except Exception as error:
        _LOG.warning("%s was not closed: %s", type(library).__name__, error)
