"""The commands about what the agent remembers, and what that costs."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dogent_tui.language import tr
from dogent_tui.tui.commands.table import Command
from dogent_tui.tui.prompt.controller import READ_ONLY

if TYPE_CHECKING:
    from dogent_tui.tui.app import DogentApp


class ContextCommands:
    """The commands about the context of the conversation that `app` shows."""

    def __init__(self, app: "DogentApp") -> None:
        self._app = app

    def __iter__(self) -> Iterator[Command]:
        yield Command("compact", tr("Replace what was said by a summary, to make room"), self._compact, "[FOCUS]")
        yield Command("context", tr("Show what fills the context of the agent"), self._context)

    async def _compact(self, focus: str) -> str:
        from dogent_tui.agent.events import Prompt

        opened = self._app.opened
        if opened.endpoint.kind == "offline":
            return tr("The built-in engine keeps no conversation to compact. /setup connects an AI model.")
        if not await self._app.can_write():
            return READ_ONLY
        if not opened.service.said:
            return tr("There is nothing to compact yet.")
        await self._app.opened.service.submit(Prompt(f"/compact {focus}".rstrip(), compacts=True))
        self._app.conversation.action_follow()
        return ""

    async def _context(self, _: str) -> str:
        from dogent_tui.tui.context_page import context_page
        from dogent_tui.tui.screens.page import PageScreen

        opened = self._app.opened
        if opened.read_only:
            return READ_ONLY

        async def found() -> str:
            return context_page(await opened.service.context())

        title = tr("What fills the context")
        self._app.push_screen(PageScreen(title, found, about=self._app.conversation.status_bar.status.endpoint))
        return ""
