"""The application's styles, kept as parsed for each theme: parsing all of them again was a third
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
"""More than there are widgets with styles: Textual's own bound of 64 would have early ones
parsed again and again.
"""

MOST_THEMES = 3
"""The present one, the one before, and one that is got ready."""


class ThemedStylesheet(Stylesheet):
    """A stylesheet that parses each source once a theme, and can do so ahead of the change.

    It stands on `Stylesheet`'s own cache of what it parsed, which Textual throws away with each
    change of theme.
    """

    def __init__(self, *, variables: dict[str, str] | None = None) -> None:
        super().__init__(variables=variables)
        self._by_colors: dict[_Colors, Future[_Parsed]] = {}
        self._keep(self._variables)

    def set_variables(self, variables: dict[str, str]) -> None:
        """Set the colors; what was parsed with them is still known. Waits for what is being
        parsed ahead.
        """
        self._parse_cache = LRUCache(1)  # that it clears, and not what is to be kept
        super().set_variables(variables)
        self._keep(variables)

    def reparse(self) -> None:
        """Have the present colors hold. Raises what `parse` raises, and leaves the rules as they
        were then.
        """
        self.parse()

    def prepare(self, variables: dict[str, str]) -> None:
        """Parse all that is here with other colors, in a thread."""
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
        """Parse everything, and return what came of each source."""
        self.parse()
        return self._parse_cache

    def _keep(self, variables: dict[str, str]) -> None:
        colors = frozenset(variables.items())
        parsed = self._by_colors.pop(colors, None)
        # what is wrong is said when it is parsed here
        if parsed is None or parsed.exception() is not None:
            parsed = Future()
            parsed.set_result(LRUCache(MOST_SOURCES))
        self._add(colors, parsed)
        self._parse_cache = parsed.result()

    def _add(self, colors: _Colors, parsed: "Future[_Parsed]") -> None:
        self._by_colors[colors] = parsed
        while len(self._by_colors) > MOST_THEMES:
            del self._by_colors[next(iter(self._by_colors))]
