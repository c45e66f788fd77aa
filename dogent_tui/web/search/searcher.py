"""One search from words to results: the request, its limits, and in which words it fails."""

import asyncio
import ssl
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, get_args
from urllib.parse import quote, urlsplit

import msgspec

from dogent_tui import __version__
from dogent_tui.language import listing, tr
from dogent_tui.plain import one_line
from dogent_tui.settings.secrets import redact
from dogent_tui.storage.paths import display_path, dogent_home
from dogent_tui.web.model import WebError
from dogent_tui.web.profiles import WEB_FILE, WebProfile
from dogent_tui.web.search.model import (
    DEFAULT_RESULTS,
    MOST_RESULTS,
    Query,
    Request,
    Result,
    SearchMode,
    SearchProvider,
    SearchResults,
)
from dogent_tui.web.search.providers import PROVIDERS, endpoint_of, provider_of

if TYPE_CHECKING:
    import aiohttp

_MOST_BYTES = 2 << 20
"""Of an answer: ten results are some 30 KB."""
_LONGEST_QUERY = 2000
_LONGEST_SAYING = 200


class _Answer(msgspec.Struct, frozen=True):
    """What a provider answered. `data` is its JSON, None where it is none."""

    status: int
    headers: Mapping[str, str]
    data: Any


class Searcher:
    """Searches by one profile. Holds no connection. `proxy` is the address of one that was
    configured on purpose.
    """

    def __init__(self, profile: WebProfile | None, *, proxy: str = "") -> None:
        self._profile = profile
        self._proxy = proxy

    async def search(
        self, words: str, *, mode: SearchMode = "web", count: int = DEFAULT_RESULTS
    ) -> SearchResults:
        """Return what is found. Raises WebError: the codes of its documentation, and `no_profile`,
        `unknown_provider`, `no_key`, `bad_endpoint`, `bad_query`, `bad_key`, `quota`, `retired`,
        `bad_answer`.
        """
        profile, query = self._profile, _checked(Query(" ".join(words.split()), mode, count))
        if profile is None:
            raise _no_profile()
        provider = provider_of(profile)
        request = provider.request(profile, endpoint_of(profile, provider), query)
        answer = await self._ask(profile, request)
        if answer.status != 200:
            raise _refused(profile, provider, answer)
        if not isinstance(answer.data, Mapping):
            raise _no_json(profile)
        found = _chosen(provider, answer.data, query)
        if not found and (failed := provider.failures(answer.data)):
            raise _nobody_answered(profile, failed)
        return SearchResults(profile.provider, profile.name, query.words, query.mode, found)

    async def _ask(self, profile: WebProfile, request: Request) -> _Answer:
        import aiohttp  # on use: nobody may search at all

        host = urlsplit(request.url).hostname or ""
        try:
            async with (
                asyncio.timeout(profile.timeout_s),
                aiohttp.ClientSession(
                    cookie_jar=aiohttp.DummyCookieJar(),
                    headers={"User-Agent": f"dogent-tui/{__version__}"},
                ) as session,
                session.request(
                    "GET" if request.body is None else "POST",
                    request.url,
                    params=request.params or None,
                    headers={"Accept": "application/json", **request.headers},
                    json=request.body,
                    proxy=self._proxy or None,
                    allow_redirects=False,  # a redirect would take the key along
                ) as response,
            ):
                return _Answer(
                    response.status, response.headers, _parsed(await _body(response, profile))
                )
        except TimeoutError:
            remedy = tr("Try again, or raise timeout_s of the profile {profile} in {file}.").format(
                profile=profile.name, file=profile.file
            )
            raise WebError(
                tr("{host} did not answer within {timeout_s:g} seconds.").format(
                    host=host, timeout_s=profile.timeout_s
                ),
                remedy,
                code="timeout",
            ) from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            # Without the cause: what the library says of an error holds the address, and that may
            # hold a key.
            raise _unreachable(profile, host, error) from None


