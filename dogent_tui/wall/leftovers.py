"""What dead sessions left: layers of commands that had ended but had not been judged. Each is
offered once.
"""

import contextlib
import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from dogent_tui.wall.jobs import Ended, Job


def hold(folder: Path, workspace: Path) -> int:
    """Mark the session at `folder` as alive for as long as the returned descriptor is open. Raises
    OSError.
    """
    (folder / "workspace").write_bytes(os.fsencode(workspace))
    new = folder / "lock.new"
    descriptor = os.open(new, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    new.rename(folder / "lock")  # once held: an unheld lock belongs to a dead session
    return descriptor


def take_leftovers(sessions: Path, workspace: Path) -> list[Ended]:
    """Return the unjudged layers that dead sessions of `workspace` left, and remove everything else
    they left.
    """
    found: list[Ended] = []
    for folder in sorted(sessions.iterdir()) if sessions.is_dir() else ():
        if not is_dead(folder / "lock") or _workspace_of(folder) != workspace:
            continue
        mine = [*_ended(folder)]
        for layer in (folder / "jobs").glob("*"):
            if layer not in [one.job.folder for one in mine]:
                remove_layer(layer)
        found += mine
        if not mine:
            remove_tree(folder)
    return found


def is_dead(held: Path) -> bool:
    """Return whether no process holds a lock or a folder any more; a session without a lock is
    being created.
    """
    try:
        descriptor = os.open(held, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        finally:
            os.close(descriptor)
    except OSError:
        return False
    return True


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
    remove_layer(left.job.folder)
    with contextlib.suppress(OSError):
        left.job.folder.parent.rmdir()
        remove_tree(left.job.folder.parents[1])


def remove_layer(folder: Path) -> None:
    """Remove the layer of a job. The kernel leaves a folder in it that even its owner cannot
    enter.
    """
    with contextlib.suppress(OSError):
        (folder / "work/work").rmdir()
    remove_tree(folder)


def remove_tree(folder: Path) -> None:
    """Remove what commands wrote, including folders without permissions and trees too deep for
    Python.
    """
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        return
    except (OSError, RecursionError):
        # Only folders: a file may also be in the workspace by another name.
        closed = ("find", str(folder), "-type", "d", "!", "-perm", "-700")
        opening = (*closed, "-exec", "chmod", "u+rwx", "{}", ";")
        for command in (opening, ("rm", "-rf", "--one-file-system", "--", str(folder))):
            subprocess.run(command, check=False, stderr=subprocess.DEVNULL)
