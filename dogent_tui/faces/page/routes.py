"""What the server's own page needs besides the chats: its files, the token for its one-time code,
names of files to attach, and the state of a chat.
"""

import asyncio
import secrets
from pathlib import Path

import msgspec
from aiohttp import web

from dogent_tui.faces.bodies import read_body
from dogent_tui.faces.chats import Chat, Chats
from dogent_tui.faces.chunks import MessageChunks
from dogent_tui.faces.request_guard import is_same
from dogent_tui.faces.shared import Chunk
from dogent_tui.language import tr
from dogent_tui.references.file_walk import changed_files

_FOLDER = Path(__file__).parent
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'"
    " data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}
_FILES = {"": "index.html", "page.js": "page.js", "page.css": "page.css"}
_TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}
_MOST_NAMES = 20


class CodeBody(msgspec.Struct):
    """The body of ``POST /api/session``."""

    code: str = ""


class PageCode:
    """The code that opens the page, once."""

    def __init__(self, token: str) -> None:
        self._token = token
        self.code = secrets.token_urlsafe(18)

    def trade(self, code: str) -> str:
        """Return the token for the code, which becomes invalid. Raises PermissionError."""
        if not self.code or not is_same(self.code, code):
            words = tr(
                "This address was used already, or is not the right one. Start the server again for"
                " another."
            )
            raise PermissionError(words)
        self.code = ""
        return self._token


def page_routes(code: PageCode, chats: Chats) -> list[web.RouteDef]:
    """Return the routes of the page."""
    root = chats.root.root

    async def page(request: web.Request) -> web.StreamResponse:
        """Return the page, or one of its files. They contain no user data, which requires the
        token.
        """
        path = _FOLDER / _FILES[request.match_info["name"]]
        return web.FileResponse(path, headers={**_HEADERS, "content-type": _TYPES[path.suffix]})

    async def session(request: web.Request) -> web.StreamResponse:
        """Give the token for the one-time code."""
        body = await read_body(request, CodeBody)
        return web.json_response({"token": code.trade(body.code), "folder": root.name})

    async def files(request: web.Request) -> web.StreamResponse:
        """Return the names of files that match what was typed, for attachments."""
        typed = request.query.get("query", "").lower()
        names = [
            each for each in await asyncio.to_thread(changed_files, root) if typed in each.lower()
        ]
        names.sort(key=lambda name: (len(name), name))
        return web.json_response({"files": names[:_MOST_NAMES]})

    async def state(request: web.Request) -> web.StreamResponse:
        """Return the state of a chat, for a page that is reloaded."""
        return web.json_response(await _state(await chats.known(request.match_info["id"])))

    return [
        web.get("/{name:|page\\.js|page\\.css}", page),
        web.post("/api/session", session),
        web.get("/api/files", files),
        web.get("/api/chat/{id}", state),
    ]


async def _state(chat: Chat) -> Chunk:
    """Return what was said before the current run, whose reply is read from its turn, and the
    unanswered questions of a finished run.
    """
    said = [*chat.service.said]
    is_running = chat.turn is not None and not chat.turn.is_over
    while is_running and said and said[-1][0] == "assistant":
        said.pop()
    chunks = MessageChunks(chat.service.session_id)
    waiting = [chunk for each in await chat.waiting() for chunk in chunks.of(each)]
    told = [{"role": role, "text": text} for role, text in said]
    return {"said": told, "waiting": waiting, "isRunning": is_running, "lastRun": chat.last_run}
