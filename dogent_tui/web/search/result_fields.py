"""Fields of an answer, validated: an answer is untrusted and may contain anything."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from dogent_tui.plain import one_line
from dogent_tui.web.plain_page import unescaped
from dogent_tui.web.search.model import ImageResult, SearchMode, WebResult

_LONGEST_TITLE = 300
_LONGEST_SNIPPET = 1000
_LONGEST_URL = 2000
_MOST_PIXELS = 1_000_000

_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
"""Providers mark the words that matched with ``<b>`` or ``<strong>``."""
_RESOLUTION = re.compile(r"\s*(\d{1,6})\s*[x×]\s*(\d{1,6})", re.IGNORECASE)


def values_at(value: Any, path: str) -> Iterator[Any]:
    """Yield the values at `path` (``web.results``: nested keys) in `value`, descending into each
    entry of arrays on the way.
    """
    if isinstance(value, list):
        for entry in value:
            yield from values_at(entry, path)
    elif not path:
        yield value
    elif isinstance(value, Mapping):
        key, _, rest = path.partition(".")
        yield from values_at(value.get(key), rest)


def result_of(
    item: Any, mode: SearchMode, fields: tuple[str, ...]
) -> WebResult | ImageResult | None:
    """Return the result described by `item`, None if it has no address.

    `fields` are the places of the result's fields, in their order: paths, or alternatives separated
    by ``|``, of which the first with a value counts.
    """
    title, address, *others = (_first(item, paths) for paths in fields)
    url = web_address(address)
    if not url:
        return None
    if mode == "web":
        snippet, published = others
        return WebResult(
            _plain(title, _LONGEST_TITLE) or url,
            url,
            _plain(snippet, _LONGEST_SNIPPET),
            _plain(published, 40),
        )
    page, thumbnail, width, height = others
    return ImageResult(
        _plain(title, _LONGEST_TITLE),
        url,
        web_address(page),
        web_address(thumbnail),
        _pixels(width, 1),
        _pixels(height, 2),
    )


def _first(item: Any, paths: str) -> Any:
    found = (value for path in paths.split("|") for value in values_at(item, path) if value)
    return next(found, None) if paths else None


def _plain(value: Any, longest: int) -> str:
    """Return a text on one line without markup and control characters."""
    if not isinstance(value, str):
        return ""
    return one_line(unescaped(_TAG.sub("", value[: longest * 8])), longest)


def web_address(value: Any) -> str:
    """Return a web address, empty if it is anything else, which cannot be fetched."""
    if not isinstance(value, str):
        return ""
    address = value.strip()
    address = f"https:{address}" if address.startswith("//") else address
    is_one = re.match(r"https?://[^/\s]", address, re.IGNORECASE) and len(address) <= _LONGEST_URL
    is_plain = not re.search(r"[\s\x00-\x1f\x7f]", address) and one_line(address) == address
    return address if is_one and is_plain else ""


def _pixels(value: Any, side: int) -> int | None:
    """Return a size in pixels, None if invalid. `side` is the position of the number in a text such
    as ``1200 x 800``.
    """
    if isinstance(value, str) and (found := _RESOLUTION.match(value)):
        value = int(found[side])
    is_size = isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MOST_PIXELS
    return value if is_size else None
