"""Under which headings of a Markdown text each line stands, found without parsing it: a megabyte
takes too long.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from dogent_tui.outline.blocks import fenced_lines

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*\Z")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*\Z")
_NO_TITLE = re.compile(r" {0,3}(?:[-+*>#|]|\d+[.)]|\Z)|\t| {4}")


class Headings:
    """The headings of a text, by its lines."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._starts: list[int] = []
        self._paths: list[tuple[str, ...]] = []
        above: list[tuple[int, str]] = []
        for place, level, title in _headings(lines):
            while above and above[-1][0] >= level:
                above.pop()
            above.append((level, title))
            self._starts.append(place)
            self._paths.append(tuple(name for _, name in above))

    def path(self, line: int) -> tuple[str, ...]:
        """Return the titles of the headings that `line` stands under, the highest first; a
        heading stands under itself.
        """
        number = bisect_right(self._starts, line)
        return self._paths[number - 1] if number else ()


def _headings(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield the line, level and title of each heading."""
    likely = [place for place, line in enumerate(lines) if line.lstrip(" ")[:1] in ("#", "=", "-")]
    if not likely:
        return
    fenced = set(fenced_lines(lines))
    for place in likely:
        if place in fenced:
            continue
        found = _ATX.match(lines[place])
        if found is not None:
            yield place, len(found[1]), (found[2] or "").strip()
            continue
        under = _SETEXT.match(lines[place])
        if under is not None and place and not _NO_TITLE.match(lines[place - 1]):
            yield place - 1, 1 if under[1][0] == "=" else 2, lines[place - 1].strip()