def _checked(query: Query) -> Query:
    if not query.words:
        raise WebError(tr("There is nothing to search for."), tr("Give a query."), code="bad_query")
    if len(query.words) > _LONGEST_QUERY:
        raise WebError(
            tr("The query is too long to search for."),
            tr("Search for a few words."),
            code="bad_query",
        )
    if query.mode not in get_args(SearchMode):
        raise WebError(
            tr("“{mode}” is not a kind of search.").format(mode=one_line(query.mode)[:40]),
            tr("Choose web or image."),
            code="bad_query",
        )
    if not 1 <= query.count <= MOST_RESULTS:
        raise WebError(
            tr("{count} results is not a valid number.").format(count=query.count),
            tr("Ask for 1 to {most_results}.").format(most_results=MOST_RESULTS),
            code="bad_query",
        )
    return query


def _chosen(provider: SearchProvider, data: Mapping[str, Any], query: Query) -> tuple[Result, ...]:
    """Return the results, each once, as many as were asked for."""
    found = dict.fromkeys(result for result in provider.results(data, query) if result is not None)
    return tuple(found)[: query.count]


async def _body(response: "aiohttp.ClientResponse", profile: WebProfile) -> bytes:
    body = bytearray()
    async for chunk in response.content.iter_chunked(65_536):
        body += chunk
        if len(body) > _MOST_BYTES:
            message = tr("The response for the profile {profile} exceeds {size} MB.").format(
                profile=profile.name, size=_MOST_BYTES >> 20
            )
            raise WebError(
                message,
                tr("Check the endpoint of that profile in {file}.").format(file=profile.file),
                code="too_large",
            )
    return bytes(body)


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
            " .dogent/dogent.json."
        ).format(size=display_path(dogent_home() / WEB_FILE), providers=", ".join(PROVIDERS)),
        code="no_profile",
    )


def _no_json(profile: WebProfile) -> WebError:
    return WebError(
        tr("The provider {provider} did not respond with its API's JSON.").format(
            provider=profile.provider
        ),
        tr("Check the provider and endpoint of the profile {profile} in {file}.").format(
            profile=profile.name, file=profile.file
        ),
        code="bad_answer",
    )


def _nobody_answered(profile: WebProfile, failed: str) -> WebError:
    return WebError(
        tr(
            "The {provider} server found nothing, since its search engines failed ({failed})."
        ).format(provider=profile.provider, failed=failed),
        tr("Try again later, or enable other engines in its settings.yml."),
        code="bad_answer",
    )


def _refused(profile: WebProfile, provider: SearchProvider, answer: _Answer) -> WebError:
    """Return the error for an answer that is not 200."""
    status, data = answer.status, answer.data if isinstance(answer.data, Mapping) else {}
    cause = provider.cause(status, data)
    ours = (
        not profile.endpoint
        or urlsplit(profile.endpoint).hostname == urlsplit(provider.endpoint).hostname
    )
    said, place = (
        _saying(profile, data),
        tr("the profile {profile} in {file}").format(profile=profile.name, file=profile.file),
    )
    if cause == "gone" and ours and provider.retirement:
        message = tr("{retirement} Its endpoint returns {status}.").format(
            retirement=provider.retirement, status=status
        )
        remedy = tr(
            "Choose another provider (brave, tavily, searxng), or set the endpoint of a compatible"
            " service, in {place}."
        ).format(place=place)
        return WebError(message, remedy, code="retired", status=status)
    if cause == "format":
        message = tr(
            "The {provider} server refuses to respond in JSON (HTTP {status}).{said}"
        ).format(provider=profile.provider, status=status, said=said)
        remedy = tr(
            "Add json to search.formats in its settings.yml; its address is the endpoint of"
            " {place}."
        ).format(place=place)
        return WebError(message, remedy, code="http", status=status)
    if cause == "key":
        message = tr("The provider {provider} rejected the key (HTTP {status}).{said}").format(
            provider=profile.provider, status=status, said=said
        )
        keys = listing(provider.needs) or "api_key"
        return WebError(
            message,
            tr("Check {keys} of {place}.").format(keys=keys, place=place),
            code="bad_key",
            status=status,
        )
    if cause == "quota":
        message = tr(
            "The quota of the provider {provider} is used up (HTTP {status}).{said}"
        ).format(provider=profile.provider, status=status, said=said)
        return WebError(
            message,
            tr("Raise it there, or choose a profile other than {profile} in {file}.").format(
                profile=profile.name, file=profile.file
            ),
            code="quota",
        )
    if cause == "busy":
        return _busy(profile, provider, answer, said)
    what = tr("has a server problem") if status >= 500 else tr("is not responding correctly")
    remedy = (
        tr("Try again later.")
        if status >= 500
        else tr("Check the query, and the endpoint of {place}.").format(place=place)
    )
    return WebError(
        tr("The provider {provider} {what} (HTTP {status}).{said}").format(
            provider=profile.provider, what=what, status=status, said=said
        ),
        remedy,
        code="http",
        status=status,
    )


