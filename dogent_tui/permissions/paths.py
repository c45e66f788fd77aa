"""The one path rule: where a path really leads, and what that place means to us."""

import os
import re
import unicodedata
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import islice
from pathlib import Path

from dogent_tui.permissions.disk import Disk, real_path
from dogent_tui.permissions.text import names
from dogent_tui.undo.changes import Entry, entries_below

PROTECTED = (".dogent/dogent.md", ".dogent/dogent.json")
"""Files whose existing content only the user changes (SPEC 6)."""

SCRATCH = ".dogent/memory.md"
"""The agent's own notes, which it may delete and overwrite without asking (SPEC 6)."""

STORE = "permissions.json"
"""The file in the user's `.dogent` that stores remembered decisions."""

STORES = names(f"{STORE} permissions grants grants.json trust.json mcp_switches.json mcp.json")
"""Names in the user's `.dogent` that hold, or may come to hold, such decisions. No call may write
to them.
"""

_PRIVILEGED_NAMES = names(
    ".claude .husky .githooks .devcontainer .helix .mcp.json .claude.json .envrc .gitconfig"
    " .gitmodules .npmrc .inputrc .pre-commit-config.yaml .ssh .bashrc .bash_profile .bash_login"
    " .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc"
    " .tcshrc .login .pythonrc .vimrc .exrc .nvimrc .nvim.lua .gdbinit .lldbinit .dir-locals.el"
    " .dir-locals-2.el .rprofile .pdbrc .ghci .irbrc .octaverc .ocamlinit .emacs .emacs.d .vim"
    " .gvimrc .lvimrc .tmux.conf .screenrc .xinitrc .xprofile .xsession .xsessionrc"
    " .bash_completion .direnvrc .pam_environment .psqlrc .sqliterc .pryrc .latexmkrc latexmkrc"
    " .renviron .devcontainer.json .yarnrc .yarnrc.yml .pnpmfile.cjs .mise"
)
"""Names that start programs or extend the agent's rights once they have content."""
_PRIVILEGED_PATHS = re.compile(
    r"(.*/)?(\.(vscode|cursor|windsurf|roo)/(tasks|settings|launch|mcp|hooks)\.json"
    r"|\.idea/(runconfigurations/.+|workspace\.xml)|\.hg/hgrc|\.jj/repo/config\.toml|\.run/.+"
    r"|\.zed/.+|[^/]+\.code-workspace|\.dogent/mcp\.json|\.cargo/config(\.toml)?"
    r"|\.?(lefthook(-local)?\.(ya?ml|toml|json)|mise(\.[^/]+)?\.toml)"
    r"|\.obsidian/(plugins/.+|community-plugins\.json)"
    r"|\.gemini/settings\.json|\.codex/config\.toml|\.local/(bin|share/applications)/.+"
    r"|\.config/(autostart|systemd|fish|git|environment\.d|nvim|mise|emacs)/.+"
    r"|library/launchagents/.+)"
)
"""The same for names that are special only in their folder."""

_RUN_BY_US = names("claude fc-list pandoc tesseract wl-copy wl-paste xclip xsel xdg-open")
"""Programs of the system that the application itself runs."""

_HARMLESS_IN_GIT = {"description", "commit_editmsg", "info/exclude"}
_RUNS_IN_GIT = re.compile(r"((modules|worktrees)/.+/)?(config(\.worktree)?|commondir|hooks(/.+)?)")
"""The files of a repository that determine which programs Git runs."""

_STREAMS = names(
    "/dev/null /dev/stdin /dev/stdout /dev/stderr /dev/tty /dev/zero /dev/urandom /dev/random"
    " /dev/full"
)
_OPEN_FILE = re.compile(r"(/dev|/proc/self)/fd/\d+")
"""A descriptor by its number. A path through one (`/dev/fd/../root`) may lead anywhere."""


_DEVICE = re.compile(r"/dev/(?!fd/|shm/)")


class Place(StrEnum):
    """Where a path is."""

    INSIDE = "inside"
    OUTSIDE = "outside"
    STREAM = "stream"
    DEVICE = "device"


class Guard(StrEnum):
    """What makes a place special."""

    NONE = ""
    PROTECTED = "protected"
    PRIVILEGED = "privileged"
    STORE = "store"
    SCRATCH = "scratch"
    ROOT = "root"


