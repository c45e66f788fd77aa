"""The relay between the CLI, which talks to Anthropic's models, and a server on this machine with
other models.

It listens on a free port of 127.0.0.1 and requires its random token, like the offline engine. The
CLI is given a model it knows; the relay asks the server for the chosen one, using chat completions.
All servers support these, and those with `/v1/messages` translate it to the same. Errors become API
errors with a sentence, and with a status that keeps the CLI from retrying in vain.
"""

import asyncio
import importlib
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Self, TypeAlias

from dogent_tui.endpoint_kind import ServerKind
from dogent_tui.language import tr
from dogent_tui.local_models.call_json import Tools, loads
from dogent_tui.local_models.discovery import look_at
from dogent_tui.local_models.model import (
    LABELS,
    LocalModel,
    refusal,
    too_long,
    unreachable,
    window_warning,
)
from dogent_tui.local_models.replies import LocalReply, UpstreamError, said_of
from dogent_tui.local_models.upstream import chat_body, offered
from dogent_tui.offline.messages_api import ApiError, MessagesRequest, error_event
from dogent_tui.offline.server import Answer, LoopbackServer
from dogent_tui.records import JsonDict, at

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

_CONNECT_LIMIT_S = 5.0
_MOST_EVENT_BYTES = 16_000_000
"""The longest event to read; a server that sends a longer one is not what it should be."""

Chunks: TypeAlias = AsyncGenerator[JsonDict, None]


class LocalRelay(LoopbackServer):
    """Relays to the server of `kind` at `upstream` for `model`; to the CLI, it is a loopback server
    like `OfflineEngine`.

    `about` is what is known about the model once it has started. `key` is for a server that
    requires one, and is sent nowhere else.
    """

    def __init__(self, kind: ServerKind, upstream: str, model: str, *, key: str) -> None:
        super().__init__(self._respond)
        self.kind = kind
        self.about = LocalModel(model)
        self._upstream = upstream.rstrip("/").removesuffix("/v1")
        self._model = model
        self._key = key
        self._answers = False
        self._session: ClientSession | None = None

    @property
    def warning(self) -> tuple[str, str]:
        """A sentence and a remedy about the model; empty if there is nothing to say, or no server
        that would tell.
        """
        return window_warning(self.kind, self.about) if self._answers else ("", "")

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(importlib.import_module, "aiohttp")
        from aiohttp import ClientSession, ClientTimeout

        key = self._key
        self._session = ClientSession(
            # No time limit for a reply: a model on a CPU takes minutes to begin.
            timeout=ClientTimeout(total=None, sock_connect=_CONNECT_LIMIT_S),
            headers={"Authorization": f"Bearer {key}", "x-api-key": key} if key else {},
            read_bufsize=_MOST_EVENT_BYTES // 2,  # aiohttp reads lines of twice that length
            trust_env=False,
        )
        await super().__aenter__()
        await self._learn()
        return self

    async def __aexit__(self, *failure: object) -> None:
        await super().__aexit__(*failure)
        if self._session is not None:
            await self._session.close()

    async def _learn(self) -> None:
        """Find out about the model; if the server does not tell, it is still asked for replies."""
        server = await look_at(self.kind, self._upstream, token=self._key)
        self._answers = server is not None
        self.about = (server.model(self._model) if server else None) or self.about

    async def _load(self) -> None:
        """Have Ollama load the model, as the request would. If that fails, the request will say
        why.
        """
        from aiohttp import ClientError

        # Without a prompt it only loads (Ollama's API, “Load a model”).
        with suppress(ClientError, OSError, TimeoutError):
            loading = await self._post("/api/generate", {"model": self._model, "stream": False})
            await loading.read()
        await self._learn()

    # ── A request ─────────────────────────────────────────────────────────────────────────────────

    async def _respond(self, request: MessagesRequest) -> Answer:
        if self.kind == "ollama" and not self.about.loaded:
            await self._load()  # the actual window is known only now
        window, tokens = self.about.window, request.input_tokens
        if self.kind == "ollama" and window and tokens * 3 // 4 > window:
            # It would silently cut off the beginning.
            return too_long(self.kind, self._model, tokens, window)
        chunks = await self._ask(chat_body(request, self._model, window=window))
        if isinstance(chunks, ApiError):
            return chunks
        reply = LocalReply(request, Tools(offered(request.raw)))
        written = self._write(reply, chunks)
        if request.stream:
            return written
        async for _ in written:
            pass
        return ApiError(400, reply.broken) if reply.broken else reply.blocks

    async def _write(self, reply: LocalReply, chunks: Chunks) -> AsyncGenerator[bytes, None]:
        """Yield the reply as it arrives. The server stops if no one reads it any more: closing this
        closes its connection.
        """
        from aiohttp import ClientError
        from aiohttp.http_exceptions import HttpProcessingError

        broken = ""
        yield reply.begin()
        async with aclosing(chunks):
            try:
                async for chunk in chunks:
                    for data in reply.take(chunk):
                        yield data
            except UpstreamError as error:
                broken = str(error)
            except (ClientError, HttpProcessingError, OSError, ValueError) as error:
                broken = tr("the connection broke ({error})", error=type(error).__name__)
        if broken or not reply.reason:
            reply.broken = tr(
                "{label} stopped mid-answer: {broken}.",
                label=LABELS[self.kind],
                broken=broken[:500] or tr("its answer was cut off"),
            )
            yield error_event(ApiError(400, reply.broken))
            return
        for data in reply.finish():
            yield data

    # ── The server ────────────────────────────────────────────────────────────────────────────────

    async def _post(self, path: str, body: JsonDict) -> "ClientResponse":
        assert self._session is not None
        return await self._session.post(f"{self._upstream}{path}", json=body, allow_redirects=False)

    async def _ask(self, body: JsonDict) -> Chunks | ApiError:
        """Return the server's answer."""
        from aiohttp import ClientError

        try:
            response = await self._post("/v1/chat/completions", body)
            if response.status == 200 and response.content_type == "text/event-stream":
                return _streamed(response)
            async with response:
                said = (await response.read()).decode(errors="replace").strip()
        except (ClientError, OSError, ValueError, TimeoutError) as error:
            return unreachable(self.kind, self._upstream, error)
        answer = loads(said)
        if response.status == 200 and at(answer, list, "choices") and not answer.get("error"):
            return _one(answer)
        message = said_of(answer) or ("" if said.startswith("<") else said)
        return refusal(self.kind, self._model, self._upstream, response.status, message)


async def _streamed(response: "ClientResponse") -> Chunks:
    """Yield server-sent events, each with its JSON on one line."""
    async with response:
        async for line in response.content:
            if line.split() == [b"data:", b"[DONE]"]:  # of a server that does not say why
                yield {"choices": [{"finish_reason": "stop"}]}
            elif line.startswith(b"data:") and isinstance(
                chunk := loads(line[5:].decode(errors="replace")), dict
            ):
                yield chunk


async def _one(chunk: JsonDict) -> Chunks:
    yield chunk
