"""`dogent-tui serve`: the chat endpoint for the AI SDK's transport, on loopback, for clients with
the token.
"""

import asyncio
import contextlib
import json
import os
import secrets
import signal
import socket
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from aiohttp import web
from aiohttp_sse import sse_response

from dogent_tui.agent.events import Attachment, Prompt
from dogent_tui.agent.session import SessionOptions, prompt_of
from dogent_tui.errors import DogentError
from dogent_tui.faces.bodies import AnswerBody, ApprovalBody, ChatBody, Message, ToolBody, read_body
from dogent_tui.faces.chats import Chat, Chats
from dogent_tui.faces.chunks import Turn, result_data
from dogent_tui.faces.page.routes import PageCode, page_routes
from dogent_tui.faces.request_guard import RequestGuard, in_sentences
from dogent_tui.faces.shared import Chunk, open_to_write, selected_text
from dogent_tui.language import tr
from dogent_tui.storage.files import atomic_write, private_folder
from dogent_tui.storage.paths import Workspace, state_dir

Say: TypeAlias = Callable[[str, str, str], None]
_Begun: TypeAlias = Turn | Coroutine[Any, Any, Turn]
_MOST_BYTES = 10 << 20
_HEADERS = {"x-vercel-ai-ui-message-stream": "v1"}
_DONE = b"data: [DONE]\n\n"


