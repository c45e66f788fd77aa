"""The providers that there are, by the names that profiles give them."""

from collections.abc import Mapping

from dogent_tui.language import tr
from dogent_tui.settings.config_check import nearest
from dogent_tui.settings.endpoint_url import check_url
from dogent_tui.web.model import WebError
from dogent_tui.web.profiles import WebProfile
from dogent_tui.web.search.bing import Bing
from dogent_tui.web.search.brave import Brave
from dogent_tui.web.search.google_cse import GoogleCse
from dogent_tui.web.search.model import SearchProvider
from dogent_tui.web.search.searxng import SearXng
from dogent_tui.web.search.tavily import Tavily

PROVIDERS: Mapping[str, SearchProvider] = {
    "google_cse": GoogleCse(),
    "bing": Bing(),
    "brave": Brave(),
    "tavily": Tavily(),
    "searxng": SearXng(),
}

_WORDS = {"api_key": tr("API key"), "cse_id": tr("id of a search engine (cse_id)")}


def provider_of(profile: WebProfile) -> SearchProvider:
    """Return who searches for `profile`.

    Raises WebError (`unknown_provider`, `no_key`, `bad_endpoint`) where the profile is not
    complete.
    """
    provider = PROVIDERS.get(profile.provider)
    if provider is None:
        raise _unknown(profile)
    for key in provider.needs:
        if not getattr(profile, key):
            message = tr("The profile {profile} has no {word}, so it cannot search.").format(
                profile=profile.name, word=_WORDS[key]
            )
            raise WebError(
                message,
                tr("Set {key} of the profile {profile} in {file}.").format(
                    key=key, profile=profile.name, file=profile.file
                ),
                code="no_key",
            )
    if not profile.endpoint and not provider.endpoint:
        message = tr("The profile {profile} does not say where its {provider} server is.").format(
            profile=profile.name, provider=profile.provider
        )
        raise WebError(
            message,
            tr("Set the endpoint of that profile in {file} to its address.").format(
                file=profile.file
            ),
            code="bad_endpoint",
        )
    if profile.endpoint and (problem := check_url(profile.endpoint)):
        message = tr("The profile {profile} has an endpoint that {problem}.").format(
            profile=profile.name, problem=problem
        )
        raise WebError(
            message,
            tr("Fix the endpoint of that profile in {file}.").format(file=profile.file),
            code="bad_endpoint",
        )
    return provider


def endpoint_of(profile: WebProfile, provider: SearchProvider) -> str:
    """Return the address of the API, without a slash at its end."""
    return (profile.endpoint or provider.endpoint).rstrip("/")


def _unknown(profile: WebProfile) -> WebError:
    near = nearest(profile.provider, PROVIDERS)
    known = tr("Did you mean “{near}”? ").format(near=near) if near else ""
    what = (
        tr("an unknown provider, “{provider}”").format(provider=profile.provider[:40])
        if profile.provider
        else tr("no provider")
    )
    return WebError(
        tr("The profile {profile} has {what}.").format(profile=profile.name, what=what),
        tr("{known}Set provider of that profile in {file} to one of {providers}.").format(
            known=known, providers=", ".join(PROVIDERS), file=profile.file
        ),
        code="unknown_provider",
    )
