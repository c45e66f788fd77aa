"""Judges what a command did after it has ended: its difference becomes effects, and these a
decision.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from msgspec import structs

from dogent_tui.language import and_more, tr
from dogent_tui.permissions.disk import ChangedDisk, Disk
from dogent_tui.permissions.git_config import harmless, named_by
from dogent_tui.permissions.judgement import decide_effects
from dogent_tui.permissions.model import Decision, Effect, EffectKind
from dogent_tui.permissions.paths import Guard, PathRule, fold, runs_in_git
from dogent_tui.permissions.shell.early_effects import PROGRAM, SYSTEM
from dogent_tui.permissions.text import names
from dogent_tui.undo.changes import Change, Difference, Entry, Loss
from dogent_tui.undo.git_data import Settings, git_folders, settings_of

_LARGEST = 1_000_000
"""The largest configuration file to inspect, in bytes."""
_LOOKED_AT = {".git", ".gitmodules"}
"""File names whose content determines the verdict."""
_HOLD_SETTINGS = names(
    ".vscode .cursor .windsurf .roo .gemini .codex .idea .run .zed .hg .config .local"
)
"""Folders with settings that start programs: a link must not take their place."""
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
    "history": tr(
        "In the Git repository {repository}, {name} no longer reaches commits that it used to"
        " reach."
    ),
    "stash": tr("Stashed changes in the Git repository {repository} are gone."),
    "reflog": tr(
        "The reflog of {name} in the Git repository {repository} lost entries needed to recover"
        " commits."
    ),
    "objects": tr("Commits or files are gone from the Git repository {repository}."),
    "uncommitted": tr("Uncommitted changes in the Git repository {repository} are lost: {paths}."),
}
_COVERED = {
    "git reset": {"uncommitted", "history"},
    "git branch": {"reference"},
    "git tag": {"reference"},
    "git stash": {"stash"},
}
"""An effect that was approved before the command ran → the losses this implied."""
_RIGHTS = {True: 0o4000, False: 0o6000}
"""The mode bits by which a folder or a file gives away rights."""
_GITS_OWN = re.compile(
    r"((modules|worktrees)/.+/)?([A-Z_]+|index|packed-refs|shallow|description|config(\.worktree)?"
    r"|commondir|gitdir|locked|gc\.(log|pid)|.+\.lock|(ADD_EDIT|addp-.+)\.(patch|diff)"
    r"|sharedindex\..+|info/(refs|packs|sparse-checkout|grafts)"
    r"|(objects|refs|logs|branches|rebase-\w+|sequencer|rr-cache|reftable|hooks)/.+)",
    re.DOTALL,
)
"""What Git itself keeps in a folder ``.git``; other tools keep data of the user's there, too."""
_TURNS = re.compile(r"(?:^|/)(?!\.{1,2}/)[^/]+/(?:\.?/)*\.\.(?:/|$)")
"""A way back out of a named folder. Where that leads depends on what link takes its place."""
_TO_DO = re.compile(
    r"((modules|worktrees)/.+/)?(rebase-merge/(git-rebase-todo|strategy)|sequencer/opts)"
)
_RUNS = re.compile(r"^(?:[ \t]*(?:x|exec)\s|\S*/).*|strategy\s*=.*", re.MULTILINE | re.IGNORECASE)
"""What makes a rebase or cherry-pick under way run a program: a line to execute, or a strategy of
its own.
"""
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
    """Return whether to commit what a command did without a question, or what to ask about.

    `rule` is that of the real folder. `allowed` are the effects that the user approved before the
    command ran: the same effect on the same place, or below it, is not asked about again. `visible`
    are further places that commands see but cannot write to.
    """
    repositories = [effect.written for effect in allowed if effect.path is None]
    meant = {loss for written in repositories for loss in _COVERED.get(written, ())}
    lost = [_loss_effect(loss) for loss in losses if loss.kind not in meant]
    done = _Outcome(difference, rule, visible).effects()
    left = [effect for effect in done if not any(_covers(one, effect) for one in allowed)]
    return decide_effects((*left, *lost), rule)


