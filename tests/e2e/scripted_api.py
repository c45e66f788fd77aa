"""A Messages API whose replies a test scripts, for the real CLI to talk to.

    async with ScriptedApi() as api:
        api.call("Write", {"file_path": str(path), "content": "…"})      # the first request of the
        conversation gets this, api.say("Done.")                                                  #
        the second one that …
        assert "the prompt" in api.requests[0].last_user_text()

Replies are used up in order by the requests of the conversation (those that offer tools); each is
one request's answer. Requests that offer no tools are the CLI's own (titles, topics): they are kept
in `side_requests` and get a short text. Where a request finds no reply left, it gets a 400 and is
listed in `unexpected`. What waits, waits for the test, never for a clock.
"""

import asyncio
import socket
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from dogent_tui.offline.messages_api import (
    ApiError,
    MessagesRequest,
    ReplyBlock,
    ReplyStream,
    ReplyText,
    ReplyThinking,
    ReplyToolUse,
    error_event,
)
from dogent_tui.offline.server import Answer, Events, LoopbackServer

MODEL = LoopbackServer.model

_MESSAGES: Mapping[int, str] = {
    400: "prompt is too long: 213462 tokens > 200000 maximum",
    401: "invalid x-api-key",
    403: "Your API key does not have permission to use the specified resource",
    404: "model: no-such-model",
    413: "Request exceeds the maximum size",
    429: "This request would exceed your account's rate limit. Please try again later.",
    500: "Internal server error",
    529: "Overloaded",
}
"""What the real API says with each status."""


def cli_environment(base_url: str, token: str, config_dir: Path) -> dict[str, str]:
    """Return the variables with which the CLI talks to `base_url` and to nothing else, and keeps
    its files in `config_dir`.
    """
    return {
        "ANTHROPIC_BASE_URL": base_url,
        "ANTHROPIC_AUTH_TOKEN": token,
        "ANTHROPIC_API_KEY": "",
        "CLAUDE_CONFIG_DIR": str(config_dir),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_DISABLE_FILE_MENTIONS": "1",
        "CLAUDE_CODE_ENABLE_TASKS": "0",
        "CLAUDE_CODE_MAX_RETRIES": "1",
        "ENABLE_TOOL_SEARCH": "false",
        "NO_PROXY": "127.0.0.1,localhost",
    }


@contextmanager
def unreachable_url() -> Iterator[str]:
    """Give a URL at which every connection is refused: a port that is taken and that nobody
    listens on.
    """
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


