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
_OBJECT = re.compile(r"objects/([0-9a-f]{2}|pack|info)/[^/]+")
_REFERENCE = re.compile(r"refs/.+|[A-Z_]*HEAD")
_ID = re.compile(r"(ref: \S+|[0-9a-f]{40}|[0-9a-f]{64})\s*")


def judge_outcome(
    difference: Difference,
    losses: Sequence[Loss],
    rule: PathRule,
    allowed: Sequence[Effect] = (),
    visible: Sequence[Path] = (),
) -> Decision:
    """Return whether what a command did is committed unasked; else what is put to the user, as it happened.

    `rule` is that of the real folder. `allowed` are the effects that the user allowed before the command ran: the same on the
    same place, or below it, is not asked about again. `visible` are places that commands see beside those of the system and
    cannot write.
    """
    found = (*((effect, "") for effect in _Outcome(difference, rule, visible).effects()), *map(_loss_effect, losses))
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
    note += f" ({loss.detail})" if loss.detail else ""
    return Effect(EffectKind.DELETE, None, f"{loss.repository} {loss.name}".strip(), None, PROGRAM, note), loss.kind


class _Outcome:
    """Judges each change of a difference."""

    def __init__(self, difference: Difference, rule: PathRule, visible: Sequence[Path]) -> None:
        self._changes = {change.path: change for change in difference.changes}
        self._rule = rule
        self._visible = (*map(Path, SYSTEM), *visible)
        now = {f"{rule.root}/{change.path}": _as_entry(change.after) for change in difference.changes}
        self._disk = ChangedDisk(rule.disk, rule.root, difference.upper, now)
        self._after = replace(rule, disk=self._disk)
        self._folders: dict[Path, tuple[Path, str] | None] = {}

    def effects(self) -> Iterator[Effect]:
        """Yield what is asked about."""
        for change in self._changes.values():
            path = Path(self._rule.root, change.path)
            if change.after is not None:
                effect = self._there(change, change.after, path)
            else:
                effect = None if self._within_another(change) else self._gone(change, path)
            if effect is not None:
                yield effect

    def _within_another(self, change: Change) -> bool:
        """Return whether a folder above went the same way: then that is what happened."""
        parent = change.path
        while parent := parent.rpartition("/")[0]:
            above = self._changes.get(parent)
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
            return all(f"{change.path}/{name}" in self._changes for name in self._rule.disk.names(str(path)))
        reference = _REFERENCE.fullmatch(rest) and _ID.fullmatch(self._rule.disk.text(str(path), 1000) or "")
        return bool(reference or _OBJECT.fullmatch(rest))

    def _there(self, change: Change, after: Entry, path: Path) -> Effect | None:
        """Judge what is new or other. What an answer is remembered for is said by the content alone, or by no note at all."""
        found = self._repository(path)
        kind = EffectKind.CREATE if change.before is None else EffectKind.WRITE
        effect = Effect(kind, path, change.path, None, PROGRAM, "", change.what == "empty")
        if note := self._odd(change, after, path) or self._for_git(change, after, path, found):
            return replace(effect, note=note, wildcard=True)
        guard = Guard.STORE if self._rule.is_private(path) else self._rule.guard(path)
        own_of_git = found is not None and (fold(found[0].name) == ".git" or runs_in_git(found[1]))
        if own_of_git or fold(path.name) in _LOOKED_AT or guard is Guard.SCRATCH:
            return None
        if note := _difference_of(change, after):
            return replace(effect, note=note)
        if change.before is None and (after.kind == "folder" or guard is Guard.PROTECTED or self._is_checked_out(change)):
            return None
        return None if guard is Guard.NONE else effect

    def _is_checked_out(self, change: Change) -> bool:
        """Return whether a new file is that of the workspace itself in another checkout, where it decides nothing new."""
        parts = change.path.split("/")
        for depth in range(1, len(parts)):
            own = "/".join(parts[depth:])
            if self._disk.entry("/".join((self._rule.root, *parts[:depth], ".git"))) is not None and own not in self._changes:
                before = self._rule.disk.text(f"{self._rule.root}/{own}", _LARGEST)
                return before is not None and before == self._disk.text(f"{self._rule.root}/{change.path}", _LARGEST)
        return False

    def _odd(self, change: Change, after: Entry, path: Path) -> str:
        """Return what is wrong with the kind of entry that is there now."""
        if after.kind in {"pipe", "socket", "device"}:
            return tr("{path} is {kind} now.").format(path=change.path, kind=_KINDS[after.kind])
        if after.kind == "link":
            return self._leads_out(change, after.target, path)
        bits = after.mode & ~(change.before.mode if change.before else 0) & (0o4000 if after.kind == "folder" else 0o6000)
        note = tr("{path} would run with the rights of its owner or group (setuid, setgid).")
        return note.format(path=change.path) if bits else ""

    def _leads_out(self, change: Change, target: str, path: Path) -> str:
        if change.before is not None and change.before.target == target:
            return ""
        try:
            leads = self._after.resolve(f"{path.parent}/{target}" if target[:1] != "/" else target)
        except ValueError:
            return ""  # round in a circle: nowhere
        if self._after.place(leads) is Place.OUTSIDE and not any(leads.is_relative_to(place) for place in self._visible):
            return tr("The link {path} leads outside the workspace: {target}").format(path=change.path, target=target)
        held = fold(path.name) in _HOLD_SETTINGS or (self._repository(path) or (Path(), ""))[0].name == ".git"
        return tr("{path} decides what programs or the agent may do.").format(path=change.path) if held else ""

    def _repository(self, path: Path) -> tuple[Path, str] | None:
        """Return the repository's folder that holds a path, before or after, and the rest of the path."""
        if path.parent not in self._folders:
            self._folders[path.parent] = self._after.repository(path.parent / "_") or self._rule.repository(path.parent / "_")
        found = self._folders[path.parent]
        return None if found is None else (found[0], str(path.relative_to(found[0])))

    def _for_git(self, change: Change, after: Entry, path: Path, found: tuple[Path, str] | None) -> str:
        """Return why a change may make Git run something, "" where it does not."""
        name, text = fold(path.name), self._disk.text(str(path), _LARGEST) if after.kind == "file" else None
        if name == ".git" and after.kind != "folder":
            return (
                ""
                if self._leads_to_worktree(path, text)
                else tr("{path} makes Git use a repository elsewhere.").format(path=change.path)
            )
        if change.before is None and path.name in {"HEAD", "objects", "refs"} and self._becomes_repository(path):
            note = tr("Git takes {folder} for a repository now, with settings or hooks by which it runs programs.")
            return note.format(folder=path.parent.name)
        if name == ".gitmodules":
            return self._settings(change, path, text)
        if found is None or not runs_in_git(found[1]):
            return ""
        if name in {"config", "config.worktree"} and after.kind == "file":
            return self._settings(change, path, text)
        folder = after.kind == "folder" and (change.before is None or change.before.kind == "folder")
        if folder or (name == "commondir" and (text or "").strip() == "../.."):
            return ""
        return tr("{path} decides what programs Git runs.").format(path=change.path)

    def _settings(self, change: Change, path: Path, after: str | None) -> str:
        """Return which settings of a file are new or other and may run something."""
        before = self._rule.disk.text(str(path), _LARGEST) if change.before is not None else ""
        keys = [tr("settings that cannot be read")]
        if after is not None and before is not None:
            settings = read_settings(after)
            changed = changed_settings(read_settings(before), settings)
            keys = [
                key or "?" for key in changed if not harmless(key, settings.get(key, ()), lambda text: self._inside(path, text))
            ]
        note = tr("It changes settings by which Git may run programs or reach other places, in {path}: {keys}.")
        return note.format(path=change.path, keys=", ".join(keys)) if keys else ""

    def _inside(self, path: Path, text: str) -> bool:
        """Return whether a path in a file of settings leads to a place in the workspace."""
        leads = self._after.resolve(text if text.startswith("/") else f"{path.parent}/{text}")
        return "::" not in text and not text.startswith(("-", "!")) and self._after.inside(leads)

    def _becomes_repository(self, path: Path) -> bool:
        """Return whether a folder that held settings or hooks before is only now one that Git takes for a repository."""
        held = any(self._rule.disk.entry(f"{path.parent}/{name}") is not None for name in ("config", "hooks"))
        return held and self._after.repository(path) is not None and self._rule.repository(path) is None

    def _leads_to_worktree(self, path: Path, text: str | None) -> bool:
        """Return whether a file ``.git`` names a folder in another one's ``.git``, as for worktrees and submodules."""
        prefix, _, target = (text or "").strip().partition(": ")
        leads = self._after.resolve(target if target.startswith("/") else f"{path.parent}/{target}")
        held = self._after.repository(leads / "_")
        return prefix == "gitdir" and held is not None and fold(held[0].name) == ".git" and self._after.inside(leads)


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
