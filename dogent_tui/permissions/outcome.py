"""What a command did, judged when it has ended: the difference that it left becomes effects, and these a decision."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from dogent_tui.language import tr
from dogent_tui.permissions.disk import ChangedDisk
from dogent_tui.permissions.disk import Entry as DiskEntry
from dogent_tui.permissions.git_config import changed_settings, harmless, read_settings
from dogent_tui.permissions.judgement import decide_effects
from dogent_tui.permissions.model import Decision, Effect, EffectKind
from dogent_tui.permissions.paths import Guard, PathRule, Place, fold, runs_in_git
from dogent_tui.permissions.shell.reading import PROGRAM, SYSTEM
from dogent_tui.wall.changes import Change, Difference, Entry, Loss

_LARGEST = 1_000_000
"""Bytes of a file of settings that is looked into."""
_LOOKED_AT = {".git", ".gitmodules"}
"""Names whose content decides."""
_HOLD_SETTINGS = {".vscode", ".idea", ".run", ".zed", ".config"}
"""Folders with settings that start programs: no link may stand for one."""
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
    "history": tr("In the Git repository {repository}, {name} no longer reaches commits that it reached before."),
    "stash": tr("Stashed changes of the Git repository {repository} are gone."),
    "reflog": tr("The reflog of {name} in the Git repository {repository} lost entries, which are needed to recover commits."),
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
_OBJECT = re.compile(r"objects/([0-9a-f]{2}|pack|info)/[^/]+")
_REFERENCE = re.compile(r"refs/.+|[A-Z_]*HEAD")
_ID = re.compile(r"(ref: \S+|[0-9a-f]{40}|[0-9a-f]{64})\s*")


def judge_outcome(difference: Difference, losses: Sequence[Loss], rule: PathRule, allowed: Sequence[Effect] = ()) -> Decision:
    """Return whether what a command did is committed unasked; else what is put to the user, as it happened.

    `rule` is that of the real folder. `allowed` are the effects that the user allowed before the command ran: the same on the
    same place, or below it, is not asked about again.
    """
    found = (*((effect, "") for effect in _Outcome(difference, rule).effects()), *map(_loss_effect, losses))
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
        self._folders: dict[Path, tuple[Path, str] | None] = {}

    def effects(self) -> Iterator[Effect]:
        """Yield what is asked about."""
        for change in self._changes:
            if change.after is None and self._within_another(change):
                continue
            path = Path(self._rule.root, change.path)
            effect = self._gone(change, path) if change.after is None else self._there(change, change.after, path)
            if effect is not None:
                yield effect

    def _within_another(self, change: Change) -> bool:
        """Return whether a folder above went the same way: then that is what happened."""
        parent = change.path
        while parent := parent.rpartition("/")[0]:
            above = self._by_path.get(parent)
            if above is None or above.what != change.what or above.before is None or above.before.kind != "folder":
                continue
            if change.what == "delete":
                return self._repository(Path(self._rule.root, parent)) is None  # in a repository each file counts
            if change.moved_to == above.moved_to + change.path.removeprefix(above.path):
                return True
        return False

    def _gone(self, change: Change, path: Path) -> Effect | None:
        found = self._repository(path)
        if found is not None and self._is_own_of_git(change, path, *found):
            return None
        kind = EffectKind.MOVE if change.what == "move" else EffectKind.DELETE
        return Effect(kind, path, change.moved_to, None, PROGRAM, wildcard=self._rule.holds_guarded(path))

    def _is_own_of_git(self, change: Change, path: Path, folder: Path, rest: str) -> bool:
        """Return whether a file that went is one that Git itself takes away; what that loses is said by the losses."""
        if runs_in_git(rest) or fold(rest).startswith("hooks/"):
            return False
        if fold(folder.name) == ".git":
            return True
        if change.before is not None and change.before.kind == "folder":
            return all(f"{change.path}/{name}" in self._by_path for name in self._rule.disk.names(str(path)))
        reference = _REFERENCE.fullmatch(rest) and _ID.fullmatch(self._rule.disk.text(str(path), 1000) or "")
        return bool(reference or _OBJECT.fullmatch(rest))

    def _there(self, change: Change, after: Entry, path: Path) -> Effect | None:
        found = self._repository(path)
        if note := self._odd(change, after, path):
            return _asked(change, path, note)
        if note := self._for_git(change, after, path, found):
            return _asked(change, path, note)
        if found is not None and (fold(found[0].name) == ".git" or runs_in_git(found[1])):
            return None
        guard = Guard.STORE if self._rule.is_private(path) else self._rule.guard(path)
        if fold(path.name) in _LOOKED_AT or guard is Guard.SCRATCH:
            return None
        if note := _difference_of(change, after):
            return _asked(change, path, note, sure=True)
        new = change.before is None
        free = after.kind == "folder" if new else False
        guarded = guard in {Guard.PRIVILEGED, Guard.STORE} or (guard is Guard.PROTECTED and not new)
        return _asked(change, path, "", sure=True) if guarded and not free else None

    def _odd(self, change: Change, after: Entry, path: Path) -> str:
        """Return what is wrong with the kind of entry that is there now."""
        if after.kind in {"pipe", "socket", "device"}:
            return tr("{path} is {kind} now.").format(path=change.path, kind=_KINDS[after.kind])
        if after.kind == "link":
            return self._leads_out(change, after, path)
        bits = after.mode & ~(change.before.mode if change.before else 0) & (0o4000 if after.kind == "folder" else 0o6000)
        if not bits:
            return ""
        return tr("{path} would run with the rights of its owner or group (setuid, setgid).").format(path=change.path)

    def _leads_out(self, change: Change, after: Entry, path: Path) -> str:
        target = after.target
        if change.before is not None and change.before.target == target:
            return ""
        try:
            leads = self._after.resolve(target if target.startswith("/") else f"{path.parent}/{target}")
        except ValueError:
            return ""  # round in a circle: nowhere
        if self._after.place(leads) is not Place.OUTSIDE or any(leads.is_relative_to(place) for place in SYSTEM):
            known = fold(path.name) in _HOLD_SETTINGS or (self._repository(path) or (Path(), ""))[0].name == ".git"
            return tr("{path} decides what programs or the agent may do.").format(path=change.path) if known else ""
        return tr("The link {path} leads outside the workspace: {target}").format(path=change.path, target=target)

    def _repository(self, path: Path) -> tuple[Path, str] | None:
        """Return the repository's folder that holds a path, before or after, and the rest of the path."""
        if path.parent not in self._folders:
            self._folders[path.parent] = self._after.repository(path.parent / "_") or self._rule.repository(path.parent / "_")
        found = self._folders[path.parent]
        return None if found is None else (found[0], str(path.relative_to(found[0])))

    def _for_git(self, change: Change, after: Entry, path: Path, found: tuple[Path, str] | None) -> str:
        """Return why a change may make Git run something, "" where it does not."""
        name = fold(path.name)
        if name == ".git" and after.kind != "folder":
            return self._pointer(change, path)
        if name == ".gitmodules":
            return self._settings(change, path)
        if change.before is None and path.name in {"HEAD", "objects", "refs"} and self._is_new(path):
            return self._held_before(path.parent)
        if found is None or not runs_in_git(found[1]):
            return ""
        if name in {"config", "config.worktree"} and after.kind == "file":
            return self._settings(change, path)
        if name == "commondir" and (self._disk.text(str(path), 1000) or "").strip() == "../..":
            return ""
        if after.kind == "folder" and (change.before is None or change.before.kind == "folder"):
            return ""
        return tr("{path} decides what programs Git runs.").format(path=change.path)

    def _settings(self, change: Change, path: Path) -> str:
        keys = self._dangerous(path, change.before is not None)
        note = tr("It changes settings in {path} that let Git run programs or reach other places: {keys}.")
        return note.format(path=change.path, keys=", ".join(keys)) if keys else ""

    def _dangerous(self, path: Path, existed: bool) -> list[str]:
        """Return the settings of a file that are new or other, and may run something."""
        after = self._disk.text(str(path), _LARGEST)
        before = self._rule.disk.text(str(path), _LARGEST) if existed else ""
        if after is None or before is None:
            return [tr("settings that cannot be read")]
        settings = read_settings(after)

        def inside(text: str) -> bool:
            leads = self._after.resolve(text if text.startswith("/") else f"{path.parent}/{text}")
            return "::" not in text and not text.startswith(("-", "!")) and self._after.inside(leads)

        keys = changed_settings(read_settings(before), settings)
        return [key or "?" for key in keys if not harmless(key, settings.get(key, ()), inside)]

    def _is_new(self, path: Path) -> bool:
        """Return whether only now a path lies in a folder that Git takes for a repository."""
        return self._after.repository(path) is not None and self._rule.repository(path) is None

    def _held_before(self, folder: Path) -> str:
        """Return what is wrong with a folder that becomes a repository: its settings and hooks may have been there before."""
        hooks = [name for name in self._rule.disk.names(f"{folder}/hooks") if not name.endswith(".sample")]
        config = self._rule.disk.entry(f"{folder}/config") is not None
        if not hooks and not (config and self._dangerous(folder / "config", existed=False)):
            return ""
        note = tr("Git now treats {folder} as a repository, with settings or hooks that make it run programs.")
        return note.format(folder=folder.name)

    def _pointer(self, change: Change, path: Path) -> str:
        """A file ``.git`` says where the repository lies: in another one's ``.git``, as for worktrees and submodules, it may."""
        prefix, _, target = (self._disk.text(str(path), 5000) or "").strip().partition(": ")
        leads = self._after.resolve(target if target.startswith("/") else f"{path.parent}/{target}")
        held = self._after.repository(leads / "_")
        if prefix == "gitdir" and held is not None and fold(held[0].name) == ".git" and self._after.inside(leads):
            return ""
        return tr("{path} makes Git use a repository elsewhere.").format(path=change.path)


def _asked(change: Change, path: Path, note: str, sure: bool = False) -> Effect:
    kind = EffectKind.CREATE if change.before is None else EffectKind.WRITE
    return Effect(kind, path, change.path, None, PROGRAM, note, change.what == "empty", not sure)


def _difference_of(change: Change, after: Entry) -> str:
    """Return what happened to an entry that was there before, "" where its content alone is other."""
    before = change.before
    if before is None or change.what == "edit":
        return ""
    if change.what == "empty":
        return tr("It leaves {path} empty.").format(path=change.path)
    if change.what == "replace":
        note = tr("{path} was {before} and is {after} now.")
        return note.format(path=change.path, before=_KINDS[before.kind], after=_KINDS[after.kind])
    note = tr("It changes the permissions of {path} from {before:o} to {after:o}.")
    return "" if after.kind == "link" else note.format(path=change.path, before=before.mode, after=after.mode)


def _as_entry(entry: Entry | None) -> tuple[DiskEntry, str] | None:
    if entry is None:
        return None
    kind = entry.kind if entry.kind in {"file", "folder", "link"} else "other"
    return DiskEntry(kind, (entry.device, entry.inode), 1, entry.size), entry.target
