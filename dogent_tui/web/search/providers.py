"""The providers, by their names in profiles: how to ask each, and where its answer contains the
results.
"""

from collections.abc import Callable, Iterator, Mapping

from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.records import Json, Record, at
from dogent_tui.settings.config_check import meant
from dogent_tui.settings.endpoint_url import check_url
from dogent_tui.web.model import WebError
from dogent_tui.web.profiles import WebProfile
from dogent_tui.web.search.model import Cause, Query, Request, Result
from dogent_tui.web.search.result_fields import result_of, values_at

_CAUSES: Mapping[int, Cause] = {401: "key", 403: "key", 404: "gone", 410: "gone", 429: "busy"}
_MOST_ENGINES = 8


class SearchProvider(Record, kw_only=True):
    """The specifics of one provider. In each pair the first is for pages, the second for images.

    Attributes:
        endpoint: The default address of its API, empty if only a profile can provide it.
        paths: What is appended to it, unless a profile has already done so.
        ask: Returns what is sent.
        items: The place of the results in an answer.
        fields: The place in each result of the fields for `result_of`.
        codes: The place of the causes of a refusal.
        causes: Cause or status → kind of refusal.
        failures: The place of the list of failed engines that it asked itself.
        needs: The keys of a profile without which nothing can be asked.
        retirement: What to say if its endpoint is gone.
        limits: Its headers contain one value per limit.
    """

    endpoint: str
    paths: tuple[str, str]
    ask: Callable[[WebProfile, Query], Request]
    items: tuple[str, str]
    fields: tuple[tuple[str, str, str, str], tuple[str, str, str, str, str, str]]
    codes: tuple[str, ...] = ()
    causes: Mapping[str | int, Cause] = {}
    failures: str = ""
    needs: tuple[str, ...] = ("api_key",)
    retirement: str = ""
    limits: bool = False

    def url(self, profile: WebProfile, query: Query) -> str:
        """Return the address to ask."""
        base = endpoint_of(profile, self)
        for path in sorted(self.paths, key=len, reverse=True):
            base = base.removesuffix(path)
        return base + self.paths[query.mode == "image"]

    def results(self, answer: Json, query: Query) -> Iterator[Result | None]:
        """Yield the results in an answer; None for an invalid entry."""
        is_image = query.mode == "image"
        for item in values_at(answer, self.items[is_image]):
            # Tavily may return an image as just its address.
            known = {"url": item} if isinstance(item, str) else item
            yield result_of(known, query.mode, self.fields[is_image])

    def cause(self, status: int, answer: Json) -> Cause:
        """Return why it refuses, based on the status and on the answer if that is JSON."""
        codes = [status, *(code for path in self.codes for code in values_at(answer, path))]
        found = (cause for code, cause in self.causes.items() if code in codes)
        return next(found, _CAUSES.get(status, "other"))

    def failed(self, answer: Json) -> str:
        """Return which engines that the provider asked itself failed, and why, as pairs; empty if
        none did.
        """
        pairs = [at(engine, list) for engine in at(answer, list, self.failures)]
        said = (": ".join(map(str, pair[:2])) for pair in pairs[:_MOST_ENGINES])
        return ", ".join(one_line(words)[:80] for words in said if words)

    def wait_s(self, headers: Mapping[str, str]) -> float | None:
        """Return how many seconds its limits (per second, per month) ask to wait; None if they do
        not (`Retry-After` is common).
        """
        remaining = headers.get("X-RateLimit-Remaining", "").split(",") if self.limits else []
        reset = headers.get("X-RateLimit-Reset", "").split(",")
        waits = [
            float(seconds)
            for left, seconds in zip(remaining, reset, strict=False)
            if left.strip() == "0" and seconds.strip().isdecimal() and len(seconds) < 12
        ]
        return max(waits, default=None)


def _ask_google(profile: WebProfile, query: Query) -> Request:
    keys = {"key": profile.api_key, "cx": profile.cse_id}
    image = {"searchType": "image"} if query.mode == "image" else {}
    return Request({**keys, "q": query.words, "num": str(query.count), **image})


def _ask_bing(profile: WebProfile, query: Query) -> Request:
    pages = {"responseFilter": "Webpages"} if query.mode == "web" else {}
    params = {"q": query.words, "count": str(query.count), **pages}
    return Request(params, {"Ocp-Apim-Subscription-Key": profile.api_key})


def _ask_brave(profile: WebProfile, query: Query) -> Request:
    params = {"q": query.words, "count": str(query.count)}
    return Request(params, {"X-Subscription-Token": profile.api_key})


def _ask_tavily(profile: WebProfile, query: Query) -> Request:
    image = {"include_images": True, "include_image_descriptions": True}
    body = {"query": query.words, "max_results": query.count, "search_depth": "basic"}
    return Request(
        headers={"Authorization": f"Bearer {profile.api_key}"},
        body={**body, **(image if query.mode == "image" else {})},
    )


def _ask_searxng(profile: WebProfile, query: Query) -> Request:
    """A key is for a proxy in front of the server."""
    categories = "images" if query.mode == "image" else "general"
    headers = {"Authorization": f"Bearer {profile.api_key}"} if profile.api_key else {}
    return Request({"q": query.words, "format": "json", "categories": categories}, headers)


