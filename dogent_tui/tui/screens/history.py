"""Ctrl+R: every prompt and command of this workspace, searchable by a few letters."""

import asyncio
from collections.abc import Callable, Sequence

from textual import work
from textual.content import Content

from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.tui.dialog import FinderScreen, matching
from dogent_tui.tui.widgets import bound

_MOST_SHOWN = 100


class HistoryScreen(FinderScreen[str, str]):
    """Dismissed with the chosen prompt, or with nothing."""

    BINDINGS = [
        bound("ctrl+r", "step(1)", "Down", show=False),
    ]

    def __init__(self, *loads: Callable[[], Sequence[str]]) -> None:
        """Search what `loads` return, newest first, each more than the previous one; they read the
        disk, in a thread.
        """
        self._loads = loads
        self._prompts: Sequence[str] = ()
        keys = {"enter": tr("Copy to the prompt"), "up,down": tr("Choose"), "escape": tr("Close")}
        title, placeholder = tr("Earlier prompts"), tr("Find an earlier prompt")
        super().__init__(title, placeholder, id="history", keys=keys, about=tr("this folder"))

    @work
    async def on_mount(self) -> None:
        """Read the history in a thread."""
        for load in self._loads:
            prompts = await asyncio.to_thread(load)
            if len(prompts) > len(self._prompts) and self.is_running:
                self._prompts = prompts
                self.find(self.line.value, self.list.highlighted or 0)

    def find(self, words: str, at: int = 0) -> None:
        """List the prompts that match these letters."""
        found = [self._prompts[at] for at in matching(self._prompts, words)[:_MOST_SHOWN]]
        self.list.show(found, (Content(one_line(prompt)) for prompt in found), at)

    async def take(self, item: str) -> None:
        """Return the chosen prompt."""
        self.leave(item)
