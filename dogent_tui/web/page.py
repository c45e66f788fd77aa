"""The reader of web pages: runs in the worker process, as every reader does (see `dogent_tui.documents.kinds.READERS`)."""

import re
from collections.abc import Iterator
from pathlib import Path

from dogent_tui.documents.model import Block, Opened, ReadOptions, Report, Source, WebPage
from dogent_tui.web.article import find_article
from dogent_tui.web.tidying import blocks, text_of

_HEADING = re.compile(r"(#{1,6}) ")


def open_page(path: Path, options: ReadOptions, report: Report) -> Opened:
    """See `dogent_tui.documents.model.Reader`. The file is UTF-8; `options.page` tells where it comes from."""
    del report
    page = options.page or WebPage("")
    article = find_article(path.read_text(encoding="utf-8", errors="replace"), page.url, plain=page.plain)
    metadata = {"title": article.title, "author": article.author, "date": article.date}
    known = {key: value for key, value in metadata.items() if value}
    return Opened("page", known, _blocks(article.markdown), list(article.warnings))


def _blocks(markdown: str) -> Iterator[Block]:
    above: list[tuple[int, str]] = []
    for block in blocks(markdown):
        if match := _HEADING.match(block):
            above = [(level, title) for level, title in above if level < len(match[1])]
            above.append((len(match[1]), text_of(block)))
        yield Block(block, Source(headings=tuple(title for _, title in above)))
