"""The wall for programs we start ourselves: document readers, pandoc, a browser. They see only what
they are given.

Such a program gets a room of its own, created when it starts and gone when it ends. Programs
started inside a room share that room.
"""

import marshal
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from dogent_tui.temporary import temporary_folder
from dogent_tui.wall.view import FAMILIES, Mount, as_it_is, passed_on, system_mounts, tools

Level: TypeAlias = Literal["full", "bare", "none", "inside"]
Place: TypeAlias = str | os.PathLike[str]

_WALLS: tuple[Level, ...] = ("full", "bare")
_INSIDE = "DOGENT_WALL"
_ONCE = str(Path(__file__).with_name("once.py"))
_BASE = "/proc"
"""The mount point of the new root: a folder that always exists and holds nothing that must be
visible inside.
"""
_TRIAL_S = 60.0
_TRIAL = "import os, sys\ntry: os.listdir(sys.argv[1])\nexcept OSError: sys.exit(0)\nsys.exit(1)"
_PASSED = (
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH", "DOGENT_HOME",
    "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS", "FONTCONFIG_FILE",
    "FONTCONFIG_PATH", "SOURCE_DATE_EPOCH", "PW_LANG_NAME", "PW_LANG_NAME_VERSION",
    "PW_CLI_DISPLAY_VERSION",
)  # fmt: skip
"""Environment variables to pass on, besides those that begin with LC_. Never a key."""
_FONTS = (".config/fontconfig", ".cache/fontconfig")


class OwnWall(msgspec.Struct, frozen=True):
    """The wall that our own programs get: `bare` means without namespaces, `none` without a wall.
    `reason` says why.
    """

    level: Level
    reason: str = ""


@cache
def own_wall() -> OwnWall:
    """Find out which wall works by trying once. Blocks for about 50 ms."""
    if not sys.platform.startswith("linux"):
        return OwnWall("none", sys.platform)
    is_held = "\nNoNewPrivs:\t1\n" in Path("/proc/self/status").read_text("utf-8")
    if is_held and os.environ.get(_INSIDE):  # the variable alone proves nothing
        return OwnWall("inside")
    reasons = dict[str, None]()
    with temporary_folder() as outside:
        for level in _WALLS:
            program = [sys.executable, "-I", "-S", "-c", _TRIAL, str(outside)]
            if not (why := tried(walled(program, level=level))):
                return OwnWall(level, " ".join(reasons))
            reasons[why] = None
    return OwnWall("none", "; ".join(reasons))


def tried(command: Sequence[str]) -> str:
    """Return why a command behind a wall failed, or "" if it succeeded."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=_TRIAL_S, check=False, cwd="/")
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2].removeprefix("wall: ")
    return (said or str(done.returncode)) if done.returncode else ""


def own_environment() -> dict[str, str]:
    """Return the environment for a program of ours."""
    return passed_on(_PASSED)


def walled(
    command: Sequence[str],
    *,
    readable: Sequence[Place] = (),
    writable: Sequence[Place] = (),
    hidden: Sequence[Place] = (),
    cwd: Place = "/",
    loopback: bool = False,
    rereads: bool = False,
    level: Level | None = None,
) -> list[str]:
    """Return the command line that runs `command` behind the wall, or `command` itself if there is
    none. Blocks the first time.

    The program sees the system, Python with what we import, the user's tools and the given places,
    except what is `hidden`. It reaches no network; `loopback` lets it create sockets in a network
    of its own. `rereads` lets it reopen files it was given. HOME and `/tmp` are private, initially
    empty, and removed at the end. Standard descriptors are passed on, and the program ends with the
    process that starts it. `level` is the wall to use, by default the best.
    """
    level = level or own_wall().level
    program = shutil.which(command[0])
    if program is None or level in ("none", "inside") or (level == "bare" and loopback):
        return [*command]
    home = os.path.realpath(Path.home())
    given = dict.fromkeys([program, *(os.fspath(place) for place in readable)])
    is_named = any(Path(home).is_relative_to(os.path.realpath(place)) for place in given)
    private = ["/tmp", "/dev/shm", *([home] if home != "/" and not is_named else [])]
    seen = [*_python(home), *(("bind", os.path.realpath(place), place, True) for place in given)]
    places = [os.path.realpath(place) for place in writable]
    mounts: list[Mount] = [*system_mounts(), ("devices", "")]
    mounts += (("scratch", place) for place in private)
    mounts += (*tools(Path(home)), *seen, *(("bind", place, place, False) for place in places))
    plan = {
        "name": "own", "own": [], "readable": [], "writable": places, "cwd": os.fspath(cwd),
        "hidden": [("hide", os.path.realpath(place)) for place in hidden],
    }  # fmt: skip
    room = {
        "level": level, "base": _BASE, "common": mounts, "network": "none", "rereads": rereads,
        "writable": private if level == "full" else [], "families": FAMILIES if loopback else (),
        "listed": [str(Path(__file__).parents[2])],  # otherwise Python finds no package in it
        "readable": [*as_it_is(Path(home)), *(str(mount[1]) for mount in seen)],
    }  # fmt: skip
    return once(room, plan, [program, *command[1:]])


def once(room: dict[str, Any], plan: dict[str, Any], argv: Sequence[str]) -> list[str]:
    """Return the command line that creates a room and runs one program in it."""
    whole = {**room, "plan": plan, "passed": _PASSED, "set": {_INSIDE: "1"}}
    return [sys.executable, "-I", "-S", _ONCE, marshal.dumps(whole).hex(), *argv]


def _python(home: str) -> Iterator[Mount]:
    """Yield the mounts every such program gets besides the system and the user's tools: Python with
    what it imports here, and fonts.
    """
    package = Path(__file__).parents[1]
    around = ("", str(package.parent), str(Path.cwd()))
    fonts = ("/var/cache/fontconfig", *(f"{home}/{name}" for name in _FONTS))
    prefixes = (sys.prefix, sys.base_prefix)
    paths = (path for path in sys.path if path not in around)
    places = (*prefixes, *map(os.path.realpath, prefixes), str(package), *paths, *fonts)
    for place in dict.fromkeys(places):
        is_too_much = Path(home).is_relative_to(place)
        if os.path.exists(place) and not is_too_much and not place.startswith("/usr/"):
            yield ("bind", os.path.realpath(place), place, True)
