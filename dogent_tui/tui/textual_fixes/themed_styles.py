"""The application's styles, cached as parsed for each theme: parsing all of them again was a third
of a change of theme.
"""

from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeAlias

from textual.cache import LRUCache
from textual.css.stylesheet import Stylesheet

if TYPE_CHECKING:
    from textual.css.model import RuleSet

_Parsed: TypeAlias = "LRUCache[tuple[object, ...], list[RuleSet]]"
_Colors: TypeAlias = frozenset[tuple[str, str]]

MOST_SOURCES = 512
"""More than there are widgets with styles: with Textual's limit of 64, early ones would be parsed
again and again.
"""

MOST_THEMES = 3
"""The current theme, the previous one, and one being prepared."""


class ThemedStylesheet(Stylesheet):
    """A stylesheet that parses each source once per theme, and can do so before the change.

    It is based on `Stylesheet`'s own parse cache, which Textual discards on each change of theme.
    """

    def __init__(self, *, variables: dict[str, str] | None = None) -> None:
        super().__init__(variables=variables)
        self._by_colors: dict[_Colors, Future[_Parsed]] = {}
        self._keep(self._variables)

    def set_variables(self, variables: dict[str, str]) -> None:
        """Set the colors, keeping what was parsed with them. Waits for a parse in progress."""
        self._parse_cache = LRUCache(1)  # the copy is cleared, not the cached one
        super().set_variables(variables)
        self._keep(variables)

    def reparse(self) -> None:
        """Apply the current colors. Raises what `parse` raises, leaving the rules unchanged."""
        self.parse()

    def prepare(self, variables: dict[str, str]) -> None:
        """Parse all sources with other colors, in a thread."""
        colors = frozenset(variables.items())
        if colors not in self._by_colors:
            thread = ThreadPoolExecutor(1)
            self._add(colors, thread.submit(self._ahead(variables).parsed))
            thread.shutdown(wait=False)

    def _ahead(self, variables: dict[str, str]) -> "ThemedStylesheet":
        ahead = ThemedStylesheet(variables=variables)
        ahead.source = dict(self.source)
        return ahead

    def parsed(self) -> _Parsed:
        """Parse everything, and return the result for each source."""
        self.parse()
        return self._parse_cache

    def _keep(self, variables: dict[str, str]) -> None:
        colors = frozenset(variables.items())
        parsed = self._by_colors.pop(colors, None)
        # errors are reported when it is parsed here
        if parsed is None or parsed.exception() is not None:
            parsed = Future()
            parsed.set_result(LRUCache(MOST_SOURCES))
        self._add(colors, parsed)
        self._parse_cache = parsed.result()

    def _add(self, colors: _Colors, parsed: "Future[_Parsed]") -> None:
        self._by_colors[colors] = parsed
        while len(self._by_colors) > MOST_THEMES:
            del self._by_colors[next(iter(self._by_colors))]
