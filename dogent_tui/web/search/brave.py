"""The Brave Search API. https://api-dashboard.search.brave.com/app/documentation"""

from collections.abc import Iterator, Mapping
from typing import Any

from dogent_tui.web.profiles import WebProfile
from dogent_tui.web.search.model import Cause, Query, Request, Result, SearchProvider
from dogent_tui.web.search.result_fields import image_result, objects, web_result, within


class Brave(SearchProvider):
    """An index of its own, with a plan that costs nothing or little."""

    endpoint = "https://api.search.brave.com/res/v1"

    def request(self, profile: WebProfile, endpoint: str, query: Query) -> Request:
        """See `SearchProvider.request`."""
        base = endpoint.removesuffix("/web/search").removesuffix("/images/search")
        path = "/images/search" if query.mode == "image" else "/web/search"
        headers = {"X-Subscription-Token": profile.api_key}
        return Request(base + path, {"q": query.words, "count": str(query.count)}, headers)

    def results(self, answer: Mapping[str, Any], query: Query) -> Iterator[Result | None]:
        """See `SearchProvider.results`."""
        if query.mode == "image":
            for item in objects(answer.get("results")):
                properties = item.get("properties")
                yield image_result(
                    item.get("title"),
                    within(properties, "url"),
                    page=item.get("url"),
                    thumbnail=within(item, "thumbnail", "src"),
                    width=within(properties, "width"),
                    height=within(properties, "height"),
                )
            return
        for item in objects(within(answer, "web", "results")):
            yield web_result(
                item.get("title"),
                item.get("url"),
                item.get("description"),
                item.get("page_age") or item.get("age"),
            )

    def cause(self, status: int, answer: Mapping[str, Any]) -> Cause:
        """See `SearchProvider.cause`."""
        code = within(answer, "error", "code")
        if code in ("SUBSCRIPTION_TOKEN_INVALID", "SUBSCRIPTION_NOT_FOUND"):  # with a status of 422
            return "key"
        if code == "QUOTA_LIMITED":
            return "quota"
        return super().cause(status, answer)

    def wait_s(self, headers: Mapping[str, str]) -> float | None:
        """Its headers hold one value for each limit: by the second, by the month."""
        remaining = headers.get("X-RateLimit-Remaining", "").split(",")
        reset = headers.get("X-RateLimit-Reset", "").split(",")
        waits = [
            float(seconds)
            for left, seconds in zip(remaining, reset, strict=False)
            if left.strip() == "0" and seconds.strip().isdecimal() and len(seconds) < 12
        ]
        return max(waits, default=None)
