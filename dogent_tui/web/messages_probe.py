"""A tiny request to an endpoint with Anthropic's Messages API, to check its address, key and
model.
"""

import json
import re
from collections.abc import Mapping
from html import unescape
from typing import Any, Literal
from urllib.parse import urljoin, urlsplit

from dogent_tui.http_client import ConnectionFailure, Reply, exchange, proxy_for
from dogent_tui.plain import one_line
from dogent_tui.records import Record, at

_MOST_BYTES = 1 << 20
_VERSION = "2023-06-01"
"""The version of the Messages API (https://docs.anthropic.com/en/api/versioning)."""

Came = Literal[
    "message", "error", "page", "moved", "other", "cut", "silence", "untrusted", "proxy", "nothing"
]
"""The result of a request: an answer of the Messages API, its error, a web page, a redirect,
something else; or a connection that was lost, stayed silent, has an untrusted certificate, or could
not be made, because of a proxy or otherwise.
"""

_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""Type of error → status, for errors within a stream, which have no other
(https://docs.anthropic.com/en/api/errors).
"""


class Answered(Record):
    """The answer of an endpoint: the HTTP status, 0 if there was none.

    `said` is on one line: the message of an error, the title of a page, or the target of a
    redirect. `waited_s` is how many seconds it was silent.
    """

    came: Came
    status: int = 0
    said: str = ""
    waited_s: float = 0.0

    @property
    def is_message(self) -> bool:
        """Whether it answered like the Messages API."""
        return self.came == "message"

    @property
    def is_there(self) -> bool:
        """Whether anything at the address answers at all."""
        return self.came not in ("silence", "proxy", "nothing")


async def probe_messages(
    base_url: str, headers: Mapping[str, str], model: str, timeout_s: float
) -> Answered:
    """Ask `model` for one token. `headers` contain the key. Never raises, follows no redirect, and
    does not retry.

    It sends a real request instead of listing models or counting tokens: many endpoints support
    only this, and every run needs it.
    """
    body = {"model": model, "max_tokens": 1, "messages": [{"role": "user", "content": "Hi"}]}
    url = f"{base_url.rstrip('/')}/v1/messages"
    given = {"anthropic-version": _VERSION, **headers}
    reply = await _asked("POST", url, timeout_s, headers=given, json=body)
    return _answered(url, reply) if isinstance(reply, Reply) else reply


async def probe_presence(base_url: str, timeout_s: float) -> Answered:
    """Check whether anything answers at `base_url`. Sends no key and costs nothing; see
    `Answered.is_there`. Never raises.
    """
    reply = await _asked("HEAD", base_url, timeout_s)
    return Answered("other", reply.status) if isinstance(reply, Reply) else reply


async def list_models(
    base_url: str, headers: Mapping[str, str], timeout_s: float
) -> tuple[str, ...]:
    """Return the names of the models that the endpoint lists, in its order; empty if it lists none.
    Never raises.
    """
    url = f"{base_url.rstrip('/')}/v1/models?limit=1000"
    given = {"anthropic-version": _VERSION, **headers}
    reply = await _asked("GET", url, timeout_s, headers=given)
    text = reply.body.decode(errors="replace") if isinstance(reply, Reply) else ""
    value = _parsed(text) if reply.status == 200 else None
    names = (at(model, str, "id") for model in at(value, list, "data"))
    return tuple(dict.fromkeys(filter(_MODEL_NAME.fullmatch, names)))


async def _asked(method: str, url: str, timeout_s: float, **request: Any) -> Reply | Answered:
    """Return the reply, or how there was none."""
    try:
        return await exchange(
            method, url, most=_MOST_BYTES, timeout_s=timeout_s, proxy=proxy_for(url), **request
        )
    except TimeoutError:
        return Answered("silence", waited_s=timeout_s)
    except ConnectionFailure as failure:
        return _unanswered(failure)


def _unanswered(failure: ConnectionFailure) -> Answered:
    import aiohttp

    match failure.__cause__:
        case (
            aiohttp.ServerDisconnectedError()
            | aiohttp.ClientPayloadError()
            | ConnectionResetError()
        ):
            return Answered("cut")
        case aiohttp.ClientResponseError() if failure.kind == "lost":
            return Answered("other")  # bytes arrived that are not HTTP
    came: Mapping[str, Came] = {"tls": "untrusted", "proxy": "proxy"}
    return Answered(came.get(failure.kind, "nothing"), said=failure.why)


def _answered(url: str, reply: Reply) -> Answered:
    status, text = reply.status, reply.body.decode(errors="replace")
    if 300 <= status < 400 and (location := reply.headers.get("Location")):
        to = urlsplit(urljoin(url, location))
        return Answered(
            "moved",
            status,
            one_line(f"{to.scheme}://{to.hostname or ''}{f':{to.port}' if to.port else ''}"),
        )
    is_page = reply.headers.get("Content-Type", "").lower().startswith("text/html")
    if status < 300 and (is_page or _HTML.match(text)):
        title = _TITLE.search(text)
        return Answered("page", status, one_line(unescape(title[1]))[:80].strip() if title else "")
    lines = [line.removeprefix("data:") for line in text.splitlines() if line.startswith("data:")]
    found = [value for value in map(_parsed, lines or [text]) if isinstance(value, dict)]
    for error in (value["error"] for value in found if value.get("error")):
        status = status if status >= 300 else _STATUS.get(at(error, str, "type"), status)
        said = at(error, str) or at(error, str, "message")
        return Answered("error", status, one_line(said[:400]))
    types = {value.get("type") for value in found}
    if status == 200 and ("message" in types or "message_stop" in types):
        return Answered("message", status)
    return Answered(
        "cut" if "message_start" in types else "error" if status >= 300 else "other", status
    )


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


_MODEL_NAME = re.compile(r"[\w.:/@+-]{1,200}")
_HTML = re.compile(r"\s*<(?:!doctype html|html)\b", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]*>([^<]{1,400})", re.IGNORECASE)
