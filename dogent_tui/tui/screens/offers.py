"""What a user finds by a few letters and runs: commands, themes, headings."""

from collections.abc import Callable, Sequence
from inspect import isawaitable
from typing import Any, NamedTuple

from textual.app import App
from textual.content import Content

from dogent_tui.language import tr
from dogent_tui.tui.dialog import FinderScreen, matching


class Offer(NamedTuple):
    """What `run` does. `help` explains it. `is_last`: it is listed below the others, unless its
    name is typed.
    """

    name: str
    run: Callable[[], object]
    help: str = ""
    is_last: bool = False


class OffersScreen(FinderScreen[Offer, Offer]):
    """Dismissed with the chosen one of `offers`, or with None."""

    def __init__(self, title: str, placeholder: str, offers: Sequence[Offer]) -> None:
        keys = {"enter": tr("Select"), "up,down": tr("Choose"), "escape": tr("Back")}
        super().__init__(title, placeholder, id="offers", keys=keys)
        self._offers = offers

    def on_mount(self) -> None:
        """List all of them."""
        self.find("")

    def find(self, words: str) -> None:
        """List those whose name matches `words`, and then those whose explanation does."""
        by_name = matching([offer.name for offer in self._offers], words)
        by_help = matching([offer.help for offer in self._offers], words)
        typed = words.strip().removeprefix("/").casefold()

        def comes_last(offer: Offer) -> bool:
            return offer.is_last and not (typed and offer.name.startswith(f"/{typed}"))

        found = [self._offers[at] for at in dict.fromkeys((*by_name, *by_help))]
        found.sort(key=comes_last)
        rows = (Content.assemble(offer.name, (f"  {offer.help}", "dim")) for offer in found)
        self.list.show(found, rows, 0)

    async def take(self, item: Offer) -> None:
        """Return the chosen one."""
        self.leave(item)


def show_offers(app: App[Any], title: str, placeholder: str, offers: Sequence[Offer]) -> None:
    """Let the user choose one of `offers`, and run it, in a worker if it is awaitable."""

    def run(chosen: Offer | None) -> None:
        if chosen is not None and isawaitable(done := chosen.run()):
            app.run_worker(done, group="command")

    if not isinstance(app.screen, OffersScreen):
        app.push_screen(OffersScreen(title, placeholder, offers), run)
