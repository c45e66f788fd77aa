"""Tavily, a search for agents.
https://docs.tavily.com/documentation/api-reference/endpoint/search
"""

from collections.abc import Iterator, Mapping
from typing import Any

from dogent_tui.web.profiles import WebProfile
from dogent_tui.web.search.model import Cause, Query, Request, Result, SearchProvider
from dogent_tui.web.search.result_fields import image_result, objects, web_result

_PLAN_LIMITS = frozenset({432, 433})
"""Statuses of its own: the limit of the plan, and of what may be spent beyond it."""


class Tavily(SearchProvider):
    """Says neither which page an image stands on nor how large it is."""

    endpoint = "https://api.tavily.com"

    def request(self, profile: WebProfile, endpoint: str, query: Query) -> Request:
        """See `SearchProvider.request`."""
        body: dict[str, Any] = {
            "query": query.words,
            "max_results": query.count,
            "search_depth": "basic",
        }
        if query.mode == "image":
            body |= {"include_images": True, "include_image_descriptions": True}
        headers = {"Authorization": f"Bearer {profile.api_key}"}
        return Request(endpoint.removesuffix("/search") + "/search", headers=headers, body=body)

    def results(self, answer: Mapping[str, Any], query: Query) -> Iterator[Result | None]:
        """See `SearchProvider.results`."""
        if query.mode == "web":
            for item in objects(answer.get("results")):
                yield web_result(
                    item.get("title"),
                    item.get("url"),
                    item.get("content"),
                    item.get("published_date"),
                )
            return
        images = answer.get("images")
        for image in images if isinstance(images, list) else []:
            if isinstance(image, Mapping):
                yield image_result(image.get("description"), image.get("url"))
            else:
                yield image_result("", image)

    def cause(self, status: int, answer: Mapping[str, Any]) -> Cause:
        """See `SearchProvider.cause`."""
        return "quota" if status in _PLAN_LIMITS else super().cause(status, answer)
