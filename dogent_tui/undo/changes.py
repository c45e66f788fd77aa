"""What a command did to the workspace, as plain data: read from its layer, judged by the policy,
then committed or dropped.
"""

# ruff: noqa: PTH115, PTH118, PTH208 — names are text from `os.fsdecode`

import contextlib
import os
import stat
from collections.abc import Container, Iterator
from os.path import dirname, join
from typing import Literal, TypeAlias

import msgspec

FOR_EVER = (1 << 63) - 1
"""A time in nanoseconds after every other: nothing is too new for it."""

EntryKind: TypeAlias = Literal["file", "folder", "link", "pipe", "socket", "device"]
What: TypeAlias = Literal["create", "edit", "empty", "delete", "move", "replace", "mode"]
"""``empty``: a file that had content is now empty, or of zero bytes only; ``replace``: the entry is
now of another kind.
"""

_KINDS: dict[int, EntryKind] = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "folder",
    stat.S_IFLNK: "link",
    stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket",
}


class Entry(msgspec.Struct, frozen=True):
    """The entry at a path; a final symlink is not followed.

    `mode` holds the permission bits including setuid, setgid and sticky; `target` is the text of a
    symlink; `names` is the number of hard links. The times are those of the file system. `blank`:
    it has become a file of zero bytes only.
    """

    kind: EntryKind
    size: int = 0
    mode: int = 0
    target: str = ""
    device: int = 0
    inode: int = 0
    ctime_ns: int = 0
    names: int = 1
    mtime_ns: int = 0
    blank: bool = False


class Change(msgspec.Struct, frozen=True):
    """One changed path. At most one of `before` and `after` is None.

    `path` is relative to the workspace, decoded by `os.fsdecode`. After a move, the change of the
    old path has `moved_to`, and the change of the new path `moved_from`; what a moved folder
    contains has moved, too.
    """

    path: str
    before: Entry | None
    after: Entry | None
    moved_to: str = ""
    moved_from: str = ""

    @property
    def what(self) -> What:
        """The kind of change, in one word."""
        before, after = self.before, self.after
        if before is None:
            return "create"
        if after is None:
            return "move" if self.moved_to else "delete"
        if before.kind != after.kind:
            return "replace"
        if before.kind == "file" and before.size and (after.blank or not after.size):
            return "empty"
        if before.mode != after.mode:
            return "mode"
        return "edit"


class Difference(msgspec.Struct, frozen=True):
    """Everything a command did. `upper` holds the new contents, at the same relative paths.

    `began_ns` is the start time according to the file system's clock. `times` are the paths that
    only have another modification time, as after `touch`, with that time.
    """

    root: str
    upper: str
    began_ns: int
    changes: tuple[Change, ...] = ()
    times: tuple[tuple[str, int], ...] = ()


class Loss(msgspec.Struct, frozen=True):
    """Git history that the difference would lose. `repository` is the repository's folder, relative
    to the workspace.

    `name` is a reference; `paths` are files whose uncommitted content is lost, relative to the
    workspace.
    """

    repository: str
    kind: Literal["reference", "history", "stash", "reflog", "objects", "uncommitted"]
    name: str = ""
    detail: str = ""
    paths: tuple[str, ...] = ()


def entry_kind(mode: int) -> EntryKind:
    """Return the kind of entry for an `st_mode`."""
    return _KINDS.get(stat.S_IFMT(mode), "device")


def entry_at(path: str) -> Entry | None:
    """Return the entry at a path, or None if there is none. Raises OSError."""
    try:
        at = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return entry_of(at, os.readlink(path) if stat.S_ISLNK(at.st_mode) else "")


def entries_below(top: str, path: str) -> Iterator[tuple[str, Entry]]:
    """Yield `path`, relative to the folder `top`, and all below it with their entries; folders
    before their contents. Raises OSError.
    """
    waiting = [path]
    while waiting:
        each = waiting.pop()
        if entry := entry_at(join(top, each)):
            yield each, entry
            if entry.kind == "folder":
                waiting += (join(each, name) for name in os.listdir(join(top, each)))


def entry_of(at: os.stat_result, target: str = "") -> Entry:
    """Return the entry for a stat result; `target` is the text of a symlink."""
    kind, mode = entry_kind(at.st_mode), stat.S_IMODE(at.st_mode)
    size = at.st_size * (kind != "folder")
    where = at.st_dev, at.st_ino
    return Entry(kind, size, mode, target, *where, at.st_ctime_ns, at.st_nlink, at.st_mtime_ns)


def attributes_of(path: str | int) -> list[str]:
    """Return the names of extended attributes; Python knows none on macOS. Raises OSError."""
    return os.listxattr(path) if hasattr(os, "listxattr") else []


def own_attributes(path: str | int) -> dict[str, bytes]:
    """Return the user's extended attributes, without the overlay's."""
    with contextlib.suppress(OSError):
        names = (name for name in attributes_of(path) if not name.startswith("user.overlay."))
        return {name: os.getxattr(path, name) for name in names if name.startswith("user.")}
    return {}


def is_below(path: str, folders: Container[str]) -> bool:
    """Return whether one of `folders` is an ancestor of `path`."""
    while path not in ("", "/") and (path := dirname(path)):  # noqa: PTH120 — text in
        if path in folders:
            return True
    return False
