"""Whether a profile works: one tiny real request to what it leads to, and the answer as a sentence."""

import asyncio
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from dogent_tui.agent.failures import api_failure
from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.workspace.profiles import Endpoint, profile_endpoint
from dogent_tui.workspace.secrets import redact
from dogent_tui.workspace.settings import ConfigWarning

_LIMIT_S = 30.0
_LOADING_LIMIT_S = 120.0
"""For a local server: it may have to load the model first."""
_AGAIN_LIMIT_S = 5.0
"""For asking again what was just refused."""
_CHEAP_MODEL = "claude-haiku-4-5"
"""What is asked where a profile names no model, as with Anthropic's own endpoint."""
_SAID = 200


class Probed(msgspec.Struct, frozen=True):
    """What came of a check. `words` are one or two sentences, without a key."""

    works: bool
    words: str


async def probe(file: Path, name: str, data: Mapping[str, Any], environ: Mapping[str, str] = os.environ) -> Probed:
    """Check the profile `name` of `file`, one of the three files of profiles, as `data` describes it. Costs next to nothing.

    It sends no document: a model is asked for one token, a search engine for one result, a vision model about a white square.
    """
    check = {"claude.json": _model, "web.json": _search, "vision.json": _vision}[file.name]
    begun = time.monotonic()
    try:
        words = await check(file, name, data, environ)
    except DogentError as error:
        return Probed(False, one_line(str(error)))
    works, _, remark = words.partition("\n")
    return Probed(
        True,
        tr("{works}, after {seconds:.1f} s. {remark}")
        .format(works=works, seconds=time.monotonic() - begun, remark=remark)
        .rstrip(),
    )


async def _model(file: Path, name: str, data: Mapping[str, Any], environ: Mapping[str, str]) -> str:
    from dogent_tui.web.messages_probe import probe_messages

    warnings: list[ConfigWarning] = []
    endpoint = await asyncio.to_thread(profile_endpoint, name, data, file, environ, warnings)
    if endpoint is None:
        raise _as_error(warnings)
    if endpoint.server is not None:
        return await _local(name, endpoint)
    model = endpoint.model or _CHEAP_MODEL
    answered = await probe_messages(endpoint.base_url, _headers(endpoint), model, _LIMIT_S)
    if answered.status == 200 and answered.is_message:
        return tr("{name} works, with {model}").format(name=name, model=one_line(model))
    said = redact(answered.said, endpoint.secrets)[:_SAID]
    if answered.status == 0:
        raise DogentError(
            tr("No connection to the endpoint of {name}: {said}.").format(name=name, said=said),
            tr("Check the network and ANTHROPIC_BASE_URL."),
        )
    if answered.status == 200:
        says = tr(" It says: “{said}”").format(said=said) if said else ""
        message = tr("The endpoint of {name} responds, but not with the Messages API.{says}").format(name=name, says=says)
        raise DogentError(message, tr("Fix ANTHROPIC_BASE_URL: it is the address without /v1/messages."))
    failure = api_failure(answered.status, "", endpoint, said)
    raise DogentError(failure.message, failure.remedy)


async def own_words(endpoint: Endpoint, status: int) -> str:
    """Ask `endpoint` for one token, and return what its server says where it answers `status` again, else nothing.

    The CLI keeps some errors to itself and says what it makes of them: of a wrong key, that one should log in.
    """
    from dogent_tui.web.messages_probe import probe_messages

    if endpoint.kind not in ("anthropic", "custom") or endpoint.oauth_token:
        return ""
    answered = await probe_messages(endpoint.base_url, _headers(endpoint), endpoint.model or _CHEAP_MODEL, _AGAIN_LIMIT_S)
    return answered.said if answered.status == status else ""


async def _local(name: str, endpoint: Endpoint) -> str:
    """Ask a local server the way a conversation does, through the relay: many know nothing of the Messages API."""
    from dogent_tui.local_models.relay import LocalRelay
    from dogent_tui.web.messages_probe import probe_messages

    assert endpoint.server is not None
    key = endpoint.token or endpoint.api_key
    async with LocalRelay(endpoint.server, endpoint.base_url, endpoint.model, key=key) as relay:
        headers = {"Authorization": f"Bearer {relay.token}"}
        answered = await probe_messages(relay.base_url, headers, relay.known_as, _LOADING_LIMIT_S)
        remark = " ".join(relay.warning)
    if answered.status == 200 and answered.is_message:
        return tr("{name} works, with {model}\n{remark}").format(name=name, model=one_line(endpoint.model), remark=remark)
    raise DogentError(redact(answered.said, endpoint.secrets) or tr("{name} is not responding.").format(name=name), "")


def _headers(endpoint: Endpoint) -> dict[str, str]:
    """Return the headers that carry the key, as the CLI sends them."""
    bearer = {"Authorization": f"Bearer {endpoint.token}"} if endpoint.token else {}
    return bearer | ({"x-api-key": endpoint.api_key} if endpoint.api_key else {})


async def _search(file: Path, name: str, data: Mapping[str, Any], environ: Mapping[str, str]) -> str:
    from dogent_tui.web.profiles import read_access, web_profile
    from dogent_tui.web.search.searcher import Searcher

    warnings: list[ConfigWarning] = []
    profile = await asyncio.to_thread(web_profile, name, data, file, warnings, environ)
    if any(warning.code == "profile_no_secret" for warning in warnings):
        raise _as_error(warnings)
    access, _ = await asyncio.to_thread(read_access, "", file.parent)
    found = await Searcher(profile, proxy=access.proxy).search("Markdown", count=1)
    return tr("{name} can search; it found {results}").format(name=name, results=len(found.results) or tr("no results"))


async def _vision(file: Path, name: str, data: Mapping[str, Any], environ: Mapping[str, str]) -> str:
    from dogent_tui.vision.profiles import vision_profile
    from dogent_tui.vision.providers import client_for
    from dogent_tui.vision.white_square import white_square

    profile = await asyncio.to_thread(vision_profile, name, data, file, environ)
    client = client_for(profile)
    await client.analyze_image(await asyncio.to_thread(white_square))
    return tr("{name} can see images").format(name=name)


def _as_error(warnings: list[ConfigWarning]) -> DogentError:
    """Return the gravest of `warnings`, which came last, as an error."""
    return DogentError(warnings[-1].message, warnings[-1].remedy)
