"""The readable article of a page: found by trafilatura in two tempers, completed, and tidied.

trafilatura's careful temper leaves out what it doubts, its usual one takes too much; which of the two is right differs from
page to page. Both are told what surely is no article (`dogent_tui.web.cleaning`), and what they let through is tidied
(`dogent_tui.web.tidying`). Measured by ``python -m tests.benchmarks web``.
"""

import contextlib
from typing import Any

import msgspec

from dogent_tui.language import tr
from dogent_tui.web.entities import unescaped
from dogent_tui.web.plain_page import plain_page
from dogent_tui.web.tidying import blocks, is_list_of_links, squeezed, text_of, tidied

_MOST_CHARS = 6_000_000
_MOST_TAGS = 100_000
"""A page that is larger is read as it is: extractors take longer than anybody waits."""
_CAREFUL_SHARE = 0.3
"""Where the careful temper finds less than this share of what the usual one finds, it missed the article."""
_SHORT = 5000
"""What is longer is an article, and not only what the links of a page say."""
_MOST_LEADS = 2
_LEAD_WITHIN = 400
"""An article that is shorter gets no introduction: it may be the wrong one."""

_NO_ARTICLE = tr("The article could not be told apart from the rest of this page, so this is all of its text.")
_NO_TEXT = tr("The page contains no text: its scripts would load it, and they are not run.")
_TOO_MUCH = tr("The page is too large or complex to find its article, so this is the text read so far.")


class Article(msgspec.Struct, frozen=True):
    """What a page says. `title`, `author` and `date` (as ISO) are empty where it does not say."""

    markdown: str
    title: str = ""
    author: str = ""
    date: str = ""
    warnings: tuple[str, ...] = ()


def find_article(html: str, url: str = "", *, plain: bool = False) -> Article:
    """Return the article of the page `html`, links made absolute by its address `url`.

    `plain`: all of its text will do; that takes as long as the page is long. Else it may take any time: call it where it can be
    ended.
    """
    if plain or is_too_much(html):
        return msgspec.structs.replace(unsearched(html), markdown=plain_page(html, url))
    from dogent_tui.web.cleaning import cleaned, leads, title_of

    tree = cleaned(html)
    kept = tree.html or ""
    heading = title_of(tree)
    markdown = _extracted(kept, url)
    meta = _metadata(html, url)
    title = meta.title or heading
    whole = plain_page(kept, url) if len(markdown) < _SHORT else ""
    if not markdown or (whole and is_list_of_links(markdown, whole)):
        warning = _NO_ARTICLE if whole or "<script" not in html else _NO_TEXT
        return msgspec.structs.replace(meta, markdown=whole, title=title, warnings=(warning,))
    if len(markdown) > _LEAD_WITHIN:
        markdown = _with_leads(markdown, list(leads(tree)))
    article = tidied(markdown, heading or title)
    if whole and not article:  # it was only the title
        return msgspec.structs.replace(meta, markdown=whole, title=title, warnings=(_NO_ARTICLE,))
    return msgspec.structs.replace(meta, markdown=article, title=title)


def is_too_much(html: str) -> bool:
    """Tell whether nobody looks for the article of the page `html`."""
    return len(html) > _MOST_CHARS or html.count("<") > _MOST_TAGS


def unsearched(html: str) -> Article:
    """Return what is known of such a page beside its text."""
    return Article("", title=_title_by_hand(html), warnings=(_TOO_MUCH,))


def _extracted(html: str, url: str) -> str:
    """Return what trafilatura takes for the article, empty where it refuses the page."""
    from trafilatura import extract, load_html

    tree = load_html(html)
    if tree is None:
        return ""
    wanted: dict[str, Any] = {
        "url": url or None,
        "output_format": "markdown",
        "include_links": True,
        "include_tables": True,
        "include_formatting": True,
        "include_comments": False,
    }
    usual = extract(tree, **wanted) or ""
    careful = extract(tree, favor_precision=True, **wanted) or ""
    return careful if len(careful) >= _CAREFUL_SHARE * len(usual) else usual


def _metadata(html: str, url: str) -> Article:
    from trafilatura import extract_metadata, load_html

    # not extensive: a date in the words of some language would have seconds of grammar loaded for it
    with contextlib.suppress(Exception):  # it reads what authors of pages write into them, in every form
        tree = load_html(html)
        found = extract_metadata(tree, default_url=url or None, extensive=False) if tree is not None else None
        if found is not None:
            return Article("", title=_line(found.title), author=_line(found.author), date=_line(found.date))
    return Article("")


def _with_leads(markdown: str, found: list[str]) -> str:
    """Put the introductions in front that are not there yet."""
    known = squeezed(" ".join(text_of(block) for block in blocks(markdown)))
    missing: list[str] = []
    for lead in found:
        said = squeezed(lead)
        if said[:80] in known or len(missing) == _MOST_LEADS:
            break
        if not any(said in other or other in said for other in map(squeezed, missing)):
            missing.append(lead)
    return "\n\n".join([*map(_escaped, missing), markdown])


def _escaped(text: str) -> str:
    """Return a paragraph of plain text as Markdown."""
    import re

    return re.sub(r"([\\`*_\[\]<>#|~])", r"\\\1", text)


def _line(value: object) -> str:
    return " ".join(value.split())[:500] if isinstance(value, str) else ""


def _title_by_hand(html: str) -> str:
    import re

    match = re.search(r"<title[^<>]{0,200}>([^<]{1,500})", html[:200_000], re.IGNORECASE)
    return _line(unescaped(match[1])) if match is not None else ""
