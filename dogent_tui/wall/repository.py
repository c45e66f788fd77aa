"""What history of Git repositories a command would lose: their references before and after it.

All is read from files; Git itself only answers questions about objects, without any settings of the
repository: it may be a foreign one.
"""

# ruff: noqa: PTH103, PTH118, PTH120, PTH123, PTH208, PTH211

import hashlib
import os
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from os.path import dirname, join, realpath, relpath
from pathlib import Path

from dogent_tui.wall.changes import Difference, Loss
from dogent_tui.wall.difference import entry_at, is_opaque
from dogent_tui.workspace.git_objects import GitObjects

_KEPT_S = 30 * 86_400
"""Entries of a reflog that are older than this go whenever Git tidies up."""
_PASSING = ("refs/stash", "refs/bisect/", "refs/rewritten/", "refs/worktree/")
"""References that come and go; for stashes there is a log."""
_TELLING = {"HEAD", "index", "logs", "objects", "packed-refs", "refs", "reftable", "worktrees"}
_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def lost_history(difference: Difference) -> tuple[Loss, ...]:
    """Return what history of repositories the difference would lose.

    `detail` is the number of commits that no reference holds any more for a reference or history
    ("" where it is unknown), the number of entries for a reflog, and the message for a stash.

    A repository that is gone or moved as a whole is no loss: its files are among the changes.
    Raises OSError where something cannot be read.
    """
    touched: dict[str, list[str]] = {}
    known: dict[str, bool] = {}
    for change in difference.changes:
        parts = change.path.split("/")
        for place in (place for place, part in enumerate(parts) if part in _TELLING):
            folder = "/".join(parts[:place])
            if folder not in known:
                real = join(difference.root, folder)
                known[folder] = all(entry_at(join(real, name)) for name in ("HEAD", "objects", "refs"))
            if known[folder]:
                touched.setdefault(folder, []).append("/".join(parts[place:]))
    losses: list[Loss] = []
    for folder, names in touched.items():
        with tempfile.TemporaryDirectory(prefix="dogent-git-") as own:
            losses += _Repository(difference, folder, names, own).losses()
    return tuple(losses)


