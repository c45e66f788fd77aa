"""The wall for programs that we start ourselves: a reader of documents, pandoc, a browser. They see
what they are given.

Nothing is held by a session: such a program gets a room of its own, made when it starts and gone
when it ends. What runs inside such a room starts its programs in the same one.
"""

import marshal
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from dogent_tui.wall.view import Mount, as_it_is, system_mounts, tools

Level: TypeAlias = Literal["full", "bare", "none", "inside"]
Place: TypeAlias = str | os.PathLike[str]

_WALLS: tuple[Level, ...] = ("full", "bare")
_INSIDE = "DOGENT_WALL"
_ONCE = str(Path(__file__).with_name("once.py"))
_BASE = "/proc"
"""On which the new root is made: there is always such a folder, and nothing that is to be seen
inside lies in it.
"""
_TRIAL_S = 10.0
_TRIAL = "import sys\ntry: open(sys.argv[1])\nexcept OSError: sys.exit(0)\nsys.exit(1)"
_LOOPBACK = (1, 2, 10, 16)
"""The socket families AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK, within a network that ends
where it begins.
"""
_PASSED = (
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH", "DOGENT_HOME",
    "XDG_DATA_HOME",
    "XDG_CONFIG_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS", "FONTCONFIG_FILE", "FONTCONFIG_PATH",
    "SOURCE_DATE_EPOCH",
    "PW_LANG_NAME", "PW_LANG_NAME_VERSION", "PW_CLI_DISPLAY_VERSION",
)  # fmt: skip
"""What passes of the environment, with everything that begins with LC_. No key is ever among it."""
_FONTS = (".config/fontconfig", ".cache/fontconfig")


class OwnWall(msgspec.Struct, frozen=True):
    """Which wall our own programs get: `bare` is one without namespaces, with `none` they run as
    they are. `reason` says why.
    """

    level: Level
    reason: str = ""


@cache
def own_wall() -> OwnWall:
    """Find out by trying once. Blocks for some 50 ms."""
    if not sys.platform.startswith("linux"):
        return OwnWall("none", sys.platform)
    is_held = "\nNoNewPrivs:\t1\n" in Path("/proc/self/status").read_text("utf-8")
    if is_held and os.environ.get(_INSIDE):  # the variable alone may come from anywhere
        return OwnWall("inside")
    reasons = dict[str, None]()
    with tempfile.NamedTemporaryFile(prefix="dogent-") as outside:
        for level in _WALLS:
            program = [sys.executable, "-I", "-S", "-c", _TRIAL, outside.name]
            if not (why := tried(walled(program, level=level))):
                return OwnWall(level, " ".join(reasons))
            reasons[why] = None
    return OwnWall("none", "; ".join(reasons))


def tried(command: Sequence[str]) -> str:
    """Return why a command behind a wall did not succeed, "" where it did."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=_TRIAL_S, check=False, cwd="/")
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2].removeprefix("wall: ")
    return (said or str(done.returncode)) if done.returncode else ""


def own_environment() -> dict[str, str]:
    """Return what a program of ours gets of our environment."""
    return {name: os.environ[name] for name in os.environ if name in _PASSED or name[:3] == "LC_"}


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
    """Return the command that runs `command` behind the wall, where one stands; else `command`
    itself. Blocks the first time.

    It sees the system, Python with what we import, the user's tools, and the places that are named,
    less what is `hidden` in them. It reaches no network; `loopback` lets it make sockets within its
    own. `rereads` lets it open once more what it is given open. HOME and `/tmp` are empty, its own
    and gone with it. Standard descriptors pass, and it ends with whoever starts it. `level` is the
    wall, the best one unless told.
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
    mounts += (("scratch", place, "1g") for place in private)
    mounts += (*tools(Path(home)), *seen, *(("bind", place, place, False) for place in places))
    plan = {
        "name": "own", "own": [], "readable": [], "writable": places, "cwd": os.fspath(cwd),
        "hidden": [("hide", os.path.realpath(place)) for place in hidden],
    }  # fmt: skip
    room = {
        "level": level, "base": _BASE, "common": mounts, "network": "none", "rereads": rereads,
        "writable": private if level == "full" else [], "families": _LOOPBACK if loopback else (),
        "listed": [str(Path(__file__).parents[2])],  # else Python finds no package in it
        "readable": [*as_it_is(Path(home)), *(str(mount[1]) for mount in seen)],
    }  # fmt: skip
    return once(room, plan, [program, *command[1:]])


def once(room: dict[str, Any], plan: dict[str, Any], argv: Sequence[str]) -> list[str]:
    """Return the command that makes a room and runs a program in it, with what passes of the
    environment.
    """
    whole = {**room, "plan": plan, "passed": _PASSED, "set": {_INSIDE: "1"}}
    return [sys.executable, "-I", "-S", _ONCE, marshal.dumps(whole).hex(), *argv]


def _python(home: str) -> Iterator[Mount]:
    """Yield what every such program sees beside the system and the user's tools: Python with
    what it imports here, and fonts.
    """
    package = Path(__file__).parents[1]
    around = ("", str(package.parent), str(Path.cwd()))
    prefixes = (sys.prefix, sys.base_prefix)
    fonts = ("/var/cache/fontconfig", *(f"{home}/{name}" for name in _FONTS))
    paths = (path for path in sys.path if path not in around)
    places = (*prefixes, *map(os.path.realpath, prefixes), str(package), *paths, *fonts)
    for place in dict.fromkeys(places):
        is_too_much = Path(home).is_relative_to(place)
        if Path(place).exists() and not is_too_much and not place.startswith("/usr/"):
            yield ("bind", os.path.realpath(place), place, True)
