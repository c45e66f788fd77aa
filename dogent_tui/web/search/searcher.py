"""A search from query to results: the request, its limits, and its error messages."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

import msgspec

from dogent_tui.http_client import ConnectionFailure, Reply, exchange
from dogent_tui.language import listing, tr
from dogent_tui.plain import one_line
from dogent_tui.records import Json
from dogent_tui.settings.secrets import redact
from dogent_tui.storage.paths import display_path, dogent_home
from dogent_tui.web.model import WebError
from dogent_tui.web.profiles import WEB_FILE, WebProfile
from dogent_tui.web.search.model import (
    DEFAULT_RESULTS,
    MOST_RESULTS,
    Cause,
    Query,
    Request,
    SearchMode,
    SearchResults,
)
from dogent_tui.web.search.providers import (
    PROVIDERS,
    SearchProvider,
    profile_error,
    provider_of,
)
from dogent_tui.web.search.result_fields import values_at

_MOST_BYTES = 2 << 20
"""The maximum size of an answer: ten results take about 30 KB."""
_LONGEST_QUERY = 2000
_LONGEST_SAYING = 200


class Searcher:
    """Searches with one profile. Keeps no connection. `proxy` is the address of a deliberately
    configured one.
    """

    def __init__(self, profile: WebProfile | None, *, proxy: str = "") -> None:
        self._profile = profile
        self._proxy = proxy

    async def search(
        self, words: str, *, mode: SearchMode = "web", count: int = DEFAULT_RESULTS
    ) -> SearchResults:
        """Return the results. Raises WebError: the codes in its documentation, and `no_profile`,
        `unknown_provider`, `no_key`, `bad_endpoint`, `bad_query`, `bad_key`, `quota`, `retired`,
        `bad_answer`.
        """
        profile, query = self._profile, _checked(Query(" ".join(words.split()), mode, count))
        if profile is None:
            raise _no_profile()
        provider = provider_of(profile)
        reply = await self._ask(profile, provider.url(profile, query), provider.ask(profile, query))
        data = _parsed(reply.body)
        if reply.status != 200:
            raise _refused(profile, provider, reply, data if isinstance(data, Mapping) else {})
        if not isinstance(data, Mapping):
            raise profile_error(
                profile,
                "bad_answer",
                tr("The provider {provider} did not respond with its API's JSON."),
                tr("Check the provider and endpoint of the profile {profile} in {file}."),
            )
        # without duplicates, and at most as many as requested
        found = dict.fromkeys(one for one in provider.results(data, query) if one is not None)
        if not found and (failed := provider.failed(data)):
            raise profile_error(
                profile,
                "bad_answer",
                tr(
                    "The {provider} server found nothing, since its search engines failed"
                    " ({failed})."
                ),
                tr("Try again later, or enable other engines in its settings.yml."),
                failed=failed,
            )
        return SearchResults(
            profile.provider, profile.name, query.words, query.mode, tuple(found)[: query.count]
        )

    async def _ask(self, profile: WebProfile, url: str, request: Request) -> Reply:
        try:
            reply = await exchange(
                "GET" if request.body is None else "POST",
                url,
                most=_MOST_BYTES,
                timeout_s=profile.timeout_s,
                proxy=self._proxy or None,
                params=request.params or None,
                headers={"Accept": "application/json", **request.headers},
                json=request.body,
            )
        except TimeoutError:
            raise profile_error(
                profile,
                "timeout",
                tr("{host} did not answer within {timeout_s:g} seconds."),
                tr("Try again, or raise timeout_s of the profile {profile} in {file}."),
                host=urlsplit(url).hostname or "",
                timeout_s=profile.timeout_s,
            ) from None
        except ConnectionFailure as failure:
            raise _unreachable(profile, urlsplit(url).hostname or "", failure) from None
        if len(reply.body) > _MOST_BYTES:
            raise profile_error(
                profile,
                "too_large",
                tr("The response for the profile {profile} exceeds {size} MB."),
                tr("Check the endpoint of that profile in {file}."),
                size=_MOST_BYTES >> 20,
            )
        return reply


def _checked(query: Query) -> Query:
    """Return `query`. Raises WebError (`bad_query`) if it cannot be searched for."""
    if not query.words:
        message, remedy = tr("There is nothing to search for."), tr("Give a query.")
    elif len(query.words) > _LONGEST_QUERY:
        message, remedy = tr("The query is too long to search for."), tr("Search for a few words.")
    elif not 1 <= query.count <= MOST_RESULTS:
        message = tr("{count} results is not a valid number.", count=query.count)
        remedy = tr("Ask for 1 to {most_results}.", most_results=MOST_RESULTS)
    else:
        return query
    raise WebError(message, remedy, code="bad_query")


def _parsed(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except (ValueError, RecursionError):
        return None


def _no_profile() -> WebError:
    return WebError(
        tr("No web profile is chosen, so searching isn't possible."),
        tr(
            "Fill in a profile in {size} ({providers}) and set it as web_profile in"
            " .dogent/dogent.json.",
            size=display_path(dogent_home() / WEB_FILE),
            providers=", ".join(PROVIDERS),
        ),
        code="no_profile",
    )


_REFUSED: Mapping[Cause, tuple[str, str, str]] = {
    "gone": (
        "retired",
        tr("{retirement} Its endpoint returns {status}."),
        tr(
            "Choose another provider (brave, tavily, searxng), or set the endpoint of a compatible"
            " service, in {place}."
        ),
    ),
    "format": (
        "http",
        tr("The {provider} server refuses to respond in JSON (HTTP {status}).{said}"),
        tr(
            "Add json to search.formats in its settings.yml; its address is the endpoint of"
            " {place}."
        ),
    ),
    "key": (
        "bad_key",
        tr("The provider {provider} rejected the key (HTTP {status}).{said}"),
        tr("Check {keys} of {place}."),
    ),
    "quota": (
        "quota",
        tr("The quota of the provider {provider} is used up (HTTP {status}).{said}"),
        tr("Raise it there, or choose a profile other than {profile} in {file}."),
    ),
    "busy": (
        "http",
        tr(
            "The provider {provider} received too many requests with this key (HTTP"
            " {status}).{said}"
        ),
        tr("Search again {when}; the limit applies to api_key of the profile {profile} in {file}."),
    ),
    "other": (
        "http",
        tr("The provider {provider} {what} (HTTP {status}).{said}"),
        tr("Check the query, and the endpoint of {place}."),
    ),
}
"""Kind of refusal → the code of the error, what happened, and what to do."""


def _refused(profile: WebProfile, provider: SearchProvider, reply: Reply, data: Json) -> WebError:
    """Return the error for an answer other than 200, whose JSON is `data`."""
    status = reply.status
    cause = provider.cause(status, data)
    hosts = {urlsplit(url or provider.endpoint).hostname for url in (profile.endpoint, "")}
    if cause == "gone" and not (len(hosts) == 1 and provider.retirement):
        cause = "other"  # the configured endpoint is wrong, not a retired one of the provider
    code, message, remedy = _REFUSED[cause]
    wait = _wait_s(provider, reply) if cause == "busy" else None
    error = profile_error(
        profile,
        code,
        message,
        tr("Try again later.") if cause == "other" and status >= 500 else remedy,
        status,
        said=_saying(profile, data),
        retirement=provider.retirement,
        keys=listing(provider.needs) or "api_key",
        when=tr("later") if wait is None else tr("in {wait:.0f} seconds", wait=wait),
        what=tr("has a server problem") if status >= 500 else tr("is not responding correctly"),
    )
    error.retry_after_s = wait
    return error


def _wait_s(provider: SearchProvider, reply: Reply) -> float | None:
    from dogent_tui.web.transport import retry_after

    wait = retry_after(reply.headers.get("Retry-After", ""))
    return provider.wait_s(reply.headers) if wait is None else wait


def _saying(profile: WebProfile, data: Json) -> str:
    """Return the provider's own error message, without the key, which some repeat."""
    said = (
        text
        for path in ("error", "errors", "detail", "")
        for entry in values_at(data, path)
        for key in ("", "message", "detail", "error")
        for text in values_at(entry, key)
        if isinstance(text, str) and text.strip()
    )
    secret = profile.api_key
    words = one_line(next(said, "")[:4000])
    words = redact(words, (secret, quote(secret, safe="")) if secret else ())
    return tr(" It says: “{word}”.", word=words[:_LONGEST_SAYING]) if words else ""


def _unreachable(profile: WebProfile, host: str, failure: ConnectionFailure) -> WebError:
    """Return the sentence for a connection error."""
    remedies = {
        "tls": tr("Check {place}."),
        "proxy": tr("Check web_proxy in {own}."),
        "dns": tr("Check the connection, and {place}."),
        "connect": tr("Check that it is running, and {place}."),
        "lost": tr("Try again, or check {place}."),
    }
    place = tr("the endpoint of the profile {profile} in {file}")
    remedy = remedies[failure.kind].format(
        place=place.format(profile=profile.name, file=profile.file),
        own=display_path(dogent_home() / "dogent.json"),
    )
    return WebError(failure.message, remedy, code=failure.code, host=host)
