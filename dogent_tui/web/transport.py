"""Requests an address: over guarded connections, following redirects, within limits of time and
size.
"""

import asyncio
import re
import zlib
from collections.abc import Mapping
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from html import unescape

import aiohttp
import brotli
import msgspec
from aiohttp.resolver import DefaultResolver
from yarl import URL

from dogent_tui import __version__
from dogent_tui.http_client import connection_failure
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.records import Record
from dogent_tui.web.address import Allowed
from dogent_tui.web.guarded_connector import Guard, MakeResolver, guarded_connector, open_connector
from dogent_tui.web.model import WebError
from dogent_tui.web.url import joined, parse_url

USER_AGENT = f"dogent-tui/{__version__}"

_HEADERS = {
    "User-Agent": USER_AGENT,
    "Accept": (
        "text/html,application/xhtml+xml;q=0.9,text/markdown;q=0.9,application/pdf;q=0.8,image/*;q=0.8,*/*;q=0.7"
    ),
    "Accept-Encoding": "gzip, deflate, br",
}
_PACKED = frozenset({"gzip", "x-gzip", "deflate", "br"})
_MOST_STREAMS = 100
"""The number of gzip streams in one body; programs send one or two."""
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_BUSY = frozenset({429, 503})
_CHUNK = 65_536
_REFRESH = re.compile(
    rb"<meta\b(?=[^>]*http-equiv=[\"']?refresh\b)[^>]*content=[\"']?\s*0\s*[;,]\s*url\s*="
    rb"\s*[\"']?([^\"'>\s]+)",
    re.IGNORECASE,
)
_MOVED_BYTES = 4096
"""A larger page is one, even if it leads elsewhere at once, for example without scripts."""


class Limits(Record):
    """The limits of a fetch, in seconds and bytes.

    `headers_s` is how long a server may take to answer at all, `silence_s` how long it may pause.
    `sent_bytes` limits the compressed size, `bytes` the uncompressed one. A server that asks us to
    come back within `retry_s` is asked once more.
    """

    total_s: float = 60.0
    headers_s: float = 20.0
    silence_s: float = 10.0
    sent_bytes: int = 24 << 20
    bytes: int = 48 << 20
    redirects: int = 10
    retry_s: float = 10.0


class Response(Record):
    """What a server sent. `declared` is its Content-Type, `filename` its name for the file; both
    are untrusted.

    `is_cut`: its compressed `body` ended early. `private` are the hosts on the way that only an
    approval made reachable, with port and address.
    """

    url: str
    fetched_at: str
    declared: str
    filename: str
    body: bytes
    is_cut: bool = False
    private: frozenset[tuple[str, int, str]] = frozenset()


