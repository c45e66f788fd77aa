"""Checks whether a profile works: one tiny real request to its endpoint, and the result as a
sentence.
"""

import asyncio
import time
from pathlib import Path

from dogent_tui.agent.unanswered import CHEAP_MODEL, credential_headers, unanswered_failure
from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.records import Json, Record
from dogent_tui.settings.config_check import ConfigWarning
from dogent_tui.settings.profiles import Endpoint, profile_endpoint
from dogent_tui.settings.secrets import redact

_LIMIT_S = 30.0
_LOADING_LIMIT_S = 120.0
"""For a local server, which may have to load the model first."""


class ProbeResult(Record):
    """The result of a check. `words` are one or two sentences, without keys; `reason` is what
    failed, without the remedy for a saved profile.
    """

    works: bool
    words: str
    reason: str = ""


async def probe(file: Path, name: str, data: Json) -> ProbeResult:
    """Check the profile `name` of `file`, one of the three profile files, as described by `data`.
    Costs next to nothing.

    No document is sent: a model is asked for one token, a search engine for one result, a vision
    model about a white square.
    """
    check = {"claude.json": _model, "web.json": _search, "vision.json": _vision}[file.name]
    begun = time.monotonic()
    try:
        words = await check(file, name, data)
    except DogentError as error:
        return ProbeResult(False, one_line(str(error)), one_line(error.message))
    works, _, remark = words.partition("\n")
    return ProbeResult(
        True,
        tr(
            "{works}, after {seconds:.1f} s. {remark}",
            works=works,
            seconds=time.monotonic() - begun,
            remark=remark,
        ).rstrip(),
    )


async def _model(file: Path, name: str, data: Json) -> str:
    from dogent_tui.web.messages_probe import probe_messages

    warnings: list[ConfigWarning] = []
    endpoint = await asyncio.to_thread(profile_endpoint, name, data, file, warnings)
    if endpoint is None:
        raise _as_error(warnings)
    if endpoint.server is not None:
        return await _local(name, endpoint)
    model = endpoint.model or CHEAP_MODEL
    answered = await probe_messages(
        endpoint.base_url, credential_headers(endpoint), model, _LIMIT_S
    )
    if answered.is_message:
        return tr("{name} works, with {model}", name=name, model=one_line(model))
    failure = unanswered_failure(endpoint, answered)
    raise DogentError(failure.message, failure.remedy)


async def _local(name: str, endpoint: Endpoint) -> str:
    """Ask a local server the way a conversation does, through the relay: many do not support the
    Messages API.
    """
    from dogent_tui.local_models.relay import LocalRelay
    from dogent_tui.web.messages_probe import probe_messages

    assert endpoint.server is not None
    key = endpoint.token or endpoint.api_key
    async with LocalRelay(endpoint.server, endpoint.base_url, endpoint.model, key=key) as relay:
        headers = {"Authorization": f"Bearer {relay.token}"}
        answered = await probe_messages(relay.base_url, headers, relay.model, _LOADING_LIMIT_S)
        remark = " ".join(relay.warning)
    if answered.is_message:
        return tr(
            "{name} works, with {model}\n{remark}",
            name=name,
            model=one_line(endpoint.model),
            remark=remark,
        )
    raise DogentError(
        redact(answered.said, endpoint.secrets) or tr("{name} is not responding.", name=name),
        "",
    )


async def _search(file: Path, name: str, data: Json) -> str:
    from dogent_tui.web.profiles import read_access, web_profile
    from dogent_tui.web.search.searcher import Searcher

    warnings: list[ConfigWarning] = []
    profile = await asyncio.to_thread(web_profile, name, data, file, warnings)
    if any(warning.code == "profile_no_secret" for warning in warnings):
        raise _as_error(warnings)
    access, _ = await asyncio.to_thread(read_access, "", file.parent)
    found = await Searcher(profile, proxy=access.proxy).search("Markdown", count=1)
    return tr(
        "{name} can search; it found {results}",
        name=name,
        results=len(found.results) or tr("no results"),
    )


async def _vision(file: Path, name: str, data: Json) -> str:
    from dogent_tui.vision.media import white_square
    from dogent_tui.vision.profiles import vision_profile
    from dogent_tui.vision.providers import client_for

    profile = await asyncio.to_thread(vision_profile, name, data, file)
    client = client_for(profile)
    await client.look_at(await asyncio.to_thread(white_square))
    return tr("{name} can see images", name=name)


def _as_error(warnings: list[ConfigWarning]) -> DogentError:
    """Return the most severe of `warnings`, which is the last, as an error."""
    return DogentError(warnings[-1].message, warnings[-1].remedy)