def fold(name: str) -> str:
    """Return a name as a file system that ignores case and Unicode composition compares it."""
    return unicodedata.normalize("NFKC", name).casefold()


def runs_in_git(path: str) -> bool:
    """Return whether a file of a repository determines which programs Git runs. Hooks ending in
    .sample do not.
    """
    return _RUNS_IN_GIT.fullmatch(fold(path)) is not None and not path.endswith(".sample")


@dataclass
class PathRule:
    """Determines where a path is, for one workspace and one home, based on one view of the disk.

    `private` are folders of the application itself, with keys, conversations and remembered
    decisions: their contents count as outside even if the workspace contains them, and the store is
    guarded wherever it is. `readable` are resolved folders outside that may be read without asking.
    """

    workspace: Path
    home: Path
    private: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()
    disk: Disk = field(default_factory=Disk)
    root: str = field(init=False, repr=False)
    """The workspace with its links resolved."""
    _root_parts: tuple[str, ...] = field(init=False, repr=False)
    _private: tuple[Path, ...] = field(init=False, repr=False)
    _repositories: dict[Path, Path | None] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._private = tuple(Path(real_path(self.disk, str(folder))) for folder in self.private)
        self.root = real_path(self.disk, str(self.workspace))
        self.home = Path(real_path(self.disk, str(self.home)))
        self._root_parts = Path(self.root).parts

    def resolve(self, path: str, follow: bool = True) -> Path:
        """Return where an absolute path leads. `follow=False` does not follow a final symlink, like
        `rm` and `mv`.
        """
        if path in _STREAMS or _OPEN_FILE.fullmatch(path):
            return Path(path)
        head, tail = os.path.split(path.rstrip("/"))
        if follow or tail in {"", ".", ".."} or path.endswith("/"):
            return Path(real_path(self.disk, path))
        return Path(real_path(self.disk, head), tail)

    def place(self, path: Path) -> Place:
        """Return where a resolved path is. A hard link to a file outside counts as outside."""
        text = str(path)
        if text in _STREAMS or _OPEN_FILE.fullmatch(text):
            return Place.STREAM
        if _DEVICE.match(text):
            return Place.DEVICE
        inside = self._inside(path) and not self.is_private(path) and not self._named_outside(text)
        return Place.INSIDE if inside else Place.OUTSIDE

    def inside(self, path: Path) -> bool:
        """Return whether a resolved path is in the workspace."""
        return self.place(path) is Place.INSIDE

    def holds_private(self, folder: Path) -> bool:
        """Return whether the workspace contains a private folder below a resolved path."""
        return any(folder in private.parents for private in self._private if self._inside(private))

    def holds_guarded(self, folder: Path) -> bool:
        """Return whether a special place directly in the workspace is below a resolved path."""
        special = (*PROTECTED, ".claude", ".mcp.json", ".git/config")
        places = (f"{self.root}/{name}" for name in special)
        return any(folder in Path(one).parents and self.disk.entry(one) for one in places)

    def guard(self, path: Path) -> Guard:
        """Return what is special about a resolved path."""
        if self._holds_everything(path):
            return Guard.ROOT
        if self._is_store(path):
            return Guard.STORE
        parts = self._relative(path)
        if parts is None:
            return Guard.NONE
        relative = "/".join(parts)
        if relative == SCRATCH:
            return Guard.SCRATCH
        if relative in PROTECTED or self._same_as_protected(str(path)):
            return Guard.PROTECTED
        runs = _is_privileged(parts) or self._runs_in_bare(path) or self._comes_first(path)
        return Guard.PRIVILEGED if runs else Guard.NONE

    def repository(self, path: Path) -> tuple[Path, str] | None:
        """Return the repository folder (``.git``, or a bare one) that contains a resolved path, and
        the rest of the path.
        """
        folder, unknown = path.parent, list[Path]()
        while folder.name and folder not in self._repositories and self._inside(folder):
            unknown.append(folder)
            folder = folder.parent
        found, root = self._repositories.get(folder), Path(self.root)
        for folder in reversed(unknown):
            is_named = fold(folder.name) == ".git" and folder != root
            is_within = found is not None and fold(found.name) == ".git"
            if is_named or (not is_within and self._is_bare(folder)):
                found = folder
            self._repositories[folder] = found
        return None if found is None else (found, str(path.relative_to(found)))

    def _is_bare(self, folder: Path) -> bool:
        head, *rest = (f"{folder}/{name}" for name in ("HEAD", "objects", "refs"))
        if self.disk.entry(head) is None:
            return False
        return bool(self.disk.entry(f"{folder}/commondir")) or all(map(self.disk.entry, rest))

    def _runs_in_bare(self, path: Path) -> bool:
        if not runs_in_git("/".join(path.parts[-2:])) and "hooks" not in path.parts:
            return False
        found = self.repository(path)
        return found is not None and runs_in_git(found[1])

    @cached_property
    def _searched(self) -> set[Path]:
        """Where programs are looked for."""
        folders = (Path(self.root, each) for each in os.get_exec_path())
        return {Path(os.path.realpath(each)) for each in folders}

    def _comes_first(self, path: Path) -> bool:
        """Return whether a program would be run by the application, or instead of another of the
        same name, since the user's search path leads into the workspace.
        """
        others = (folder for folder in self._searched if not self._inside(folder))
        return path.parent in self._searched and (
            path.name in _RUN_BY_US
            or any(self.disk.entry(f"{folder}/{path.name}") for folder in others)
        )

    def exists(self, path: Path) -> bool:
        """Return whether a resolved path exists, in any spelling of its case."""
        if self.disk.entry(str(path)) is not None:
            return True
        if self.guard(path) is not Guard.PROTECTED:
            return False
        relative = "/".join(self._relative(path) or ())
        return self.disk.entry(f"{self.root}/{relative}") is not None

    def _relative(self, path: Path) -> tuple[str, ...] | None:
        if not self._inside(path):
            return None
        return tuple(fold(part) for part in path.parts[len(self._root_parts) :])

    def _inside(self, path: Path) -> bool:
        start = path.parts[: len(self._root_parts)]
        if start == self._root_parts:
            return True
        if tuple(map(fold, start)) != tuple(map(fold, self._root_parts)):
            return False
        ours, theirs = self.disk.entry(self.root), self.disk.entry(str(Path(*start)))
        return _is_one(ours, theirs)

    def _named_outside(self, path: str) -> bool:
        entry = self.disk.entry(path)
        if entry is None or entry.kind != "file" or entry.names < 2:
            return False
        below: list[Entry] = []
        with suppress(OSError):  # a folder is someone else's
            below += (found for _, found in islice(entries_below(self.root, ""), 20_000))
        return sum(_is_one(found, entry) for found in below) < entry.names

    def _same_as_protected(self, path: str) -> bool:
        entry = self.disk.entry(path)
        if entry is None or entry.names < 2 or entry.kind != "file":
            return False
        found = (self.disk.entry(f"{self.root}/{relative}") for relative in PROTECTED)
        return any(_is_one(entry, other) for other in found)

    def _holds_everything(self, path: Path) -> bool:
        ours, home = Path(self.root), self.home
        return path in {ours, home} or path in ours.parents or path in home.parents

    def is_private(self, path: Path) -> bool:
        """Return whether a resolved path is in one of our own folders inside the workspace."""
        return any(path.is_relative_to(one) for one in self._private if self._inside(one))

    def _is_store(self, path: Path) -> bool:
        parts = tuple(map(fold, path.parts))
        bases = {tuple(map(fold, each.parts)) for each in (self.home / ".dogent", *self._private)}
        return any(parts[:at] in bases for at, part in enumerate(parts) if part in STORES)


def _is_one(one: Entry | None, other: Entry | None) -> bool:
    """Return whether two paths lead to the same file or folder."""
    if one is None or other is None:
        return False
    return (one.device, one.inode) == (other.device, other.inode)


def _is_privileged(parts: tuple[str, ...]) -> bool:
    path = "/".join(parts)
    if not _PRIVILEGED_NAMES.isdisjoint(parts) or _PRIVILEGED_PATHS.fullmatch(path):
        return True
    _, git, below = f"/{path}/".partition("/.git/")
    return bool(git) and below.rstrip("/") not in _HARMLESS_IN_GIT