class Transport:
    """Requests addresses. Keeps nothing between requests: no connections, no cookies, no answers of
    a name server.
    """

    def __init__(
        self, limits: Limits, *, proxy: str = "", make_resolver: MakeResolver | None = None
    ) -> None:
        self._limits = limits
        self._proxy = proxy
        self._make_resolver = make_resolver or DefaultResolver

    async def get(self, address: str, allowed: Allowed) -> Response:
        """Return the content of `address`. Raises WebError."""
        url = parse_url(address)
        try:
            async with asyncio.timeout(self._limits.total_s):
                return await self._follow(url, allowed)
        except TimeoutError:
            raise _slow(
                url,
                tr("was not finished after {total_s:g} seconds", total_s=self._limits.total_s),
            ) from None

    async def _follow(self, url: URL, allowed: Allowed) -> Response:
        private = set()
        may_retry = True
        for _ in range(self._limits.redirects + 1):
            guard = Guard(url, allowed)
            try:
                found = await self._request(url, guard)
            except WebError as error:
                wait = error.retry_after_s
                if not may_retry or wait is None or wait > self._limits.retry_s:
                    raise
                may_retry = False
                await asyncio.sleep(wait)
                continue
            private |= guard.private
            if isinstance(found, Response):
                return msgspec.structs.replace(found, private=frozenset(private))
            if url.scheme == "https" and found.scheme == "http":
                raise WebError(
                    tr(
                        "{url} redirects from https to plain http ({found}), which was not"
                        " followed.",
                        url=_short(url),
                        found=_short(found),
                    ),
                    tr("Fetch that address itself if it is the right one."),
                    code="redirects",
                )
            url = found
        raise WebError(
            tr(
                "{url} redirects too often: over {redirects} times.",
                url=_short(url),
                redirects=self._limits.redirects,
            ),
            tr("Use the final address."),
            code="redirects",
        )

    async def _request(self, url: URL, guard: Guard) -> Response | URL:
        """Return the server's answer, or where it redirects to."""
        guard.check_name()
        connector = (
            open_connector() if self._proxy else guarded_connector(guard, self._make_resolver)
        )
        try:
            async with aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                headers=_HEADERS,
                timeout=aiohttp.ClientTimeout(),
                max_line_size=32_768,
                max_field_size=32_768,
                max_headers=256,
                auto_decompress=False,  # aiohttp takes gzip that is cut for whole
            ) as session:
                return await self._exchange(session, url)
        except (aiohttp.ClientError, OSError, ValueError, asyncio.IncompleteReadError) as error:
            if guard.refusal is not None:
                raise guard.refusal from None
            raise _failure(url, error) from error

    async def _exchange(self, session: aiohttp.ClientSession, url: URL) -> Response | URL:
        try:
            async with asyncio.timeout(self._limits.headers_s):
                response = await session.get(url, allow_redirects=False, proxy=self._proxy or None)
        except TimeoutError:
            raise _slow(url, tr("is not responding")) from None
        async with response:
            location = response.headers.get("Location")
            if response.status in _REDIRECTS and location is not None:
                return joined(url, location)
            if response.status >= 300 or response.status < 200:
                raise _status_error(url, response.status, response.headers.get("Retry-After", ""))
            body, is_cut = await self._body(url, response)
            moved = _REFRESH.search(body) if len(body) <= _MOVED_BYTES else None
            if moved and (to := joined(url, unescape(moved[1].decode(errors="replace")))) != url:
                return to
            return Response(
                url=str(url),
                fetched_at=datetime.now(UTC).isoformat(timespec="seconds"),
                declared=response.headers.get("Content-Type", "")[:200],
                filename=_filename(response),
                body=body,
                is_cut=is_cut,
            )

    async def _body(self, url: URL, response: aiohttp.ClientResponse) -> tuple[bytes, bool]:
        if (response.content_length or 0) > self._limits.sent_bytes:
            raise self._too_large(url)
        received = bytearray()
        try:
            while chunk := await self._chunk(response):
                received += chunk
                if len(received) > self._limits.sent_bytes:
                    raise self._too_large(url)
        except TimeoutError:
            raise _slow(url, tr("stopped halfway, or is not responding")) from None
        body, is_cut, most = bytes(received), False, self._limits.bytes
        for coding in reversed(response.headers.get("Content-Encoding", "").lower().split(",")[:3]):
            body, is_short = await asyncio.to_thread(_unpacked, body, coding.strip(), most + 1)
            is_cut |= is_short
            if len(body) > most:
                raise self._too_large(url)
        return body, is_cut

    async def _chunk(self, response: aiohttp.ClientResponse) -> bytes:
        """Return the next data, empty at the end. Framing without content counts as silence."""
        async with asyncio.timeout(self._limits.silence_s):
            return await response.content.read(_CHUNK)

    def _too_large(self, url: URL) -> WebError:
        sent, whole = self._limits.sent_bytes >> 20, self._limits.bytes >> 20
        return WebError(
            tr(
                "{url} is too large: the limit is {sent} MB, and {whole} MB unpacked.",
                url=_short(url),
                sent=sent,
                whole=whole,
            ),
            tr("Find a smaller page or file with the same content."),
            code="too_large",
        )


