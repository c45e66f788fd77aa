"""The relay: between the CLI, which speaks to Anthropic's models, and a server on this machine that
has others.

It listens on a free port of 127.0.0.1 for whoever knows its random token, as the offline engine
does. The CLI is told a model that it knows; the relay asks the server for the one that was chosen,
through the server's own `/v1/messages` (llama.cpp, Ollama from 0.14, LM Studio from 0.4.1, vLLM),
or where it has none, through its chat completions. What goes wrong becomes an error of the API with
a sentence, and of a status that the CLI does not try again in vain.
"""

import asyncio
import importlib
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from dogent_tui.endpoint_kind import ServerKind
from dogent_tui.language import tr
from dogent_tui.local_models.call_json import Tools, loads
from dogent_tui.local_models.model import LABELS, LocalModel, window_warning
from dogent_tui.local_models.probing import look_at
from dogent_tui.local_models.reading import (
    ChatPieces,
    Piece,
    error_message,
    events,
    message_pieces,
    whole_message_pieces,
)
from dogent_tui.local_models.replies import ReplyWriter, whole_blocks
from dogent_tui.local_models.sentences import refusal, too_long, unreachable
from dogent_tui.local_models.upstream import chat_body, messages_body, offered
from dogent_tui.offline.messages_api import ApiError, MessagesRequest, error_event
from dogent_tui.offline.server import Answer, LoopbackServer

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

_LOG = logging.getLogger(__name__)

_CONNECT_LIMIT_S = 5.0
_PROBE_LIMIT_S = 1.0
"""How long the server may take to say what it has, before the first prompt; one that is under
load takes longer than usual.
"""
_MOST_ERROR_BYTES = 64_000
_MOST_WHOLE_BYTES = 64_000_000

Dialect = Literal["messages", "chat"]
_PATHS: dict[Dialect, str] = {"messages": "/v1/messages", "chat": "/v1/chat/completions"}


