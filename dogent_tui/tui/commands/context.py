"""The commands about what the agent remembers, and its cost."""

import asyncio
from datetime import datetime, timedelta

from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.tui.commands.family import CommandFamily, command
from dogent_tui.tui.prompt.controller import READ_ONLY


class ContextCommands(CommandFamily):
    """The commands about the context of the conversation shown by `app`."""

    @command("compact", tr("Replace what was said by a summary, to make room"), "[FOCUS]")
    async def _compact(self, focus: str) -> str | None:
        from dogent_tui.agent.events import Prompt

        opened = self._opened
        if opened.endpoint.kind == "offline":
            return tr(
                "The built-in engine keeps no conversation to compact. /setup connects an AI model."
            )
        await self._need_writable()
        if not opened.service.said:
            return tr("There is nothing to compact yet.")
        await opened.service.submit(Prompt(f"/compact {focus}".rstrip(), compacts=True))
        self._screen.action_follow()
        return None

    @command("usage", tr("Show tokens and cost, and set a budget"), "[DOLLARS|off]")
    async def _usage(self, typed: str) -> str | None:
        if typed:
            return await self._set_budget(typed)
        from dogent_tui.storage.usage import usage_since
        from dogent_tui.tui.screens.page import PageScreen
        from dogent_tui.tui.usage_page import DAYS, usage_page

        opened, prompts = self._opened, self._screen.transcript.model.prompts()

        async def found() -> str:
            now = datetime.now()
            midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
            entries = await asyncio.to_thread(usage_since, midnight - timedelta(days=DAYS - 1), now)
            return usage_page(
                entries, opened.service.session_id, prompts, opened.service.budget, now
            )

        self.app.push_screen(PageScreen(tr("Usage"), found))
        return None

    async def _set_budget(self, typed: str) -> str:
        from dogent_tui.tui.budget import dollars

        service, limit = self._opened.service, dollars(typed)
        if limit is None:
            return tr("Specify an amount in dollars: /usage 2.50, or /usage off.")
        if self._opened.endpoint.kind != "anthropic":
            return tr(
                "Only Anthropic's own endpoint says what a run costs; a budget cannot be kept here."
            )
        await self._need_writable()
        await service.set_budget(limit)
        if not limit:
            return tr("This conversation has no budget.")
        return tr("This conversation may cost ${limit:.2f}; then you are asked.", limit=limit)

    @command("context", tr("Show what fills the context of the agent"))
    async def _context(self, _: str) -> None:
        from dogent_tui.tui.context_page import context_page
        from dogent_tui.tui.screens.page import PageScreen

        opened = self._opened
        if opened.read_only:
            raise DogentError(READ_ONLY)

        async def found() -> str:
            return context_page(await opened.service.context())

        title = tr("What fills the context")
        about = self._screen.status_bar.status.endpoint
        self.app.push_screen(PageScreen(title, found, about=about))
