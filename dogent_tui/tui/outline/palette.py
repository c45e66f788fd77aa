"""The actions of the outline editor in the command palette."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from textual.binding import Binding
from textual.command import DiscoveryHit, Hit, Hits, Provider

from dogent_tui.language import tr


@runtime_checkable
class OffersActions(Protocol):
    """A screen whose actions are in the palette."""

    def offered(self) -> list[Binding]:
        """Return the bindings of what can be done."""

    async def perform(self, action: str) -> bool:
        """Do one of them."""


def all_keys(binding: Binding) -> str:
    """Return every key of `binding`, as the footer spells the first: not every terminal sends
    each.
    """
    first, *others = binding.key.split(",")
    return " · ".join(
        [binding.key_display or first, *(key.replace("ctrl+", "Ctrl+") for key in others)]
    )


class OutlineCommands(Provider):
    """Every action of the editor."""

    def _commands(self) -> list[tuple[str, str, Callable[[], object]]]:
        screen = self.screen
        if not isinstance(screen, OffersActions):
            return []

        def run(action: str) -> Callable[[], object]:
            return lambda: screen.call_later(screen.perform, action)

        return [
            (
                tr("Outline: {description}").format(description=binding.description),
                all_keys(binding),
                run(binding.action),
            )
            for binding in screen.offered()
        ]

    async def discover(self) -> Hits:
        """Offer all."""
        for name, key, command in self._commands():
            yield DiscoveryHit(name, command, help=key)

    async def search(self, query: str) -> Hits:
        """Offer those that match."""
        matcher = self.matcher(query)
        for name, key, command in self._commands():
            if (score := matcher.match(name)) > 0:
                yield Hit(score, matcher.highlight(name), command, help=key)