class LocalRelay:
    """Relays to the server of `kind` at `base_url` for `model`, as an async context manager, like
    `OfflineEngine`.

    Point the CLI at `base_url` with `token`, for the model `known_as`. `about` is what is known of
    the model once it has started. `key` is for a server that asks for one; it goes nowhere else.
    """

    known_as: ClassVar[str] = "claude-haiku-4-5"

    def __init__(self, kind: ServerKind, base_url: str, model: str, *, key: str = "") -> None:
        self.kind = kind
        self.about = LocalModel(model)
        self._upstream = base_url.rstrip("/").removesuffix("/v1")
        self._model = model
        self._key = key
        self._dialect: Dialect | None = None
        self._server = LoopbackServer(self._respond, models=(self.known_as,))
        self._session: ClientSession | None = None

    @property
    def base_url(self) -> str:
        """The address of the relay, empty until it has started."""
        return self._server.base_url

    @property
    def token(self) -> str:
        """The random token that the relay asks for."""
        return self._server.token

    @property
    def warning(self) -> tuple[str, str]:
        """What is to be said about the model, as a sentence and a remedy; empty where there is
        nothing.
        """
        return window_warning(self.kind, self.about)

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(importlib.import_module, "aiohttp")
        from aiohttp import ClientSession, ClientTimeout

        headers = (
            {"Authorization": f"Bearer {self._key}", "x-api-key": self._key} if self._key else {}
        )
        limits = ClientTimeout(
            total=None, sock_connect=_CONNECT_LIMIT_S
        )  # a model on a processor takes minutes to begin
        self._session = ClientSession(timeout=limits, headers=headers, trust_env=False)
        await self._server.__aenter__()
        await self._learn()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._server.__aexit__(kind, error, traceback)
        if self._session is not None:
            await self._session.close()

    async def _learn(self) -> None:
        """Ask what the model is; where the server does not say, it is asked for a reply all the
        same.
        """
        server = await look_at(self.kind, self._upstream, token=self._key, limit_s=_PROBE_LIMIT_S)
        self.about = (server.model(self._model) if server else None) or self.about

    async def _load(self) -> None:
        """Have Ollama load the model, as the request would. Where that fails, the request will
        say why.
        """
        from aiohttp import ClientError

        assert self._session is not None
        body = {
            "model": self._model,
            "stream": False,
        }  # without a prompt it only loads (Ollama's API, “Load a model”)
        with suppress(ClientError, OSError, TimeoutError):
            async with self._session.post(
                f"{self._upstream}/api/generate", json=body, allow_redirects=False
            ) as response:
                await _read(response, _MOST_ERROR_BYTES)
        await self._learn()

    # ── A request ─────────────────────────────────────────────────────────────────────────────────

    async def _respond(self, request: MessagesRequest) -> Answer:
        if self.kind == "ollama" and not self.about.loaded:
            await self._load()  # what room it really gives the model is known only then
        window = self.about.window
        if self.kind == "ollama" and window and request.input_tokens * 3 // 4 > window:
            return too_long(
                self.kind, self._model, request.input_tokens, window
            )  # it would cut the beginning off, silently
        tools = Tools(offered(request.raw))
        stack = AsyncExitStack()
        try:
            answer = await self._ask(
                stack, messages_body(request, self._model, kind=self.kind, window=window)
            )
        except BaseException:
            await stack.aclose()
            raise
        if isinstance(answer, ApiError):
            await stack.aclose()
            return answer
        writer = ReplyWriter(request, tools)
        written = self._write(stack, writer, answer)
        if request.stream:
            return written
        whole = [data async for data in written]
        return ApiError(400, writer.broken) if writer.broken else whole_blocks(whole)

    async def _write(
        self, stack: AsyncExitStack, writer: ReplyWriter, pieces: AsyncIterator[Piece]
    ) -> AsyncGenerator[bytes, None]:
        """Yield the reply as it comes. The server stops when nobody reads it any more: its
        connection is closed with this.
        """
        from aiohttp import ClientError

        async with stack:
            begun = False
            try:
                async for piece in pieces:
                    if not begun:
                        begun = True
                        yield writer.begin(piece)
                    for data in writer.take(piece):
                        yield data
                    if writer.broken:
                        break
            except (ClientError, OSError, ValueError) as error:
                _LOG.warning("The local server broke off: %s", error)
                writer.broken = writer.broken or tr("the connection broke ({error})").format(
                    error=type(error).__name__
                )
            if not writer.broken and not writer.stopped:
                writer.broken = tr("its answer was cut off")
            if writer.broken:
                writer.broken = tr("{label} stopped mid-answer: {broken}.").format(
                    label=LABELS[self.kind], broken=writer.broken[:500]
                )
                yield error_event(ApiError(400, writer.broken))
                return
            for data in writer.finish():
                yield data

    # ── The server ────────────────────────────────────────────────────────────────────────────────

    async def _ask(
        self, stack: AsyncExitStack, body: dict[str, Any]
    ) -> AsyncIterator[Piece] | ApiError:
        """Ask in the dialect that the server speaks; which one that is shows the first time."""
        if self._dialect != "chat":
            answer = await self._post(stack, "messages", body)
            if answer is not None:
                return answer
        answer = await self._post(stack, "chat", chat_body(body))
        return answer or ApiError(
            400,
            tr(
                "{label} at {upstream} supports neither Anthropic’s API nor OpenAI’s.\nIs it a"
                " different server?"
            ).format(label=LABELS[self.kind], upstream=self._upstream),
        )

    async def _post(
        self, stack: AsyncExitStack, dialect: Dialect, body: dict[str, Any]
    ) -> AsyncIterator[Piece] | ApiError | None:
        """Return what the server answers, None where it does not know the address."""
        from aiohttp import ClientError

        assert self._session is not None
        url = f"{self._upstream}{_PATHS[dialect]}"
        try:
            response = await stack.enter_async_context(
                self._session.post(url, json=body, allow_redirects=False)
            )
            streams = response.status == 200 and response.content_type == "text/event-stream"
            if not streams:
                return await self._not_streamed(dialect, response)
        except (ClientError, OSError, ValueError, TimeoutError) as error:
            return unreachable(self.kind, self._upstream, error)
        self._dialect = dialect
        read: Callable[[dict[str, Any]], Iterator[Piece]] = (
            message_pieces if dialect == "messages" else ChatPieces().read
        )
        return _streamed(response, read)

    async def _not_streamed(
        self, dialect: Dialect, response: "ClientResponse"
    ) -> AsyncIterator[Piece] | ApiError | None:
        body = await _read(
            response, _MOST_WHOLE_BYTES if response.status == 200 else _MOST_ERROR_BYTES
        )
        value = loads(body.decode(errors="replace")) if response.status == 200 else None
        if (
            isinstance(value, dict)
            and not value.get("error")
            and ("content" in value or "choices" in value)
        ):
            self._dialect = dialect
            return _whole(
                whole_message_pieces(value) if dialect == "messages" else ChatPieces().read(value)
            )
        message = error_message(body)
        if _is_unknown_address(response.status, message):
            return None
        return refusal(self.kind, self._model, response.status, message)


def _is_unknown_address(status: int, message: str) -> bool:
    """Whether the server has no such address: a 404 may also be about the model. LM Studio says
    it with a status of 200.
    """
    said = message.lower()
    return (status in (404, 405, 501) and "model" not in said) or (
        status == 200 and "unexpected endpoint" in said
    )


async def _streamed(
    response: "ClientResponse", read: Callable[[dict[str, Any]], Iterator[Piece]]
) -> AsyncIterator[Piece]:
    async for event in events(response.content.iter_any()):
        for piece in read(event):
            yield piece


async def _whole(pieces: Iterator[Piece]) -> AsyncIterator[Piece]:
    for piece in pieces:
        yield piece


async def _read(response: "ClientResponse", most: int) -> bytes:
    """Return the beginning of the body."""
    data = b""
    async for chunk in response.content.iter_any():
        data += chunk
        if len(data) > most:
            break
    return data[:most]
