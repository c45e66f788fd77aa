"""Searching the headings of the open document, or the sheets of a workbook."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.screen import Screen
from textual.style import Style

from dogent_tui.plain import one_line
from dogent_tui.tui.pane.reading import Heading
from dogent_tui.tui.textual_fixes.palette import Palette


class _Headings(Provider):
    """Offers headings in the command palette, indented by level."""

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
        """Yield all headings in document order."""
        for indent, title, line in self._rows:
            yield DiscoveryHit(Content(f"{indent}{title}"), partial(self._go, line), text=title)

    async def search(self, query: str) -> Hits:
        """Yield the matches of `query`."""
        matcher = self.matcher(query)
        for indent, title, line in self._rows:
            if (score := matcher.match(title)) > 0:
                yield Hit(score, Content(f"{indent}{title}"), partial(self._go, line), text=title)


def contents_palette(headings: Sequence[Heading], go: Callable[[int], None], words: str) -> Palette:
    """Return the screen that searches `headings` and calls `go` with the line of the chosen one.
    `words` ask for what to type.
    """

    def provider(screen: Screen[Any], style: Style | None = None) -> Provider:
        return _Headings(headings, go, screen, style)

    return Palette(providers=[lambda: provider], placeholder=words)  # type: ignore[list-item,return-value]