class _Repository:
    """A repository as it is, and as the layer would leave it."""

    def __init__(self, difference: Difference, folder: str, touched: list[str], own: str) -> None:
        self._difference, self._folder, self._touched, self._own = difference, folder, touched, own
        self._lower, self._upper = join(difference.root, folder), join(difference.upper, folder)
        parts = f"{folder}/".split("/")
        above = [join(difference.upper, *parts[:count]) for count in range(1, len(parts))]
        self._is_hidden = any(map(is_opaque, above))
        self._before, self._after = self._references(is_after=False), self._references(is_after=True)
        self._form = "sha256" if any(len(old) > 40 for old in self._before.values()) else "sha1"
        self._git = self._asking("git", join(self._lower, "objects"), join(self._upper, "objects"))

    def _asking(self, name: str, *objects: str) -> GitObjects:
        shallow = "".join(map(_text, self._files("shallow", is_after=True).values()))
        own = join(self._own, name)
        return GitObjects(own, objects, self._form, shallow, self._difference.root)

    def losses(self) -> Iterator[Loss]:
        """Yield what would be lost."""
        if self._files("HEAD", is_after=True):
            yield from self._lost_references()
            yield from self._lost_entries()
            yield from self._lost_objects()
            yield from self._lost_work()

    # ── Reading ───────────────────────────────────────────────────────────────────────────────

    def _files(self, top: str, *, is_after: bool) -> dict[str, str]:
        """Return where the files below `top` really are, by their names in the repository."""
        found: dict[str, str] = {}
        waiting = [(top, not (is_after and self._is_hidden), is_after)]
        while waiting:
            name, is_low, is_up = waiting.pop()
            low = entry_at(join(self._lower, name)) if is_low else None
            up = entry_at(join(self._upper, name)) if is_up else None
            here = up or low
            if here and here.kind == "file":
                found[name] = join(self._upper if up else self._lower, name)
            elif here and here.kind == "folder":
                names = set(os.listdir(join(self._upper, name))) if up else set()
                if is_low := low is not None and not (up and is_opaque(join(self._upper, name))):
                    names |= set(os.listdir(join(self._lower, name)))
                waiting += [(join(name, each), is_low, bool(up)) for each in sorted(names)[::-1]]
        return found

    def _references(self, *, is_after: bool) -> dict[str, str]:
        """Return what each reference names; of heads those that are on no branch."""
        found: dict[str, str] = {}
        for path in self._files("packed-refs", is_after=is_after).values():
            for line in _text(path).splitlines():
                if _ID.fullmatch(line.partition(" ")[0]):
                    found[line.partition(" ")[2]] = line.partition(" ")[0]
        loose = self._files("refs", is_after=is_after) | self._files("HEAD", is_after=is_after)
        trees = self._files("worktrees", is_after=is_after)
        loose |= {name: path for name, path in trees.items() if name.count("/") == 2 and name.endswith("/HEAD")}
        for name, path in loose.items():
            if _ID.fullmatch(text := _text(path).strip()):
                found[name] = text
        return found

    # ── References, logs, objects, work ───────────────────────────────────────────────────────

    def _lost_references(self) -> Iterator[Loss]:
        if any(name.startswith("reftable") for name in self._touched):  # not files that can be read
            yield Loss(self._folder, "history", "reftable")
        named = {new for name, new in self._after.items() if not name.startswith(_PASSING)}
        tips = [f"^{new}" for new in named]
        for name, old in sorted(self._before.items()):
            new = self._after.get(name, "")
            if name == "refs/stash" and not new and self._files("logs/refs/stash", is_after=True):
                yield Loss(self._folder, "stash", old)
            if new == old or name.startswith(_PASSING):
                continue
            is_head = not name.startswith("refs/")
            count = self._git.ask("rev-list", "--count", "--stdin", lines=[old, *tips]) or ""
            if is_head and count != "0":
                yield Loss(self._folder, "history", name, count)
            elif not is_head and not new:
                yield Loss(self._folder, "reference", name, count)
            elif not is_head and self._git.ask("merge-base", "--is-ancestor", old, new) is None:
                yield Loss(self._folder, "history", name, count)

    def _lost_entries(self) -> Iterator[Loss]:
        for log in (name for name in self._touched if "logs" in name.split("/")):
            reference = log.partition("logs/")[2]
            gone = reference in self._before and reference not in self._after
            if (gone and reference != "refs/stash") or log not in self._files(log, is_after=False):
                continue
            old, new = (self._entries(log, is_after=is_after) for is_after in (False, True))
            lost = list((old - new).elements())
            if reference == "refs/stash":
                for entry in lost:
                    yield Loss(self._folder, "stash", entry.partition(" ")[0], entry.partition("\t")[2])
            elif young := [entry for entry in lost if _age_s(entry) < _KEPT_S]:
                yield Loss(self._folder, "reflog", reference, str(len(young)))

    def _entries(self, log: str, *, is_after: bool) -> Counter[str]:
        """Return the entries of a log, without what came before each: that changes with others."""
        text = "".join(map(_text, self._files(log, is_after=is_after).values()))
        return Counter(line.partition(" ")[2].rstrip() for line in text.splitlines())

    def _lost_objects(self) -> Iterator[Loss]:
        """What was named before has to be whole without the objects that are gone."""
        objects = [name for name in self._touched if name.startswith("objects/")]
        lower = (name for name in objects if entry_at(join(self._lower, name)))
        if all(self._files(name, is_after=True) for name in lower):
            return
        left = join(self._own, "left")
        for name, path in self._files("objects", is_after=True).items():
            place = join(left, name)
            os.makedirs(dirname(place), exist_ok=True)
            if name == "objects/info/alternates":
                lines = _text(path).splitlines()
                Path(place).write_text("\n".join(join(self._lower, "objects", line) for line in lines))
            else:
                os.symlink(path, place)
        stashes = [entry.partition(" ")[0] for entry in self._entries("logs/refs/stash", is_after=False)]
        index = "".join(self._files("index", is_after=False).values())
        asked = ["rev-list", "--objects", "--quiet", *(["--indexed-objects"] if index else [])]
        git, old = self._asking("whole", join(left, "objects")), [*self._before.values(), *stashes]
        if git.ask(*asked, "--stdin", lines=old, index=index) is None:
            yield Loss(self._folder, "objects")

    def _lost_work(self) -> Iterator[Loss]:
        """Work that was in no commit is lost where Git put another text over it."""
        root, upper = self._difference.root, self._difference.upper
        indexes = {join(self._folder, name) for name in self._touched if name.endswith("index")}
        edited: dict[str, tuple[str, str]] = {}
        for change in self._difference.changes if indexes else ():
            before, after, path = change.before, change.after, change.path
            is_edit = before and after and before.kind == after.kind == "file"
            if is_edit and join(_index_of(root, path), "index") in indexes:
                edited[path] = self._blob(join(root, path)), self._blob(join(upper, path))
        ids = sorted({each for pair in edited.values() for each in pair})
        said = self._git.ask("cat-file", "--batch-check", lines=ids) if ids else ""
        missing = {line.split(" ")[0] for line in (said or "").splitlines() if "missing" in line}
        lost = [path for path, pair in edited.items() if [each in missing for each in pair] == [True, False]]
        if lost:
            yield Loss(self._folder, "uncommitted", paths=tuple(lost))

    def _blob(self, path: str) -> str:
        """Return the name that Git gives to what a file holds."""
        with open(path, "rb") as file:
            start = b"blob %d\0" % os.fstat(file.fileno()).st_size
            found = hashlib.new(self._form, start, usedforsecurity=False)
            while piece := file.read(1 << 20):
                found.update(piece)
        return found.hexdigest()


def _index_of(root: str, path: str) -> str:
    """Return the folder with the index of the working tree that a file belongs to; "" for none."""
    if ".git" in path.split("/"):
        return ""
    while path:
        path = dirname(path)
        found = entry_at(join(root, path, ".git"))
        if found and found.kind == "folder":
            return join(path, ".git")
        if found and found.kind == "file":
            named = _text(join(root, path, ".git")).removeprefix("gitdir:").strip()
            return relpath(realpath(join(root, path, named)), realpath(root))
    return ""


def _text(path: str) -> str:
    with open(path, "rb") as file:
        return os.fsdecode(file.read())


def _age_s(entry: str) -> float:
    """Return how old an entry of a reflog is, without its first word: ``ID NAME <MAIL> TIME ZONE``."""
    words = entry.partition("\t")[0].split()
    return time.time() - int(words[-2]) if len(words) > 2 and words[-2].isdigit() else 0.0
