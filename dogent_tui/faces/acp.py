"""`dogent-tui acp`: the agent for editors, over the Agent Client Protocol, version 1, on
standard input and output.
"""

import asyncio
import json
import os
import stat
import sys
import uuid
from pathlib import Path
from typing import Any, TypeAlias, cast

import acp
from acp import schema
from acp.helpers import ContentBlock
from msgspec.structs import replace

from dogent_tui import __version__
from dogent_tui.agent.session import SessionOptions
from dogent_tui.errors import DogentError, UsageError
from dogent_tui.faces.acp_session import EditorSession, image_folder
from dogent_tui.faces.shared import Chunk, open_to_write
from dogent_tui.language import tr
from dogent_tui.records import JsonDict
from dogent_tui.settings.profiles import profile_names
from dogent_tui.storage.paths import Workspace
from dogent_tui.storage.sessions import SessionRecord, all_sessions, list_sessions

_LONGEST_LINE = 64 << 20
"""The maximum line length in bytes: images are within a line."""
_MODEL, _REVIEW = "model", "review"
_Capabilities: TypeAlias = schema.ClientCapabilities | None


class DogentAgent:
    """The agent side of the protocol: its sessions and capabilities. The methods are those of
    `acp.Agent` that we support.
    """

    def __init__(self, options: SessionOptions) -> None:
        self._options = options
        self._sessions: dict[str, EditorSession] = {}
        self._client: acp.Client | None = None
        self._has_forms = False

    def on_connect(self, conn: acp.Client) -> None:
        """See the protocol."""
        self._client = conn

    async def initialize(self, client_capabilities: _Capabilities = None, **_: Any) -> Chunk:
        """Return our capabilities."""
        elicitation = client_capabilities.elicitation if client_capabilities is not None else None
        self._has_forms = elicitation is not None and elicitation.form is not None
        words = tr("Opens dogent-tui in a terminal: /setup chooses the model.")
        setup = {"type": "terminal", "id": "setup", "name": tr("Choose a model"), "args": []}
        return {
            "protocolVersion": acp.PROTOCOL_VERSION,
            "agentCapabilities": {
                "loadSession": True,
                "promptCapabilities": {"image": True, "embeddedContext": True},
                "sessionCapabilities": {"list": {}, "resume": {}, "close": {}},
            },
            "agentInfo": {"name": "dogent-tui", "title": "dogent-tui", "version": __version__},
            "authMethods": [{**setup, "description": words}],
        }

    async def authenticate(self, **_: Any) -> Chunk:
        """Do nothing: the model is chosen in the settings."""
        return {}

    async def new_session(self, cwd: str, **_: Any) -> Chunk:
        """Begin a conversation in a folder."""
        session = await self._open(cwd, replace(self._options, begin=str(uuid.uuid4())))
        return {"sessionId": session.id, "configOptions": config_options(session)}

    async def load_session(self, cwd: str, session_id: str, **_: Any) -> Chunk:
        """Continue a conversation, and send what was said in it."""
        await self.close_session(session_id)  # an editor that opens it again
        session = await self._open(cwd, replace(self._options, resume=session_id), replays=True)
        return {"configOptions": config_options(session)}

    async def resume_session(self, session_id: str, cwd: str, **_: Any) -> Chunk:
        """Continue a conversation that the editor still shows."""
        known = self._sessions.get(session_id)
        session = known or await self._open(cwd, replace(self._options, resume=session_id))
        return {"configOptions": config_options(session)}

    async def list_sessions(self, cwd: str | None = None, **_: Any) -> Chunk:
        """List conversations, most recent first."""
        listed = [list_sessions, await _workspace(cwd)] if cwd else [all_sessions]
        return {"sessions": [_listed(each) for each in await asyncio.to_thread(*listed)]}

    async def close_session(self, session_id: str, **_: Any) -> Chunk:
        """Close a conversation, which stays on disk."""
        if (session := self._sessions.pop(session_id, None)) is not None:
            await session.close()
        return {}

    async def set_config_option(
        self, config_id: str, session_id: str, value: Any, **_: Any
    ) -> Chunk:
        """Choose the model, or whether every change is reviewed."""
        session = self._known(session_id)
        if config_id == _REVIEW and value in ("on", "off"):
            session.opened.review_mode.on = value == "on"
        elif config_id == _MODEL and value in profile_names():
            session = await self._with_model(session, str(value))
        else:
            words = tr("There is no option {name} with the value {value}.")
            raise _wrong(words.format(name=config_id, value=value))
        return {"configOptions": config_options(session)}

    async def prompt(self, session_id: str, prompt: list[ContentBlock], **_: Any) -> Chunk:
        """Send a prompt and answer when its turn has ended."""
        session = self._known(session_id)
        try:
            return {"stopReason": await session.prompt(prompt)}
        except (DogentError, ValueError, OSError) as error:
            raise _wrong(str(error)) from error

    async def cancel(self, session_id: str, **_: Any) -> None:
        """Stop the run of a session."""
        if (session := self._sessions.get(session_id)) is not None:
            await session.cancel()

    async def close(self) -> None:
        """End every session."""
        closing = [session.close() for session in self._sessions.values()]
        await asyncio.gather(*closing, return_exceptions=True)

    async def _open(
        self, cwd: str, options: SessionOptions, replays: bool = False
    ) -> EditorSession:
        assert self._client is not None
        workspace = await _workspace(cwd)
        if not options.resume and not options.begin:
            raise _wrong(tr("There is no session {name} here.", name=""))
        try:
            opened = await asyncio.to_thread(open_to_write, workspace, options)
        except DogentError as error:
            raise _wrong(str(error)) from error
        name = options.resume or options.begin
        session = EditorSession(name, opened, self._client, self._has_forms, replays)
        await session.start()
        self._sessions[session.id] = session
        return session

    async def _with_model(self, session: EditorSession, profile: str) -> EditorSession:
        """Continue a session with another profile."""
        await session.close()
        has_begun = session.service.begun or session.opened.earlier_log is not None
        chosen = {"resume": session.id} if has_begun else {"begin": session.id}
        folder = str(session.opened.workspace.root)
        options = replace(session.opened.options, **chosen)
        try:
            return await self._open(folder, replace(options, profile=profile))
        except acp.RequestError:
            await self._open(folder, options)  # the session continues as it was
            raise

    def _known(self, session_id: str) -> EditorSession:
        session = self._sessions.get(session_id)
        if session is None:
            raise _wrong(tr("There is no session {name} here.", name=session_id))
        return session


