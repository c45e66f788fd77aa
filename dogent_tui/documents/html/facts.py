"""What a page says of itself: title, author, date. In its head, in its structured data, and in
the line below its title.
"""

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from dogent_tui.documents.html.hidden_text import attribute

_META = {
    "title": ("og:title", "dc.title", "citation_title", "twitter:title"),
    "author": ("author", "article:author", "dc.creator", "citation_author", "byl", "parsely-author",
        "sailthru.author"),
    "date": ("article:published_time", "date", "pubdate", "publishdate", "dc.date",
        "citation_publication_date", "datepublished",
             "parsely-pub-date", "og:published_time", "publish_date", "weibo:article:create_at"),
}  # fmt: skip
_MARKED = {
    "author": (
        "[itemprop=author] [itemprop=name],[itemprop=author],[rel=author],.byline"
        " .author,.author-name,.p-author,.byline"
    ),
    "date": "[itemprop=datePublished],time[pubdate],.published time,time[datetime],.dt-published",
}
_NAME = (
    r"(?P<name>[\u4e00-\u9fff·A-Za-z]{2,12}(?:[、,，]"
    r" ?[\u4e00-\u9fff·]{2,4}(?![\u4e00-\u9fff]|\s*[:：]))*)"
)
_AUTHORS = (
    re.compile(r"(?:作者|记者|記者|撰文|撰稿|文\s*[/／|]|编译|作　者)\s*[:：/／]?\s*" + _NAME),
    re.compile(r"(?:本报记者|本报讯)\s*" + _NAME),
    re.compile(r"^\s*(?:[Ww]ritten |[Pp]osted |[Rr]eported )?"
               r"(?:[Bb]y|BY|[Vv]on|[Pp]ar|[Pp]or|[Dd]i|[Dd]oor|Автор:?|Autor(?:in)?:|Author:)\s+"
               r"(?P<name>[^\W\d_][\w.'’-]*(?: (?:[^\W\d_][\w.'’-]*|&|and|und|et|y|e)){0,5})"),
)  # fmt: skip
_DATES = (
    re.compile(r"(?P<y>(?:19|20)\d\d)\s*年\s*(?P<m>\d{1,2})\s*月\s*(?P<d>\d{1,2})\s*日"),
    re.compile(r"(?P<y>(?:19|20)\d\d)\s*[-./]\s*(?P<m>\d{1,2})\s*[-./]\s*(?P<d>\d{1,2})(?!\d)"),
    re.compile(
        r"(?P<d>\d{1,2})(?:st|nd|rd|th|\.|er|º)?\s+(?:de\s+)?(?P<name>[^\W\d_]{3,10})\.?,?\s+(?:de\s+)?(?P<y>(?:19|20)\d\d)"
    ),
    re.compile(
        r"(?P<name>[^\W\d_]{3,10})\.?\s+(?P<d>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<y>(?:19|20)\d\d)"
    ),
)
_MONTHS = (
    "jan gen ene янв", "feb fév fev fevr feb фев", "mar mär mrt märz мар", "apr avr abr апр",
    "may mai mei mag maio мая май",
    "jun juin giu июн", "jul juil lug июл", "aug août aou ago авг", "sep set сен",
    "oct okt ott out окт", "nov ноя",
    "dec dez déc dic дек",
)  # fmt: skip
_HAN_BYLINE = re.compile(r"作者|记者|記者|发布|發佈|时间|日期|来源|编辑")
_NEAR_TITLE = 40
"""Elements after the title that may be the line with author and date."""
_LONGEST_BYLINE = 160
_LONGEST = 300


