"""Runs random commands, changes by somebody else, undos and rewinds in random order within a
throw-away root, and says where a tree is not what is promised.

`python -m tests.undo.random_undos FIRST LAST` runs the seeds of that range.
"""

import contextlib
import os
import random
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from dogent_tui.storage.paths import Workspace
from dogent_tui.undo.restoring import carry_out, plan, undo
from dogent_tui.undo.undo_log import UndoLog
from tests.wall.random_runs import (
    _PROGRAM,
    _STATE,
    _WORKSPACE,
    Found,
    Tree,
    _anew,
    _Drill,
    _tree,
)
from tests.wall.throwaway import require_throwaway, run_inside
from tests.wall.world import World

_MORE = r"""
set -eu
cd "$1"
ln big again; ln notes.md 'two
lines'
truncate -s 5M sparse; printf end >> sparse
mkdir shut; printf hidden > shut/in; mkdir shut/deep; printf x > shut/deep/x
printf secret > closed
python3 -c 'import os; os.setxattr("notes.md", "user.note", b"first"); os.setxattr("closed", "user.note", b"c")'
chmod 000 closed; chmod 444 data/a.csv
"""  # noqa: E501


class _Done(NamedTuple):
    """A change on record: what was there before it and after it."""

    number: int
    before: Tree
    after: Tree


def _what(found: Found | None) -> object:
    """Return what makes two entries the same: a time alone is no change."""
    return found and (found.kind, found.mode, found.content, found.attributes)


def _parents(path: str) -> Iterator[str]:
    while path := os.path.dirname(path):  # noqa: PTH120
        yield path


