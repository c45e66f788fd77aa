"""Shows what the agent writes beside the conversation automatically, while a text streams, grows or
changes.
"""

import asyncio
from collections.abc import Iterable
from contextlib import suppress

import msgspec

from dogent_tui.agent.events import (
    DocumentDelta,
    Event,
    Interrupted,
    MessageDropped,
    RunFinished,
    RunStarted,
    SessionLost,
    ToolResult,
)
from dogent_tui.errors import DogentError
from dogent_tui.tui.ports import ConversationPort
from dogent_tui.tui.prompt.debounce import Debounce
from dogent_tui.tui.results.model import Result

SHOWN_FROM = 140
"""Columns from which a text being written is shown beside the conversation automatically; in a
narrower window F3 shows it.
"""

Hunks = tuple[tuple[str, str], ...]
"""The changed places of a text, before and after."""

_DRAW_EVERY_S = 0.1
"""Seconds between two updates of a streaming text."""


class Streaming(msgspec.Struct):
    """A text that a call is about to write. `pieces` have arrived so far."""

    tool_use_id: str
    path: str
    pieces: list[str]


class Showing:
    """Shows what is written in the pane of `screen`, unless the user closed it or opened another
    document.
    """

    def __init__(self, screen: ConversationPort) -> None:
        self._screen = screen
        self._closed = False
        self._streaming: Streaming | None = None
        self._wanted: tuple[Result, Hunks] | None = None
        self._drawing = Debounce(screen, _DRAW_EVERY_S, self._draw, most=_DRAW_EVERY_S)
        self._turn = asyncio.Lock()

    # ── What happens ──────────────────────────────────────────────────────────────────────────────

    def handle(self, event: Event, made: Result | None = None) -> None:
        """Update from `event`, which may have `made` a document."""
        match event:
            case DocumentDelta(tool_use_id=tool_use_id, path=path):
                if self._streaming is None or self._streaming.tool_use_id != tool_use_id:
                    self._streaming = Streaming(tool_use_id, self._screen.results.place(path), [])
                self._streaming.pieces.append(event.text)
                self._drawing.poke()
            case ToolResult(tool_use_id=tool_use_id):
                before = self._streaming, self._wanted
                if self._streaming is not None and self._streaming.tool_use_id == tool_use_id:
                    self._streaming = None
                if made is not None and made.kind == "written":
                    self._wanted = made, event.changes
                if (self._streaming, self._wanted) != before:
                    self._draw()
            case MessageDropped() | Interrupted() | SessionLost() | RunFinished() if (
                self._streaming is not None
            ):
                self._streaming = None
                self._draw()
            case RunStarted() if "documents" in self._screen.__dict__:
                self._screen.documents.view.scrolled = False

    def replayed(self, made: Iterable[Result]) -> None:
        """Show the text that an earlier conversation wrote last."""
        for result in made:
            if result.kind == "written":
                self._wanted = result, ()
        if self._wanted is not None:
            self._draw()

    def close(self) -> None:
        """Show nothing until the user asks for it."""
        self._closed = True

    def forget(self) -> None:
        """Reset for another conversation."""
        self._closed, self._streaming, self._wanted = False, None, None

    async def open(self, path: str) -> bool:
        """Open a result at the user's request, and focus it. Returns whether it could be opened."""
        self._closed = False
        documents = await self._screen.load_documents()
        try:
            async with self._turn:
                await documents.show_result(path)
        except DogentError as error:
            self._screen.prompt.notify_hint(str(error), warning=True)
            return False
        await documents.go()
        return True

    # ── Bringing the pane in line ─────────────────────────────────────────────────────────────────

    @property
    def _may(self) -> bool:
        screen = self._screen
        if self._closed or not screen.is_attached or screen.size.width < SHOWN_FROM:
            return False
        return not screen.has_document or screen.documents.is_result

    def _draw(self) -> None:
        screen = self._screen
        is_open = screen.has_document and screen.documents.is_result
        if screen.is_attached and (self._may or is_open):
            screen.run_worker(self._catch_up(), group="showing")

    async def _catch_up(self) -> None:
        async with self._turn:
            streaming, wanted = self._streaming, self._wanted
            documents = await self._screen.load_documents()
            # the card of the call reports it already, or nothing can be shown
            with suppress(DogentError):
                if streaming is not None and (self._may or documents.shows(streaming.path)):
                    streaming.pieces[:] = ["".join(streaming.pieces)]
                    await documents.show_growing(streaming.path, streaming.pieces[0])
                elif streaming is None:
                    await documents.end_growing()
                    if wanted is not None and self._may:
                        await documents.show_result(wanted[0].path, wanted[1])
