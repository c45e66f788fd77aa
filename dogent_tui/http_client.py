"""One HTTP request to a service that gets a key, and why a connection failed or was lost, in the
same words for all clients.
"""

import asyncio
import os
import ssl
from collections.abc import Mapping
from errno import errorcode
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from dogent_tui import __version__
from dogent_tui.language import tr
from dogent_tui.plain import one_line

_CHUNK = 65_536


class Reply(NamedTuple):
    """The answer of a service: its status, its headers, and its body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class ConnectionFailure(Exception):  # noqa: N818  (not yet an error for people)
    """A connection that failed or was lost. `kind` is ``tls``, ``proxy``, ``dns``, ``connect`` or
    ``lost``, `message` the sentence, `why` its reason in a few words.
    """

    def __init__(self, kind: str, message: str, why: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.why = why

    @property
    def code(self) -> str:
        """The code of the error."""
        return self.kind if self.kind in ("tls", "dns") else "connect"


async def exchange(
    method: str, url: str, *, most: int, timeout_s: float, proxy: str | None, **request: Any
) -> Reply:
    """Send one request, and return the answer, whose body is truncated just above `most` bytes.

    There are no retries, no cookies, and no redirects, which would take the key along. Raises
    TimeoutError, and ConnectionFailure with the library's error as its cause.
    """
    import aiohttp  # imported on use: it takes a third of a second

    try:
        async with (
            asyncio.timeout(timeout_s),
            aiohttp.ClientSession(
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"User-Agent": f"dogent-tui/{__version__}"},
                timeout=aiohttp.ClientTimeout(),
            ) as session,
            session.request(method, url, allow_redirects=False, proxy=proxy, **request) as response,
        ):
            body = bytearray()
            async for chunk in response.content.iter_chunked(_CHUNK):
                body += chunk
                if len(body) > most:
                    break
            return Reply(response.status, response.headers, bytes(body))
    except TimeoutError:
        raise
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise connection_failure(error, urlsplit(url).hostname or url) from error


def proxy_for(url: str) -> str | None:
    """Return the proxy that the environment names for `url`. It only forwards what is encrypted
    from here to the provider.
    """
    parts = urlsplit(url)
    if parts.scheme != "https" or proxy_bypass(parts.hostname or ""):
        return None
    return getproxies().get("https")


def connection_failure(error: Exception, host: str) -> ConnectionFailure:
    """Return the failure for `error`, of aiohttp or of the system, of the connection to `host`. The
    library's own message is left out: it contains the address, which may contain a key.
    """
    import aiohttp

    why = _reason(error)
    match error:
        case aiohttp.ClientSSLError() | ssl.SSLError():
            said = getattr(getattr(error, "certificate_error", error), "verify_message", "")
            why = one_line(str(said)) or tr("a secure connection could not be established")
            kind, message = "tls", tr("The connection to {host} is not secure: {why}.")
        case aiohttp.ClientProxyConnectionError() | aiohttp.ClientHttpProxyError():
            why = tr("the proxy can't be used")
            kind, message = "proxy", tr("The proxy can't be used.")
        case aiohttp.ClientConnectorDNSError():
            why = tr("the host does not exist, or no name server responds")
            kind, message = "dns", tr("The host {host} does not exist, or no name server responds.")
        case aiohttp.ClientConnectorError():
            why = why or tr("it is not responding")
            kind, message = "connect", tr("{host} cannot be reached: {why}.")
        case _:
            why = why or type(error).__name__
            kind, message = "lost", tr("The connection to {host} was lost ({why}).")
    return ConnectionFailure(kind, message.format(host=host, why=why), why)


def _reason(error: Exception) -> str:
    """Return the system's own words, which unlike asyncio's do not contain the address."""
    number = getattr(getattr(error, "os_error", error), "errno", None) or 0
    return os.strerror(number).lower() if number in errorcode else ""
