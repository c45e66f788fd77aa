"""What dead sessions left: layers of commands that had ended but had not been judged. Each is
offered once.
"""

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

from dogent_tui.storage.files import private_folder
from dogent_tui.temporary import hold, is_dead, remove_tree
from dogent_tui.wall.jobs import Ended, Job


def begin(folder: Path, workspace: Path) -> int:
    """Create the folder of a session, which is alive for as long as the returned descriptor is
    open. Raises OSError.
    """
    private_folder(folder.parent)
    descriptor = hold(folder)
    (folder / "workspace").write_bytes(os.fsencode(workspace))
    return descriptor


def take_leftovers(sessions: Path, workspace: Path) -> list[Ended]:
    """Return the unjudged layers that dead sessions of `workspace` left, and remove everything else
    they left.
    """
    found: list[Ended] = []
    for folder in sorted(sessions.iterdir()) if sessions.is_dir() else ():
        if not is_dead(folder) or _workspace_of(folder) != workspace:
            continue
        mine = [*_ended(folder)]
        for layer in (folder / "jobs").glob("*"):
            if layer not in [one.job.folder for one in mine]:
                remove_tree(layer)
        found += mine
        if not mine:
            remove_tree(folder)
    return found


def _workspace_of(folder: Path) -> Path | None:
    with contextlib.suppress(OSError):
        return Path(os.fsdecode((folder / "workspace").read_bytes()))
    return None


def _ended(folder: Path) -> Iterator[Ended]:
    for layer in (folder / "jobs").glob("*"):
        with contextlib.suppress(OSError, ValueError, KeyError):
            ended = json.loads((layer / "ended").read_bytes())
            (layer / "ended").rename(layer / "offered")
            if not ended["why"]:
                plan = json.loads((layer / "plan").read_bytes())
                job = Job("", "", plan["command"], Path(plan["cwd"]), layer)
                yield Ended(job, 0, ended["began"])


def drop_leftover(left: Ended) -> None:
    """Remove the layer, and the session's folder if it was the last one."""
    remove_tree(left.job.folder)
    with contextlib.suppress(OSError):
        left.job.folder.parent.rmdir()
        remove_tree(left.job.folder.parents[1])
