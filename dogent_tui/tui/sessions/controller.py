"""Lets the user choose a conversation, and opens it in this window, from whatever folder."""

import asyncio
from pathlib import Path

from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.storage.paths import Workspace, display_path
from dogent_tui.storage.sessions import find_session
from dogent_tui.tui.ports import AppPort
from dogent_tui.tui.screens.sessions import SessionsScreen
from dogent_tui.tui.screens.withdrawable import answer_of
from dogent_tui.tui.sessions.model import SessionList, SessionRequest


async def choose_session(app: AppPort) -> bool:
    """Let the user choose a conversation and open it. False if the user closes the list. Must
    not be awaited in a message handler.
    """
    opened = app.opened
    shown, is_owned = opened.service.session_id, not opened.read_only
    sessions = SessionList(opened.workspace, shown, is_owned=is_owned)
    request = await answer_of(app, SessionsScreen(sessions))
    return request is not None and await _open(app, request)


async def open_named(app: AppPort, wanted: str) -> str:
    """Open the conversation whose id is `wanted` or starts with it. Returns a message."""
    try:
        record = await asyncio.to_thread(find_session, wanted)
    except DogentError as error:
        return str(error)
    if record is None:
        return tr("There is no conversation {wanted}. Use /sessions to list them.", wanted=wanted)
    await _open(app, SessionRequest(record))
    return ""


async def _open(app: AppPort, request: SessionRequest) -> bool:
    """Open what was requested. False, after a message, if that is not possible."""
    record = request.record
    say = app.conversation.prompt.notify_hint
    if (
        record.session_id == app.opened.service.session_id
        and not request.fork
        and not app.opened.read_only
    ):
        say(tr("This conversation is already open."))
        return False
    if app.opened.service.state == "running":
        say(tr("The agent is working. Wait, or stop it first with Esc."))
        return False
    root = Path(record.workspace) if record.workspace else app.opened.workspace.root
    if root != app.opened.workspace.root:
        return await _go_elsewhere(app, root, request)
    try:
        await app.session.open(record.session_id, fork=request.fork)
    except DogentError as error:
        say(str(error))
        return False
    title = record.title or tr("the conversation")
    say(
        tr("Forked “{title}”; the original is unchanged.", title=title)
        if request.fork
        else tr("Opened “{title}” read-only: it is open in another window.", title=title)
        if app.opened.read_only
        else tr("Opened “{title}”.", title=title)
    )
    return True


async def _go_elsewhere(app: AppPort, root: Path, request: SessionRequest) -> bool:
    if not await asyncio.to_thread(root.is_dir):
        app.conversation.prompt.notify_hint(
            tr("The folder {root} no longer exists.", root=display_path(root))
        )
        return False
    app.go_elsewhere(Workspace(root), request.record.session_id, fork=request.fork)
    return True
