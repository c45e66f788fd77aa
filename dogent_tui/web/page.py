"""The reader of web pages, which runs in the worker process like every reader (see
`dogent_tui.documents.kinds.READERS`).
"""

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

from dogent_tui.documents.model import Block, Opened, ReadOptions, Report, Source, WebPage
from dogent_tui.web.article import find_article, is_too_much, unsearched
from dogent_tui.web.article_lines import text_of
from dogent_tui.web.plain_page import plain_blocks

_ALONE = 5000
_JOINED = 20
"""The number of blocks after which the rest is joined into one: no article has more, and each takes
time to transfer.
"""
_HEADING = re.compile(r"(#{1,6}) ")


def open_page(path: Path, options: ReadOptions, report: Report) -> Opened:
    """See `dogent_tui.documents.model.Reader`. The file is UTF-8; `options.page` says where it
    comes from.

    Metadata: `title`, `author`, `date`, and `hidden_text`, which is not part of the text, as far as
    the page has them.
    """
    del report
    page = options.page or WebPage("")
    html = path.read_text(encoding="utf-8", errors="replace")
    if page.plain or is_too_much(html):
        article, found = unsearched(html), plain_blocks(html, page.url)
    else:
        article = find_article(html, page.url)
        found = iter(article.blocks)
    metadata = {
        "title": article.title,
        "author": article.author,
        "date": article.date,
        "hidden_text": list(article.hidden),
    }
    return Opened(
        "page",
        {key: value for key, value in metadata.items() if value},
        _blocks(found),
        list(article.warnings),
    )


def _blocks(found: Iterator[str]) -> Iterator[Block]:
    above: list[tuple[int, str]] = []
    for block in _some_joined(found):
        if match := _HEADING.match(block):
            above = [(level, title) for level, title in above if level < len(match[1])]
            above.append((len(match[1]), text_of(block)))
        yield Block(block, Source(headings=tuple(title for _, title in above)))


def _some_joined(found: Iterator[str]) -> Iterator[str]:
    yield from itertools.islice(found, _ALONE)
    while some := "\n\n".join(itertools.islice(found, _JOINED)):
        yield some