class _Case:
    """One workspace with its session, and what is known of it."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        _anew()
        subprocess.run(["bash", "-c", _MORE, "sh", str(_WORKSPACE)], check=True)
        self.session = _Drill(World(state=_STATE), keeps=True, limit_s=30)
        self.copies: UndoLog = self.session._commands._copies
        self.stack: list[_Done] = []
        self.runs: list[tuple[str, Tree, int]] = []
        self.theirs: dict[str, object] = {}
        self.begin()

    def begin(self) -> None:
        name = f"run{len(self.runs)}"
        self.copies.begin_run(name)
        self.runs.append((name, _tree(_WORKSPACE), len(self.theirs)))

    def numbers(self) -> list[int]:
        return [change.number for change, _ in self.copies.changes()]

    def noted(self, before: Tree) -> None:
        known = {done.number for done in self.stack}
        for number in self.numbers():
            if number not in known:
                self.stack.append(_Done(number, before, _tree(_WORKSPACE)))

    # ── What may happen ──

    def command(self) -> Iterator[str]:
        if self.rng.random() < 0.4:
            self.begin()
        before = _tree(_WORKSPACE)
        self.session._keeps = self.rng.random() < 0.85
        arguments = f"{self.rng.randrange(10**9)} {self.rng.randrange(1, 12)} ''"
        self.session.bash(f"python3 -I -S - {arguments} <<'END_OF_IT'\n{_PROGRAM}\nEND_OF_IT")
        self.session._commands._settling.submit(int).result()
        self.noted(before)
        yield from ()

    def someone(self) -> Iterator[str]:
        """Somebody else writes, saves, removes or makes something."""
        tree = _tree(_WORKSPACE)
        files = [_WORKSPACE / path for path in sorted(tree) if stat.S_ISREG(tree[path].kind)]
        for path in self.rng.sample(files, min(len(files), self.rng.randrange(1, 4))):
            with contextlib.suppress(OSError):
                self._meddles(path)
        yield from ()

    def _meddles(self, path: Path) -> None:
        text, how = f"theirs {self.rng.random()}\n", self.rng.randrange(6)
        if how == 0:
            with path.open("a") as file:
                file.write(text)
        elif how == 1:
            new = path.with_name("saving~")
            new.write_text(text)
            new.replace(path)
        elif how == 2:
            path.unlink()
        elif how == 3:
            path.chmod(0o640)
        elif how == 4:
            path = path.with_name(f"their{self.rng.randrange(99)}")
            path.write_text(text)
        else:
            os.setxattr(path, "user.note", text.encode())
        self.theirs[os.path.relpath(path, _WORKSPACE)] = None

    def takes_back(self) -> Iterator[str]:
        now, numbers = _tree(_WORKSPACE), self.numbers()
        undone = undo(self.copies)
        found = _tree(_WORKSPACE)
        over = [done for done in self.stack if done.number in {*numbers} - {*self.numbers()}]
        if undone is None:
            yield from (f"nothing undone: {each}" for each in _unlike(now, found))
            self.stack = [done for done in self.stack if done not in over]
            return
        done = over[0]
        self.stack = [each for each in self.stack if each not in over]
        expected = _expected(done.before, done.after, now)
        yield from (f"undone: {each}" for each in _unlike(expected, found))
        told = {os.path.relpath(path, _WORKSPACE) for path in undone.left}
        for path in {*done.before, *done.after}:
            changed = _what(done.before.get(path)) != _what(done.after.get(path))
            missing = _what(found.get(path)) != _what(done.before.get(path))
            is_folder = stat.S_ISDIR((found.get(path) or done.after.get(path) or _NONE).kind)
            if changed and missing and path not in told and not is_folder:
                yield f"undone: {path!r} is left and not told: {done.before.get(path)}"
        for path, before in done.before.items():
            restored = _what(found.get(path)) == _what(before) != _what(done.after.get(path))
            is_file = stat.S_ISREG(before.kind) and path in found
            if restored and is_file and found[path].mtime_ns != before.mtime_ns:
                yield f"undone: {path!r} has another time"

    def goes_back(self) -> Iterator[str]:
        name, begun, others = self.rng.choice(self.runs)
        runs = [each for each, *_ in self.runs[int(name[3:]) :]]
        now = _tree(_WORKSPACE)
        places = plan(self.copies, runs)
        undone = carry_out(self.copies, [each for each in places if not each.why], "Rewind")
        self.copies.settle()
        self.noted(now)
        found = _tree(_WORKSPACE)
        theirs = [*self.theirs][others:]
        for path in {*begun, *now}:
            touched = any(
                path == each or path.startswith(f"{each}/") or each.startswith(f"{path}/")
                for each in theirs
            )
            kept = _what(now.get(path)) == _what(found.get(path))
            special = path in begun and not _is_plain(begun[path])
            if _what(found.get(path)) != _what(begun.get(path)) and not (touched or special):
                if self.is_on_record(path):
                    yield f"rewound: {path!r}: {now.get(path)} → {found.get(path)}"
            elif path in theirs and not kept and self.theirs[path] == _what(now.get(path)):
                yield f"rewound: {path!r} of somebody else is overwritten"
        yield from (f"rewound: {path!r} is left" for path in undone.left if not theirs)

    def is_on_record(self, path: str) -> bool:
        """Return whether what was done to a path since can be taken back at all: no undo has
        dropped it.
        """
        return self.stack[0].number == 1 if self.stack else False

    def restarts(self) -> Iterator[str]:
        copies = UndoLog.of(Workspace(_WORKSPACE), "attacked")
        if copies.changes() != self.copies.changes():
            yield "a restart sees other changes"

    def run(self) -> Iterator[str]:
        ways = {
            self.command: 6,
            self.someone: 2,
            self.takes_back: 3,
            self.goes_back: 1,
            self.restarts: 0.5,
        }
        for step in range(self.rng.randrange(3, 11)):
            way = self.rng.choices([*ways], [*ways.values()])[0]
            for each in way():
                yield f"step {step}: {each}"
        while self.copies.changes():
            yield from self.takes_back()
            if not self.stack:
                break


_NONE = Found(0, 0, "")


def _is_plain(found: Found) -> bool:
    return stat.S_IFMT(found.kind) in (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK)


def _expected(before: Tree, after: Tree, now: Tree) -> Tree:
    """Return the tree after an undo: as before, except what somebody else changed since."""
    found: dict[str, Found] = {}
    for path in sorted({*before, *now}):
        old, here = before.get(path), now.get(path)
        untouched = _what(here) == _what(after.get(path))
        back = old if untouched else here
        if back is not None and not _is_plain(back) and back != here:
            back = here  # there is no copy of a pipe
        if back is not None:
            found[path] = back
    for path in sorted(found):  # a parent stays where there is something in it
        for above in _parents(path):
            there = now.get(above)
            if above not in found and there and stat.S_ISDIR(there.kind):
                found[above] = there
    for path in sorted(found):  # and nothing can be below what is no folder
        if any(not stat.S_ISDIR(found.get(above, _NONE).kind) for above in _parents(path)):
            there = found.pop(path)
            if path in now and there == now[path]:
                found[path] = there
    return found


def _unlike(expected: Tree, found: Tree) -> list[str]:
    both = ((path, expected.get(path), found.get(path)) for path in {*expected, *found})
    return sorted(f"{path!r}: {a} → {b}" for path, a, b in both if _what(a) != _what(b))


def run(argument: Mapping[str, Any]) -> list[str]:
    """Run the `seeds`, and return what is wrong."""
    require_throwaway()
    wrong: list[str] = []
    for seed in argument["seeds"]:
        case = _Case(seed)
        wrong += (f"seed {seed}: {each}" for each in case.run())
        case.session.close()
    return wrong


def run_closed(commands: list[str]) -> list[str]:
    """Run each of some commands, undo it, and return what is wrong."""
    require_throwaway()
    wrong: list[str] = []
    for command in commands:
        case = _Case(0)
        before = _tree(_WORKSPACE)
        case.session.bash(command)
        if not _unlike(before, _tree(_WORKSPACE)):
            wrong.append(f"{command}: does nothing")
        case.session._commands._settling.submit(int).result()
        undone = undo(case.copies)
        left = undone.left if undone is not None else ("nothing undone",)
        found = _unlike(before, _tree(_WORKSPACE))
        wrong += (f"{command}: {each}" for each in [*left, *found])
        case.session.close()
    return wrong


if __name__ == "__main__":
    first, last = map(int, sys.argv[1:3])
    given = {"seeds": [*range(first, last)]}
    sys.stdout.write("\n".join(run_inside("tests.undo.random_undos:run", given, limit_s=3000.0)))
