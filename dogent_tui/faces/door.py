"""Who may use the server: checked before anything of a request is read, and refused in one plain sentence."""

import hmac
import secrets
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
_OPEN_API = "/api/session"
"""Gives the token for the code of the page."""

Handler: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Door:
    """Lets in only who is meant: by the host that was asked for, the origin of the page, the token, and how often."""

    def __init__(self, token: str, origins: Sequence[str]) -> None:
        self._token = token
        self._origins = frozenset(origins)
        self._code = secrets.token_urlsafe(18)
        self._seen: deque[float] = deque()

    @property
    def code(self) -> str:
        """What opens the page, once; "" where it was used."""
        return self._code

    def trade(self, code: str) -> str:
        """Return the token for the code, which is void then. Raises PermissionError."""
        if not self._code or not hmac.compare_digest(self._code.encode(), code.encode("utf-8", "replace")):
            words = tr("This address was used already, or is not the right one. Start the server again for another.")
            raise PermissionError(words)
        self._code = ""
        return self._token

    @web.middleware
    async def check(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse what is not for us before anything of it is read."""
        host = urlsplit(f"//{request.host}")
        name = f"[{host.hostname}]" if ":" in (host.hostname or "") else host.hostname
        if name not in _LOOPBACK:
            raise PermissionError(tr("This server answers only to its own address on this machine."))
        own = {f"http://{each}:{host.port or 80}" for each in _LOOPBACK}
        if (origin := request.headers.get("origin")) is not None and origin not in self._origins | own:
            raise PermissionError(tr("Pages of {origin} may not use this server.").format(origin=origin[:100]))
        self._count()
        if request.method == "OPTIONS":
            return web.Response(status=204)
        if request.path.startswith("/api/") and request.path != _OPEN_API and not self._has_token(request):
            words = tr("The token is missing or wrong."), tr("Send it as: Authorization: Bearer TOKEN.")
            raise web.HTTPUnauthorized(text=" ".join(words))
        if request.method == "POST" and request.content_type != "application/json":
            raise web.HTTPUnsupportedMediaType(text=tr("The body must be JSON, sent as application/json."))
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
        return kind.lower() == "bearer" and hmac.compare_digest(given.strip().encode("utf-8", "replace"), self._token.encode())

    async def allow_origin(self, request: web.Request, response: web.StreamResponse) -> None:
        """Let a page of a listed origin read the answer."""
        if (origin := request.headers.get("origin", "")) in self._origins:
            response.headers["access-control-allow-origin"] = origin
            response.headers["access-control-allow-headers"] = "authorization, content-type"
            response.headers["access-control-allow-methods"] = "GET, POST, OPTIONS"
            response.headers["vary"] = "origin"


@web.middleware
async def in_sentences(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer an error with one plain sentence: clients show the body as it is. Of `execute-tool` they read JSON."""
    try:
        return await handler(request)
    except web.HTTPException as error:
        own = {404: tr("There is nothing at this address."), 413: tr("The request is larger than 10 MB.")}
        status, words = error.status, own.get(error.status, error.text or error.reason)
    except PermissionError as error:
        status, words = 403, str(error)
    except DogentError as error:
        status, words = 409, f"{error.message} {error.remedy}".strip()
    except ValueError as error:
        status, words = 400, str(error)
    except OSError as error:  # of a path that cannot be one
        status, words = 400, f"{error.strerror or error}."
    if request.path.endswith("/execute-tool"):
        return web.json_response({"success": False, "error": words}, status=status)
    return web.Response(status=status, text=words)
