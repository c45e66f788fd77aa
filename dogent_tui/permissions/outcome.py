"""What a command did, judged when it has ended: the difference that it left becomes effects, and these a decision."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from dogent_tui.language import tr
from dogent_tui.permissions.disk import ChangedDisk
from dogent_tui.permissions.disk import Entry as DiskEntry
from dogent_tui.permissions.git_config import changed_settings, harmless, read_settings
from dogent_tui.permissions.judgement import decide_effects
from dogent_tui.permissions.model import Decision, Effect, EffectKind
from dogent_tui.permissions.paths import Guard, PathRule, Place, fold, runs_in_git
from dogent_tui.permissions.shell.reading import PROGRAM, VISIBLE
from dogent_tui.wall.changes import Change, Difference, Entry, Loss

_LARGEST = 1_000_000
"""Bytes of a file of settings that is looked into."""
_SPECIAL_BITS = 0o6000
_KINDS = {
    "file": tr("a file"),
    "folder": tr("a folder"),
    "link": tr("a link"),
    "pipe": tr("a pipe"),
    "socket": tr("a socket"),
    "device": tr("a device"),
}
_LOSSES = {
    "reference": tr("{name} is gone from the Git repository {repository}."),
    "history": tr("{name} of the Git repository {repository} no longer leads to commits that it led to."),
    "stash": tr("Stashed changes of the Git repository {repository} are gone."),
    "reflog": tr("The reflog of {name} in the Git repository {repository} lost entries, by which commits are found again."),
    "objects": tr("Commits or files are gone from the Git repository {repository}."),
    "uncommitted": tr("Changes that were not committed are lost in the Git repository {repository}: {paths}."),
}
_COVERED = {
    "git reset": {"uncommitted", "history"},
    "git branch": {"reference"},
    "git tag": {"reference"},
    "git stash": {"stash"},
}
"""What was asked about before the command ran → the losses that this meant."""
_OBJECT = re.compile(r"objects/([0-9a-f]{2}|pack|info)/[^/]+|packed-refs|gc\.(pid|log)|shallow|index")
_REFERENCE = re.compile(r"refs/.+|[A-Z_]*HEAD")
_ID = re.compile(r"(ref: \S+|[0-9a-f]{40}|[0-9a-f]{64})\s*")


def judge_outcome(difference: Difference, losses: Sequence[Loss], rule: PathRule, allowed: Sequence[Effect] = ()) -> Decision:
    """Return whether what a command did is committed unasked; else what is put to the user, as it happened.

    `rule` is that of the real folder. `allowed` are the effects that the user allowed before the command ran: the same on the
    same place, or below it, is not asked about again.
    """
    found = (*_Outcome(difference, rule).effects(), *map(_loss_effect, losses))
    left = [effect for effect, loss in found if not any(_covers(one, effect, loss) for one in allowed)]
    return decide_effects(tuple(left), rule)


def _covers(allowed: Effect, effect: Effect, loss: str) -> bool:
    if loss:
        return allowed.kind is EffectKind.DELETE and loss in _COVERED.get(allowed.written, ())
    if allowed.kind is not effect.kind or allowed.path is None or effect.path is None or allowed.replaces != effect.replaces:
        return False
    below = effect.kind in {EffectKind.DELETE, EffectKind.MOVE} and allowed.path in effect.path.parents
    return allowed.path == effect.path or below


def _loss_effect(loss: Loss) -> tuple[Effect, str]:
    repository = loss.repository if loss.repository not in {"", "."} else tr("of the workspace")
    shown = ", ".join(loss.paths[:5]) + (", …" if len(loss.paths) > 5 else "")
    note = _LOSSES[loss.kind].format(name=loss.name, repository=repository, paths=shown)
    if loss.detail:
        note = f"{note} ({loss.detail})"
    return Effect(EffectKind.DELETE, None, f"{loss.repository} {loss.name}".strip(), None, PROGRAM, note), loss.kind


class _Outcome:
    """Judges each change of a difference."""

    def __init__(self, difference: Difference, rule: PathRule) -> None:
        self._changes = difference.changes
        self._by_path = {change.path: change for change in difference.changes}
        self._rule = rule
        now = {f"{rule.root}/{change.path}": _as_entry(change.after) for change in difference.changes}
        self._disk = ChangedDisk(rule.disk, rule.root, difference.upper, now)
        self._after = replace(rule, disk=self._disk)
        self._repositories: dict[str, tuple[str, str] | None] = {}

    def effects(self) -> Iterator[tuple[Effect, str]]:
        """Yield what is asked about, each with "" for the kind of loss that it is not."""
        for change in self._changes:
            if not self._within_another(change) and (effect := self._effect(change)) is not None:
                yield effect, ""
        for effect in self._new_repositories():
            yield effect, ""

    def _within_another(self, change: Change) -> bool:
        """Return whether a folder above went the same way: then that is what happened."""
        if change.what not in {"delete", "move"}:
            return False
        for parent in PurePosixPath(change.path).parents:
            above = self._by_path.get(str(parent))
            if above is None or above.what != change.what or above.before is None or above.before.kind != "folder":
                continue
            if change.what == "move" and change.moved_to != above.moved_to + change.path.removeprefix(above.path):
                continue
            return not (change.what == "delete" and self._repository(above.path))  # in a repository each file counts
        return False

    def _effect(self, change: Change) -> Effect | None:
        path = Path(self._rule.root, change.path)
        git = self._repository(change.path)
        if change.after is None:
            kind = EffectKind.MOVE if change.what == "move" else EffectKind.DELETE
            if git is not None and self._own_of_git(change, *git):
                return None
            below = any(self._is_guarded(other.path) for other in self._below(change))
            return Effect(kind, path, change.moved_to, None, PROGRAM, wildcard=below)
        if note := self._odd(change, change.after, path):
            kind = EffectKind.CREATE if change.before is None else EffectKind.WRITE
            return Effect(kind, path, change.path, None, PROGRAM, note, wildcard=True)
        if git is not None:
            return self._in_git(change, path, *git)
        if fold(path.name) == ".gitmodules":
            return self._settings(change, path)
        return self._ordinary(change, path)

    def _below(self, change: Change) -> Iterator[Change]:
        if change.before is not None and change.before.kind == "folder":
            yield from (other for other in self._changes if other.path.startswith(f"{change.path}/"))

    def _is_guarded(self, shown: str) -> bool:
        return self._rule.guard(Path(self._rule.root, shown)) not in {Guard.NONE, Guard.SCRATCH}

    def _ordinary(self, change: Change, path: Path) -> Effect | None:
        guard = self._rule.guard(path)
        shown = change.path
        if change.before is None:
            if guard in {Guard.PRIVILEGED, Guard.STORE} and (change.after is None or change.after.kind != "folder"):
                return Effect(EffectKind.CREATE, path, shown, None, PROGRAM)
            return None
        note = _difference_of(change)
        if note and guard is not Guard.SCRATCH:
            return Effect(EffectKind.WRITE, path, shown, None, PROGRAM, note, replaces=change.what == "empty")
        if guard in {Guard.PROTECTED, Guard.PRIVILEGED, Guard.STORE}:
            return Effect(EffectKind.WRITE, path, shown, None, PROGRAM)
        return None

    def _odd(self, change: Change, after: Entry, path: Path) -> str:
        """Return what is wrong with the kind of entry that is there now."""
        if after.kind in {"pipe", "socket", "device"}:
            return tr("{path} is {kind} now.").format(path=change.path, kind=_KINDS[after.kind])
        bits = after.mode & _SPECIAL_BITS & ~(change.before.mode if change.before else 0)
        if after.kind == "folder":
            above = self._by_path.get(str(PurePosixPath(change.path).parent))
            inherited = above is not None and above.after is not None and above.after.mode & _SPECIAL_BITS
            bits = bits & ~0o2000 if inherited or change.before is None else bits
        if bits and after.kind != "link":
            return tr("{path} would run with the rights of its owner or group (setuid, setgid).").format(path=change.path)
        if after.kind == "link" and (change.before is None or change.before.target != after.target):
            return self._leads_out(change.path, after.target, path)
        return ""

    def _leads_out(self, shown: str, target: str, path: Path) -> str:
        try:
            leads = self._after.resolve(f"{path.parent}/{target}" if not target.startswith("/") else target)
        except ValueError:
            return ""  # round in a circle: nowhere
        seen = (*VISIBLE, "/dev/null")
        if self._after.place(leads) is not Place.OUTSIDE or any(
            str(leads) == place or str(leads).startswith(f"{place}/") for place in seen if not place.startswith(("/proc", "/sys"))
        ):
            return ""
        return tr("The link {path} leads outside the workspace: {target}").format(path=shown, target=target)

    def _repository(self, shown: str) -> tuple[str, str] | None:
        """Return the repository's folder that holds a path, before or after, and the rest of the path."""
        folder = str(PurePosixPath(shown).parent)
        if folder not in self._repositories:
            inside = Path(self._rule.root, folder, "x")
            found = self._after.repository(inside) or self._rule.repository(inside)
            rest = None if found is None else found[1].rpartition("/")[0]
            self._repositories[folder] = None if found is None else (str(found[0]), rest or "")
        known = self._repositories[folder]
        name = PurePosixPath(shown).name
        return None if known is None else (known[0], f"{known[1]}/{name}" if known[1] else name)

    def _own_of_git(self, change: Change, folder: str, rest: str) -> bool:
        """Return whether a file that went is one that Git itself takes away; what that loses is said by the losses."""
        if runs_in_git(rest) or fold(rest).startswith("hooks/"):
            return False
        if fold(Path(folder).name) == ".git":
            return True
        if change.before is not None and change.before.kind == "folder":
            names = self._rule.disk.names(f"{self._rule.root}/{change.path}")
            return all(f"{change.path}/{name}" in self._by_path for name in names)
        if _REFERENCE.fullmatch(rest):
            text = self._rule.disk.text(f"{self._rule.root}/{change.path}", 1000)
            return text is not None and _ID.fullmatch(text) is not None
        return _OBJECT.fullmatch(rest) is not None

    def _in_git(self, change: Change, path: Path, _folder: str, rest: str) -> Effect | None:
        name = fold(rest).rpartition("/")[2]
        after = change.after
        if not runs_in_git(rest) or after is None or (after.kind == "folder" and change.before is None):
            return None
        if name in {"config", "config.worktree"} and after.kind == "file":
            return self._settings(change, path)
        if name == "commondir" and (self._disk.text(str(path), 1000) or "").strip() == "../..":
            return None
        if change.before is not None and change.before.kind == "folder" == after.kind:
            return None
        return self._asked(change, path, tr("{path} decides what programs Git runs.").format(path=change.path))

    def _settings(self, change: Change, path: Path) -> Effect | None:
        keys = self._dangerous(path, change.before is not None)
        if not keys:
            return None
        note = tr("It changes settings by which Git may run programs or reach other places, in {path}: {keys}.")
        return self._asked(change, path, note.format(path=change.path, keys=", ".join(keys)))

    def _dangerous(self, path: Path, existed: bool) -> list[str]:
        """Return the settings of a file that are new or other, and may run something."""
        after = self._disk.text(str(path), _LARGEST)
        before = self._rule.disk.text(str(path), _LARGEST) if existed else ""
        if after is None or before is None:
            return [tr("settings that cannot be read")]
        settings = read_settings(after)
        keys = changed_settings(read_settings(before), settings)

        def inside(text: str) -> bool:
            if "::" in text or text.startswith(("-", "!")):
                return False
            return self._after.place(self._after.resolve(f"{path.parent}/{text}" if text[:1] != "/" else text)) is Place.INSIDE

        return [key or "?" for key in keys if not harmless(key, settings.get(key, ()), inside)]

    def _asked(self, change: Change, path: Path, note: str) -> Effect:
        kind = EffectKind.CREATE if change.before is None else EffectKind.WRITE
        return Effect(kind, path, change.path, None, PROGRAM, note, wildcard=True)

    def _new_repositories(self) -> Iterator[Effect]:
        """Yield folders that Git takes for a repository only now: their settings and hooks may have been there before."""
        for change in self._changes:
            name = PurePosixPath(change.path).name
            folder = Path(self._rule.root, change.path).parent
            if change.before is not None or change.after is None:
                continue
            if name in {"HEAD", "objects", "refs"} and fold(folder.name) != ".git":
                if self._after.repository(folder / "x") and not self._rule.repository(folder / "x"):
                    yield from self._unchanged(change, folder)
            elif fold(name) == ".git" and change.after.kind != "folder":
                yield from self._pointer(change, folder)

    def _unchanged(self, change: Change, folder: Path) -> Iterator[Effect]:
        config = str((folder / "config").relative_to(self._rule.root))
        hooks = [name for name in self._rule.disk.names(f"{folder}/hooks") if not name.endswith(".sample")]
        if hooks or (config not in self._by_path and self._dangerous(folder / "config", False) and self._exists(folder)):
            note = tr("Git takes {folder} for a repository now, with settings or hooks by which it runs programs.")
            yield self._asked(change, Path(self._rule.root, change.path), note.format(folder=folder.name))

    def _exists(self, folder: Path) -> bool:
        return self._rule.disk.entry(f"{folder}/config") is not None

    def _pointer(self, change: Change, folder: Path) -> Iterator[Effect]:
        """A file ``.git`` says where the repository lies: in another one's folder, as for worktrees and submodules, it may."""
        path = Path(self._rule.root, change.path)
        text = (self._disk.text(str(path), 5000) or "").strip()
        target = self._after.resolve(f"{folder}/{text.removeprefix('gitdir: ')}".replace(f"{folder}//", "/"))
        held = self._after.repository(target / "x")
        if not text.startswith("gitdir: ") or not self._after.inside(target) or held is None or held[0].name != ".git":
            yield self._asked(change, path, tr("{path} makes Git use a repository elsewhere.").format(path=change.path))


def _difference_of(change: Change) -> str:
    """Return what happened to an entry that was there before, "" where its content alone is other."""
    before, after = change.before, change.after
    if before is None or after is None:
        return ""
    if change.what == "replace":
        return tr("{path} was {before} and is {after} now.").format(
            path=change.path, before=_KINDS[before.kind], after=_KINDS[after.kind]
        )
    if change.what == "empty":
        return tr("It leaves {path} empty.").format(path=change.path)
    if before.mode != after.mode and after.kind != "link":
        return tr("It changes the permissions of {path} from {before:o} to {after:o}.").format(
            path=change.path, before=before.mode, after=after.mode
        )
    return ""


def _as_entry(entry: Entry | None) -> tuple[DiskEntry, str] | None:
    if entry is None:
        return None
    kind = entry.kind if entry.kind in {"file", "folder", "link"} else "other"
    return DiskEntry(kind, (entry.device, entry.inode), 1, entry.size), entry.target
