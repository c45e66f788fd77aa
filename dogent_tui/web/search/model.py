"""What searching means: what is asked, and what comes of it in one shape for every provider."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import msgspec

SearchMode: TypeAlias = Literal["web", "image"]

DEFAULT_RESULTS = 5
MOST_RESULTS = 10
"""Results of one search (SPEC 5)."""


class Query(msgspec.Struct, frozen=True):
    """What is searched for: words, what kind of thing, and how many of them."""

    words: str
    mode: SearchMode = "web"
    count: int = DEFAULT_RESULTS


class WebResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """A page. `published` is when, as the provider says it, mostly ISO 8601; empty where it does
    not say.
    """

    title: str
    url: str
    snippet: str
    published: str = ""


class ImageResult(msgspec.Struct, frozen=True):
    """An image, and the page that shows it. Sizes are in pixels; what the provider does not say
    is empty, or None.
    """

    title: str
    image_url: str
    page_url: str = ""
    thumbnail_url: str = ""
    width: int | None = None
    height: int | None = None


Result: TypeAlias = WebResult | ImageResult


class SearchResults(msgspec.Struct, frozen=True):
    """What a search found, the best first, and who found it."""

    provider: str
    profile: str
    query: str
    mode: SearchMode
    results: tuple[Result, ...]


class Request(msgspec.Struct, frozen=True):
    """What goes with the address of one HTTP request: a POST where there is a `body`, which goes as
    JSON. Holds a key: it is never shown or logged.
    """

    params: Mapping[str, str] = {}
    headers: Mapping[str, str] = {}
    body: Mapping[str, Any] | None = None


Cause: TypeAlias = Literal["key", "quota", "busy", "gone", "format", "other"]
"""Why a provider refuses: the key is not right, its quota is used up, too many requests just now,
the service is no more, it does not speak JSON, or something else.
"""
