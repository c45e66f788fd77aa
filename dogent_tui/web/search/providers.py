"""The providers that there are, by the names that profiles give them."""

from collections.abc import Mapping

from dogent_tui.web.model import WebError
from dogent_tui.web.profiles import WebProfile
from dogent_tui.web.search.bing import Bing
from dogent_tui.web.search.brave import Brave
from dogent_tui.web.search.google_cse import GoogleCse
from dogent_tui.web.search.model import SearchProvider
from dogent_tui.web.search.searxng import SearXng
from dogent_tui.web.search.tavily import Tavily
from dogent_tui.workspace.checking import nearest
from dogent_tui.workspace.endpoint_url import check_url

PROVIDERS: Mapping[str, SearchProvider] = {
    "google_cse": GoogleCse(),
    "bing": Bing(),
    "brave": Brave(),
    "tavily": Tavily(),
    "searxng": SearXng(),
}

_WORDS = {"api_key": "API key", "cse_id": "id of a search engine (cse_id)"}


def provider_of(profile: WebProfile) -> SearchProvider:
    """Return who searches for `profile`.

    Raises WebError (`unknown_provider`, `no_key`, `bad_endpoint`) where the profile is not complete.
    """
    provider = PROVIDERS.get(profile.provider)
    if provider is None:
        raise _unknown(profile)
    for key in provider.needs:
        if not getattr(profile, key):
            message = f"The profile {profile.name} has no {_WORDS[key]}, so it cannot search."
            raise WebError(message, f"Put it into {key} of the profile {profile.name} in {profile.file}.", code="no_key")
    if not profile.endpoint and not provider.endpoint:
        message = f"The profile {profile.name} does not say where its {profile.provider} server is."
        raise WebError(message, f"Put its address into endpoint of that profile in {profile.file}.", code="bad_endpoint")
    if profile.endpoint and (problem := check_url(profile.endpoint)):
        message = f"The profile {profile.name} names an endpoint that {problem}."
        raise WebError(message, f"Correct endpoint of that profile in {profile.file}.", code="bad_endpoint")
    return provider


def endpoint_of(profile: WebProfile, provider: SearchProvider) -> str:
    """Return the address of the API, without a slash at its end."""
    return (profile.endpoint or provider.endpoint).rstrip("/")


def _unknown(profile: WebProfile) -> WebError:
    near = nearest(profile.provider, PROVIDERS)
    known = f"Did you mean “{near}”? " if near else ""
    what = f"an unknown provider, “{profile.provider[:40]}”" if profile.provider else "no provider"
    return WebError(
        f"The profile {profile.name} names {what}.",
        f"{known}Put one of {', '.join(PROVIDERS)} into provider of that profile in {profile.file}.",
        code="unknown_provider",
    )
