"""SearXNG, a search that one runs oneself. https://docs.searxng.org/dev/search_api.html"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from dogent_tui.plain import one_line
from dogent_tui.web.profiles import WebProfile
from dogent_tui.web.search.model import Cause, Query, Request, Result, SearchProvider
from dogent_tui.web.search.result_fields import image_result, objects, web_result

_MOST_ENGINES = 8
_RESOLUTION = re.compile(r"\s*(\d{1,6})\s*[x×]\s*(\d{1,6})", re.IGNORECASE)


class SearXng(SearchProvider):
    """Needs an endpoint and no key; where there is one, it goes as a bearer token to a proxy in
    front of the server.
    """

    endpoint = ""
    needs = ()

    def request(self, profile: WebProfile, endpoint: str, query: Query) -> Request:
        """See `SearchProvider.request`."""
        categories = "images" if query.mode == "image" else "general"
        headers = {"Authorization": f"Bearer {profile.api_key}"} if profile.api_key else {}
        params = {"q": query.words, "format": "json", "categories": categories}
        return Request(endpoint.removesuffix("/search") + "/search", params, headers)

    def results(self, answer: Mapping[str, Any], query: Query) -> Iterator[Result | None]:
        """See `SearchProvider.results`."""
        for item in objects(answer.get("results")):
            if query.mode == "image":
                width, height = _size(item)
                yield image_result(
                    item.get("title"),
                    item.get("img_src"),
                    page=item.get("url"),
                    thumbnail=item.get("thumbnail_src") or item.get("thumbnail"),
                    width=width,
                    height=height,
                )
            else:
                yield web_result(
                    item.get("title"),
                    item.get("url"),
                    item.get("content"),
                    item.get("publishedDate"),
                )

    def failures(self, answer: Mapping[str, Any]) -> str:
        """See `SearchProvider.failures`: a list of pairs, engine and reason."""
        engines = answer.get("unresponsive_engines")
        pairs = (
            [entry for entry in engines if isinstance(entry, list) and entry]
            if isinstance(engines, list)
            else []
        )
        return ", ".join(
            one_line(": ".join(str(word) for word in entry[:2]))[:80]
            for entry in pairs[:_MOST_ENGINES]
        )

    def cause(self, status: int, answer: Mapping[str, Any]) -> Cause:
        """See `SearchProvider.cause`."""
        return "format" if status == 403 else super().cause(status, answer)


def _size(item: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """It is a text such as ``1200 x 800``, if there is one."""
    resolution = item.get("resolution")
    found = _RESOLUTION.match(resolution) if isinstance(resolution, str) else None
    return (int(found[1]), int(found[2])) if found else (None, None)