class Pieces:
    """A text sent piece by piece: the first at once, each further one when the test calls
    `release`.

    With a `tool`, the pieces are those of the JSON of a call of it.
    """

    def __init__(self, pieces: Sequence[str], *, ends: bool = True, tool: str = "") -> None:
        self._pieces = pieces
        self._tool = tool
        self._ends = ends
        self._allowed = 1
        self._sent = 0
        self._changed = asyncio.Condition()
        self._wakers: set[asyncio.Task[None]] = set()

    def release(self, count: int = 1) -> None:
        """Let `count` more pieces go. One release after the last piece ends the reply, of
        `stall` as well.
        """
        self._allowed += count
        self._wake()

    def release_all(self) -> None:
        """Let the rest of the text go, and the end of the reply."""
        self.release(len(self._pieces) + 1)

    async def sent(self, count: int) -> None:
        """Wait until `count` pieces have been written to the connection."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._sent >= count)

    async def events(self, request: MessagesRequest) -> AsyncGenerator[bytes, None]:
        """Yield the reply as events, as far as it is released."""
        stream = ReplyStream(request)
        yield stream.start()
        yield stream.open(ReplyToolUse(self._tool, {}) if self._tool else ReplyText(""))
        for number, piece in enumerate(self._pieces, 1):
            await self._until_allowed(number)
            yield stream.add(piece)
            async with self._changed:
                self._sent = number
                self._changed.notify_all()
        if not self._ends:
            await self._until_allowed(len(self._pieces) + 1)
        yield stream.close()
        yield stream.finish()

    async def _until_allowed(self, number: int) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: self._allowed >= number)

    def _wake(self) -> None:
        async def notify() -> None:
            async with self._changed:
                self._changed.notify_all()

        task = asyncio.get_running_loop().create_task(notify())
        self._wakers.add(task)
        task.add_done_callback(self._wakers.discard)


Script = Callable[[MessagesRequest], Answer]
"""One scripted reply: what to answer to this request."""


class ScriptedApi:
    """An async context manager; see the module for an example. `token` is what the API asks of
    its callers.
    """

    def __init__(self, *, token: str = "") -> None:
        self._server = _Server(self._respond)
        self._server.token = token or self._server.token
        self._arrived = asyncio.Condition()
        self.reset()

    def reset(self) -> None:
        """Forget what was asked and what is scripted."""
        self.requests: list[MessagesRequest] = []
        self.side_requests: list[MessagesRequest] = []
        self.unexpected: list[MessagesRequest] = []
        self.side_reply: Script = lambda _request: (ReplyText("Notes"),)
        self._script: deque[Script] = deque()
        self._otherwise: Script | None = None

    @property
    def base_url(self) -> str:
        """What ``ANTHROPIC_BASE_URL`` becomes."""
        return self._server.base_url

    @property
    def token(self) -> str:
        """What ``ANTHROPIC_AUTH_TOKEN`` becomes."""
        return self._server.token

    def environment(self, config_dir: Path) -> dict[str, str]:
        """Return the variables with which the CLI talks to this API."""
        return cli_environment(self.base_url, self.token, config_dir)

    # ── Scripting replies ─────────────────────────────────────────────────────────────────────────

    def reply(self, *blocks: ReplyBlock) -> None:
        """Answer with `blocks`."""
        self._script.append(lambda _request: blocks)

    def say(self, text: str, *, thinking: str = "") -> None:
        """Answer with a text, after `thinking` where that is given."""
        self.reply(*([ReplyThinking(thinking)] if thinking else []), ReplyText(text))

    def call(self, name: str, tool_input: Mapping[str, Any], *, before: str = "") -> None:
        """Answer with one tool call, and the text `before` it where that is given."""
        self.reply(*([ReplyText(before)] if before else []), ReplyToolUse(name, tool_input))

    def call_all(self, *calls: tuple[str, Mapping[str, Any]]) -> None:
        """Answer with several tool calls at once."""
        self.reply(*(ReplyToolUse(name, tool_input) for name, tool_input in calls))

    def say_in_pieces(self, *pieces: str) -> Pieces:
        """Answer with a text in pieces that the test releases one by one, after the first."""
        text = Pieces(pieces)
        self._script.append(text.events)
        return text

    def call_in_pieces(self, name: str, *pieces: str) -> Pieces:
        """Answer with a tool call, the JSON of its input in pieces that the test releases one by
        one, after the first.
        """
        call = Pieces(pieces, tool=name)
        self._script.append(call.events)
        return call

    def stall(self, text: str = "") -> Pieces:
        """Answer with `text`, then fall silent until released."""
        silence = Pieces((text,), ends=False)
        self._script.append(silence.events)
        return silence

    def fail(
        self, status: int, message: str = "", *, retry_after: float | None = None, times: int = 1
    ) -> None:
        """Answer `times` requests with an error, worded as the API words it. `retry_after` is in
        seconds.
        """
        headers = {} if retry_after is None else {"retry-after": f"{retry_after:g}"}
        error = _error(status, message, headers)
        self._script.extend([lambda _request: error] * times)

    def fail_always(self, status: int, message: str = "") -> None:
        """Answer everything that is not scripted with this error. The CLI asks four times after
        a 401 and after a 404.
        """
        error = _error(status, message)
        self.otherwise(lambda _request: error)

    def fail_in_stream(self, text: str, *, status: int = 529) -> None:
        """Answer with a part of a text, and then with the error that belongs to `status`, as an
        event.
        """
        error = _error(status)
        self._script.append(lambda request: _broken_off(request, text, error))

    def cut(self, text: str = "", *, times: int = 1) -> None:
        """Answer `times` requests with a part of a text, and close the connection."""
        self._script.extend([lambda request: _broken_off(request, text, None)] * times)

    def script(self, function: Script) -> None:
        """Answer the next request with whatever `function` makes of it."""
        self._script.append(function)

    def otherwise(self, function: Script) -> None:
        """Answer every request for which nothing is scripted with whatever `function` makes of
        it.
        """
        self._otherwise = function

    def unscript(self) -> None:
        """Forget the replies that are left."""
        self._script.clear()
        self._otherwise = None

    async def arrived(self, count: int) -> MessagesRequest:
        """Wait until the conversation has sent `count` requests, and return the last of these."""
        async with self._arrived:
            await self._arrived.wait_for(lambda: len(self.requests) >= count)
        return self.requests[count - 1]

    # ── Serving ───────────────────────────────────────────────────────────────────────────────────

    async def __aenter__(self) -> Self:
        await self._server.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._server.__aexit__(kind, error, traceback)

    async def _respond(self, request: MessagesRequest) -> Answer:
        if not request.tools:
            self.side_requests.append(request)
            return self.side_reply(request)
        async with self._arrived:
            self.requests.append(request)
            self._arrived.notify_all()
        if self._script:
            return self._script.popleft()(request)
        if self._otherwise is not None:
            return self._otherwise(request)
        self.unexpected.append(request)
        return ApiError(400, f"The test scripted no reply for request {len(self.requests)}.")


class CutConnection(Exception):  # noqa: N818  (an instruction, not a failure)
    """Raised by an answer's generator to close the connection in the middle of it."""


class _Server(LoopbackServer):
    async def _stream(self, request: web.Request, events: Events) -> web.StreamResponse:
        try:
            return await super()._stream(request, events)
        except CutConnection:
            assert request.transport is not None
            request.transport.close()
            return web.Response()


def _error(status: int, message: str = "", headers: Mapping[str, str] | None = None) -> ApiError:
    return ApiError(
        status, message or _MESSAGES.get(status, "Something is wrong"), headers=headers or {}
    )


async def _broken_off(
    request: MessagesRequest, text: str, error: ApiError | None
) -> AsyncGenerator[bytes, None]:
    stream = ReplyStream(request)
    yield stream.start()
    yield stream.open()
    yield stream.add(text)
    if error is None:
        raise CutConnection
    yield error_event(error)
