"""Bing's search API v7, which Microsoft has retired; others still offer what speaks it.

https://learn.microsoft.com/en-us/bing/search-apis/bing-web-search/reference/response-objects
"""

from collections.abc import Iterator, Mapping
from typing import Any

from dogent_tui.language import tr
from dogent_tui.web.profiles import WebProfile
from dogent_tui.web.search.model import Cause, Query, Request, Result, SearchProvider
from dogent_tui.web.search.result_fields import image_result, objects, web_result, within


class Bing(SearchProvider):
    """Another endpoint than Microsoft's is given with the profile, up to and with its version
    (``…/v7.0``).
    """

    endpoint = "https://api.bing.microsoft.com/v7.0"
    retirement = tr("Microsoft has retired Bing's public search API (in August 2025).")

    def request(self, profile: WebProfile, endpoint: str, query: Query) -> Request:
        """See `SearchProvider.request`."""
        path = "/images/search" if query.mode == "image" else "/search"
        base = endpoint.removesuffix("/images/search").removesuffix("/search")
        params = {"q": query.words, "count": str(query.count)}
        if query.mode == "web":
            params["responseFilter"] = "Webpages"
        return Request(base + path, params, {"Ocp-Apim-Subscription-Key": profile.api_key})

    def results(self, answer: Mapping[str, Any], query: Query) -> Iterator[Result | None]:
        """See `SearchProvider.results`."""
        if query.mode == "image":
            for item in objects(answer.get("value")):
                yield image_result(
                    item.get("name"),
                    item.get("contentUrl"),
                    page=item.get("hostPageUrl"),
                    thumbnail=item.get("thumbnailUrl"),
                    width=item.get("width"),
                    height=item.get("height"),
                )
            return
        for item in objects(within(answer, "webPages", "value")):
            yield web_result(
                item.get("name"), item.get("url"), item.get("snippet"), item.get("datePublished")
            )

    def cause(self, status: int, answer: Mapping[str, Any]) -> Cause:
        """See `SearchProvider.cause`."""
        codes = {str(entry.get("code")) for entry in objects(answer.get("errors"))}
        if status == 403 and "RateLimitExceeded" in codes:  # by the month; 429 is by the second
            return "quota"
        return super().cause(status, answer)
