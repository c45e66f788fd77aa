"""The libraries behind the tools of a session: each is made when it is first wanted, and all are closed with the session.

The screens and commands use the same ones (`OpenedSession.libraries`). A new library gets a `cached_property` here, which imports
it and has it closed (`self._closed_with_us`): this module is imported before the first paint.
"""

import logging
from contextlib import AsyncExitStack
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeVar

from dogent_tui.workspace.paths import Workspace
from dogent_tui.workspace.settings import WorkspaceSettings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dogent_tui.documents.exporter import Exporter
    from dogent_tui.documents.library import DocumentLibrary
    from dogent_tui.tools.telling import Tell

_LOG = logging.getLogger(__name__)


class Closable(Protocol):
    """A library that holds something: a process, a browser, a connection."""

    async def close(self) -> None:
        """Let go of it, within half a second; the application is waiting to end."""


_Library = TypeVar("_Library", bound=Closable)


class Libraries:
    """What one session's tools work with. Survives a restart of the agent process. `listener` hears how far a call is."""

    def __init__(self, workspace: Workspace, settings: WorkspaceSettings) -> None:
        self.workspace = workspace
        self.settings = settings
        self.listener: Tell | None = None
        self._open = AsyncExitStack()

    def tell(self, tool: str, payload: "Mapping[str, Any]", text: str) -> None:
        """Tell whoever listens how far a call is (`Telling`)."""
        if self.listener is not None:
            self.listener(tool, payload, text)

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
