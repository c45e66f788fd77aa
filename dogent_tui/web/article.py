"""The readable article of a page: located by trafilatura in two modes, taken from the page's own
elements, and cleaned up.

trafilatura's precise mode omits what it doubts, its usual one takes too much; which one is right
differs from page to page. Both get the page without boilerplate (`dogent_tui.web.boilerplate`).
What they find tells which elements of the page make up the article (`dogent_tui.web.selection`);
those are converted like any HTML (`dogent_tui.documents.html`), and insertions by the site are
removed (`dogent_tui.web.article_lines`). Measured by ``python -m tests.benchmarks web``.
"""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from copy import deepcopy
from html import escape
from typing import Any

import msgspec
from selectolax.lexbor import LexborHTMLParser

from dogent_tui.documents.html.facts import facts_of
from dogent_tui.documents.html.hidden_text import HIDDEN, attribute, page_tree, take_hidden
from dogent_tui.documents.html.markup import plain_tree
from dogent_tui.documents.html.nodes import Element, squeezed_text
from dogent_tui.documents.html.reader import markdown_blocks
from dogent_tui.language import tr
from dogent_tui.records import JsonDict, Record
from dogent_tui.web.article_lines import squeezed, tidied
from dogent_tui.web.boilerplate import clean
from dogent_tui.web.model import HARDLY_LETTERS
from dogent_tui.web.plain_page import unescaped
from dogent_tui.web.selection import article_of, says_only_links

_MOST_CHARS = 6_000_000
_MOST_TAGS = 100_000
"""A larger page is read as it is: extractors would take too long."""
_CAREFUL_SHARE = 0.3
"""If the precise mode finds less than this share of what the usual one finds, it missed the
article.
"""
_SHORT = 4000
"""The number of letters from which on a text is an article and not just the page's links."""
_DESCRIBED = 40
_INLINE = frozenset({"hi", "ref", "del", "graphic", "code"})
"""trafilatura's inline elements."""
_IN_DATA = re.compile(r'"articleBody"\s*:\s*("(?:[^"\\]++|\\.)*+")', re.DOTALL)
_AROUND = ("nav", "footer", "aside")

_NO_ARTICLE = tr(
    "The article could not be told apart from the rest of this page, so this is all of its text."
)
_NO_TEXT = tr("The page contains no text: its scripts would load it, and they are not run.")
_DATA = tr("The page shows no text of its own, so this is what it tells search engines.")
_TOO_MUCH = tr(
    "The page is too large or complex to find its article, so this is the text read so far."
)


class Article(Record):
    """The content of a page, in blocks of Markdown. `title`, `author` and `date` (as ISO) are empty
    if unknown.

    `hidden` are invisible texts within the article.
    """

    blocks: tuple[str, ...] = ()
    title: str = ""
    author: str = ""
    date: str = ""
    hidden: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def markdown(self) -> str:
        """All of it."""
        return "\n\n".join(self.blocks)


def find_article(html: str, url: str) -> Article:
    """Return the article of the page `html`, with links made absolute relative to its address
    `url`.

    There is no time limit: call it where it can be ended, and not if `is_too_much`. Raises
    DocumentError.
    """
    tree = page_tree(html)
    meta = msgspec.structs.replace(Article(), **facts_of(html, tree, url))
    hidden = take_hidden(tree)
    clean(tree)
    kept = tree.html or ""
    pieces = _extracted(kept, url)
    body = plain_tree(kept, url)
    heading = next(map(squeezed_text, body.iter("h1")), "")
    title = meta.title or heading
    is_short = len(squeezed(" ".join(pieces))) < _SHORT
    whole = deepcopy(body) if is_short else body
    blocks, warnings = list[str](), list[str]()
    if (
        pieces
        and not (is_short and says_only_links(whole, pieces))
        and article_of(body, pieces, _description(tree))
    ):
        blocks = tidied(_markdown(body), heading or title)
    if not blocks:
        body = whole
        for node in list(body.iter(*_AROUND)):
            node.drop_tree()
        blocks = _markdown(body)
        warnings = [_NO_ARTICLE if blocks or "<script" not in html else _NO_TEXT]
    if len(squeezed("".join(blocks))) <= HARDLY_LETTERS and (told := _told_in_data(html)):
        blocks, warnings = list(find_article(told, url).blocks), [_DATA]
    if seen := _unseen(body, hidden.texts):
        warnings.append(tr("Text that cannot be seen on the page was left out."))
    return msgspec.structs.replace(
        meta, blocks=tuple(blocks), title=title, hidden=seen, warnings=tuple(warnings)
    )


def _told_in_data(html: str) -> str:
    """Return the text that the page states in its data for search engines (JSON-LD), as HTML."""
    said = ""
    with suppress(ValueError):
        found = (json.loads(each, strict=False) for each in _IN_DATA.findall(html))
        said = max(found, key=len, default="")
    if re.search("<(?:p|br|div)[ />]", said):
        return said
    return "".join(f"<p>{escape(unescaped(line))}</p>" for line in said.splitlines())


def is_too_much(html: str) -> bool:
    """Return whether the page `html` is too large for finding its article."""
    return len(html) > _MOST_CHARS or html.count("<") > _MOST_TAGS


def unsearched(html: str) -> Article:
    """Return the metadata of such a page."""
    return Article(title=_title_by_hand(html), warnings=(_TOO_MUCH,))


def _unseen(body: Element, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the hidden texts within `body`."""
    return tuple(
        texts[int(number)] for node in body.iter() if (number := node.get(HIDDEN)) is not None
    )


def _markdown(body: Element) -> list[str]:
    """Return the Markdown of `body`, without its hidden texts, in blocks."""
    found: list[str] = []
    for block in markdown_blocks(body)[0]:
        if block.tight and found:
            found[-1] += f"\n{block.markdown}"
        else:
            found.append(block.markdown)
    return found


def _extracted(html: str, url: str) -> list[str]:
    """Return what trafilatura takes for the article, piece by piece; empty if it refuses the
    page.
    """
    from trafilatura import bare_extraction, load_html

    tree = load_html(html)
    if tree is None:
        return []
    wanted: JsonDict = {
        "url": url or None,
        "include_links": True,
        "include_tables": True,
        "include_formatting": True,
        "include_comments": False,
    }
    usual = _pieces(bare_extraction(tree, **wanted))
    careful = _pieces(bare_extraction(tree, favor_precision=True, **wanted))
    return careful if sum(map(len, careful)) >= _CAREFUL_SHARE * sum(map(len, usual)) else usual


def _pieces(found: Any) -> list[str]:
    """Return the texts of an extraction, one per line of each element."""
    body = getattr(found, "body", None)
    lines: list[str] = [""]

    def walk(node: Any) -> None:
        is_inline = node.tag in _INLINE
        if not is_inline:
            lines.append("")
        lines[-1] += node.text or ""
        for child in node:
            walk(child)
            lines[-1] += child.tail or ""
        if not is_inline:
            lines.append("")

    if body is not None:
        walk(body)
    return [" ".join(line.split()) for line in lines if line.strip()]


def _description(tree: LexborHTMLParser) -> str:
    """Return the page's own description, empty if it is missing or short."""
    nodes = tree.css("meta[property='og:description'],meta[name=description]")
    said = (attribute(node, "content") for node in nodes)
    return next((text for text in said if len(text) >= _DESCRIBED), "")


def _title_by_hand(html: str) -> str:
    match = re.search(r"<title[^<>]{0,200}>([^<]{1,500})", html[:200_000], re.IGNORECASE)
    return " ".join(unescaped(match[1]).split()) if match is not None else ""
