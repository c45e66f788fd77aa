"""Who may use the server: checked before anything of a request is read."""

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

Handler: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]


def sentence(status: int, message: str, remedy: str = "") -> web.Response:
    """Return an error as one plain sentence: clients show the body as it is."""
    return web.Response(status=status, text=f"{message} {remedy}".strip())


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
        known, self._code = self._code, ""
        if not known or not hmac.compare_digest(known.encode(), code.encode()):
            self._code = known
            raise PermissionError(
                tr("This address was used already, or is not the right one. Start the server again for another.")
            )
        return self._token

    @web.middleware
    async def check(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse what is not for us before anything of it is read."""
        host = urlsplit(f"//{request.host}")
        name = f"[{host.hostname}]" if ":" in (host.hostname or "") else host.hostname
        if name not in _LOOPBACK:
            return sentence(403, tr("This server answers only to its own address on this machine."))
        own = {f"http://{each}:{host.port or 80}" for each in _LOOPBACK}
        origin = request.headers.get("origin")
        if origin is not None and origin not in self._origins | own:
            return sentence(403, tr("Pages of {origin} may not use this server.").format(origin=origin[:100]))
        now = time.monotonic()
        while self._seen and now - self._seen[0] > _PER_S:
            self._seen.popleft()
        if len(self._seen) >= _MOST_REQUESTS:
            return sentence(429, tr("Too many requests."), tr("Wait a minute."))
        self._seen.append(now)
        response: web.StreamResponse
        if request.method == "OPTIONS":
            response = web.Response(status=204)
        elif request.path.startswith("/api/") and request.path != "/api/session" and not self._has_token(request):
            return sentence(401, tr("The token is missing or wrong."), tr("Send it as: Authorization: Bearer TOKEN."))
        elif request.method == "POST" and request.content_type != "application/json":
            return sentence(415, tr("The body must be JSON, sent as application/json."))
        else:
            response = await _answered(request, handler)
        if origin in self._origins and not response.prepared:
            response.headers.update(cors(origin))
        return response

    def _has_token(self, request: web.Request) -> bool:
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        return kind.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), self._token.encode())

    def cors(self, request: web.Request) -> dict[str, str]:
        """Return the headers of a stream for a page of a listed origin."""
        origin = request.headers.get("origin", "")
        return cors(origin) if origin in self._origins else {}


def cors(origin: str | None) -> dict[str, str]:
    """Return the headers that let a page of another origin read the answer."""
    return {
        "access-control-allow-origin": origin or "",
        "access-control-allow-headers": "authorization, content-type",
        "access-control-allow-methods": "GET, POST, OPTIONS",
        "vary": "origin",
    }


async def _answered(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except web.HTTPException as error:
        words = {404: tr("There is nothing at this address."), 413: tr("The request is larger than 10 MB.")}
        return sentence(error.status, words.get(error.status, error.reason))
    except PermissionError as error:
        return sentence(403, str(error))
    except DogentError as error:
        return sentence(409, error.message, error.remedy)
    except ValueError as error:
        return sentence(400, str(error))
