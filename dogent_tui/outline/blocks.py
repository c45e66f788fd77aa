"""Finds the headings of a Markdown text, those of the document itself, not those in code, quotes,
lists and comments; and counts its words.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_FRONT_MATTER = re.compile(r"\A(?P<fence>---|\+\+\+)[ \t]*\n(?:.*\n)*?(?P=fence)[ \t]*(?:\n|\Z)")


_BREAK = re.compile(r"\s*\n\s*")

_UNREAD = re.compile(
    r"<!--.*?-->|(?<=\])\([^()\s]*(?:\s+\"[^\"]*\")?\)|^ {0,3}\[(?!\^)[^\]\n]+\]:[^\n]*$",
    re.DOTALL | re.MULTILINE,
)
"""Comments, and the addresses of links, also by themselves."""
CJK = "\u3040-\u30ff\u3400-\u9fff"
"""Chinese and Japanese characters, within a class of a pattern."""
_WORD = re.compile(rf"[{CJK}]|[^\W_{CJK}]+(?:['’.,-][^\W_{CJK}]+)*")
"""A word, or a Chinese or Japanese character, which word processors count as one."""


class HeadingLines(NamedTuple):
    """The lines `start` to `end` (exclusive) of a heading, and its title on one line."""

    start: int
    end: int
    level: int
    title: str


def heading_lines(text: str) -> Iterator[HeadingLines]:
    """Yield the headings of `text`, whose lines end with ``\\n``, ignoring front matter."""
    skipped = front_matter(text)
    offset = text.count("\n", 0, skipped)
    # The parser would take a carriage return within a line for a line break.
    tokens = _parser().parse(text[skipped:].replace("\r", " "))
    for token, title in pairwise(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map is not None:
            start, end = token.map
            yield HeadingLines(
                start + offset, end + offset, int(token.tag[1:]), _BREAK.sub(" ", title.content)
            )


def front_matter(text: str) -> int:
    """Return the length in characters of the front matter (YAML or TOML) of `text`."""
    found = _FRONT_MATTER.match(text)
    return found.end() if found else 0


def count_words(text: str) -> int:
    """Return the number of words in `text`, a part of a document without front matter."""
    return len(_WORD.findall(_UNREAD.sub("", text)))


def open_fence(text: str) -> str:
    """Return the fence that is open at the end of `text`, empty for none."""
    fence = ""
    for line in text.split("\n"):
        fence = _fence_after(line, fence)
    return fence


def fenced_lines(lines: Iterable[str]) -> Iterator[int]:
    """Yield the numbers of the lines between fences, including the fences themselves."""
    fence = ""
    for number, line in enumerate(lines):
        before, fence = fence, _fence_after(line, fence)
        if before or fence:
            yield number


def _fence_after(line: str, fence: str) -> str:
    """Return the fence that is open after `line`, given `fence` before it; empty for none."""
    found = _FENCE.match(line)
    if found is None:
        return fence
    if not fence:
        return found[1]
    return "" if line.strip().startswith(fence) and not line.strip().strip(fence[0]) else fence


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser
