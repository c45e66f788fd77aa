"""Which wall surrounds the agent's commands: found by using it once, and described for the user.

The wall is imported on use: the description is needed before a session starts, and startup is fast
without it.
"""

import contextlib
from typing import TYPE_CHECKING

from dogent_tui.agent.events import Notice
from dogent_tui.language import tr
from dogent_tui.storage.files import private_folder
from dogent_tui.storage.paths import Workspace, state_dir

if TYPE_CHECKING:
    from dogent_tui.wall.probe import WallStatus

_WALLS = {
    "full": tr(
        "Commands run behind a wall, on a copy of this folder: they change nothing outside it, and"
        " you're asked before anything they delete is deleted here."
    ),
    "partial": tr(
        "Commands run behind a wall that protects everything outside this folder. Inside, what they"
        " do is not held back, but is taken back if you say no. You are asked before plain"
        " deletions, and before changes to protected files. What is written into a file too large"
        " to copy cannot be taken back."
    ),
    "none": tr(
        "There is no wall around commands here. Only commands known to do nothing but read in this"
        " folder run without asking; you're asked before every other one, and once allowed it can"
        " do whatever you can."
    ),
}


def find_wall_status(workspace: Workspace) -> "WallStatus":
    """Return the wall around commands in `workspace`.

    Starts short-lived processes and leaves nothing behind: call it in a thread.
    """
    from dogent_tui.wall.probe import WallStatus, probe

    folder = state_dir()
    was_there = folder.exists()
    try:
        with contextlib.suppress(OSError):  # layers can be elsewhere
            private_folder(folder)
        return probe(workspace.root, folder)
    except OSError as error:
        return WallStatus(
            "none",
            tr("The wall could not be tested: {error}.", error=error.strerror or error),
        )
    finally:
        if not was_there:
            with contextlib.suppress(OSError):  # already used by someone else
                folder.rmdir()


def wall_words(status: "WallStatus") -> str:
    """Return what `status` means for commands, without its reason."""
    return _WALLS[status.level]


def wall_status_words(status: "WallStatus") -> str:
    """Return what `status` means for commands, why it is not better, and what to do about it."""
    return " ".join(filter(None, (wall_words(status), status.reason, status.remedy)))


def wall_notices(status: "WallStatus") -> tuple[Notice, ...]:
    """Return the notice at the start of a session: empty if the wall holds back everything."""
    if status.level == "full":
        return ()
    message = " ".join(filter(None, (wall_words(status), status.reason)))
    return (Notice(message=message, remedy=status.remedy, code=f"wall_{status.level}"),)
