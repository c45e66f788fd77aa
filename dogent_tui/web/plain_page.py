"""A page as Markdown without locating its article: in one pass over its tags, in time proportional
to its length.

For pages that are not articles, such as lists of links, and for those that extractors cannot
handle. No parser of HTML: for 80,000 nested elements, lexbor takes 14 s.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from html import unescape
from itertools import groupby, islice
from urllib.parse import urljoin

from dogent_tui.documents.html.nodes import BLOCKS, TITLES
from dogent_tui.documents.pandoc.escapes import fence

_TOKEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<[!?][^<>]*>|<(?P<close>/?)(?P<tag>[a-zA-Z][a-zA-Z0-9]*+)(?P<rest>[^<>]*+)>|(?P<text>[^<]{1,65536})|<",
    re.DOTALL,
)
_HREF = re.compile(r"""\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_RAW = frozenset([
    "script", "style", "noscript", "template", "svg", "textarea", "title", "iframe", "object",
    "canvas",
])  # fmt: skip
"""Elements without text for a reader, or whose text is not markup: skipped up to their end."""
_ASIDE = frozenset({"nav", "footer", "aside", "dialog", "select", "button"})
_ENDING = BLOCKS - {"td", "th"} | _ASIDE
_SIGNS = {title: "#" * level + " " for level, title in enumerate(TITLES, 1)}
_SIGNS |= {"li": "- ", "blockquote": "> "}
_IN_TARGET = str.maketrans({" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E"})
_LONGEST_LINK = 2000
_MOST_LINKS = 10_000
"""Elements whose targets are shown; making them absolute takes longer than everything else."""
_MOST_CHARS = 4_000_000
_MOST_BLOCK_CHARS = 50_000
"""The maximum length of a block, except code: otherwise the beginning would have to wait for all of
it.
"""
_MOST_TOKENS = 200_000
"""The number of tags and texts of a page to read: about a quarter of a second."""


def plain_blocks(html: str, url: str) -> Iterator[str]:
    """Yield the text of a page as blocks of Markdown: headings, lists, links, table rows and code,
    without menus. The first ones are available at once, however long the page is.
    """
    for are_items, lines in groupby(_lines(html, url), lambda line: line.startswith("- ")):
        if are_items:
            yield "\n".join(lines)
        else:
            yield from lines


def _lines(html: str, url: str) -> Iterator[str]:
    page = _Page(url)
    for token in islice(_tokens(html), _MOST_TOKENS):
        if token["tag"]:
            yield from page.take_tag(token["tag"].lower(), token["rest"], closes=token["close"])
        elif token["text"]:
            yield from page.take_text(token["text"])
        if page.chars > _MOST_CHARS:
            break
    yield from page.end_line()


def _tokens(html: str) -> Iterator[re.Match[str]]:
    """Yield tags and texts, without elements that are skipped."""
    position = 0
    while token := _TOKEN.match(html, position):
        position = token.end()
        tag = (token["tag"] or "").lower()
        if tag in _RAW and not token["close"]:  # browsers only look for its end tag
            end = re.compile(rf"</{tag}\b", re.IGNORECASE).search(html, position)
            # searched for separately: for each of many unclosed ones, the whole page would be
            position = html.find(">", end.end()) + 1 if end else 0
            position = position or len(html)
        else:
            yield token


class _Page:
    """The line being read."""

    def __init__(self, url: str) -> None:
        self.chars = 0
        self._url = url
        self._line: list[str] = []
        self._begin = 0
        self._sign = ""
        self._is_code = False
        self._aside, self._depth = "", 0
        self._link: tuple[str, int] | None = None
        self._links = 0

    def take_text(self, text: str) -> Iterator[str]:
        """Process the text between tags, and yield the line if it is long."""
        if not self._aside:
            text = unescaped(text)
            self.chars += len(text)
            self._line.append(text if self._is_code else re.sub(r"\s+", " ", text))
            if self.chars - self._begin > _MOST_BLOCK_CHARS and not self._is_code:
                yield from self.end_line()

    def take_tag(self, tag: str, rest: str, *, closes: str) -> Iterator[str]:
        """Process a tag, and yield the line that it ends."""
        if self._aside:
            self._depth += (-1 if closes else 1) * (tag == self._aside)
            self._aside = self._aside if self._depth else ""
        elif tag == "a":
            self._end_link()
            if not closes and self._links < _MOST_LINKS and (match := _HREF.search(rest)):
                self._links += 1
                self._link = match[match.lastindex or 1], len(self._line)
        elif tag == "br" or (self._is_code and tag != "pre"):
            self._line += ["\n"] * (tag == "br")
        elif tag in {"td", "th"} and not closes and self._line:
            self._line.append(" | ")
        elif tag in _ENDING:
            yield from self.end_line()
            self._is_code = tag == "pre" and not closes
            self._sign = "" if closes else _SIGNS.get(tag, "")
            if tag in _ASIDE and not closes:
                self._aside, self._depth = tag, 1

    def _end_link(self) -> None:
        if self._link is None:
            return
        (target, start), self._link = self._link, None
        text, target = "".join(self._line[start:]).strip(), unescaped(target).strip()
        is_shown = target and not target.startswith(("#", "javascript:", "data:"))
        if text and is_shown and len(target) <= _LONGEST_LINK and not self._is_code:
            with suppress(ValueError):
                absolute = urljoin(self._url, target).translate(_IN_TARGET)
                self._line[start:] = [f"[{text}]({absolute})"]

    def end_line(self) -> Iterator[str]:
        """Yield the line, unless it is empty, and begin another."""
        self._end_link()
        said, self._line, self._begin = "".join(self._line), [], self.chars
        if self._is_code and (code := said.strip("\n")):
            ticks = fence(code)
            yield f"{ticks}\n{code}\n{ticks}"
        elif text := "\n".join(line.strip() for line in said.split("\n")).strip():
            yield self._sign + (text.replace("\n", " ") if self._sign else text)


_ENDLESS = re.compile(r"&#[0-9]{1000,};?")
"""Python refuses to convert numbers with more than 4,300 digits to int."""


def unescaped(text: str) -> str:
    """Return untrusted `text` with its character references replaced; invalid ones become
    U+FFFD.
    """
    return unescape(_ENDLESS.sub("\ufffd", text))