def _busy(profile: WebProfile, provider: SearchProvider, answer: _Answer, said: str) -> WebError:
    from dogent_tui.web.transport import retry_after

    wait = retry_after(answer.headers.get("Retry-After", ""))
    wait = provider.wait_s(answer.headers) if wait is None else wait
    when = tr("later") if wait is None else tr("in {wait:.0f} seconds").format(wait=wait)
    return WebError(
        tr(
            "The provider {provider} received too many requests with this key (HTTP"
            " {status}).{said}"
        ).format(provider=profile.provider, status=answer.status, said=said),
        tr(
            "Search again {when}; the limit applies to api_key of the profile {profile} in {file}."
        ).format(when=when, profile=profile.name, file=profile.file),
        code="http",
        status=answer.status,
        retry_after_s=wait,
    )


def _saying(profile: WebProfile, data: Mapping[str, Any]) -> str:
    """Return what the provider says itself of an error, without the key, which some repeat."""
    errors = data.get("errors")
    entries = [
        data.get("error"),
        *(errors if isinstance(errors, list) else []),
        data.get("detail"),
        data,
    ]
    for entry in entries:
        text = entry if isinstance(entry, str) else _worded(entry)
        if text.strip():
            secret = profile.api_key
            words = redact(
                one_line(text[:4000]), (secret, quote(secret, safe="")) if secret else ()
            )
            return tr(" It says: “{word}”.").format(word=words[:_LONGEST_SAYING])
    return ""


def _worded(entry: Any) -> str:
    if isinstance(entry, Mapping):
        for key in ("message", "detail", "error"):
            if isinstance(entry.get(key), str):
                return str(entry[key])
    return ""


def _unreachable(profile: WebProfile, host: str, error: Exception) -> WebError:
    """Return the error of a connection as a sentence."""
    import aiohttp

    place, own = (
        tr("the endpoint of the profile {profile} in {file}").format(
            profile=profile.name, file=profile.file
        ),
        display_path(dogent_home() / "dogent.json"),
    )
    if isinstance(error, aiohttp.ClientSSLError | ssl.SSLError):
        why = getattr(getattr(error, "certificate_error", error), "verify_message", "") or tr(
            "a secure connection could not be established"
        )
        return WebError(
            tr("The connection to {host} is not secure: {why}.").format(
                host=host, why=one_line(str(why))
            ),
            tr("Check {place}.").format(place=place),
            code="tls",
            host=host,
        )
    if isinstance(error, aiohttp.ClientProxyConnectionError | aiohttp.ClientHttpProxyError):
        return WebError(
            tr("The proxy in the settings can't be used."),
            tr("Check web_proxy in {own}.").format(own=own),
            code="connect",
        )
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return WebError(
            tr("The host {host} does not exist, or no name server responds.").format(host=host),
            tr("Check the connection, and {place}.").format(place=place),
            code="dns",
            host=host,
        )
    if isinstance(error, aiohttp.ClientConnectorError):
        why = one_line(error.os_error.strerror or tr("it is not responding")).lower()
        return WebError(
            tr("{host} cannot be reached: {why}.").format(host=host, why=why),
            tr("Check that it is running, and {place}.").format(place=place),
            code="connect",
            host=host,
        )
    return WebError(
        tr("The connection to {host} was lost ({error}).").format(
            host=host, error=type(error).__name__
        ),
        tr("Try again, or check {place}.").format(place=place),
        code="connect",
        host=host,
    )
