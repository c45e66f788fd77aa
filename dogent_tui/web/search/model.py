"""What searching means: what is asked, what comes of it in one shape for every provider, and
what a provider has to know.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, Protocol, TypeAlias

import msgspec

from dogent_tui.web.profiles import WebProfile

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
    """One HTTP request: a POST where there is a `body`, which goes as JSON. Holds a key: it is
    never shown or logged.
    """

    url: str
    params: Mapping[str, str] = {}
    headers: Mapping[str, str] = {}
    body: Mapping[str, Any] | None = None


Cause: TypeAlias = Literal["key", "quota", "busy", "gone", "format", "other"]
"""Why a provider refuses: the key is not right, its quota is used up, too many requests just now,
the service is no more, it does not speak JSON, or something else.
"""

_CAUSES: Mapping[int, Cause] = {401: "key", 403: "key", 404: "gone", 410: "gone", 429: "busy"}


class SearchProvider(Protocol):
    """What is particular about one provider. Without state: the profile is given each time.

    `endpoint` is where its API is, unless a profile says otherwise; empty where only a profile can.
    `needs` are the keys of a profile without which nothing can be asked. `retirement` is what to
    say where that endpoint is gone.
    """

    endpoint: str
    needs: tuple[str, ...] = ("api_key",)
    retirement: str = ""

    def request(self, profile: WebProfile, endpoint: str, query: Query) -> Request:
        """Return what to ask. `endpoint` has no slash at its end."""
        ...

    def results(self, answer: Mapping[str, Any], query: Query) -> Iterable[Result | None]:
        """Return what an answer holds; None for an entry that is no result."""
        ...

    def cause(self, status: int, answer: Mapping[str, Any]) -> Cause:
        """Return why it refuses, by the status and, where that is JSON, by the answer."""
        del answer
        return _CAUSES.get(status, "other")

    def failures(self, answer: Mapping[str, Any]) -> str:
        """Return who of those that the provider asked itself failed, and why; empty where nobody
        did.
        """
        del answer
        return ""

    def wait_s(self, headers: Mapping[str, str]) -> float | None:
        """Return how many seconds it asks to wait, in a way of its own; None where it does not
        (`Retry-After` is common).
        """
        del headers
        return None
