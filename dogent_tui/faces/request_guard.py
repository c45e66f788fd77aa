"""Access control for the server: checked before anything of a request is read; refusals are one
plain sentence.
"""

import hmac
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias
from urllib.parse import urlsplit

from aiohttp import web

from dogent_tui.errors import DogentError
from dogent_tui.language import tr

_MOST_REQUESTS, _PER_S = 600, 60.0
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_CORS = {
    "access-control-allow-headers": "authorization, content-type",
    "access-control-allow-methods": "GET, POST, OPTIONS",
    "vary": "origin",
}
_OPEN_API = "/api/session"
"""Returns the token for the page's code."""

_STATUS = ((DogentError, 409), (PermissionError, 403))
Handler: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]


class RequestGuard:
    """Checks the requested host, the origin of the page, the token, and the rate."""

    def __init__(self, token: str, origins: Sequence[str]) -> None:
        self._token = token
        self._origins = frozenset(origins)
        self._seen: deque[float] = deque()

    @web.middleware
    async def check(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse unauthorized requests before reading anything of them."""
        host = urlsplit(f"//{request.host}")
        name = f"[{host.hostname}]" if ":" in (host.hostname or "") else host.hostname
        if name not in _LOOPBACK:
            words = tr("This server answers only to its own address on this machine.")
            raise PermissionError(words)
        own = {f"http://{each}:{host.port or 80}" for each in _LOOPBACK}
        origin = request.headers.get("origin")
        if origin is not None and origin not in self._origins | own:
            words = tr("Pages of {origin} may not use this server.")
            raise PermissionError(words.format(origin=origin[:100]))
        self._count()
        if request.method == "OPTIONS":
            return web.Response(status=204)
        is_open = not request.path.startswith("/api/") or request.path == _OPEN_API
        if not is_open and not self._has_token(request):
            words = tr("The token is missing or wrong.")
            remedy = tr("Send it as: Authorization: Bearer TOKEN.")
            raise web.HTTPUnauthorized(text=f"{words} {remedy}")
        if request.method == "POST" and request.content_type != "application/json":
            words = tr("The body must be JSON, sent as application/json.")
            raise web.HTTPUnsupportedMediaType(text=words)
        return await handler(request)

    def _count(self) -> None:
        now = time.monotonic()
        while self._seen and now - self._seen[0] > _PER_S:
            self._seen.popleft()
        if len(self._seen) >= _MOST_REQUESTS:
            raise web.HTTPTooManyRequests(text=tr("Too many requests. Wait a minute."))
        self._seen.append(now)

    def _has_token(self, request: web.Request) -> bool:
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        return kind.lower() == "bearer" and is_same(self._token, given.strip())

    async def allow_origin(self, request: web.Request, response: web.StreamResponse) -> None:
        """Let a page of an allowed origin read the answer."""
        if (origin := request.headers.get("origin", "")) in self._origins:
            response.headers.update(_CORS, **{"access-control-allow-origin": origin})


def is_same(known: str, given: str) -> bool:
    """Return whether the given secret is correct, in constant time."""
    return hmac.compare_digest(known.encode(), given.encode("utf-8", "replace"))


@web.middleware
async def in_sentences(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer an error with one plain sentence, since clients display the body. For `execute-tool`
    they parse JSON.
    """
    try:
        return await handler(request)
    except web.HTTPException as error:
        known = {404: tr("There is nothing at this address.")}
        known[413] = tr("The request is larger than 10 MB.")
        status, words = error.status, known.get(error.status, error.text or error.reason)
    except (DogentError, ValueError, OSError) as error:
        status = next((status for kind, status in _STATUS if isinstance(error, kind)), 400)
        of_path = isinstance(error, OSError) and error.strerror  # for an impossible path
        words = f"{of_path}." if of_path else str(error)
    if request.path.endswith("/execute-tool"):
        return web.json_response({"success": False, "error": words}, status=status)
    return web.Response(status=status, text=words)
