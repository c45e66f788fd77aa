"""Which Git history a command would lose, found by comparing references before and after it.

Everything is read from files; Git only answers questions about objects, without the repository's
settings, which may be someone else's.
"""

# ruff: noqa: PTH103, PTH118, PTH120, PTH211

import os
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from os.path import dirname, join
from pathlib import Path
from typing import Literal, TypeAlias

from dogent_tui.temporary import temporary_folder
from dogent_tui.undo import git_data
from dogent_tui.undo.changes import Difference, Loss, entries_below
from dogent_tui.undo.git_data import GitObjects, blob_name, text_of
from dogent_tui.wall.difference import held_in, same_content

_KEPT_S, _KEPT_LOOSE_S = 30 * 86_400, 14 * 86_400
"""Git removes older reflog entries, and older objects that nothing names, whenever it tidies up."""
_LARGEST = 200_000_000
"""The largest file to look up in an index, in bytes."""
_MOST_SEARCHED = 200_000_000
"""The bytes of indexes to search; Git is asked about what is left."""
_Kind: TypeAlias = Literal["reference", "history"]
_PASSING = ("refs/stash", "refs/bisect/", "refs/rewritten/", "refs/worktree/")
"""Short-lived references; stashes have a log."""
_REFERENCES = ("packed-refs", "refs", "HEAD", "worktrees")
_LOOSE = re.compile("refs/.*|(worktrees/[^/]+/)?HEAD", re.DOTALL)
_LOG = re.compile("(worktrees/[^/]+/)?logs/(.+)", re.DOTALL)
_INDEX = re.compile("(worktrees/[^/]+/)?index")
_AUTOSTASH = re.compile("(.*/)?(MERGE_AUTOSTASH|rebase-[a-z]+/autostash)", re.DOTALL)
_NAMING = re.compile(f"{_LOG.pattern}|{_AUTOSTASH.pattern}", re.DOTALL)
"""Files other than references through which Git finds a commit again."""
_REMADE = re.compile(r"objects/(info/.*|pack/.*(?<!\.pack))", re.DOTALL)
"""Files that Git derives from objects and can create again. All other files are written once."""
_LOOSE_OBJECT = re.compile(r"objects/([0-9a-f]{2})/([0-9a-f]+)")


def lost_history(difference: Difference) -> tuple[Loss, ...]:
    """Return the history that the difference would lose.

    For a reference or history, `detail` is the number of commits that become unreachable ("" if
    unknown); for a reflog the number of entries; for a stash its message.

    A repository deleted or moved as a whole is not a loss: its files are among the changes. Raises
    OSError if something cannot be read.
    """
    edited = _edited(difference)
    paths = [*(change.path for change in difference.changes), *edited]
    losses: list[Loss] = []
    for folder, inside in git_data.repositories(difference.root, paths).items():
        with temporary_folder() as own:
            losses += _Repository(difference, folder, inside, edited, own).losses()
    return tuple(losses)


def _edited(difference: Difference) -> dict[str, dict[str, str]]:
    """Return index → the files that Git may have written over, each with the name of its content
    now: the command also changed the index, or the index holds that content.
    """
    root, searched = difference.root, 0
    changed = {change.path for change in difference.changes}
    folder_of = cache(lambda folder: git_data.index_folder(root, join(folder, "any")))
    index_in = cache(lambda folder: git_data.index_of(Path(root, folder, "index")))
    found = defaultdict[str, dict[str, str]](dict)
    for change in difference.changes:
        files = [each for each in (change.before, change.after) if each and each.kind == "file"]
        is_edit = change.what in {"edit", "mode"} and len(files) == 2
        if not is_edit or not (folder := folder_of(dirname(change.path))):
            continue
        index, (form, held) = join(folder, "index"), index_in(folder)
        is_sure = index in changed or searched > _MOST_SEARCHED
        if max(each.size for each in files) <= _LARGEST:
            name = blob_name(join(difference.upper, change.path), form)
            if is_sure or bytes.fromhex(name) in held:
                found[index][change.path] = name
            searched += len(held)
    return found


