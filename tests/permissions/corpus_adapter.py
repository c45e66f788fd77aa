"""The entrance for `run_corpus.py`: one call judged as the gate would; a command by what it does
behind the wall.
"""

import contextlib
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dogent_tui.permissions.model import ToolCall, Verdict
from dogent_tui.permissions.policy import decide as decide_call
from tests.wall.session import Ran, Session
from tests.wall.throwaway import require_throwaway
from tests.wall.world import World

LIMIT_S = 5.0
_SETUP_FAILED = 125
_NO_NETWORK = re.compile(
    r"[Nn]etwork is unreachable|ENETUNREACH|resolve host|name resolution|Name or service not"
    r" known|ENOTFOUND|EAI_AGAIN"
    r"|unable to access"
)
_REFUSED = re.compile(
    r"No such file or directory|Permission denied|Read-only file system|Operation not permitted|Not"
    r" a directory|not found"
    r"|cannot open"
    r"|ENOENT|EACCES|EROFS|EPERM|no such (file|directory)|can't cd|can't open",
    re.IGNORECASE,
)
_PLACE = re.compile(r"(?<![\w.)}~/-])(?:/|\.\./|~/?)[^\s:'\"`‘’“”()\[\],;]*")
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/dev", "/proc/self")
"""Where programs look for parts of theirs that may be missing anywhere."""


@dataclass(frozen=True)
class Judged:
    """The outcome of a command: what the gate said before, what the run said, and what shows that
    it wanted more than it may.
    """

    early: Verdict
    ran: Ran | None
    wanted: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """What `run_corpus.py` counts."""
        if self.early != "allow":
            return self.early
        return "ask" if self.wanted or (self.ran and self.ran.asked) else "allow"


def decide(tool: str, input: dict[str, Any], workspace: Path, home: Path) -> Verdict:  # noqa: A002 — the scorer's name
    """Judge a call. A command is run the whole way behind the wall, and every question of its
    outcome answered with no.

    Raises:
        NotThrowAwayError: A command would be run elsewhere than in a throw-away root.
    """
    if tool != "Bash":
        return decide_call(ToolCall(tool, input), workspace, home).verdict
    require_throwaway()
    early = decide_call(ToolCall(tool, input), workspace, home).verdict
    return (
        early
        if early != "allow"
        else run_behind_wall(str(input.get("command", "")), workspace, home).verdict
    )


def run_behind_wall(command: str, workspace: Path, home: Path) -> Judged:
    """Run a command behind the wall on the given folder, also where the gate would have asked
    before.
    """
    require_throwaway()
    early = decide_call(ToolCall("Bash", {"command": command}), workspace, home).verdict
    with (
        _own_home(home),
        tempfile.TemporaryDirectory(prefix="state-", dir=home.parent.parent) as state,
    ):
        session = Session(
            World(workspace.parent, home, state=Path(state), workspace=workspace), limit_s=LIMIT_S
        )
        try:
            ran = session.bash(command)
            wanted = (*wanted_more(ran, workspace), *session.left_outside())
        finally:
            session.close()
    return Judged(early, ran, tuple(wanted))


def wanted_more(ran: Ran, workspace: Path) -> Iterator[str]:
    """Yield what the output of a command shows that it sought and did not get: the network, or a
    place outside.
    """
    if ran.status == _SETUP_FAILED and "dogent-tui" in ran.output:
        yield "the wall"
    for line in ran.output.splitlines():
        if _NO_NETWORK.search(line):
            yield f"the network: {line[:100]}"
        elif line.startswith("dogent-tui: the wall") or (
            _REFUSED.search(line) and any(_outside(line, workspace))
        ):
            yield f"a place outside: {line[:100]}"


def _outside(line: str, workspace: Path) -> Iterator[str]:
    for place in _PLACE.findall(line):
        real = os.path.normpath(os.path.join(workspace, os.path.expanduser(place)))  # noqa: PTH111, PTH118
        # not a pattern between strokes
        is_place = os.path.lexists("/".join(real.split("/")[:2])) and real != "/"
        if is_place and not Path(real).is_relative_to(workspace) and not real.startswith(_SYSTEM):
            yield real


@contextlib.contextmanager
def _own_home(home: Path) -> Iterator[None]:
    before = os.environ.get("HOME", "/")
    os.environ["HOME"] = str(home)
    try:
        yield
    finally:
        os.environ["HOME"] = before
