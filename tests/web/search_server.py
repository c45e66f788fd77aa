"""A provider on this machine: it answers what a test tells it to, and keeps what it was asked."""

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

import msgspec
from aiohttp import web


class Asked(msgspec.Struct):
    """A request as it came."""

    method: str
    path: str
    params: dict[str, str]
    headers: Mapping[str, str]
    body: Any


class SearchServer:
    """An async context manager. `url` is where it is."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.answers("{}")

    def answers(
        self, body: str | bytes | dict[str, Any], status: int = 200, **headers: str
    ) -> None:
        """Answer so from now on."""
        self._body = (
            msgspec.json.encode(body)
            if isinstance(body, dict)
            else body.encode()
            if isinstance(body, str)
            else body
        )
        self._status = status
        self._headers = {name.replace("_", "-"): value for name, value in headers.items()}

    async def _answer(self, request: web.Request) -> web.Response:
        body = await request.json() if request.can_read_body else None
        self.asked.append(
            Asked(request.method, request.path, dict(request.query), request.headers, body)
        )
        return web.Response(body=self._body, status=self._status, headers=self._headers)

    async def __aenter__(self) -> Self:
        application = web.Application()
        application.router.add_route("*", "/{path:.*}", self._answer)
        self._runner = web.AppRunner(application)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._runner.cleanup()