def facts_of(tree: LexborHTMLParser) -> dict[str, str]:
    """Return `title`, `author` and `date` (as ISO) of a page, as far as it says them."""
    found: dict[str, str] = {}
    for name, wanted in _META.items():
        named = {
            (
                attribute(node, "name")
                or attribute(node, "property")
                or attribute(node, "itemprop")
            ).lower(): node
            for node in reversed(tree.css("meta"))
        }
        values = [_line(attribute(named[key], "content")) for key in wanted if key in named]
        _put(found, name, values)
    title = tree.css_first("title")
    if title is not None and (said := _line(title.text(deep=True))):
        found["title"] = said
    for data in _structured(tree):
        _put(found, "author", [_author_of(data.get("author"))])
        _put(found, "date", [_line(data.get("datePublished"))])
    for name, selector in _MARKED.items():
        nodes = tree.css(selector)[:3] if name not in found else []
        _put(
            found,
            name,
            [
                (
                    _line(attribute(node, "datetime") or attribute(node, "content"))
                    if name == "date"
                    else _unmarked(node)
                )
                for node in nodes
            ],
        )
    for line in _lines_below_title(tree):
        _put(
            found,
            "author",
            [match["name"].strip() for pattern in _AUTHORS if (match := pattern.search(line))],
        )
        _put(found, "date", [line])
    return found


def _put(found: dict[str, str], name: str, values: list[str]) -> None:
    for value in values:
        value = _day(value) if name == "date" else value
        if (
            value
            and name not in found
            and not (name == "author" and (value.startswith("http") or len(value) > 120))
        ):
            found[name] = value


def _day(text: str) -> str:
    """Return the first date in `text` as ISO, empty where there is none."""
    for pattern in _DATES:
        for match in pattern.finditer(text):
            parts = match.groupdict()
            month = int(parts["m"]) if parts.get("m") else _month(parts["name"])
            if 1 <= month <= 12 and 1 <= int(parts["d"]) <= 31:
                return f"{int(parts['y'])}-{month:02}-{int(parts['d']):02}"
    return ""


def _month(name: str) -> int:
    name = name.lower()
    return next(
        (
            number
            for number, starts in enumerate(_MONTHS, 1)
            if any(name.startswith(start) for start in starts.split())
        ),
        0,
    )


def _structured(tree: LexborHTMLParser) -> Iterator[dict[str, Any]]:
    """Yield the objects of the page's JSON-LD that say who wrote something."""
    for script in tree.css("script[type='application/ld+json']")[:10]:
        with contextlib.suppress(msgspec.DecodeError, UnicodeError, RecursionError):
            waiting = [msgspec.json.decode(script.text(deep=True).strip().encode())]
            for _ in range(200):
                if not waiting:
                    break
                value = waiting.pop(0)
                if isinstance(value, list):
                    waiting += value[:50]
                elif isinstance(value, dict):
                    waiting += [
                        inner for key, inner in value.items() if key in {"@graph", "mainEntity"}
                    ]
                    if "author" in value or "datePublished" in value:
                        yield value


def _author_of(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(filter(None, map(_author_of, value[:10])))
    if isinstance(value, dict):
        value = value.get("name")
    return _line(value) if isinstance(value, str) else ""


def _unmarked(node: LexborNode) -> str:
    text = _line(attribute(node, "content") or node.text(deep=True, separator=" "))
    for pattern in _AUTHORS:
        if match := pattern.search(text):
            return match["name"].strip()
    return text if len(text) <= 60 and not re.search(r"\d", text) else ""


def _lines_below_title(tree: LexborHTMLParser) -> Iterator[str]:
    """Yield the short lines that may name author and date: below the title, or at the end in
    Chinese.
    """
    body = tree.body
    if body is None:
        return
    seen_title, left = tree.css_first("h1") is None, _NEAR_TITLE
    for node in body.traverse():
        if node.tag == "h1":
            seen_title = True
        elif (
            seen_title
            and left
            and node.tag
            in {"p", "div", "span", "time", "li", "address", "header", "small", "em", "i"}
        ):
            left -= 1
            text = _line(node.text(deep=True, separator=" "))
            limit = _LONGEST_BYLINE if _HAN_BYLINE.search(text) or node.tag != "p" else 90
            if 2 < len(text) <= limit:
                yield text


def _line(value: object) -> str:
    return " ".join(value.split())[:_LONGEST] if isinstance(value, str) else ""
