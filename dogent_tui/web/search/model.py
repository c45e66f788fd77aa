"""The records of searching: the query, and results in one form for every provider."""

from collections.abc import Mapping
from typing import Literal

from dogent_tui.records import Json, Private, Record

SearchMode = Literal["web", "image"]

DEFAULT_RESULTS = 5
MOST_RESULTS = 10
"""The number of results of one search (SPEC 5)."""


class Query(Record):
    """A query: words, the kind of results, and their number."""

    words: str
    mode: SearchMode = "web"
    count: int = DEFAULT_RESULTS


class WebResult(Record, omit_defaults=True):
    """A page. `published` is the date as given by the provider, usually ISO 8601; empty if
    unknown.
    """

    title: str
    url: str
    snippet: str
    published: str = ""


class ImageResult(Record):
    """An image, and the page that shows it. Sizes are in pixels; unknown values are empty, or
    None.
    """

    title: str
    image_url: str
    page_url: str = ""
    thumbnail_url: str = ""
    width: int | None = None
    height: int | None = None


Result = WebResult | ImageResult


class SearchResults(Record):
    """The results of a search, best first, and the provider."""

    provider: str
    profile: str
    query: str
    mode: SearchMode
    results: tuple[Result, ...]


class Request(Private):
    """What is sent with one HTTP request besides its address: a POST if there is a `body`, sent as
    JSON. Contains a key: never shown or logged.
    """

    params: Mapping[str, str] = {}
    headers: Mapping[str, str] = {}
    body: Json | None = None


Cause = Literal["key", "quota", "busy", "gone", "format", "other"]
"""Why a provider refuses: the key is wrong, its quota is used up, there are too many requests, the
service has been retired, JSON is not supported, or something else.
"""
