"""The libraries behind the tools of a session: each is made when it is first wanted, and all are closed with the session.

The screens and commands use the same ones (`OpenedSession.libraries`). A new library gets a `cached_property` here, which imports
it and has it closed (`self._closed_with_us`): this module is imported before the first paint.
"""

import logging
from contextlib import AsyncExitStack
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeVar

from dogent_tui.workspace.paths import Workspace, dogent_home, state_dir
from dogent_tui.workspace.settings import WorkspaceSettings

if TYPE_CHECKING:
    from dogent_tui.documents.exporter import Exporter
    from dogent_tui.documents.library import DocumentLibrary
    from dogent_tui.manuscripts.library import ManuscriptLibrary
    from dogent_tui.manuscripts.requests import RequestBook

_LOG = logging.getLogger(__name__)


class Closable(Protocol):
    """A library that holds something: a process, a browser, a connection."""

    async def close(self) -> None:
        """Let go of it, within half a second; the application is waiting to end."""


_Library = TypeVar("_Library", bound=Closable)


class Libraries:
    """What one session's tools work with. Survives a restart of the agent process."""

    def __init__(self, workspace: Workspace, settings: WorkspaceSettings) -> None:
        self.workspace = workspace
        self.settings = settings
        self._open = AsyncExitStack()

    @cached_property
    def documents(self) -> "DocumentLibrary":
        """Reads documents."""
        from dogent_tui.documents.library import DocumentLibrary

        return self._closed_with_us(DocumentLibrary())

    @cached_property
    def exporter(self) -> "Exporter":
        """Makes pdf and docx."""
        from dogent_tui.documents.exporter import Exporter

        return self._closed_with_us(Exporter())

    @cached_property
    def manuscripts(self) -> "ManuscriptLibrary":
        """Finds and searches Markdown files, though never our own folders, where they lie in the workspace."""
        from dogent_tui.manuscripts.library import ManuscriptLibrary

        private = (dogent_home(), state_dir())
        return self._closed_with_us(ManuscriptLibrary(self.workspace, self.settings.ignored_folders, private))

    @cached_property
    def requests(self) -> "RequestBook":
        """What the agent asked to consult, and what was answered: the gate writes it, and the tools go by it."""
        from dogent_tui.manuscripts.requests import RequestBook

        return RequestBook()

    async def close(self) -> None:
        """Close what was made, the last one first. Never raises: one that fails keeps neither the others nor the session open."""
        await self._open.aclose()

    def _closed_with_us(self, library: _Library) -> _Library:
        self._open.push_async_callback(_close, library)
        return library


async def _close(library: Closable) -> None:
    try:
        await library.close()
    except Exception as error:
        _LOG.warning("%s was not closed: %s", type(library).__name__, error)