class _Repository:
    """A repository as it is now, and as the layer would leave it."""

    def __init__(
        self,
        difference: Difference,
        folder: str,
        touched: list[str],
        edited: Mapping[str, Mapping[str, str]],
        own: Path,
    ) -> None:
        self._difference, self._folder, self._touched, self._own = difference, folder, touched, own
        self._edited = edited
        self._lower, self._upper = join(difference.root, folder), join(difference.upper, folder)
        top = join(folder, "")
        below = (each for each in difference.changes if each.path.startswith(top))
        self._changes = {each.path.removeprefix(top): each for each in below}
        self._names = sorted(self._changes)
        self._before = self._references(is_after=False)
        self._after = self._references(is_after=True)
        self._form = "sha256" if any(len(old) > 40 for old in self._before.values()) else "sha1"
        self._git = self._asking("git", join(self._lower, "objects"), join(self._upper, "objects"))

    def _asking(self, name: str, *objects: str) -> GitObjects:
        cut = text_of(self._files("shallow", is_after=True).values())
        return GitObjects(join(self._own, name), objects, self._form, cut, self._difference.root)

    def losses(self) -> Iterator[Loss]:
        """Yield the losses."""
        ways = (self._lost_references, self._lost_entries, self._lost_objects, self._lost_work)
        stays = self._files("config", is_after=True) or not self._files("config", is_after=False)
        for way in ways if stays or self._files("HEAD", is_after=True) else ():
            yield from way()

    # ── Reading ───────────────────────────────────────────────────────────────────────────────

    def _files(self, top: str, *, is_after: bool) -> dict[str, str]:
        """Return the real paths of the files below `top`, keyed by their names in the
        repository.
        """
        below = entries_below(self._lower, top)
        found = {name: join(self._lower, name) for name, entry in below if entry.kind == "file"}
        for name in (top, *(top + rest for rest in held_in(top, self._names))) if is_after else ():
            if change := self._changes.get(name):
                found.pop(name, None)
                if change.after and change.after.kind == "file":
                    found[name] = join(self._upper, name)
        return found

    def _references(self, *, is_after: bool) -> dict[str, str]:
        """Return what each reference points to, including detached heads."""
        packed, *tops = (self._files(top, is_after=is_after) for top in _REFERENCES)
        named = (each for top in tops for each in top.items())
        loose = {name: path for name, path in named if _LOOSE.fullmatch(name)}
        return git_data.references(packed.values(), loose)

    # ── References, logs, objects, work ───────────────────────────────────────────────────────

    def _lost_references(self) -> Iterator[Loss]:
        if any(name.startswith("reftable") for name in self._touched):  # not readable as files
            yield Loss(self._folder, "history", "reftable")
        for cut in ("shallow", "info/grafts"):  # what Git takes for the beginning of history
            old, new = (
                text_of(self._files(cut, is_after=after).values()) for after in (False, True)
            )
            if {*new.splitlines()}.difference(old.splitlines()):
                yield Loss(self._folder, "history", "HEAD")
        tips = {f"^{new}" for name, new in self._after.items() if not name.startswith(_PASSING)}
        for name, old in sorted(self._before.items()):
            new = self._after.get(name, "")
            if name == "refs/stash" and not new and self._files("logs/refs/stash", is_after=True):
                yield Loss(self._folder, "stash", old)
            if new == old or name.startswith(_PASSING):
                continue
            is_branch = name.startswith("refs/")
            is_ahead = new and self._git.ask("merge-base", "--is-ancestor", old, new) is not None
            if is_branch and is_ahead:
                continue
            count = self._git.ask("rev-list", "--count", "--stdin", lines=[old, *tips]) or ""
            kind: _Kind = "history" if new or not is_branch else "reference"
            if is_branch or count != "0":
                yield Loss(self._folder, kind, name, count)

    def _lost_entries(self) -> Iterator[Loss]:
        # Git itself puts that work back, or among the stashes, and logs either
        is_back = any(name.endswith(("logs/HEAD", "logs/refs/stash")) for name in self._touched)
        for name in filter(_AUTOSTASH.fullmatch, () if is_back else self._touched):
            for commit in text_of(self._files(name, is_after=False).values()).split():
                yield Loss(self._folder, "stash", commit)
        for log in filter(_LOG.fullmatch, self._touched):
            reference = log.replace("logs/", "", 1)
            stays = reference in self._after or self._files(reference, is_after=True)
            # reported with the reference
            is_told = not stays and reference not in {"HEAD", "refs/stash"}
            if is_told or log not in self._files(log, is_after=False):
                continue
            lost = [*(self._log(log, is_after=False) - self._log(log, is_after=True)).elements()]
            # Git expires old entries of logs. It does not delete the logs of references that still
            # exist.
            is_gone = not self._files(log, is_after=True)
            young = [each for each in lost if is_gone or git_data.age_s(each) < _KEPT_S]
            if reference == "refs/stash":
                for commit, _, rest in (entry.partition(" ") for entry in lost):
                    yield Loss(self._folder, "stash", commit, rest.partition("\t")[2])
            elif young:
                yield Loss(self._folder, "reflog", reference, str(len(young)))

    def _log(self, log: str, *, is_after: bool) -> Counter[str]:
        return Counter(git_data.log_entries(self._files(log, is_after=is_after).values()))

    def _lost_objects(self) -> Iterator[Loss]:
        other = [
            name
            for name, change in self._changes.items()
            if name.startswith("objects/") and change.before and change.before.kind == "file"
            if not (change.after and same_content(join(self._lower, name), join(self._upper, name)))
        ]
        stays = (name for name in other if self._changes[name].after)
        is_sure = any(not _REMADE.fullmatch(name) for name in stays)
        if is_sure or (other and not self._is_whole()):
            yield Loss(self._folder, "objects")

    def _is_whole(self) -> bool:
        """Return whether everything reachable before is still complete."""
        left = join(self._own, "left")
        for name, path in self._files("objects", is_after=True).items():
            if name != "objects/info/alternates":
                os.makedirs(dirname(join(left, name)), exist_ok=True)
                os.symlink(path, join(left, name))
        shared = self._files("objects/info/alternates", is_after=True).values()
        others = [join(self._lower, "objects", line) for line in text_of(shared).splitlines()]
        stashes = self._log("logs/refs/stash", is_after=False)
        index = "".join(self._files("index", is_after=False).values())
        git = self._asking("whole", join(left, "objects"), *others)
        entries = git_data.log_entries(self._files("logs", is_after=False).values())
        young = {entry.partition(" ")[0] for entry in entries if git_data.age_s(entry) < _KEPT_S}
        recent = young - (self._git.missing(young) or set())
        since = time.time_ns() - _KEPT_LOOSE_S * 10**9
        loose = {
            "".join(found.groups())
            for name, each in self._changes.items()
            if each.before and each.before.mtime_ns > since and not each.after
            if (found := _LOOSE_OBJECT.fullmatch(name))
        }
        return git.missing(loose) == set() and git.is_whole(
            [*self._before.values(), *(entry.partition(" ")[0] for entry in stashes), *recent],
            index,
        )

    def _lost_work(self) -> Iterator[Loss]:
        """Yield the loss of uncommitted work that Git overwrote."""
        written = (self._edited.get(join(self._folder, name), {}) for name in self._touched)
        edited = {
            path: (blob_name(join(self._difference.root, path), self._form), new)
            for files in written
            for path, new in files.items()
        }
        if not edited:
            return
        tops = ("index", "logs", "worktrees", "rebase-merge", "rebase-apply", "MERGE_AUTOSTASH")
        left = [each for top in tops for each in self._files(top, is_after=True).items()]
        names = git_data.named_in(path for name, path in left if _NAMING.fullmatch(name))
        kept = [path for name, path in left if _INDEX.fullmatch(name)]
        if lost := self._git.put_over(edited, names.union(self._after.values()), kept):
            yield Loss(self._folder, "uncommitted", paths=tuple(lost))