PROVIDERS: dict[str, SearchProvider] = {
    # https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list
    "google_cse": SearchProvider(
        endpoint="https://www.googleapis.com",
        paths=("/customsearch/v1", "/customsearch/v1"),
        ask=_ask_google,
        items=("items", "items"),
        fields=(
            ("title", "link", "snippet", "pagemap.metatags.article:published_time"),
            (
                "title",
                "link",
                "image.contextLink",
                "image.thumbnailLink",
                "image.width",
                "image.height",
            ),
        ),
        codes=("error.errors.reason", "error.details.reason"),
        causes={
            **dict.fromkeys(("API_KEY_INVALID", "keyInvalid"), "key"),  # with a status of 400
            **dict.fromkeys(("dailyLimitExceeded", "quotaExceeded"), "quota"),
            **dict.fromkeys(("rateLimitExceeded", "userRateLimitExceeded"), "quota"),
        },
        needs=("api_key", "cse_id"),
        retirement=tr(
            "Google is shutting down the Custom Search JSON API: it accepts no new customers, and"
            " ends on 2027-01-01."
        ),
    ),
    # https://learn.microsoft.com/en-us/bing/search-apis/bing-web-search/reference/response-objects
    # Others still offer this API, up to and including its version (``…/v7.0``).
    "bing": SearchProvider(
        endpoint="https://api.bing.microsoft.com/v7.0",
        paths=("/search", "/images/search"),
        ask=_ask_bing,
        items=("webPages.value", "value"),
        fields=(
            ("name", "url", "snippet", "datePublished"),
            ("name", "contentUrl", "hostPageUrl", "thumbnailUrl", "width", "height"),
        ),
        codes=("errors.code",),
        causes={429: "busy", "RateLimitExceeded": "quota"},  # per second, and per month
        retirement=tr("Microsoft has retired Bing's public search API (in August 2025)."),
    ),
    # https://api-dashboard.search.brave.com/app/documentation
    "brave": SearchProvider(
        endpoint="https://api.search.brave.com/res/v1",
        paths=("/web/search", "/images/search"),
        ask=_ask_brave,
        items=("web.results", "results"),
        fields=(
            ("title", "url", "description", "page_age|age"),
            (
                "title",
                "properties.url",
                "url",
                "thumbnail.src",
                "properties.width",
                "properties.height",
            ),
        ),
        codes=("error.code",),
        causes={  # with a status of 422
            **dict.fromkeys(("SUBSCRIPTION_TOKEN_INVALID", "SUBSCRIPTION_NOT_FOUND"), "key"),
            "QUOTA_LIMITED": "quota",
        },
        limits=True,
    ),
    # https://docs.tavily.com/documentation/api-reference/endpoint/search
    "tavily": SearchProvider(
        endpoint="https://api.tavily.com",
        paths=("/search", "/search"),
        ask=_ask_tavily,
        items=("results", "images"),
        fields=(
            ("title", "url", "content", "published_date"),
            ("description", "url", "", "", "", ""),
        ),
        causes={432: "quota", 433: "quota"},  # the plan's, and the spending limit beyond it
    ),
    # https://docs.searxng.org/dev/search_api.html
    "searxng": SearchProvider(
        endpoint="",
        paths=("/search", "/search"),
        ask=_ask_searxng,
        items=("results", "results"),
        fields=(
            ("title", "url", "content", "publishedDate"),
            ("title", "img_src", "url", "thumbnail_src|thumbnail", "resolution", "resolution"),
        ),
        causes={403: "format"},
        failures="unresponsive_engines",
        needs=(),
    ),
}

_WORDS = {"api_key": tr("API key"), "cse_id": tr("id of a search engine (cse_id)")}


def provider_of(profile: WebProfile) -> SearchProvider:
    """Return the provider for `profile`.

    Raises WebError (`unknown_provider`, `no_key`, `bad_endpoint`) if the profile is incomplete.
    """
    provider = PROVIDERS.get(profile.provider)
    if provider is None:
        raise _unknown(profile)
    for key in provider.needs:
        if not getattr(profile, key):
            raise profile_error(
                profile,
                "no_key",
                tr("The profile {profile} has no {word}, so it cannot search."),
                tr("Set {key} of the profile {profile} in {file}."),
                word=_WORDS[key],
                key=key,
            )
    if not profile.endpoint and not provider.endpoint:
        raise profile_error(
            profile,
            "bad_endpoint",
            tr("The profile {profile} does not say where its {provider} server is."),
            tr("Set the endpoint of that profile in {file} to its address."),
        )
    if profile.endpoint and (problem := check_url(profile.endpoint)):
        raise profile_error(
            profile,
            "bad_endpoint",
            tr("The profile {profile} has an endpoint that {problem}."),
            tr("Fix the endpoint of that profile in {file}."),
            problem=problem,
        )
    return provider


def endpoint_of(profile: WebProfile, provider: SearchProvider) -> str:
    """Return the address of the API, without a trailing slash."""
    return (profile.endpoint or provider.endpoint).rstrip("/")


def profile_error(
    profile: WebProfile, code: str, message: str, remedy: str, status: int = 0, **words: object
) -> WebError:
    """Return an error whose message and remedy may contain the ``{profile}``, its ``{provider}``
    and ``{file}``, the ``{place}`` of both, the ``{status}``, and `words`.
    """
    words |= {"profile": profile.name, "provider": profile.provider, "file": profile.file}
    words |= {"status": status, "place": tr("the profile {profile} in {file}").format(**words)}
    return WebError(message.format(**words), remedy.format(**words), code=code, status=status)


def _unknown(profile: WebProfile) -> WebError:
    available = tr("Available: {providers}.", providers=", ".join(PROVIDERS))
    return profile_error(
        profile,
        "unknown_provider",
        tr("The profile {profile} has the unknown provider “{provider}”."),
        tr("{known} Fix it in {file}."),
        known=meant(profile.provider, PROVIDERS, available),
    )