def config_options(session: EditorSession) -> list[Chunk]:
    """Return an editor's options for a session: the model, and whether changes are reviewed."""
    current = session.opened.endpoint.name
    models = {name: name for name in (current, *profile_names())}
    review = {"off": tr("Write changes, undo later"), "on": tr("Review every change")}
    is_on = "on" if session.opened.review_mode.on else "off"
    return [
        _select(_MODEL, tr("Model"), "model", current, models),
        _select(_REVIEW, tr("Changes"), "mode", is_on, review),
    ]


def _listed(record: SessionRecord) -> Chunk:
    about = {"sessionId": record.session_id, "cwd": record.workspace, "updatedAt": record.updated}
    return {**about, "title": record.title or None}


def _select(key: str, name: str, category: str, current: str, values: dict[str, str]) -> Chunk:
    """Return one choice."""
    options = [{"value": value, "name": words} for value, words in values.items()]
    about = {"type": "select", "id": key, "name": name, "category": category}
    return {**about, "currentValue": current, "options": options}


async def _workspace(cwd: str) -> Workspace:
    folder = Path(cwd)
    if "\0" in cwd or not folder.is_absolute() or not await asyncio.to_thread(folder.is_dir):
        raise _wrong(tr("There is no folder {folder}.", folder=cwd))
    return Workspace(folder)


def _wrong(message: str) -> acp.RequestError:
    return acp.RequestError(-32602, message)


class LineTransport:
    """See `acp.Transport`: JSON-RPC messages between a reader, whose limit is the longest line, and
    a writer of bytes. Invalid messages are answered as required by JSON-RPC 2.0, whereas the SDK's
    own transport ends at the first line that is not an object.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, message: JsonDict) -> None:
        """Write `message`, keeping lines in the order in which they were sent."""
        line = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
        self._writer.write(line + b"\n")
        await self._writer.drain()

    async def receive(self) -> JsonDict | None:
        """Return the next message, None at the end of the input."""
        while True:
            try:
                line = await self._reader.readline()
                message = json.loads(line) if line.strip() else None
            except (ValueError, RecursionError):  # ValueError also for a line that is too long
                await self._refuse(-32700, "Parse error")
                continue
            if not line or (isinstance(message, dict) and _is_message(message)):
                return message
            is_unknown = isinstance(message, dict) and "id" not in message and "method" in message
            if line.strip() and not is_unknown:
                told = message.get("id") if isinstance(message, dict) else None
                await self._refuse(-32600, "Invalid request", told)

    async def close(self) -> None:
        """Close the output."""
        self._writer.close()

    async def _refuse(self, code: int, words: str, told: object = None) -> None:
        number = told if isinstance(told, str | int) else None
        error = {"code": code, "message": words}
        await self.send({"jsonrpc": "2.0", "id": number, "error": error})


def _is_message(message: JsonDict) -> bool:
    """Return whether it has the form of a request, a response, or the notification we know."""
    named = isinstance(message.get("method"), str)
    if "id" not in message:
        return message.get("method") == "session/cancel"
    answers = "method" not in message and bool({"result", "error"} & message.keys())
    return (named or answers) and isinstance(message.get("id"), str | int | None)


def _is_stream(number: int) -> bool:
    """Return whether a descriptor is a pipe, a socket or a terminal: asyncio waits on no others."""
    mode = os.fstat(number).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(number)


async def run_acp(options: SessionOptions) -> None:
    """Serve one editor on standard input and output until it disconnects. Only the protocol is
    written there. Raises UsageError unless both can be waited on.
    """
    if not all(map(_is_stream, (0, 1))):
        words = tr(
            "Standard input and output must be pipes: an editor starts this and talks to it."
        )
        raise UsageError(words, tr("Enter “dogent-tui acp” as an agent in the editor's settings."))
    wire = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # anything printed, here or by a child process, goes to standard error
    sys.stdout = os.fdopen(os.dup(wire.fileno()), "w")
    agent = DogentAgent(replace(options, allow=(*options.allow, f"read:{image_folder()}/")))
    try:
        served = cast("acp.Agent", agent)
        wired = LineTransport(*await acp.stdio_streams(limit=_LONGEST_LINE))
        await acp.run_agent(served, wired, use_unstable_protocol=True)
    finally:
        await agent.close()
