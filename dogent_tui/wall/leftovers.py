"""What sessions left that died: layers of commands that had ended and were not judged yet. Each
is offered once.
"""

import contextlib
import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

JOURNALS = "journals"


class Leftover(msgspec.Struct, frozen=True):
    """A command that had ended. `call` is what was noted of it when it began."""

    folder: Path
    began_ns: int
    call: dict[str, Any]

    def remove(self) -> None:
        """Drop what it did, and its session where it was the last."""
        remove_layer(self.folder)
        with contextlib.suppress(OSError):
            self.folder.parent.rmdir()
            remove_tree(self.folder.parents[1])


def hold(folder: Path, workspace: Path) -> int:
    """Say that the session at `folder` lives, for as long as the descriptor that is returned is
    open. Raises OSError.
    """
    (folder / "workspace").write_bytes(os.fsencode(workspace))
    descriptor = os.open(folder / "lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    return descriptor


def take_leftovers(sessions: Path, workspace: Path) -> list[Leftover]:
    """Return what dead sessions of `workspace` left to judge, and remove whatever else dead
    sessions left.
    """
    found: list[Leftover] = []
    for folder in sorted(sessions.iterdir()) if sessions.is_dir() else ():
        if folder.name == JOURNALS or not _is_dead(folder):
            continue
        mine = [*_ended(folder)] if _workspace_of(folder) == workspace else []
        for layer in (folder / "jobs").glob("*"):
            if layer not in [one.folder for one in mine]:
                remove_layer(layer)
        found += mine
        if not mine and _workspace_of(folder) in (workspace, None):
            remove_tree(folder)
    return found


def _is_dead(folder: Path) -> bool:
    """Tell whether nobody holds a session any more; one without a lock is being made."""
    try:
        with (folder / "lock").open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    except OSError:
        return False


def _workspace_of(folder: Path) -> Path | None:
    with contextlib.suppress(OSError):
        return Path(os.fsdecode((folder / "workspace").read_bytes()))
    return None


def _ended(folder: Path) -> Iterator[Leftover]:
    for layer in (folder / "jobs").glob("*"):
        with contextlib.suppress(OSError, ValueError, KeyError):
            ended = json.loads((layer / "ended").read_bytes())
            (layer / "ended").rename(layer / "offered")
            if not ended["why"]:
                yield Leftover(layer, ended["began"], json.loads((layer / "call").read_bytes()))


def remove_layer(folder: Path) -> None:
    """Remove the layer of a job. The kernel leaves a folder in it that even its owner cannot
    enter.
    """
    with contextlib.suppress(OSError):
        (folder / "work/work").rmdir()
    remove_tree(folder)


def remove_tree(folder: Path) -> None:
    """Remove what commands wrote: folders that cannot be entered, and deeper ones than Python
    can follow, among it.
    """
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        return
    except (OSError, RecursionError):
        for command in (["chmod", "-R", "u+rwX"], ["rm", "-rf", "--one-file-system"]):
            subprocess.run([*command, "--", str(folder)], check=False, stderr=subprocess.DEVNULL)
