"""One tiny request to an endpoint that speaks Anthropic's Messages API, to learn whether address, key and model are right."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import msgspec

from dogent_tui import __version__
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.vision.requesting import proxy_for

_MOST_BYTES = 1 << 20
_VERSION = "2023-06-01"
"""Of the Messages API (https://docs.anthropic.com/en/api/versioning)."""


class Answered(msgspec.Struct, frozen=True):
    """What an endpoint answered: the HTTP status, 0 where there was no answer, and what it said of an error, on one line.

    `is_message`: it answered as the Messages API does.
    """

    status: int
    said: str = ""
    is_message: bool = False


async def probe_messages(base_url: str, headers: Mapping[str, str], model: str, timeout_s: float) -> Answered:
    """Ask `model` for one token. `headers` hold the key. Never raises; follows no redirect, and repeats nothing.

    The request itself, and not the list of models or the count of tokens: many endpoints know only this one, and it is what
    every run needs.
    """
    import aiohttp  # on use: it takes a third of a second

    url = f"{base_url.rstrip('/')}/v1/messages"
    body = {"model": model, "max_tokens": 1, "messages": [{"role": "user", "content": "Hi"}]}
    try:
        async with (
            asyncio.timeout(timeout_s),
            aiohttp.ClientSession(
                cookie_jar=aiohttp.DummyCookieJar(), headers={"User-Agent": f"dogent-tui/{__version__}"}
            ) as session,
            session.post(
                url,
                json=body,
                headers={"anthropic-version": _VERSION, **headers},
                allow_redirects=False,  # it would take the key along
                proxy=proxy_for(url),
            ) as response,
        ):
            return _answered(response.status, await response.content.read(_MOST_BYTES))
    except TimeoutError:
        return Answered(0, tr("it did not answer within {timeout_s:g} seconds").format(timeout_s=timeout_s))
    except (aiohttp.ClientError, OSError, ValueError) as error:
        # Only its kind: what the library says holds the address.
        why = getattr(getattr(error, "os_error", None), "strerror", "") or type(error).__name__
        return Answered(0, one_line(why).lower())


def _answered(status: int, data: bytes) -> Answered:
    try:
        found: Any = json.loads(data)
    except (ValueError, RecursionError):
        return Answered(status)
    if not isinstance(found, dict):
        return Answered(status)
    error = found.get("error")
    said = error.get("message") if isinstance(error, dict) else error
    return Answered(status, one_line(said[:400]) if isinstance(said, str) else "", found.get("type") == "message")
