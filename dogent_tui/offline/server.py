"""A loopback server that speaks the Messages API to the CLI, in our own process."""

import asyncio
import hmac
import importlib
import logging
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

from dogent_tui.offline import messages_api
from dogent_tui.offline.messages_api import ApiError, MessagesRequest, ReplyBlock, ReplyText

if TYPE_CHECKING:
    from aiohttp import web

    Handler: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]

Events: TypeAlias = AsyncGenerator[bytes, None]
Answer: TypeAlias = Sequence[ReplyBlock] | ApiError | Events
"""A reply of complete blocks, an error, or the server-sent events themselves."""

Responder: TypeAlias = Callable[[MessagesRequest], Awaitable[Answer]]

_LOG = logging.getLogger(__name__)
_LARGEST_BODY = 512 * 1024 * 1024
"""The maximum size of a request in bytes. Conversations with pictures or PDF files are large; only
the holder of the token can send one.
"""


class LoopbackServer:
    """Serves the Messages API on a free port of 127.0.0.1 to anyone with the token.

    An async context manager: point the CLI at its `base_url` with its `token`, which is random, and
    its `model`. `responder` is called for each request to ``/v1/messages``; an exception in it
    becomes a text that says so, because a status of 500 would cost the CLI all its retries. A
    request is canceled when its client disconnects, and when the server stops.
    """

    model: ClassVar[str] = "claude-haiku-4-5"
    """A name known to the CLI, which for others assumes a window of a million tokens and sends
    system messages in the conversation.
    """
    pause_s: ClassVar[float] = 0.0
    """The time between two pieces of a block."""

    def __init__(self, responder: Responder) -> None:
        self.token = secrets.token_urlsafe(32)
        self.base_url = ""
        self._responder = responder
        self._runner: web.AppRunner | None = None
        self._running: set[asyncio.Task[object]] = set()

    async def __aenter__(self) -> Self:
        # aiohttp takes a quarter of a second to import; in a thread this does not block the screen.
        await asyncio.to_thread(importlib.import_module, "aiohttp.web")
        from aiohttp import web

        @web.middleware
        async def guard(request: web.Request, handler: "Handler") -> web.StreamResponse:
            return await self._guard(request, handler)

        app = web.Application(client_max_size=_LARGEST_BODY, middlewares=[guard])
        app.router.add_post("/v1/messages", self._messages)
        app.router.add_post("/v1/messages/count_tokens", self._count_tokens)
        app.router.add_get("/v1/models", self._list_models)
        app.router.add_route("HEAD", "/", self._probe)
        runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=1)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
        except BaseException:
            await runner.cleanup()
            raise
        self._runner = runner
        self.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_failure: object) -> None:
        for task in tuple(self._running):
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    # ── Requests ──────────────────────────────────────────────────────────────────────────────────

    async def _guard(self, request: "web.Request", handler: "Handler") -> "web.StreamResponse":
        """Refuse clients without the token, turn failures into answers, and remember the task so
        that it can be ended.
        """
        from aiohttp import web

        task = asyncio.current_task()
        if task is not None:
            self._running.add(task)
            task.add_done_callback(self._running.discard)
        if request.path != "/" and not self._knows_token(request):
            return _error_response(ApiError(401, "invalid x-api-key"))
        try:
            return await handler(request)
        except web.HTTPException as error:
            return _error_response(ApiError(error.status, error.reason))
        except ValueError as error:
            return _error_response(ApiError(400, str(error)))

    def _knows_token(self, request: "web.Request") -> bool:
        bearer = request.headers.get("Authorization", "").removeprefix("Bearer ").strip()
        given = bearer or request.headers.get("x-api-key", "")
        return hmac.compare_digest(given.encode(errors="replace"), self.token.encode())

    async def _messages(self, request: "web.Request") -> "web.StreamResponse":
        parsed = await self._parse(request)
        try:
            answer = await self._responder(parsed)
        except Exception as error:
            _LOG.exception("The loopback server could not compose a reply")
            what = f"Something went wrong inside the loopback server ({type(error).__name__})."
            answer = (ReplyText(f"{what} Please try again."),)
        if isinstance(answer, ApiError):
            return _error_response(answer)
        if isinstance(answer, AsyncGenerator):
            return await self._stream(request, answer)
        if parsed.stream:
            return await self._stream(request, self._paced(parsed, answer))
        return _json(messages_api.reply_json(parsed, answer))

    async def _count_tokens(self, request: "web.Request") -> "web.StreamResponse":
        tokens = (await self._parse(request)).input_tokens
        return _json({"input_tokens": max(1, tokens)})

    async def _list_models(self, _request: "web.Request") -> "web.StreamResponse":
        return _json(messages_api.models_json(self.model))

    async def _probe(self, _request: "web.Request") -> "web.StreamResponse":
        return _json({})

    async def _parse(self, request: "web.Request") -> MessagesRequest:
        body = await request.read()
        return await asyncio.to_thread(messages_api.parse_request, body)

    # ── Streaming ─────────────────────────────────────────────────────────────────────────────────

    async def _paced(self, parsed: MessagesRequest, blocks: Sequence[ReplyBlock]) -> Events:
        for data in messages_api.reply_events(parsed, blocks):
            yield data
            await asyncio.sleep(self.pause_s)

    async def _stream(self, request: "web.Request", events: Events) -> "web.StreamResponse":
        from aiohttp import web

        kind = {"Content-Type": "text/event-stream", "Cache-Control": "no-cache"}
        response = web.StreamResponse(headers=kind)
        try:
            await response.prepare(request)
            async for data in events:
                await response.write(data)
            await response.write_eof()
        except ConnectionResetError:
            _LOG.debug("The client left in the middle of a reply")
        finally:
            await events.aclose()
        return response


def _error_response(error: ApiError) -> "web.StreamResponse":
    return _json(error.as_json(), error.status, error.headers)


def _json(body: Any, status: int = 200, headers: Any = None) -> "web.StreamResponse":
    from aiohttp import web

    return web.json_response(body, status=status, headers=headers)
