"""Runs random programs behind the wall and without it, within a throw-away root, and says where
what came of them is not what is promised.

`python -m tests.wall.random_runs FIRST LAST [full|bound|bare]` runs the seeds of that range.
"""

# ruff: noqa: PTH101, PTH115, PTH118, PTH120 — names are text from `os.fsdecode`

import contextlib
import hashlib
import os
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from dogent_tui.agent.authority import Authority
from dogent_tui.agent.conversation import Verdict
from dogent_tui.agent.events import PermissionRequested
from dogent_tui.undo.restoring import undo
from dogent_tui.wall.probe import WallStatus
from tests.wall.session import Session
from tests.wall.throwaway import HOME, require_throwaway, run_inside
from tests.wall.world import World, remove_tree, run_bare

_PROGRAM = Path(__file__).with_name("random_program.py").read_text("utf-8")
_WORKSPACE, _BARE = HOME / "docs/ws", HOME / "ws"
_STATE = HOME / ".local/state"
_NEVER_NOW_NS = 1_500_000_000 * 10**9
"""Times before this were set, not come by."""
_WITHOUT = {"full": "", "bound": "", "bare": "attribute,overlays_attribute,serve"}
"""The steps that a wall refuses."""
_AFRESH_EVERY = 6
_MADE = r"""
set -eu
cd "$1"
mkdir -p chapters/deep/er data empty 'with space' .hid
for f in notes.md README.md chapters/1.md chapters/2.md chapters/deep/x chapters/deep/er/y data/a.csv data/b.csv 'with space/z' .hid/h; do printf 'this is %s\n' "$f" > "$f"; done
touch -d 2001-02-03 notes.md data/a.csv
printf run > script.sh; chmod 755 script.sh
chmod 600 data/b.csv
: > void
ln -s notes.md link; ln -s chapters dirlink; ln -s missing dangling
head -c 100000 /dev/zero | tr '\0' x > big
printf nonutf > $'\377name'
chmod 500 empty
"""  # noqa: E501


class Found(NamedTuple):
    """What is at a place."""

    kind: int
    mode: int
    content: str
    mtime_ns: int = 0
    attributes: tuple[str, ...] = ()


Tree = dict[str, Found]


class _Drill(Session):
    """A session whose user keeps or drops, and never has a stranger's change overwritten."""

    async def _ask(self, question: PermissionRequested) -> Verdict:
        await super()._ask(question)
        return Verdict(allow=self._keeps and "someone else" not in " ".join(question.reasons))


@contextlib.contextmanager
def _opened(root: Path) -> Iterator[dict[str, int]]:
    """Open everything below a folder to us meanwhile: yield the modes that it had."""
    modes: dict[str, int] = {}
    waiting = [str(root)]
    while waiting:
        place = waiting.pop()
        mode = stat.S_IMODE(os.lstat(place).st_mode)
        if mode & 0o700 != 0o700:
            modes[place] = mode
            os.chmod(place, mode | 0o700)
        for entry in os.scandir(place):
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            elif entry.is_file(follow_symlinks=False) and not entry.stat().st_mode & 0o400:
                modes[entry.path] = stat.S_IMODE(entry.stat().st_mode)
                os.chmod(entry.path, 0o600)
    yield modes
    for place in sorted(modes, reverse=True):
        os.chmod(place, modes[place])


def _tree(root: Path) -> Tree:
    found: Tree = {}
    with _opened(root) as modes:  # the mode of the workspace itself is its user's alone
        for folder, folders, files in os.walk(root):
            for path in (os.path.join(folder, name) for name in (*folders, *files)):
                at = os.lstat(path)
                mode = modes.get(path, stat.S_IMODE(at.st_mode))
                found[os.path.relpath(path, root)] = _found(path, at, mode)
    return found


def _found(path: str, at: os.stat_result, mode: int) -> Found:
    kind = stat.S_IFMT(at.st_mode)
    if kind == stat.S_IFLNK:
        return Found(kind, mode, os.readlink(path).replace(str(_BARE), str(_WORKSPACE)))
    if kind != stat.S_IFREG:
        return Found(kind, mode, "")
    data = Path(path).read_bytes()
    own = (each for each in os.listxattr(path) if not each.startswith("user.overlay."))
    attributes = tuple(f"{name} {os.getxattr(path, name)!r}" for name in own)
    text = ascii(data) if len(data) < 60 else hashlib.sha256(data).hexdigest()
    return Found(kind, mode, text if data else "", at.st_mtime_ns, attributes)


def _differ(one: Tree, other: Tree, *, attributes: bool = True, times: bool = False) -> list[str]:
    """Return the places where two trees differ; `times`: also where only the time does."""

    def seen(found: Found | None, path: str) -> object:
        if found is None:
            return None
        changed = times or (path in one and path in other and one[path][2] != other[path][2])
        is_set = times or found.mtime_ns < _NEVER_NOW_NS
        return (
            *found[:3],
            found.mtime_ns if changed and is_set else 0,
            found.attributes if attributes else (),
        )

    both = ((path, one.get(path), other.get(path)) for path in sorted({*one, *other}))
    return [f"{path!r}: {a} → {b}" for path, a, b in both if seen(a, path) != seen(b, path)]


