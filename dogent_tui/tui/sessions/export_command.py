"""/export-session: the conversation on the screen, written to a file of the user's choice."""

import asyncio
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from dogent_tui.agent.session import OpenedSession
from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.settings.known_secrets import known_secrets
from dogent_tui.settings.own_files import plan_change
from dogent_tui.storage.sessions import list_sessions
from dogent_tui.tui.questions.own_writes import write_own
from dogent_tui.tui.screens.choice import choose
from dogent_tui.tui.sessions.formats import FORMATS
from dogent_tui.tui.sessions.parts import Part, Written, parts_of, written

if TYPE_CHECKING:
    from dogent_tui.tui.ports import AppPort

_BECAUSE = tr("You asked for this with /export-session.")
_USAGE = tr("Specify a file ending in .md, .html or .json: /export-session FILE.md.")


async def export_session(app: "AppPort", typed: str) -> str:
    """Write the conversation that `app` shows to the file `typed`, and return what there is to say.

    A file that is there is asked about first. Not to be awaited by a handler of messages.
    """
    name = typed.strip().removeprefix("@").strip('"')
    form = FORMATS.get(Path(name).suffix.lower())
    screen, opened = app.conversation, app.opened
    if form is None:
        if not screen.prompt.editor.value:
            screen.prompt.editor.replace_all(
                f"/export-session {typed}"
            )  # so that only the name is left to type
        return _USAGE
    entries = screen.transcript.model.entries
    if not entries:
        return tr("The conversation is empty so far.")
    path = opened.workspace.absolute(name)
    shown = one_line(opened.workspace.relative(path))
    try:
        if await asyncio.to_thread(path.is_dir):
            return tr("{shown} is a folder. {usage}", shown=shown, usage=_USAGE)
        inside = await asyncio.to_thread(opened.workspace.contains, path)
        asks = inside and await asyncio.to_thread(path.exists)  # outside, the policy does
        if (
            asks
            and await choose(
                app,
                tr("Replace {shown}?", shown=shown),
                tr("A file with this name already exists."),
                (tr("Keep"), tr("Replace")),
            )
            != 1
        ):
            return tr("Nothing was exported: {shown} is unchanged.", shown=shown)
        parts = parts_of(entries, str(opened.workspace.root))
        text = await asyncio.to_thread(lambda: form(_conversation(opened, parts)))
        plan = partial(plan_change, path, text)
        done = await write_own(
            opened.workspace, opened.authority, screen.requests.ask, plan, _BECAUSE
        )
    except (OSError, DogentError) as error:
        return one_line(tr("Nothing was exported: {error}", error=error))
    screen.look_again()
    return (
        tr("Nothing was exported: {shown} is unchanged.", shown=shown)
        if done == "denied"
        else tr("Exported the conversation to {shown}.", shown=shown)
    )


def _conversation(opened: OpenedSession, parts: list[Part]) -> Written:
    """Return the conversation of which these are the parts. Reads the disk for its title, and
    the files that hold keys.
    """
    session_id = opened.service.session_id
    title = next(
        (
            record.title
            for record in list_sessions(opened.workspace)
            if record.session_id == session_id
        ),
        "",
    )
    secrets = (*opened.endpoint.secrets, *known_secrets())
    return written(
        parts, title, session_id, str(opened.workspace.root), datetime.now().astimezone(), secrets
    )
