"""Finding a heading of the open document by a part of its words."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.screen import Screen
from textual.style import Style

from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.tui.pane.text import Heading


class _Headings(Provider):
    """Offers headings in the command palette, indented by their levels."""

    def __init__(
        self,
        headings: Sequence[Heading],
        go: Callable[[int], None],
        screen: Screen[Any],
        style: Style | None,
    ) -> None:
        super().__init__(screen, style)
        top = min((heading.level for heading in headings), default=1)
        self._rows = [
            ("  " * (heading.level - top), one_line(heading.title), heading.line)
            for heading in headings
        ]
        self._go = go

    async def discover(self) -> Hits:
        """Yield all of them, as they stand in the document."""
        for indent, title, line in self._rows:
            yield DiscoveryHit(Content(f"{indent}{title}"), partial(self._go, line), text=title)

    async def search(self, query: str) -> Hits:
        """Yield those that `query` fits."""
        matcher = self.matcher(query)
        for indent, title, line in self._rows:
            if (score := matcher.match(title)) > 0:
                yield Hit(score, Content(f"{indent}{title}"), partial(self._go, line), text=title)


def heading_palette(headings: Sequence[Heading], go: Callable[[int], None]) -> CommandPalette:
    """Return the screen that finds one of `headings`, and calls `go` with its line."""

    def provider(screen: Screen[Any], style: Style | None = None) -> Provider:
        return _Headings(headings, go, screen, style)

    return CommandPalette(providers=[lambda: provider], placeholder=tr("Find a heading…"))  # type: ignore[list-item,return-value]
