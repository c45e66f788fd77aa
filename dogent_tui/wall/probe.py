"""Finds out which wall works for a workspace by actually using it once, never by reading
settings.
"""

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from dogent_tui.language import tr
from dogent_tui.temporary import temporary_folder
from dogent_tui.wall.own import once, tried
from dogent_tui.wall.view import Level, View

_SHARED = ("/var/tmp", "/dev/shm")  # noqa: S108
"""World-writable places: a folder with our name in them is ours only if its owner and permissions
say so.
"""
_PARTS = ("home", "tmp", "var-tmp", "shm", "run", "root", "upper", "work")
_ESCAPE = re.compile(r"\\([0-7]{3})")
_WRITES = 'echo >"$1"; ! (echo >"$2") 2>/dev/null'


WallLevel: TypeAlias = Literal["full", "partial", "none"]


class WallStatus(msgspec.Struct, frozen=True):
    """The wall that works: `full` holds back what a command does, `partial` takes it back, `none`
    runs nothing.

    `reason` says why it is not full, `remedy` what to do about it ("" if nothing). Layers are
    created in `folder`. A partial wall may still have `namespaces`.
    """

    level: WallLevel
    reason: str = ""
    remedy: str = ""
    folder: Path = Path()
    namespaces: bool = False


def probe(workspace: Path, state: Path, home: Path | None = None) -> WallStatus:
    """Try the walls for `workspace`, the best first. `state` is the preferred folder for layers.

    Starts short-lived processes and changes nothing in the workspace. Thread-safe.
    """
    workspace, home = workspace.resolve(), (home or Path.home()).resolve()
    first, why = None, tr("No folder outside the workspace is writable.")
    for folder in _candidates(workspace, state):
        first = first or folder
        why = _try("full", workspace, folder, home)
        if not why:
            return WallStatus("full", folder=folder)
        if "overlay" not in why:
            break
    reason, remedy = _explained(why, workspace)
    if first is not None and not _try("bound", workspace, first, home):
        return WallStatus("partial", reason, remedy, first, namespaces=True)
    if first is None or home.is_relative_to(workspace):
        return WallStatus("none", reason, remedy, first or state)
    if failed := _try("bare", workspace, first, home):
        either = tr("Landlock does not work either: {why}.").format(why=failed)
        return WallStatus("none", f"{reason} {either}", remedy, first)
    return WallStatus("partial", reason, remedy, first)


def _candidates(workspace: Path, state: Path) -> Iterator[Path]:
    """Yield the folders where layers may be created: outside the workspace and ours alone."""
    for folder in (state, *(Path(place, f"dogent-{os.geteuid()}") for place in _SHARED)):
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, parents=folder == state, exist_ok=True)
            found = folder.lstat()
            is_ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
            place = folder.resolve()
            overlaps = place.is_relative_to(workspace) or workspace.is_relative_to(place)
            if is_ours and (folder == state or not found.st_mode & 0o077) and not overlaps:
                yield place


def _try(level: Level, workspace: Path, folder: Path, home: Path) -> str:
    """Return why a wall does not work, or "" if it does: a file behind it is written and one
    outside is not.
    """
    try:
        with temporary_folder(folder) as private:
            for part in _PARTS:
                (private / part).mkdir()
            written = private / "upper/.dogent-trial" if level == "full" else private / "tmp/trial"
            inside = workspace / ".dogent-trial" if level == "full" else written
            if level == "bound":
                inside = Path("/tmp/trial")  # noqa: S108
            view = View(private, workspace, home, level)
            plan = {**view.plan(private, workspace, ()), "name": "trial", "hidden": []}
            program = ["/bin/sh", "-c", _WRITES, "sh", str(inside), str(private / "outside")]
            why = tried(once(view.room(), plan, program))
            held = written.exists() or (level == "full" and not os.access(workspace, os.W_OK))
            return why if why or (held and not (private / "outside").exists()) else "?"
    except OSError as error:
        return str(error)


def _explained(why: str, workspace: Path) -> tuple[str, str]:
    """Return why the full wall is not available, and what to do about it."""
    inside, remedy = _mounts_below(workspace), ""
    if "overlay" in why and inside:
        reason = tr(
            "The workspace contains a mount point, {place}, which a copy-on-write layer cannot"
            " cover."
        )
        remedy = tr("Unmount it, or open a folder that does not contain it.")
    elif "overlay" in why:
        reason = tr(
            "No copy-on-write layer can be mounted over the workspace's file system ({why})."
        )
        remedy = tr("In a container, set DOGENT_HOME to a folder on its own volume.")
    elif "unshare" in why or "map_own_user" in why or "mount" in why:
        reason = tr("The system does not allow user namespaces ({why}).")
        remedy = tr(
            "Allow user namespaces: on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0,"
            " elsewhere user.max_user_namespaces; in Docker a seccomp profile that allows unshare"
            " and mount."
        )
    else:
        reason = tr("The wall could not be set up ({why}).")
    return reason.format(why=why, place=next(iter(inside), "")), remedy


def _mounts_below(workspace: Path) -> list[str]:
    with contextlib.suppress(OSError):
        text = Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape")
        escaped = (line.split()[4] for line in text.splitlines())
        places = (_ESCAPE.sub(lambda at: chr(int(at[1], 8)), each) for each in escaped)
        return [place for place in places if place.startswith(f"{workspace}/")]
    return []
