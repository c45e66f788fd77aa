"""`dogent-tui serve`: the chat endpoint that the AI SDK's transport speaks to, on loopback, for those who have the token."""

import asyncio
import contextlib
import functools
import json
import secrets
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from aiohttp import web
from msgspec.structs import replace

from dogent_tui.agent.events import Attachment, Prompt, ToolResult
from dogent_tui.agent.session import SessionOptions, make_prompt, with_template
from dogent_tui.errors import DogentError, UsageError
from dogent_tui.faces.chats import Chat, Chats, Turn
from dogent_tui.faces.chunks import Chunk
from dogent_tui.faces.door import Door
from dogent_tui.language import tr
from dogent_tui.workspace.files import atomic_write, private_folder
from dogent_tui.workspace.paths import Workspace, state_dir
from dogent_tui.workspace.references import find_references

_PAGE = Path(__file__).parent / "page"
_LONGEST_ID = 200
_MOST_BYTES = 10 << 20
_BODY_S = 20.0
_KEEP_ALIVE_S = 15.0
_HEADERS = {
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    "x-vercel-ai-ui-message-stream": "v1",
    "x-accel-buffering": "no",
}
_PAGE_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}
_FILES = {"page.js": "text/javascript", "page.css": "text/css"}


class ChatServer:
    """The routes, over the chats of one folder."""

    def __init__(self, chats: Chats, door: Door) -> None:
        self._chats = chats
        self._door = door

    def application(self) -> web.Application:
        """Return the application. Its chats are closed with it."""
        app = web.Application(middlewares=[self._door.check], client_max_size=_MOST_BYTES)
        app.add_routes(
            [
                web.get("/", self.page),
                web.get("/{name:page\\.(?:js|css)}", self.file),
                web.post("/api/session", self.session),
                web.post("/api/chat", self.chat),
                web.post("/api/chat/execute-tool", self.execute),
                web.get("/api/chat/{id}/stream", self.resume),
                web.get("/api/chat/{id}", self.said),
                web.post("/api/chat/{id}/stop", self.stop),
                web.post("/api/chat/{id}/approvals/{request}", self.approve),
                web.post("/api/chat/{id}/answers/{request}", self.answer),
                web.get("/api/files", self.files),
            ]
        )

        async def close(_: web.Application) -> None:
            await self._chats.close()

        app.on_shutdown.append(close)
        return app

    # ── The page ──────────────────────────────────────────────────────────────────────────────────

    async def page(self, _: web.Request) -> web.StreamResponse:
        """Return the page. It holds nothing of the user: what it shows needs the token."""
        return web.FileResponse(_PAGE / "index.html", headers=_PAGE_HEADERS)

    async def file(self, request: web.Request) -> web.StreamResponse:
        """Return a part of the page."""
        name = request.match_info["name"]
        return web.FileResponse(_PAGE / name, headers={**_PAGE_HEADERS, "content-type": _FILES[name]})

    async def session(self, request: web.Request) -> web.StreamResponse:
        """Give the token for the one-time code."""
        body = await _json(request)
        return web.json_response({"token": self._door.trade(str(body.get("code", ""))), "folder": self._chats.root.root.name})

    async def files(self, request: web.Request) -> web.StreamResponse:
        """Return names of files with what was typed in them, for attachments."""
        from dogent_tui.workspace.walking import changed_files

        typed = request.query.get("query", "").lower()
        found = await asyncio.to_thread(changed_files, self._chats.root.root)
        names = sorted((name for name in found if typed in name.lower()), key=lambda name: (len(name), name))
        return web.json_response({"files": names[:20]})

    # ── Chats ─────────────────────────────────────────────────────────────────────────────────────

    async def chat(self, request: web.Request) -> web.StreamResponse:
        """Take a prompt, or the answers that the last message holds, and stream what comes of it."""
        body = await _json(request)
        given, chat_id = body.get("messages"), body.get("id")
        messages = [each for each in given if isinstance(each, Mapping)] if isinstance(given, list) else []
        if not isinstance(chat_id, str) or not 1 <= len(chat_id) <= _LONGEST_ID or not messages:
            raise ValueError(tr("The body needs an id, and messages with at least one."))
        folder, last = self._folder(body), messages[-1]
        mode = request.query.get("approvals", "")
        chat = await self._chats.open(chat_id, folder, str(body.get("model") or ""), page_runs_tools=mode == "page")
        pauses = mode != "stream"
        if last.get("role") == "assistant":
            return await self._go_on(request, chat, last, pauses=pauses)
        if last.get("role") != "user":
            raise ValueError(tr("The last message must be the user's, or one of the assistant that was answered."))
        if body.get("trigger") == "regenerate-message" or body.get("messageId"):
            await chat.rewind(sum(each.get("role") == "user" for each in messages))
        prompt = await self._prompt(chat, last, body)
        return await self._stream(request, chat, functools.partial(chat.submit, prompt), pauses=pauses)

    async def _go_on(self, request: web.Request, chat: Chat, last: Mapping[str, Any], *, pauses: bool) -> web.StreamResponse:
        turn = chat.turn
        if turn is None:
            raise UsageError(tr("Nothing waits for this answer any more."), tr("Send a prompt."))
        start = turn.paused_at
        given = last.get("parts")
        for part in given if isinstance(given, list) else ():
            approval = part.get("approval") if isinstance(part, Mapping) else None
            if isinstance(approval, Mapping) and part.get("state") == "approval-responded" and approval.get("id") in turn.waiting:
                reason = str(approval.get("reason") or "")
                await chat.decide(str(approval["id"]), approved=approval.get("approved") is True, reason=reason)

        async def same() -> Turn:
            return turn

        return await self._stream(request, chat, same, start=start, message_id=str(last.get("id") or ""), pauses=pauses)

    async def resume(self, request: web.Request) -> web.StreamResponse:
        """Stream the run under way from its beginning; 204 where none is."""
        chat = self._chats.get(request.match_info["id"])
        if chat is None or chat.turn is None or chat.turn.is_over:
            return web.Response(status=204)
        turn = chat.turn

        async def same() -> Turn:
            return turn

        return await self._stream(request, chat, same, pauses=request.query.get("approvals") != "stream")

    async def said(self, request: web.Request) -> web.StreamResponse:
        """Return what was said before the run under way, and what waits for an answer, for a page that is loaded again."""
        chat = self._known(request)
        runs = chat.turn is not None and not chat.turn.is_over
        said = [{"role": role, "text": text} for role, text in chat.said]
        return web.json_response({"said": said, "waiting": await chat.open_requests(), "isRunning": runs})

    async def stop(self, request: web.Request) -> web.StreamResponse:
        """Interrupt the run."""
        await self._known(request).stop()
        return web.json_response({"success": True})

    async def approve(self, request: web.Request) -> web.StreamResponse:
        """Answer a permission beside the stream."""
        body = await _json(request)
        if not isinstance(body.get("approved"), bool):
            raise ValueError(tr("“approved” must be true or false."))
        await self._known(request).decide(
            request.match_info["request"],
            approved=body["approved"],
            scope=str(body.get("scope") or "once"),
            reason=str(body.get("reason") or ""),
            continues=body.get("continue") is True,
        )
        return web.json_response({"success": True})

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer a form, an outline or a review."""
        body = await _json(request)
        done = await self._known(request).answer(request.match_info["request"], body)
        return web.json_response({"success": True, "data": done})

    async def execute(self, request: web.Request) -> web.StreamResponse:
        """Approve the one question that waits with this call, and return what the call gives; nothing else runs here."""
        body = await _json(request)
        tool, parameters = body.get("toolName"), body.get("parameters")
        if not isinstance(tool, str) or not isinstance(parameters, Mapping):
            raise ValueError(tr("The body needs toolName and parameters."))
        folder = self._folder(body)
        for chat in self._chats.all():
            if chat.opened.workspace.root != folder:
                continue
            with contextlib.suppress(PermissionError):
                return web.json_response(_executed(await chat.execute(tool, parameters)))
        raise PermissionError(tr("No question waits for this call, so it is not run."))

    # ── Helpers ───────────────────────────────────────────────────────────────────────────────────

    def _known(self, request: web.Request) -> Chat:
        chat = self._chats.get(request.match_info["id"])
        if chat is None:
            raise UsageError(tr("There is no such chat here."), tr("Send a prompt to begin it."))
        return chat

    def _folder(self, body: Mapping[str, Any]) -> Path:
        """Return the folder of a request, which lies in the one that is served. Raises PermissionError."""
        given = body.get("rootDirectory")
        root = self._chats.root.root
        if not given:
            return root
        try:
            folder = Path(str(given)).resolve()
            if folder.is_relative_to(root) and folder.is_dir():
                return folder
        except (OSError, ValueError):
            pass
        raise PermissionError(tr("rootDirectory is not a folder that this server serves."))

    async def _prompt(self, chat: Chat, message: Mapping[str, Any], body: Mapping[str, Any]) -> Prompt:
        given = message.get("parts")
        parts = [part for part in given if isinstance(part, Mapping)] if isinstance(given, list) else []
        text = "\n".join(str(part.get("text", "")) for part in parts if part.get("type") == "text")
        if not text.strip():
            raise ValueError(tr("The message has no text."))
        also = await asyncio.to_thread(self._open_file, chat, body)
        workspace = chat.opened.workspace
        prompt, _ = await asyncio.to_thread(make_prompt, text, workspace, find_references(text), also)
        prompt = await asyncio.to_thread(with_template, prompt, workspace, trusted=chat.opened.trust.trusted)
        if selected := body.get("selectedText"):
            prompt = replace(prompt, text=f"{prompt.text}\n\n<selected_text>\n{selected}\n</selected_text>")
        return prompt

    def _open_file(self, chat: Chat, body: Mapping[str, Any]) -> list[Attachment]:
        """Note which file the editor has open, and what it holds of it. Raises PermissionError."""
        libraries, workspace = chat.opened.libraries, chat.opened.workspace
        given, content = body.get("filePath"), body.get("fileContent")
        libraries.unsaved.clear()
        libraries.open_document = ""
        if not given:
            return []
        path = workspace.absolute(str(given)).resolve()
        if not workspace.contains(path):
            raise PermissionError(tr("filePath is outside the folder that this server serves."))
        name = workspace.relative(path)
        libraries.open_document = name
        if isinstance(content, str) and not (path.is_file() and path.read_bytes() == content.encode()):
            libraries.unsaved[path] = content
        return [Attachment(name, path.name, path.suffix.lstrip(".").lower() or "file")]

    async def _stream(
        self,
        request: web.Request,
        chat: Chat,
        begin: Callable[[], Awaitable[Turn]],
        *,
        start: int = 0,
        message_id: str = "",
        pauses: bool = True,
    ) -> web.StreamResponse:
        """Stream a turn. Who goes away before its end stops it.

        Not where it waits for an answer, where somebody else reads it, or where it was asked for with ``disconnect=continue``.
        """
        response = web.StreamResponse(headers={**_HEADERS, **self._door.cors(request)})
        await response.prepare(request)
        await response.write(b": stream-open\n\n")
        turn: Turn | None = None
        try:
            turn = await _alive(response, asyncio.ensure_future(begin()))
            turn.readers += 1
            chunks = turn.read(start, message_id=message_id, pauses=pauses)
            await _send(response, chunks)
        except DogentError as error:
            await _write(response, {"type": "error", "errorText": f"{error.message} {error.remedy}".strip()})
        except (ConnectionError, asyncio.CancelledError):
            goes_on = request.query.get("disconnect") == "continue"
            if turn is not None and not (goes_on or turn.waiting or turn.is_over) and turn.readers == 1:
                await asyncio.shield(chat.stop())
            raise
        finally:
            if turn is not None:
                turn.readers -= 1
        await response.write(b"data: [DONE]\n\n")
        return response


async def _alive(response: web.StreamResponse, wanted: "asyncio.Future[Any]") -> Any:
    """Wait for something, and keep the connection alive meanwhile."""
    try:
        while not (await asyncio.wait({wanted}, timeout=_KEEP_ALIVE_S))[0]:
            await response.write(b": keep-alive\n\n")
        return wanted.result()
    finally:
        wanted.cancel()


async def _send(response: web.StreamResponse, batches: AsyncIterator[list[Chunk]]) -> None:
    while (batch := await _alive(response, asyncio.ensure_future(anext(batches, None)))) is not None:
        await _write(response, *batch)


async def _write(response: web.StreamResponse, *chunks: Chunk) -> None:
    data = "".join(f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n" for chunk in chunks)
    await response.write(data.encode("utf-8", "replace"))


async def _json(request: web.Request) -> Mapping[str, Any]:
    """Return the body. Raises ValueError where it is none, or takes too long."""
    try:
        async with asyncio.timeout(_BODY_S):
            body = await request.json()
    except TimeoutError:
        raise ValueError(tr("The body did not arrive in time.")) from None
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
        raise ValueError(tr("The body is not JSON.")) from None
    if not isinstance(body, Mapping):
        raise ValueError(tr("The body must be a JSON object."))
    return body


def _executed(result: ToolResult | None) -> dict[str, Any]:
    if result is None:
        return {"success": False, "error": tr("The run ended before the call was done.")}
    if result.is_error:
        return {"success": False, "error": result.content}
    head, _, rest = result.content.partition("\n\n")
    for text, more in ((result.content, {}), (head, {"content": rest})):
        with contextlib.suppress(json.JSONDecodeError):
            found = json.loads(text)
            return {"success": True, "data": {**found, **more} if isinstance(found, dict) else found}
    return {"success": True, "data": result.content}


def read_token() -> str:
    """Return the token of this machine's user, made at the first start: 256 bits, in a file that only they can read."""
    path = private_folder(state_dir()) / "serve-token"
    with contextlib.suppress(FileNotFoundError):
        if len(token := path.read_text("ascii").strip()) >= 43:
            return token
    token = secrets.token_urlsafe(32)
    atomic_write(path, token, mode=0o600)
    return token


async def serve(
    folder: Path, options: SessionOptions, *, port: int = 0, origins: Sequence[str] = (), say: Callable[[str, str, str], None]
) -> None:
    """Serve `folder` on loopback until the process is told to end.

    Args:
        folder: What is served, with all that lies in it.
        options: What each chat begins with.
        port: 0 for a free one.
        origins: Origins of pages elsewhere that may use it, as ``https://notes.example``.
        say: Is told the address, the token, and the code that opens the page once.
    """
    token = await asyncio.to_thread(read_token)
    door = Door(token, origins)
    app = ChatServer(Chats(Workspace(folder), options), door).application()
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None)
    await runner.setup()
    ended = asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(name, ended.set)
    try:
        site = web.TCPSite(runner, "127.0.0.1", port, shutdown_timeout=1)
        await site.start()
        bound = runner.addresses[0][1]
        say(f"http://127.0.0.1:{bound}", token, door.code)
        await ended.wait()
    finally:
        await runner.cleanup()
