"""Renders pages that only their scripts fill, in this computer's browser, which reaches the network
only through our guard.

We answer each request of the page with what `get` returns; sockets and peer connections are
blocked. There are no cookies and no storage that outlives the page, and the kind, number and size
of requests are limited.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from dogent_tui.documents.export.browser import Browser
from dogent_tui.language import tr
from dogent_tui.web.model import WebError

if TYPE_CHECKING:
    from playwright.async_api import Route, WebSocketRoute

    from dogent_tui.web.transport import Response

Get = Callable[[str], Awaitable["Response"]]
"""Returns the content at an address that a page requests. Raises WebError if it may not be
requested or does not exist.
"""

_DRAW_S = 30.0
_QUIET_S = 6.0
"""How long to wait for a page that keeps requesting more; then its current state is used."""
_CLOSE_S = 5.0
_MOST_REQUESTS = 80
_MOST_BYTES = 24 << 20
_NEEDED = frozenset({"document", "script", "xhr", "fetch"})
"""Kinds of requests that text depends on; pictures, fonts and style sheets are not among them."""
_NO_SIDE_DOORS = (
    "for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) delete"
    " window[name]"
)

_DRAWN = """() => {
    const roots = [], find = node => node.querySelectorAll("*").forEach(({ shadowRoot }) => {
        if (shadowRoot) { roots.push(shadowRoot); find(shadowRoot) }
    })
    find(document)
    return document.documentElement.getHTML({ shadowRoots: roots })
}"""
"""Returns the page with its shadow roots."""


class DrawingBrowser(Browser):
    """Renders pages. See `Browser`; it is started by the first page that needs it."""

    async def _launch(self, programs: Sequence[Path], *, behind: bool) -> str:
        """See `Browser`. Scripts run behind the wall or in Chromium's sandbox, which is unavailable
        when started by root.
        """
        if not behind and os.geteuid() == 0:
            return tr("scripts run only in a sandbox")
        return await super()._launch(programs, behind=behind)

    async def draw(self, url: str, html: str, get: Get) -> str:
        """Return the page `html` from `url` as HTML after its scripts have run.

        Raises DocumentError if no browser starts, and WebError (`timeout`, `failed`).
        """
        from playwright.async_api import Error

        await self.start()
        assert self._browser is not None
        context = None
        try:
            async with asyncio.timeout(_DRAW_S):
                context = await self._browser.new_context(
                    offline=True, accept_downloads=False, service_workers="block"
                )
                await context.add_init_script(_NO_SIDE_DOORS)
                await context.route_web_socket("**/*", _refuse_socket)
                await context.route("**/*", _Answers(url, html, get).answer)
                page = await context.new_page()
                await page.goto(url, wait_until="load", timeout=_DRAW_S * 1000)
                with suppress(Error):  # it is never idle
                    await page.wait_for_load_state("networkidle", timeout=_QUIET_S * 1000)
                with suppress(Error):  # too old a browser
                    return f"<!doctype html>{await page.evaluate(_DRAWN)}"
                return await page.content()
        except (Error, TimeoutError) as error:
            raise WebError(
                str(error)[:200], code="timeout" if isinstance(error, TimeoutError) else "failed"
            ) from None
        finally:
            if context is not None:
                with suppress(Error, TimeoutError):
                    await asyncio.wait_for(context.close(), _CLOSE_S)


class _Answers:
    """Answers the requests of one page."""

    def __init__(self, url: str, html: str, get: Get) -> None:
        self._url, self._html, self._get = url, html, get
        self._requests = 0
        self._bytes = 0

    async def answer(self, route: "Route") -> None:
        request = route.request
        if request.is_navigation_request() and request.frame.parent_frame is None:
            if request.url.partition("#")[0] == self._url.partition("#")[0] and not self._requests:
                self._requests += 1
                await route.fulfill(body=self._html, content_type="text/html; charset=utf-8")
            else:  # it would be another page
                await route.abort()
            return
        self._requests += 1
        if (
            request.method != "GET"
            or request.resource_type not in _NEEDED
            or self._requests > _MOST_REQUESTS
        ):
            await route.abort()
            return
        try:
            found = await self._get(request.url)
        except WebError:
            await route.abort()
            return
        self._bytes += len(found.body)
        if self._bytes > _MOST_BYTES:
            await route.abort()
            return
        # Without cookies it sees what anyone sees, so it does not matter whose script asks.
        headers = {
            "content-type": found.declared or "text/plain",
            "access-control-allow-origin": "*",
        }
        await route.fulfill(body=found.body, headers=headers)


async def _refuse_socket(socket: "WebSocketRoute") -> None:
    await socket.close()