class ChatServer:
    """The routes, over the chats of one folder."""

    def __init__(self, chats: Chats) -> None:
        self._chats = chats

    def application(self, guard: RequestGuard, code: PageCode) -> web.Application:
        """Return the application. Its chats are closed with it."""
        app = web.Application(middlewares=[in_sentences, guard.check], client_max_size=_MOST_BYTES)
        app.on_response_prepare.append(guard.allow_origin)
        chat = "/api/chat/{id}"
        routes = [
            web.post("/api/chat", self.chat),
            web.post("/api/chat/execute-tool", self.execute),
            web.get(f"{chat}/stream", self.resume),
            web.get(f"{chat}/rest", self.rest),
            web.post(f"{chat}/stop", self.stop),
            web.post(f"{chat}/approvals/{{request}}", self.approve),
            web.post(f"{chat}/answers/{{request}}", self.answer),
        ]
        app.add_routes([*page_routes(code, self._chats), *routes])
        app.on_shutdown.append(self._chats.close)
        return app

    async def chat(self, request: web.Request) -> web.StreamResponse:
        """Accept a prompt, or the answers in the last message, and stream the result."""
        body = await read_body(request, ChatBody)
        last, mode = body.messages[-1], request.query.get("approvals", "")
        folder = self._folder(body.root_directory)
        chat = await self._chats.open(body.id, folder, body.model or "", mode)
        if last.role == "assistant":
            turn = await chat.take_answers(last.read())
            return await self._stream(request, chat, turn, last.id or turn.run_id)
        prompt = await asyncio.to_thread(_prompt, chat, last, body)
        if body.trigger == "regenerate-message" or body.message_id:
            await chat.rewind(sum(each.role == "user" for each in body.messages))
        begun = chat.submit(prompt, stays=_stays(request))
        return await self._stream(request, chat, begun)

    async def resume(self, request: web.Request) -> web.StreamResponse:
        """Stream the current run from its beginning; 204 if there is none."""
        chat = self._chats.get(request.match_info["id"])
        if chat is None or chat.turn is None or chat.turn.is_over:
            return web.Response(status=204)
        return await self._stream(request, chat, chat.turn)

    async def rest(self, request: web.Request) -> web.StreamResponse:
        """Stream what is asked while nothing runs, until there is a run after the last one that
        the page knows.
        """
        chat = await self._known(request)
        async with _streaming(request) as response:
            async for chunks in chat.rest(request.query.get("after", "")):
                await _write(response, *chunks)
            if not chat.is_closed:
                await response.write(_DONE)
        return response

    async def stop(self, request: web.Request) -> web.StreamResponse:
        """Interrupt the run."""
        await (await self._known(request)).service.interrupt()
        return web.json_response({"success": True})

    async def approve(self, request: web.Request) -> web.StreamResponse:
        """Answer a permission separately from the stream."""
        chat, body = await self._known(request), await read_body(request, ApprovalBody)
        await chat.decide(request.match_info["request"], body)
        return web.json_response({"success": True})

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer a form, an outline or a review."""
        chat, body = await self._known(request), await read_body(request, AnswerBody)
        done = await chat.answer(request.match_info["request"], body)
        return web.json_response({"success": True, "data": done})

    async def execute(self, request: web.Request) -> web.StreamResponse:
        """Approve the one open question about this call, and return the result of the call; nothing
        else can be run here.
        """
        body = await read_body(request, ToolBody)
        result = await self._chats.execute(body, self._folder(body.root_directory))
        if result.is_error:
            return web.json_response({"success": False, "error": result.content})
        return web.json_response({"success": True, "data": result_data(result.content)})

    # ── Helpers ───────────────────────────────────────────────────────────────────────────────────

    async def _known(self, request: web.Request) -> Chat:
        return await self._chats.known(request.match_info["id"])

    def _folder(self, given: str | None) -> Path:
        """Return the folder of a request, which must be inside the served one. Raises
        PermissionError.
        """
        root = self._chats.root.root
        with contextlib.suppress(OSError, ValueError):
            folder = Path(given or root).resolve()
            if folder.is_relative_to(root) and folder.is_dir():
                return folder
        raise PermissionError(tr("rootDirectory is not a folder that this server serves."))

    async def _stream(
        self, request: web.Request, chat: Chat, begun: _Begun, continued: str = ""
    ) -> web.StreamResponse:
        """Stream a turn, or the rest of it, for the message that is `continued`. A client that
        disconnects before its end stops it.

        The exceptions: it waits for an answer, someone else reads it, or it was requested with
        ``disconnect=continue``.
        """
        turn: Turn | None = None
        async with _streaming(request) as response:
            try:
                turn = begun if isinstance(begun, Turn) else await begun
                turn.readers += 1
                pauses = request.query.get("approvals") != "stream"
                start = turn.paused_at if continued else 0
                async for chunks in turn.read(start, continued, pauses=pauses):
                    await _write(response, *chunks)
            except DogentError as error:
                await _write(response, {"type": "error", "errorText": str(error)})
            except (ConnectionError, asyncio.CancelledError):
                continues = _stays(request) or (turn and (turn.waiting or turn.is_over))
                if turn and turn.readers == 1 and not continues:
                    await asyncio.shield(chat.service.interrupt())
                raise
            finally:
                if turn is not None:
                    turn.readers -= 1
            await response.write(_DONE)
        return response


def _stays(request: web.Request) -> bool:
    """Return whether a run continues without its reader."""
    return request.query.get("disconnect") == "continue"


def _prompt(chat: Chat, message: Message, body: ChatBody) -> Prompt:
    """Return the prompt in a message, with the file open in the editor. Blocks. Raises ValueError,
    PermissionError.
    """
    text = "\n".join(part.text for part in message.read() if part.type == "text")
    if not text.strip():
        raise ValueError(tr("The message has no text."))
    quoted = selected_text(body.selected_text) if body.selected_text else ""
    return prompt_of(chat.opened, text, _open_file(chat, body), quoted)[0]


def _open_file(chat: Chat, body: ChatBody) -> list[Attachment]:
    """Record which file the editor has open, and its unsaved content. Blocks. Raises
    PermissionError.
    """
    libraries, workspace = chat.opened.libraries, chat.opened.workspace
    libraries.unsaved.clear()
    libraries.open_document = ""
    if not body.file_path:
        return []
    path = workspace.absolute(body.file_path.replace("\0", "")).resolve()
    if "\0" in body.file_path or not workspace.contains(path):
        raise PermissionError(tr("filePath is outside the folder that this server serves."))
    name = libraries.open_document = workspace.relative(path)
    content = body.file_content
    if content is not None and not (path.is_file() and path.read_bytes() == content.encode()):
        libraries.unsaved[path] = content
    return [Attachment(name, path.name, path.suffix.lstrip(".").lower() or "file")]


@contextlib.asynccontextmanager
async def _streaming(request: web.Request) -> AsyncIterator[web.StreamResponse]:
    # the page takes an event to end at "\n\n", a ping too
    streaming = sse_response(request, headers=_HEADERS, sep="\n", allow_all_methods=True)
    async with streaming as response:
        await response.write(b": stream-open\n\n")  # otherwise the headers wait for a chunk
        yield response


async def _write(response: web.StreamResponse, *chunks: Chunk) -> None:
    data = "".join(f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n" for chunk in chunks)
    await response.write(data.encode("utf-8", "replace"))


def read_token() -> str:
    """Return the token of this machine's user, created at the first start: 256 bits, in a file
    readable only by them.
    """
    path = private_folder(state_dir()) / "serve-token"
    with contextlib.suppress(FileNotFoundError):
        if len(token := path.read_text("ascii").strip()) >= 43:
            return token
    token = secrets.token_urlsafe(32)
    atomic_write(path, token, mode=0o600)
    return token


def serve(
    folder: Path, options: SessionOptions, port: int, origins: Sequence[str], say: Say
) -> None:
    """Serve `folder` on loopback until the process is told to end.

    Args:
        folder: The folder to serve, including everything in it.
        options: The initial options of each chat.
        port: 0 for a free one.
        origins: Other origins of pages that may use it, such as ``https://notes.example``.
        say: Receives the address, the token, and the code that opens the page once.

    Raises DogentError if the port cannot be used, or no chat could begin.
    """
    workspace = Workspace(folder)
    open_to_write(workspace, options)
    token = read_token()
    guard, code = RequestGuard(token, origins), PageCode(token)
    app = ChatServer(Chats(workspace, options)).application(guard, code)
    try:
        listening = socket.create_server(("127.0.0.1", port))
    except OSError as error:
        why = os.strerror(error.errno or 0).lower()
        raise DogentError(
            tr("The port {port} can't be used: {why}.", port=port, why=why),
            tr("Choose another with --port, or leave it out."),
        ) from error
    with listening as bound:
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))
        say(f"http://127.0.0.1:{bound.getsockname()[1]}", token, code.code)
        quiet = {"access_log": None, "print": None}
        web.run_app(app, sock=bound, shutdown_timeout=1, handler_cancellation=True, **quiet)  # type: ignore[arg-type]
