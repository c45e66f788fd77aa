"""One request to a provider: JSON in both directions, once. No retries, redirects or cookies."""

import asyncio
import json
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from dogent_tui.http_client import ConnectionFailure, exchange, proxy_for
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.records import Json, at
from dogent_tui.settings.secrets import redact
from dogent_tui.vision.model import VisionError, VisionProfile

_MOST_ANSWER_BYTES = 1 << 20
_SAID_CHARS = 240
"""The length of a provider's error message."""
_SECONDS = re.compile(r"[0-9]{1,6}")


async def post_json(
    url: str,
    headers: Mapping[str, str],
    body: Json,
    profile: VisionProfile,
    timeout_s: float,
) -> Json:
    """Return the JSON object that `url` answers to `body`. Raises VisionError, whose message never
    contains the key.
    """
    data = await asyncio.to_thread(_encoded, body)
    headers = {"Content-Type": "application/json", "Accept": "application/json", **headers}
    try:
        status, told, answer = await exchange(
            "POST",
            url,
            most=_MOST_ANSWER_BYTES,
            timeout_s=timeout_s,
            proxy=proxy_for(url),
            data=data,
            headers=headers,
        )
    except TimeoutError:
        raise _error(
            profile,
            tr("did not answer within {timeout_s:g} seconds", timeout_s=timeout_s),
            tr(
                'Try again later, or raise "timeout_s" of the profile in {where}.',
                where=profile.where,
            ),
            "timeout",
        ) from None
    except ConnectionFailure as failure:
        raise _unreachable(profile, failure) from None
    if status != 200:
        raise _refused(profile, status, told.get("Retry-After", ""), answer)
    return _object(profile, answer)


def _encoded(body: Json) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")


def _object(profile: VisionProfile, answer: bytes) -> Json:
    if len(answer) > _MOST_ANSWER_BYTES:
        raise _error(
            profile,
            tr("sent an answer larger than {size} MB", size=_MOST_ANSWER_BYTES >> 20),
            tr('Check "base_url" of the profile in {where}.', where=profile.where),
            "too_long",
        )
    try:
        found = json.loads(answer)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise _error(
            profile,
            tr("sent an answer that is not a JSON object"),
            tr(
                'Check "base_url" of the profile in {where}: it is the address without'
                " /chat/completions or /v1/messages.",
                where=profile.where,
            ),
            "bad_answer",
        )
    if found.get("error"):  # some report errors with status 200
        raise _error(
            profile,
            tr("returned an error{answer}", answer=_said(profile, answer)),
            _settings(profile),
            "http",
        )
    return found


def _refused(profile: VisionProfile, status: int, retry_after: str, answer: bytes) -> VisionError:
    """Return the error for an answer with a status other than 200."""
    said = _said(profile, answer)
    where = profile.where
    what, remedy, code = _STATUS.get(status, ("", "", ""))
    if status == 429:
        wait = (
            tr("in {retry_after} seconds", retry_after=retry_after)
            if _SECONDS.fullmatch(retry_after.strip())
            else tr("later")
        )
        what, remedy, code = (
            tr("is rate limited"),
            tr(
                "Try again {wait}; if this keeps happening, check the key's account, {or_choose}.",
                wait=wait,
                or_choose=_OR_CHOOSE,
            ),
            "quota",
        )
    elif 300 <= status < 400:
        what, remedy = (
            tr("redirects to another address, which is not followed with a key"),
            tr('Set "base_url" of {} to that address.'),
        )
    elif status >= 500:
        what, remedy = tr("has a server problem"), tr("Try again later.")
    elif not what:
        what, remedy = tr("rejected the request"), _settings(profile)
    return _error(
        profile,
        f"{what} (HTTP {status}){said}",
        remedy.replace("{}", f"{profile.name} in {where}"),
        code or "http",
    )


_OR_CHOOSE = tr('or choose another "vision_profile" in .dogent/dogent.json')
_STATUS: Mapping[int, tuple[str, str, str]] = {
    401: (
        tr("rejects the key"),
        tr('Fix "api_key" of {{}}, {or_choose}.', or_choose=_OR_CHOOSE),
        "key",
    ),
    402: (
        tr("requires payment"),
        tr("Check the key's account, {or_choose}.", or_choose=_OR_CHOOSE),
        "quota",
    ),
    403: (
        tr("rejects the key for this model"),
        tr('Fix "api_key" or "model" of {{}}, {or_choose}.', or_choose=_OR_CHOOSE),
        "key",
    ),
    404: (
        tr("does not know this address or model"),
        tr('Fix "base_url" or "model" of {{}}, {or_choose}.', or_choose=_OR_CHOOSE),
        "config",
    ),
    413: (
        tr("says the image or video is too large"),
        tr('Lower "max_side" or "max_video_mb" of {}, or send a smaller file.'),
        "too_large",
    ),
}
"""Status → what happened, what to do, and the code."""


def _settings(profile: VisionProfile) -> str:
    return tr(
        'Check "model", "base_url" and "extra" of {profile} in {where}, {or_choose}.',
        profile=profile.name,
        where=profile.where,
        or_choose=_OR_CHOOSE,
    )


def _said(profile: VisionProfile, answer: bytes) -> str:
    """Return the provider's error message on one line and without the key."""
    try:
        found = json.loads(answer[:_MOST_ANSWER_BYTES])
    except (ValueError, RecursionError):
        return ""
    error = found.get("error", found) if isinstance(found, dict) else found
    said = one_line(redact(at(error, str) or at(error, str, "message"), [profile.api_key]))
    return f": {said[:_SAID_CHARS].rstrip('. ')}" if said else ""


def _unreachable(profile: VisionProfile, failure: ConnectionFailure) -> VisionError:
    remedies = {
        "proxy": tr("Check HTTPS_PROXY and NO_PROXY."),
        "lost": tr("Try again later."),
    }
    check = tr(
        'Check "base_url" of {profile} in {where}, and the network.',
        profile=profile.name,
        where=profile.where,
    )
    code = "tls" if failure.kind == "tls" else "connect"
    return VisionError(failure.message, remedies.get(failure.kind, check), code=code)


def _error(profile: VisionProfile, what: str, remedy: str, code: str) -> VisionError:
    host = urlsplit(profile.base_url).hostname or profile.base_url
    return VisionError(
        tr(
            "{host}, used by the vision profile {profile}, {what}.",
            host=host,
            profile=profile.name,
            what=what,
        ),
        remedy,
        code=code,
    )
