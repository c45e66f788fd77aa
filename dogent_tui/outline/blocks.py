"""Where the headings of a Markdown text are: those of the document itself, not those in code, quotes, lists and comments."""

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_FRONT_MATTER = re.compile(r"\A(?P<fence>---|\+\+\+)[ \t]*\n(?:.*\n)*?(?P=fence)[ \t]*(?:\n|\Z)")


class HeadingLines(NamedTuple):
    """The lines `start` to `end` (exclusive) of a heading."""

    start: int
    end: int
    level: int


def heading_lines(text: str) -> Iterator[HeadingLines]:
    """Yield the headings of `text`, whose lines end with ``\\n``. Front matter has none."""
    skipped = front_matter(text)
    offset = text.count("\n", 0, skipped)
    # A carriage return within a line would be another line to the parser.
    tokens = _parser().parse(text[skipped:].replace("\r", " "))
    for token in tokens:
        if token.type == "heading_open" and token.level == 0 and token.map is not None:
            start, end = token.map
            yield HeadingLines(start + offset, end + offset, int(token.tag[1:]))


def front_matter(text: str) -> int:
    """Return how many characters of `text` are front matter (YAML or TOML)."""
    found = _FRONT_MATTER.match(text)
    return found.end() if found else 0


def open_fence(text: str) -> str:
    """Return the fence that is open at the end of `text`, empty for none."""
    fence = ""
    for line in text.split("\n"):
        found = re.match(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})", line)
        if found is None:
            continue
        if not fence:
            fence = found[1]
        elif line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
    return fence


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser
