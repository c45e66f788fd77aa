"""A page's title, author and date: from its head, its structured data, and the byline below its
title.
"""

import contextlib
import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser

_NAME = (
    r"(?P<name>[\u4e00-\u9fff·A-Za-z]{2,12}(?:[、,，]"
    r" ?[\u4e00-\u9fff·]{2,4}(?![\u4e00-\u9fff]|\s*[:：]))*)"
)
_AUTHORS = (
    re.compile(r"(?:作者|记者|記者|撰文|撰稿|文\s*[/／|]|编译|作　者|本报讯)\s*[:：/／|｜]?\s*"
               + _NAME),
    re.compile(r"(?:著者|筆者|文責)\s*[:：]?\s*"
               r"(?P<name>[\u3040-\u30ff\u4e00-\u9fff]{1,6}(?:\s[\u3040-\u30ff\u4e00-\u9fff]{1,6})?)"),
    re.compile(r"(?P<name>[\uac00-\ud7a3]{2,4})\s?기자"),
    re.compile(r"^\s*(?:[Ww]ritten |[Pp]osted |[Rr]eported )?"
               r"(?:[Bb]y|BY|[Vv]on|[Pp]ar|[Pp]or|[Dd]i|[Dd]oor|Автор:?|Autor(?:in)?:|Author:)\s+"
               r"(?P<name>[^\W\d_][\w.'’-]*(?: (?:[^\W\d_][\w.'’-]*|&|and|und|et|y|e)){0,5})"),
)  # fmt: skip
_DATES = (
    re.compile(r"(?P<y>(?:19|20)\d\d)\s*年\s*(?P<m>\d{1,2})\s*月\s*(?P<d>\d{1,2})\s*日"),
    re.compile(r"(?P<y>(?:19|20)\d\d)\s*[-./]\s*(?P<m>\d{1,2})\s*[-./]\s*(?P<d>\d{1,2})(?!\d)"),
    re.compile(r"(?<!\d)(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.\s?(?P<y>(?:19|20)\d\d)(?!\d)"),
    re.compile(
        r"(?P<d>\d{1,2})(?:st|nd|rd|th|\.|er|º)?\s+(?:de\s+)?(?P<name>[^\W\d_]{3,10})\.?,?\s+(?:de\s+)?(?P<y>(?:19|20)\d\d)"
    ),
    re.compile(
        r"(?P<name>[^\W\d_]{3,10})\.?\s+(?P<d>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<y>(?:19|20)\d\d)"
    ),
)
_MONTHS = [
    tuple(starts.split())
    for starts in (
        "jan gen ene янв يناير", "feb fév fev фев فبراير", "mar mär mrt мар مارس",
        "apr avr abr апр أبريل ابريل", "may mai mei mag мая май مايو", "jun juin giu июн يونيو",
        "jul juil lug июл يوليو", "aug août aou ago авг أغسطس اغسطس", "sep set сен سبتمبر",
        "oct okt ott out окт أكتوبر اكتوبر", "nov ноя نوفمبر", "dec dez déc dic дек ديسمبر",
    )
]  # fmt: skip
_NEAR_TITLE = 40
"""The number of elements after the title that may be the byline."""
_MAY_SAY = {"p", "div", "span", "time", "li", "address", "header", "small", "em", "i"}
_LONGEST_BYLINE = 120
_LONGEST = 300


def facts_of(html: str, tree: LexborHTMLParser, url: str = "") -> dict[str, str]:
    """Return `title`, `author` and `date` (as ISO) of the page `html`, as far as known. `tree` is
    the same page.
    """
    found = _extracted(html, url)
    said: dict[str, str] = {}
    for line in _lines_below_title(tree):
        authors = (match["name"].strip() for one in _AUTHORS if (match := one.search(line)))
        facts = {"author": next(authors, ""), "date": _day(line)}
        said = {**{name: value for name, value in facts.items() if value}, **said}
    author = tree.css_first("meta[name=author]")  # it takes no name of one word, as in Chinese
    if author is not None and (name := _line(author.attributes.get("content"))):
        said["author"] = name
    if "author" in said and not _states(tree, found.get("author", "")):
        del found["author"]  # guessed from a class, such as that of a box about the author
    return {**said, **found}


def _states(tree: LexborHTMLParser, author: str) -> bool:
    """Return whether the page's metadata contains the words of `author`."""
    nodes = tree.css("head, script[type='application/ld+json'], [rel~=author], [itemprop]")
    stated = "".join(node.html or "" for node in nodes).casefold()
    return all(word in stated for word in re.findall(r"\w+", author.casefold()))


def _extracted(html: str, url: str) -> dict[str, str]:
    """Return what trafilatura finds, which knows the names of such fields in many systems."""
    from trafilatura import extract_metadata, load_html

    # not extensive: for a date in words it would load grammars for seconds
    found = None
    with contextlib.suppress(Exception):  # pages contain all kinds of values in these
        tree = load_html(html)
        if tree is not None:
            found = extract_metadata(tree, default_url=url or None, extensive=False)
    facts = {name: _line(getattr(found, name, None)) for name in ("title", "author", "date")}
    facts["title"] = facts["title"].rstrip("¶")  # a sign that links to the heading itself
    words = facts["author"].split()
    as_spelled = r"\.?\s+".join(map(re.escape, words))  # it removes the periods in names
    if len(words) > 1 and (match := re.search(as_spelled, html)):
        facts["author"] = _line(match[0])
    return {name: value for name, value in facts.items() if value}


def _day(text: str) -> str:
    """Return the first date in `text` as ISO, empty if there is none."""
    for pattern in _DATES:
        for match in pattern.finditer(text):
            parts = match.groupdict()
            month = int(parts["m"]) if parts.get("m") else _month(parts["name"])
            if 1 <= month <= 12 and 1 <= int(parts["d"]) <= 31:
                return f"{int(parts['y'])}-{month:02}-{int(parts['d']):02}"
    return ""


def _month(name: str) -> int:
    return next(
        (number for number, starts in enumerate(_MONTHS, 1) if name.lower().startswith(starts)), 0
    )


def _lines_below_title(tree: LexborHTMLParser) -> Iterator[str]:
    """Yield the short lines that may be bylines: below the title, or at the end in Chinese."""
    if tree.body is None:
        return
    seen_title, left = tree.css_first("h1") is None, _NEAR_TITLE
    for node in tree.body.traverse():
        seen_title = seen_title or node.tag == "h1"
        if seen_title and left and node.tag in _MAY_SAY:
            left -= 1
            text = _line(node.text(deep=True, separator=" "))
            if 2 < len(text) <= _LONGEST_BYLINE:
                yield text


def _line(value: object) -> str:
    return " ".join(value.split())[:_LONGEST] if isinstance(value, str) else ""