def _to_ask(before: Tree, after: Tree) -> list[str]:
    """Return what the user has to be asked about."""
    reasons = []
    for path, old in before.items():
        new = after.get(path)
        if new is None or new.kind != old.kind:
            reasons.append(f"{path!r} is gone, or of another kind")
        elif old.kind == stat.S_IFREG and old.content and not new.content:
            reasons.append(f"{path!r} is empty")
        elif old.mode != new.mode:
            reasons.append(f"{path!r} has other permissions")
    for path, new in after.items():
        old = before.get(path)
        if new.kind not in (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK) and old != new:
            reasons.append(f"{path!r} is special")
        elif new.kind == stat.S_IFLNK and old != new and _leads_out(path, new.content):
            reasons.append(f"{path!r} leads out")
    return reasons


def _leads_out(path: str, target: str) -> bool:
    real = os.path.realpath(
        _BARE / os.path.dirname(path) / target.replace(str(_WORKSPACE), str(_BARE))
    )
    return not f"{real}/".startswith((f"{_BARE}/", "/usr/"))


def _anew() -> None:
    remove_tree(_WORKSPACE)
    _WORKSPACE.mkdir(parents=True)
    subprocess.run(["bash", "-c", _MADE, "sh", str(_WORKSPACE)], check=True)


def run(argument: Mapping[str, Any]) -> list[str]:
    """Run the programs of some `seeds`, or some `commands`, behind the wall `level`, and return
    what is wrong.
    """
    require_throwaway()
    level = argument["level"]
    if level != "full":
        standing = WallStatus("partial", "tried", folder=_STATE, namespaces=level == "bound")
        Authority.wall_status = standing  # type: ignore[assignment]
    wrong: list[str] = []
    session: _Drill | None = None
    named = [(f"{each}", each, True, True) for each in argument.get("commands", ())]
    named += [_random(seed, level) for seed in argument.get("seeds", ())]
    for number, (name, *given) in enumerate(named):
        if session is None:
            _anew()
            session = _Drill(World(state=_STATE), keeps=True, limit_s=30)
        found = [*_tried(session, *given, level)]
        wrong += (f"{name}: {each}" for each in found)
        if found or "commands" in argument or number % _AFRESH_EVERY == _AFRESH_EVERY - 1:
            session.close()
            session = None
    if session is not None:
        session.close()
    return wrong


def _random(seed: int, level: str) -> tuple[str, str, bool, bool]:
    arguments = f"{seed} {1 + seed % 13} '{_WITHOUT[level]}'"
    command = f"python3 -I -S - {arguments} <<'END_OF_PROGRAM'\n{_PROGRAM}\nEND_OF_PROGRAM"
    return f"seed {seed}", command, seed % 4 != 0, seed % 3 != 0


def _tried(session: _Drill, command: str, keeps: bool, undoes: bool, level: str) -> Iterator[str]:
    """Run one command; yield what is wrong."""
    before = _tree(_WORKSPACE)
    remove_tree(_BARE)
    with _opened(_WORKSPACE) as modes:
        subprocess.run(["cp", "-a", str(_WORKSPACE), str(_BARE)], check=True)
    for place in sorted(modes, reverse=True):
        os.chmod(_BARE / os.path.relpath(place, _WORKSPACE), modes[place])
    bare = run_bare(command, _BARE, HOME, 60.0).stdout.decode(errors="replace")
    expected = _tree(_BARE)
    session._keeps = keeps
    ran = session.bash(command)
    after = _tree(_WORKSPACE)

    lines = (each for each in ran.output.splitlines() if not each.startswith("dogent-tui: "))
    if (said := [*lines]) != bare.replace(str(_BARE), str(_WORKSPACE)).splitlines():
        yield f"the output differs: {said} for {bare}"
    if bool(reasons := _to_ask(before, expected)) != bool(ran.asked):
        yield f"asked {ran.asked} for {reasons}"
    if ran.asked and not keeps:
        # where there is no layer, a time alone is not taken back
        yield from (f"dropped: {e}" for e in _differ(before, after, times=level == "full"))
        return
    yield from (f"kept: {each}" for each in _differ(expected, after))
    if undoes and _differ(before, after):
        commands = session._commands
        commands._settling.submit(int).result()  # what was written has been read
        undo(commands._copies)
        special = {ascii(path) for path, old in before.items() if old.kind not in _PLAIN}
        undone = _differ(before, _tree(_WORKSPACE))
        yield from (f"undone: {each}" for each in undone if each.split(": ")[0] not in special)


_PLAIN = (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK)


if __name__ == "__main__":
    first, last = map(int, sys.argv[1:3])
    given = {"seeds": [*range(first, last)], "level": (*sys.argv[3:], "full")[0]}
    sys.stdout.write("\n".join(run_inside("tests.wall.random_runs:run", given, limit_s=3000.0)))
