"""What a user finds by a few letters and chooses: commands, themes, headings, earlier prompts."""

import asyncio
from collections.abc import Callable, Sequence
from inspect import isawaitable
from typing import Any, NamedTuple

from textual import work
from textual.app import App
from textual.content import Content

from dogent_tui.language import tr
from dogent_tui.tui.dialog import FinderScreen, matching
from dogent_tui.tui.widgets import hidden


class Offer(NamedTuple):
    """What `run` does. `help` explains it. `is_last`: it is listed below the others, unless its
    name is typed.
    """

    name: str
    run: Callable[[], Any]
    help: str = ""
    is_last: bool = False


class OffersScreen(FinderScreen[Offer, Offer]):
    """Dismissed with the chosen one of `offers`, or with None. `loads` read them from the disk,
    each more than the one before. At most `most` are shown; the others are found by their letters.
    The cursor starts at offer `at`.
    """

    BINDINGS = [hidden("ctrl+r", "step(1)", "Down")]

    def __init__(
        self,
        title: str,
        placeholder: str,
        offers: Sequence[Offer] = (),
        *,
        loads: Sequence[Callable[[], Sequence[Offer]]] = (),
        about: str = "",
        most: int | None = None,
        at: int = 0,
    ) -> None:
        keys = {"enter": tr("Select"), "up,down": tr("Choose"), "escape": tr("Back")}
        super().__init__(title, placeholder, id="offers", keys=keys, about=about)
        self._offers = offers
        self._loads = loads
        self._most = most
        self._at = at

    def on_mount(self) -> None:
        """List all of them."""
        self.find("", self._at)
        self._load()

    @work
    async def _load(self) -> None:
        for load in self._loads:
            offers = await asyncio.to_thread(load)
            if len(offers) > len(self._offers) and self.is_running:
                self._offers = offers
                self.find(self.line.value, self.list.highlighted or 0)

    def find(self, words: str, at: int = 0) -> None:
        """List those whose name matches `words`, and then those whose explanation does."""
        typed = words.strip().removeprefix("/").casefold()

        def comes_last(offer: Offer) -> bool:
            return offer.is_last and not offer.name.startswith(f"/{typed}")

        found = self._offers
        if typed:
            by_name = matching([offer.name for offer in found], words)
            by_help = matching([offer.help for offer in found], words)
            numbers = dict.fromkeys((*by_name, *by_help))
            found = sorted((found[number] for number in numbers), key=comes_last)
        found = found[: self._most]
        rows = (Content.assemble(offer.name, (f"  {offer.help}", "dim")) for offer in found)
        self.list.show(found, rows, at)

    async def take(self, item: Offer) -> None:
        """Return the chosen one."""
        self.leave(item)


def show_offers(app: App[Any], *of: Any, **more: Any) -> None:
    """Let the user choose an offer, and run it, in a worker if it is awaitable: see
    `OffersScreen`.
    """

    def run(chosen: Offer | None) -> None:
        if chosen is not None and isawaitable(done := chosen.run()):
            app.run_worker(done, group="command")

    if not isinstance(app.screen, OffersScreen):
        app.push_screen(OffersScreen(*of, **more), run)
