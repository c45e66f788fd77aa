"""A page as Markdown without locating its article: in one pass over its tags, in time proportional
to its length.

For pages that are not articles, such as lists of links, and for those that extractors cannot
handle.
"""

import re
from collections.abc import Iterator
from urllib.parse import urljoin

from dogent_tui.documents.html.nodes import BLOCKS
from dogent_tui.documents.pandoc.escapes import fence
from dogent_tui.web.content_encodings import unescaped

_TOKEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<[!?][^<>]*>|<(?P<close>/?)(?P<tag>[a-zA-Z][a-zA-Z0-9]*+)(?P<rest>[^<>]*+)>|(?P<text>[^<]{1,65536})|<",
    re.DOTALL,
)
_HREF = re.compile(r"""\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_RAW = frozenset(
    {
        "script",
        "style",
        "noscript",
        "template",
        "svg",
        "textarea",
        "title",
        "iframe",
        "object",
        "canvas",
    }
)
"""Elements without text for a reader, or whose text is not markup: skipped up to their end."""
_ASIDE = frozenset({"nav", "footer", "aside", "dialog", "select", "button"})
_BLOCKS = BLOCKS - {"td", "th"} | {"br"}
_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
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
    page = _Page(url)
    position, end = 0, len(html)
    tokens = 0
    while position < end and page.chars < _MOST_CHARS and tokens < _MOST_TOKENS:
        tokens += 1
        match = _TOKEN.match(html, position)
        if match is None:  # impossible: the last alternative and the text before match everything
            break
        position = match.end()
        tag = (match["tag"] or "").lower()
        if tag in _RAW and not match["close"]:
            position = _after(html, tag, position)
        elif tag:
            page.take_tag(tag, match["rest"] or "", closes=bool(match["close"]))
        elif match["text"]:
            page.take_text(match["text"])
        yield from page.whole_blocks()
    yield from page.last_blocks()


def _after(html: str, tag: str, position: int) -> int:
    """Return the end of the element: browsers only look for its end tag."""
    match = re.compile(rf"</{tag}\b", re.IGNORECASE).search(html, position)
    # searched for separately: for each of many unclosed ones, the whole page would be searched
    return html.find(">", match.end()) + 1 or len(html) if match is not None else len(html)


class _Page:
    """What has been read so far: the blocks, and the current one."""

    def __init__(self, url: str) -> None:
        self.chars = 0
        self._url = url
        self._blocks: list[list[str]] = []
        self._line: list[str] = []
        self._line_chars = 0
        self._prefix = ""
        self._aside: list[str] = []
        self._pre = 0
        self._link: tuple[str, int] | None = None
        self._links = 0
        self._last_item = False

    def take_tag(self, tag: str, rest: str, *, closes: bool) -> None:
        """Process a tag."""
        if self._aside:
            self._leave_aside(tag, closes=closes)
            return
        if tag in _ASIDE and not closes:
            self._end_block()
            self._aside = [tag]
        elif tag == "a":
            self._end_link()
            if not closes and self._links < _MOST_LINKS and (match := _HREF.search(rest)):
                self._links += 1
                self._link = (
                    next(group for group in match.groups() if group is not None),
                    len(self._line),
                )
        elif tag in {"td", "th"} and not closes and self._line:
            self._line.append(" | ")
        elif tag in _BLOCKS:
            self._take_block(tag, closes=closes)

    def take_text(self, text: str) -> None:
        """Process the text between tags."""
        if self._aside:
            return
        text = unescaped(text)
        self.chars += len(text)
        self._line.append(text if self._pre else re.sub(r"\s+", " ", text))
        self._line_chars += len(text)
        if self._line_chars > _MOST_BLOCK_CHARS and not self._pre:
            self._end_block()

    def whole_blocks(self) -> Iterator[str]:
        """Yield complete blocks, each once. The last one, a list, may get more items."""
        while len(self._blocks) > 1:
            yield "\n".join(self._blocks.pop(0))

    def last_blocks(self) -> Iterator[str]:
        """Yield the rest at the end of the page."""
        self._end_block()
        yield from ("\n".join(lines) for lines in self._blocks)

    def _leave_aside(self, tag: str, *, closes: bool) -> None:
        if tag == self._aside[0]:
            if closes:
                self._aside.pop()
            elif len(self._aside) < 1000:
                self._aside.append(tag)

    def _take_block(self, tag: str, *, closes: bool) -> None:
        if tag == "pre":
            self._end_block()
            self._pre = 0 if closes else 1
            return
        if self._pre:
            if tag == "br":
                self._line.append("\n")
            return
        if tag == "br":
            self._line.append("  \n" if self._line and not self._prefix else " ")
            return
        self._end_block()
        if not closes:
            self._prefix = (
                f"{_HEADINGS[tag]} "
                if tag in _HEADINGS
                else "- "
                if tag == "li"
                else "> "
                if tag == "blockquote"
                else ""
            )

    def _end_link(self) -> None:
        if self._link is None:
            return
        target, start = self._link
        self._link = None
        text = "".join(self._line[start:]).strip()
        target = unescaped(target).strip()
        if (
            not text
            or not target
            or len(target) > _LONGEST_LINK
            or target.startswith(("#", "javascript:", "data:"))
            or self._pre
        ):
            return
        try:
            target = urljoin(self._url, target)
        except ValueError:
            return
        self._line[start:] = [f"[{text}]({target.translate(_IN_TARGET)})"]

    def _end_block(self) -> None:
        self._end_link()
        text = "".join(self._line)
        self._line, self._line_chars = [], 0
        if self._pre:
            text = text.strip("\n")
            if text:
                ticks = fence(text)
                self._blocks.append([f"{ticks}\n{text}\n{ticks}"])
                self._last_item = False
            return
        text = "\n".join(line.strip() for line in text.split("\n")).strip()
        if text:
            is_item = self._prefix == "- "
            if is_item and self._last_item:
                self._blocks[-1].append(self._prefix + text)
            else:
                self._blocks.append([self._prefix + text])
            self._last_item = is_item
            self._prefix = ""
