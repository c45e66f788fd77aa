"""Servers on this machine that tests fetch from, reached through the official allow list."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from dogent_tui.documents.library import DocumentLibrary
from dogent_tui.web.fetch import Fetcher

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Site:
    """A server; `add` gives it a page, `asked` are the requests that it got, `over` is set when
    it is to end.
    """

    def __init__(self) -> None:
        self.asked: list[web.Request] = []
        self.port = 0
        self.over = asyncio.Event()
        self._pages: dict[str, Handler] = {}

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def url(self, path: str) -> str:
        return f"http://{self.host}{path}"

    def add(
        self, path: str, body: bytes | str | Handler = b"", content_type: str = "", **headers: str
    ) -> str:
        """Serve `body` at `path`, with exactly that content type, and return the address."""
        if callable(body):
            self._pages[path] = body
        else:
            data = body.encode() if isinstance(body, str) else body
            sent = {name.replace("_", "-"): value for name, value in headers.items()}

            async def answer(request: web.Request) -> web.Response:
                return web.Response(
                    body=data,
                    headers={**({"Content-Type": content_type} if content_type else {}), **sent},
                )

            self._pages[path] = answer
        return self.url(path)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request)
        page = self._pages.get(request.path)
        return await page(request) if page is not None else web.Response(status=404)


async def _serve() -> AsyncIterator[Site]:
    site = Site()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", site.handle)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    site.port = runner.addresses[0][1]
    yield site
    site.over.set()
    await runner.cleanup()


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async for found in _serve():
        yield found


@pytest.fixture
async def other_site() -> AsyncIterator[Site]:
    """Another server, which nobody allowed."""
    async for found in _serve():
        yield found


@pytest.fixture
async def make_fetcher(site: Site, tmp_path: Path) -> AsyncIterator[Callable[..., Fetcher]]:
    """Make a fetcher that may reach `site`, with images in ``images``, and waits for whole parts
    on a busy machine too.
    """
    made: list[Fetcher] = []
    documents = DocumentLibrary(tmp_path / "conversions", full_page_s=60)

    def make(**options: Any) -> Fetcher:
        options = {"documents": documents, "allow": [site.host], "patience_s": 60, **options}
        made.append(Fetcher(Path("images"), tmp_path, **options))
        return made[-1]

    yield make
    for library in (*made, documents):
        await library.close()


@pytest.fixture
def fetcher(make_fetcher: Callable[..., Fetcher]) -> Fetcher:
    return make_fetcher()
