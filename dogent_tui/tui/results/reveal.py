"""Showing a file in the file manager of the user's machine."""

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.processes import feed_process
from dogent_tui.storage.paths import display_path

_PATIENCE_S = 5.0


def reveal_command(path: Path, environment: Mapping[str, str]) -> Sequence[str]:
    """Return the command that shows `path` in its folder; empty where there is no screen to show
    it on, as over ssh.
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
    """Show `path` in the file manager. Returns what came of it; where there is none, where the
    file is.
    """
    command, shown = reveal_command(path, os.environ), one_line(display_path(path))
    where = tr("No file manager can be opened from here. The file is {path}.", path=shown)
    if not command:
        return where
    try:
        status = await feed_process(command, b"", limit_s=_PATIENCE_S)
    except (OSError, TimeoutError):
        return where
    # Explorer returns 1 when all went well.
    return (
        tr("Opened the folder of {path}.", path=shown)
        if status == 0 or sys.platform == "win32"
        else where
    )
