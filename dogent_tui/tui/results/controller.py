"""Actions on the results of a conversation: opening, exporting, revealing."""

import asyncio
import os
import os.path
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from dogent_tui.language import tr
from dogent_tui.markdown_search.model import is_markdown
from dogent_tui.plain import one_line
from dogent_tui.storage.paths import display_path
from dogent_tui.tui.ports import ConversationPort
from dogent_tui.tui.results.model import Result

_PATIENCE_S = 5.0


def reveal_command(path: Path, environment: Mapping[str, str]) -> Sequence[str]:
    """Return the command that reveals `path` in a file manager; empty if there is no display, as
    over ssh.
    """
    if environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"):
        return ()
    if sys.platform == "darwin":
        return ("open", "-R", str(path))
    if sys.platform == "win32":
        return ("explorer.exe", f"/select,{path}")
    opener = shutil.which("xdg-open", path=environment.get("PATH"))
    has_screen = environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    return (opener, str(path.parent)) if opener and has_screen else ()


async def reveal(path: Path) -> str:
    """Show `path` in the file manager. Returns a message about the result; without a file manager,
    the location of the file.
    """
    from dogent_tui.processes import feed_process  # on use

    command, shown = reveal_command(path, os.environ), one_line(display_path(path))
    where = tr("No file manager can be opened from here. The file is {path}.", path=shown)
    if not command:
        return where
    try:
        status = await feed_process(command, b"", limit_s=_PATIENCE_S)
    except (OSError, TimeoutError):
        return where
    # Explorer returns 1 on success.
    return (
        tr("Opened the folder of {path}.", path=shown)
        if status == 0 or sys.platform == "win32"
        else where
    )


async def act(screen: ConversationPort, what: str, result: Result) -> None:
    """Open, export or reveal `result`. Must not be awaited in a message handler, because it may ask
    something.
    """
    path = screen.opened.workspace.absolute(result.path)
    if not await asyncio.to_thread(path.exists):
        screen.prompt.notify_hint(
            tr("There is no file {typed} here.", typed=one_line(result.path)), warning=True
        )
        screen.place_sidebar()
        return
    match what:
        case "open":
            await screen.showing.open(result.path)
        case "export":
            await _export(screen, result)
        case "reveal":
            screen.prompt.notify_hint(await reveal(path))


async def _export(screen: ConversationPort, result: Result) -> None:
    from dogent_tui.tui.screens.choice import choose  # on use

    name = one_line(result.name)
    if not is_markdown(result.path):
        screen.prompt.notify_hint(tr("Only Markdown can be exported: {name} is none.", name=name))
        return
    kinds = ("pdf", "docx")
    app = screen.app
    chosen = await choose(app, tr("Export {name} as", name=name), "", kinds)
    if chosen is not None:
        text = f'/export "{result.path}" {kinds[chosen]}'
        command, argument = app.commands.find(text)
        assert command is not None
        await screen.typed.run(command, argument, text)