def _covers(allowed: Effect, effect: Effect) -> bool:
    if allowed.path is None or effect.path is None:
        return False
    below = effect.kind.removes and allowed.path in effect.path.parents
    same = allowed.kind is effect.kind and allowed.replaces == effect.replaces
    return same and (allowed.path == effect.path or below)


def _loss_effect(loss: Loss) -> Effect:
    repository = loss.repository if loss.repository not in {"", "."} else tr("of the workspace")
    paths = and_more(loss.paths, 5)
    note = _LOSSES[loss.kind].format(name=loss.name, repository=repository, paths=paths)
    note += f" ({loss.detail})" if loss.detail else ""
    lost = f"{loss.repository} {loss.name}".strip()
    return Effect(EffectKind.DELETE, None, lost, None, PROGRAM, note)


class _Outcome:
    """Judges each change of a difference."""

    def __init__(self, difference: Difference, rule: PathRule, visible: Sequence[Path]) -> None:
        self._changes = {change.path: change for change in difference.changes}
        self._rule = rule
        self._visible = (*map(Path, SYSTEM), *visible)
        # other names are in the layer, too
        now = {
            f"{rule.root}/{one.path}": one.after and structs.replace(one.after, names=1)
            for one in difference.changes
        }
        self._disk = ChangedDisk(rule.root, difference.upper, now)
        self._after = replace(rule, disk=self._disk)
        self._included, self._hooks = self._named_by_git()

    def _named_by_git(self) -> tuple[set[Path], set[Path]]:
        """Return the configuration files that the repositories around the changes include, and
        their hook folders.

        These are the settings before the command: changes to them are asked about separately.
        """
        root, changed = Path(self._rule.root), set[Path]()
        for path in self._changes:
            folder = Path(root, path).parent
            while folder not in changed:
                changed.add(folder)
                folder = folder.parent
        own = [Path(self._rule.home, name) for name in (".gitconfig", ".config/git/config")]
        files = [
            (Path(place, name), folder)
            for folder in changed
            for place in {*git_folders(str(folder))}
            for name in ("config", "config.worktree")
        ]
        folders = {root, *(folder for _, folder in files)}
        files += [(file, folder) for file in own for folder in folders]
        return named_by(files, partial(self._settings_in, self._rule.disk), self._named)

    def _settings_in(self, disk: Disk, path: Path) -> Settings | None:
        """Return the settings of a configuration file, None if they cannot be read."""
        return settings_of(disk.text(str(path), _LARGEST), self._rule.root)

    def _named(self, near: Path, text: str) -> Path:
        """Resolve a path in the settings relative to the folder `near`."""
        place = f"{self._rule.home}{text[1:]}" if text.startswith("~/") else str(near / text)
        return self._rule.resolve(place)

    def effects(self) -> Iterator[Effect]:
        """Yield the effects to ask about."""
        for change in self._changes.values():
            path = Path(self._rule.root, change.path)
            if self._within_another(change):
                continue
            after = change.after
            effect = self._there(change, after, path) if after else self._gone(change, path)
            if effect is not None:
                yield effect

    def _within_another(self, change: Change) -> bool:
        """Return whether a parent folder went the same way, in which case only the folder is
        reported.
        """
        parent, _, name = change.path.rpartition("/")
        if (above := self._changes.get(parent)) is None:
            return False
        if above.what == change.what == "delete":  # in a repository every file counts
            return self._repository(Path(self._rule.root, parent)) is None
        ways = (change.moved_to, above.moved_to), (change.moved_from, above.moved_from)
        return any(way and way == f"{folder}/{name}" for way, folder in ways)

    def _gone(self, change: Change, path: Path) -> Effect | None:
        found = self._repository(path)
        if found is not None and self._is_own_of_git(change, path, *found):
            return None
        kind = EffectKind.MOVE if change.what == "move" else EffectKind.DELETE
        guarded = self._rule.holds_guarded(path)
        return Effect(kind, path, change.moved_to, None, PROGRAM, wildcard=guarded)

    def _is_own_of_git(self, change: Change, path: Path, folder: Path, rest: str) -> bool:
        """Return whether Git itself removes a file like this; any loss is then reported as a loss
        of history.
        """
        if runs_in_git(rest) or fold(rest).startswith("hooks/") or rest == "HEAD":
            return False
        if change.before is not None and change.before.kind == "folder":
            below = self._rule.disk.names(str(path))
            return all(f"{change.path}/{name}" in self._changes for name in below)
        if fold(folder.name) == ".git":
            return _GITS_OWN.fullmatch(rest) is not None
        text = self._rule.disk.text(str(path), 1000) or ""
        return bool(_OBJECT.fullmatch(rest) or (_REFERENCE.fullmatch(rest) and _ID.fullmatch(text)))

    def _there(self, change: Change, after: Entry, path: Path) -> Effect | None:
        """Judge a new or changed entry. An answer is remembered for the content alone, or for the
        place if there is no note.
        """
        found = self._repository(path)
        kind = EffectKind.CREATE if change.before is None else EffectKind.WRITE
        replaces = change.what in {"empty", "replace"}
        effect = Effect(kind, path, change.path, None, PROGRAM, "", replaces)
        if note := self._odd(change, after, path) or self._for_git(change, after, path, found):
            return replace(effect, note=note, wildcard=True)
        guard = Guard.STORE if self._rule.is_private(path) else self._rule.guard(path)
        in_git = found is not None and (fold(found[0].name) == ".git" or runs_in_git(found[1]))
        own = found is not None and in_git and _GITS_OWN.fullmatch(found[1])
        if own or fold(path.name) in _LOOKED_AT or guard is Guard.SCRATCH:
            return None
        if note := _difference_of(change, after):
            return replace(effect, note=note)
        if in_git:
            return None
        free = after.kind == "folder" or guard is Guard.PROTECTED or self._is_checked_out(change)
        return None if guard is Guard.NONE or (change.before is None and free) else effect

    def _is_checked_out(self, change: Change) -> bool:
        """Return whether a new file equals the workspace's own file in another checkout, where it
        changes nothing.
        """
        parts = change.path.split("/")
        for depth in range(1, len(parts)):
            own, repository = "/".join(parts[depth:]), "/".join((*parts[:depth], ".git"))
            if own not in self._changes and self._disk.entry(f"{self._rule.root}/{repository}"):
                ours = self._rule.disk.text(f"{self._rule.root}/{own}", _LARGEST)
                theirs = self._disk.text(f"{self._rule.root}/{change.path}", _LARGEST)
                return ours is not None and ours == theirs
        return False

    def _odd(self, change: Change, after: Entry, path: Path) -> str:
        """Return what is wrong with the new kind of entry."""
        if after.kind in {"pipe", "socket", "device"}:
            return tr("{path} is now {kind}.", path=change.path, kind=_KINDS[after.kind])
        if after.kind == "link":
            return self._leads_out(change, after.target, path)
        new = after.mode & ~(change.before.mode if change.before else 0)
        note = tr("{path} would run with the permissions of its owner or group (setuid, setgid).")
        return note.format(path=change.path) if new & _RIGHTS[after.kind == "folder"] else ""

    def _leads_out(self, change: Change, target: str, path: Path) -> str:
        if change.before is not None and change.before.target == target:
            return ""
        try:
            leads = self._after.resolve(f"{path.parent}/{target}" if target[:1] != "/" else target)
        except ValueError:
            return ""  # a cycle: leads nowhere
        hidden = not any(leads.is_relative_to(place) for place in self._visible)
        note = tr("The link {path} points outside the workspace: {target}")
        if self._after.inside(leads):
            note = tr("The link {path} leads into a folder and back, so it can change: {target}")
            hidden = _TURNS.search(target) is not None
        if hidden:
            return note.format(path=change.path, target=target)
        repository, _ = self._repository(path) or (Path(), "")
        held = fold(path.name) in _HOLD_SETTINGS or repository.name == ".git"
        note = tr("{path} controls which programs run or what the agent may do.")
        return note.format(path=change.path) if held else ""

    def _repository(self, path: Path) -> tuple[Path, str] | None:
        """Return the repository folder that contains a path, before or after, and the rest of the
        path.
        """
        return self._after.repository(path) or self._rule.repository(path)

    def _for_git(
        self, change: Change, after: Entry, path: Path, found: tuple[Path, str] | None
    ) -> str:
        """Return why a change may make Git run something, or "" if it does not."""
        name = fold(path.name)
        if name == ".git" and after.kind != "folder":
            note = tr("{path} makes Git use a repository elsewhere.")
            return "" if self._leads_to_worktree(path) else note.format(path=change.path)
        if change.before is None and self._becomes_repository(path):
            return tr(
                "Git now treats {folder} as a repository, with settings or hooks that make it run"
                " programs.",
                folder=path.parent.name,
            )
        runs = found is not None and runs_in_git(found[1])
        is_config = runs and name.startswith("config") and after.kind == "file"
        if is_config or name == ".gitmodules" or path in self._included:
            return self._settings(change, path)
        own = name == "commondir" and (self._disk.text(str(path), 1000) or "").strip() == "../.."
        hook = bool({path, path.parent} & self._hooks) and not path.name.endswith(".sample")
        hook = hook or (found is not None and self._runs_more(path, found[1]))
        if not (runs or hook) or own or (after.kind == "folder" and change.what != "replace"):
            return ""
        return tr("{path} controls which programs Git runs.", path=change.path)

    def _runs_more(self, path: Path, rest: str) -> bool:
        """Return whether what Git has under way now runs more programs when it continues."""
        if not _TO_DO.fullmatch(rest):
            return False
        before, after = (disk.text(str(path), _LARGEST) for disk in (self._rule.disk, self._disk))
        return after is None or not {*_RUNS.findall(after)} <= {*_RUNS.findall(before or "")}

    def _settings(self, change: Change, path: Path) -> str:
        """Return the new or changed settings of a file that may run something."""
        before = self._settings_in(self._rule.disk, path) if change.before else {}
        after = self._settings_in(self._disk, path)
        keys = [tr("settings that cannot be read")]
        if after is not None and before is not None:
            inside = partial(self._inside, path)
            changed = {key for key in {*before, *after} if before.get(key) != after.get(key)}
            keys = sorted(key for key in changed if not harmless(key, after.get(key, ()), inside))
        note = tr(
            "It changes settings in {path} that let Git run programs or access other places:"
            " {keys}."
        )
        return note.format(path=change.path, keys=", ".join(keys)) if keys else ""

    def _inside(self, path: Path, text: str) -> bool:
        """Return whether a path in a configuration file leads into the workspace."""
        leads = self._after.resolve(text if text.startswith("/") else f"{path.parent}/{text}")
        return "::" not in text and not text.startswith(("-", "!")) and self._after.inside(leads)

    def _becomes_repository(self, path: Path) -> bool:
        """Return whether Git now takes a folder for a repository that already held settings or
        hooks before.
        """
        settings = ("config", "hooks", "commondir")
        held = [self._rule.disk.entry(f"{path.parent}/{name}") for name in settings]
        before, after = (rule.repository(path) or ("", "") for rule in (self._rule, self._after))
        named = path.name in {"HEAD", "objects", "refs"} and before[0] != path.parent
        return named and any(held) and after[0] == path.parent

    def _leads_to_worktree(self, path: Path) -> bool:
        """Return whether a file ``.git`` points to another repository's ``.git``, or where that
        keeps worktrees and submodules, whose settings are looked at.
        """
        prefix, _, target = (self._disk.text(str(path), 5000) or "").strip().partition(": ")
        leads = self._after.resolve(target if target.startswith("/") else f"{path.parent}/{target}")
        folder, rest = self._after.repository(leads / "config") or (Path(), "")
        is_known = fold(folder.name) == ".git" and runs_in_git(rest)
        return prefix == "gitdir" and is_known and self._after.inside(leads)


def _difference_of(change: Change, after: Entry) -> str:
    """Return what happened to an existing entry, "" if only its content changed."""
    before = change.before
    if before is None or change.what == "edit":
        return ""
    if change.what == "empty":
        return tr("It leaves {path} empty.", path=change.path)
    if change.what == "replace":
        note = tr("{path} was {before} and is now {after}.")
        return note.format(path=change.path, before=_KINDS[before.kind], after=_KINDS[after.kind])
    if after.kind == "link":
        return ""
    note = tr("It changes the permissions of {path} from {before:o} to {after:o}.")
    return note.format(path=change.path, before=before.mode, after=after.mode)
