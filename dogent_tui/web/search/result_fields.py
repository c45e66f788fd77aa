"""Fields of an answer, taken as what they should be: an answer is text from outside, and may
hold anything.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from dogent_tui.plain import one_line
from dogent_tui.web.content_encodings import unescaped
from dogent_tui.web.search.model import ImageResult, WebResult

_LONGEST_TITLE = 300
_LONGEST_SNIPPET = 1000
_LONGEST_URL = 2000
_MOST_PIXELS = 1_000_000

_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
"""Providers put the words that were found into ``<b>`` or ``<strong>``."""


def web_result(title: Any, url: Any, snippet: Any, published: Any = "") -> WebResult | None:
    """Return the page that the fields describe, None where it has no address."""
    address = web_address(url)
    if not address:
        return None
    return WebResult(
        plain(title, _LONGEST_TITLE) or address,
        address,
        plain(snippet, _LONGEST_SNIPPET),
        plain(published, 40),
    )


def image_result(
    title: Any,
    image: Any,
    *,
    page: Any = "",
    thumbnail: Any = "",
    width: Any = None,
    height: Any = None,
) -> ImageResult | None:
    """Return the image that the fields describe, None where it has no address."""
    address = web_address(image)
    if not address:
        return None
    return ImageResult(
        plain(title, _LONGEST_TITLE),
        address,
        web_address(page),
        web_address(thumbnail),
        pixels(width),
        pixels(height),
    )


def objects(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of an array; whatever else there is, is none."""
    if isinstance(value, list):
        yield from (entry for entry in value if isinstance(entry, Mapping))


def within(value: Any, *keys: str) -> Any:
    """Return what lies under `keys`, one inside the other; None where something is missing."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def plain(value: Any, longest: int) -> str:
    """Return a text as one line without markup and controls."""
    if not isinstance(value, str):
        return ""
    text = one_line(unescaped(_TAG.sub("", value[: longest * 8])))
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def web_address(value: Any) -> str:
    """Return an address of the web, empty for what is none: nothing else can be fetched."""
    if not isinstance(value, str):
        return ""
    address = value.strip()
    address = f"https:{address}" if address.startswith("//") else address
    if re.match(r"https?://[^/\s]", address, re.IGNORECASE) is None or len(address) > _LONGEST_URL:
        return ""
    return (
        "" if re.search(r"[\s\x00-\x1f\x7f]", address) or one_line(address) != address else address
    )


def pixels(value: Any) -> int | None:
    """Return a size in pixels, None for what is none."""
    return (
        value
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MOST_PIXELS
        else None
    )