def _unpacked(body: bytes, coding: str, most: int) -> tuple[bytes, bool]:
    """Return `most` bytes of what is packed in `body`, and whether its end is missing. Raises
    ValueError.
    """
    if not body or coding not in _PACKED:
        return body, False
    out = bytearray()
    try:
        if coding == "br":
            stream = brotli.Decompressor()
            return stream.process(body, output_buffer_limit=most), not stream.is_finished()
        for _ in range(_MOST_STREAMS):
            is_raw = coding == "deflate" and body[0] & 15 != zlib.DEFLATED
            unpacker = zlib.decompressobj(-zlib.MAX_WBITS if is_raw else zlib.MAX_WBITS | 32)
            out += unpacker.decompress(body, most - len(out))
            body = unpacker.unused_data
            if not body or len(out) >= most:
                return bytes(out), not unpacker.eof
    except (zlib.error, brotli.error) as error:
        if not out:
            raise ValueError(str(error)) from error
        return bytes(out), False  # what follows the content is not shown by a browser either
    return bytes(out), True


def retry_after(value: str) -> float | None:
    """Return the number of seconds in a ``Retry-After`` header, which contains seconds or a date;
    None if it is invalid.
    """
    value = value.strip()
    if re.fullmatch(r"[0-9]{1,9}", value):
        return float(value)
    try:
        when = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    when = when if when.tzinfo is not None else when.replace(tzinfo=UTC)
    return max(0.0, (when - datetime.now(UTC)).total_seconds())


_BROKEN = tr("has a server problem"), tr("Try again later, or find it elsewhere.")
_UNAVAILABLE = tr("is unavailable"), tr("Check the address.")
_ASK = tr("Ask the user for the text, or find it elsewhere.")
_STATUS: Mapping[int, tuple[str, str]] = {
    401: (tr("requires a login"), _ASK),
    402: (tr("requires payment"), _ASK),
    403: (tr("does not allow programs to read it"), _ASK),
    404: (tr("does not exist"), tr("Check the address, or search for the page.")),
    407: (tr("is behind a proxy that requires a login"), tr("Check `web_proxy` in the settings.")),
    410: (tr("is gone"), tr("Search for another copy of it.")),
    429: (tr("is rate limited"), tr("Try again later.")),
    451: (tr("cannot be shown for legal reasons"), tr("Find it elsewhere.")),
    503: (tr("is currently unavailable"), tr("Try again later.")),
}


def _status_error(url: URL, status: int, wait: str) -> WebError:
    what, remedy = _STATUS.get(status, _BROKEN if status >= 500 else _UNAVAILABLE)
    seconds = retry_after(wait) if status in _BUSY else None
    if seconds is not None:
        remedy = tr("Try again in {seconds:.0f} seconds.", seconds=seconds)
    return WebError(
        tr("{place} {what} (HTTP {status}).", place=_short(url), what=what, status=status),
        remedy,
        code="http",
        status=status,
        retry_after_s=seconds,
    )


def _slow(url: URL, what: str) -> WebError:
    return WebError(
        tr("{place} {what}.", place=_short(url), what=what),
        tr("Try again, or find it elsewhere."),
        code="timeout",
    )


def _failure(url: URL, error: Exception) -> WebError:
    """Return the sentence for a connection error."""
    # not decoded, as not every such name can be
    host = url.raw_host or ""
    failure = connection_failure(error, host)
    if failure.kind == "lost" and isinstance(error, aiohttp.ClientResponseError | ValueError):
        message = tr("{host} did not respond with HTTP.", host=host)
        return WebError(message, tr("Check the address."), code="damaged", host=host)
    return WebError(failure.message, _REMEDIES[failure.kind], code=failure.code, host=host)


_REMEDIES = {
    "dns": tr("Check the address."),
    "tls": tr("Find the page elsewhere."),
    "proxy": tr("Check `web_proxy` in the settings."),
    "connect": tr("Check the address, or try again later."),
    "lost": tr("Try again, or find it elsewhere."),
}
"""Connection failure → what to do."""


def _filename(response: aiohttp.ClientResponse) -> str:
    """Return the server's name for the file. aiohttp would print a header it does not
    understand.
    """
    message = Message()
    try:
        message["Content-Disposition"] = "".join(
            character
            for character in response.headers.get("Content-Disposition", "")[:2000]
            if character.isprintable()
        )
        return str(message.get_filename(""))[:1000]
    except (ValueError, LookupError):
        return ""


def _short(url: URL) -> str:
    return one_line(str(url), 160)
