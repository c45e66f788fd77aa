"""Google's Programmable Search Engine.
https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list
"""

from collections.abc import Iterator, Mapping
from typing import Any

from dogent_tui.language import tr
from dogent_tui.web.profiles import WebProfile
from dogent_tui.web.search.model import Cause, Query, Request, Result, SearchProvider
from dogent_tui.web.search.result_fields import image_result, objects, web_result, within

_PATH = "/customsearch/v1"
_QUOTA = frozenset(
    {"dailyLimitExceeded", "quotaExceeded", "rateLimitExceeded", "userRateLimitExceeded"}
)


class GoogleCse(SearchProvider):
    """Needs the id of a search engine (`cse_id`) beside the key."""

    endpoint = "https://www.googleapis.com"
    needs = ("api_key", "cse_id")
    retirement = tr(
        "Google is shutting down the Custom Search JSON API: it accepts no new customers, and ends"
        " on 2027-01-01."
    )

    def request(self, profile: WebProfile, endpoint: str, query: Query) -> Request:
        """See `SearchProvider.request`."""
        params = {
            "key": profile.api_key,
            "cx": profile.cse_id,
            "q": query.words,
            "num": str(query.count),
        }
        if query.mode == "image":
            params["searchType"] = "image"
        return Request(endpoint.removesuffix(_PATH) + _PATH, params)

    def results(self, answer: Mapping[str, Any], query: Query) -> Iterator[Result | None]:
        """See `SearchProvider.results`."""
        for item in objects(answer.get("items")):
            if query.mode == "image":
                image = item.get("image")
                yield image_result(
                    item.get("title"),
                    item.get("link"),
                    page=within(image, "contextLink"),
                    thumbnail=within(image, "thumbnailLink"),
                    width=within(image, "width"),
                    height=within(image, "height"),
                )
            else:
                yield web_result(
                    item.get("title"), item.get("link"), item.get("snippet"), _published(item)
                )

    def cause(self, status: int, answer: Mapping[str, Any]) -> Cause:
        """See `SearchProvider.cause`."""
        errors = objects(within(answer, "error", "errors"))
        details = objects(within(answer, "error", "details"))
        reasons = {str(entry.get("reason")) for entry in (*errors, *details)}
        if reasons & {"API_KEY_INVALID", "keyInvalid"}:  # with a status of 400
            return "key"
        if status in (403, 429) and reasons & _QUOTA:
            return "quota"
        return super().cause(status, answer)


def _published(item: Mapping[str, Any]) -> Any:
    """What the page says of itself in its meta tags."""
    for tags in objects(within(item, "pagemap", "metatags")):
        if found := tags.get("article:published_time"):
            return found
    return ""
