"""The commands about what was asked before: shown, and forgotten."""

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dogent_tui.errors import DogentError
from dogent_tui.plain import one_line
from dogent_tui.tui.commands.table import Command
from dogent_tui.tui.prompt.model import Recall

if TYPE_CHECKING:
    from dogent_tui.tui.app import DogentApp


class HistoryCommands:
    """The commands of `app` about the history of its workspace."""

    def __init__(self, app: "DogentApp") -> None:
        self._app = app

    def __iter__(self) -> Iterator[Command]:
        yield Command("clean", "Forget what was asked in this folder", self._clean, "history")
        yield Command("show", "Show what was asked in this folder, and what came of it", self._show, "history")

    async def _show(self, what: str) -> str:
        if what != "history":
            return "Write: /show history."
        from dogent_tui.tui.screens.history_table import HistoryTableScreen

        self._app.push_screen(HistoryTableScreen(self._app.history.entries), self._app.take_earlier)
        return ""

    async def _clean(self, what: str) -> str:
        if what != "history":
            return "Write: /clean history."
        self._app.run_worker(self._clean_history(), group="command")  # it asks, and the palette must not wait for it
        return ""

    async def _clean_history(self) -> None:
        from dogent_tui.tui.screens.choice import choose

        say = self._app.conversation.prompt.notify_hint
        why = "The prompts and commands of this folder are not offered again. The conversations stay: /sessions."
        if await choose(self._app, "Forget what was asked in this folder?", why, ("Keep it", "Forget it")) != 1:
            say("The history is kept.")
            return
        try:
            await asyncio.to_thread(self._app.history.clear)
        except (OSError, DogentError) as error:
            say(one_line(f"The history could not be emptied: {error}"))
            return
        self._app.conversation.prompt.editor.recall = Recall()
        say("The history is empty.")
