"""What the policy may know of the disk, and a view of it as a command leaves it."""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from dogent_tui.language import tr

EntryKind: TypeAlias = Literal["file", "folder", "link", "other"]
_FILE, _FOLDER, _LINK = stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK
_KINDS: Mapping[int, EntryKind] = {_FILE: "file", _FOLDER: "folder", _LINK: "link"}

_MAX_LINKS = 40
"""Links that one path may pass through; the kernel's own limit on Linux (path_resolution(7))."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What lies at a path, the last link not followed. `identity` is (device, inode); `names`
    counts hard links.
    """

    kind: EntryKind
    identity: tuple[int, int] = (0, 0)
    names: int = 1
    size: int = 0


class Disk(Protocol):
    """The part of a file system that a decision needs. Nothing here raises for a missing or
    unreadable path.
    """

    def entry(self, path: str) -> Entry | None:
        """Return what lies at `path` (absolute), the last link not followed, or `None`."""
        ...

    def link(self, path: str) -> str:
        """Return the text of the link at `path`, "" if it is none."""
        ...

    def names(self, path: str) -> list[str]:
        """Return the names in a folder, sorted; empty if it is none or cannot be read."""
        ...

    def text(self, path: str, limit: int) -> str | None:
        """Return up to `limit` bytes of a file as text, `None` if it is longer, binary or
        unreadable.
        """
        ...


def _without_waiting(path: str, flags: int) -> int:
    """Open a path as it is: a pipe that nobody writes to would be waited for, a terminal would
    become ours.
    """
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY)


class RealDisk:
    """The file system of this machine."""

    def entry(self, path: str) -> Entry | None:
        """See `Disk.entry`."""
        try:
            found = os.lstat(path)
        except (OSError, ValueError):
            return None
        kind = _KINDS.get(stat.S_IFMT(found.st_mode), "other")
        return Entry(kind, (found.st_dev, found.st_ino), found.st_nlink, found.st_size)

    def link(self, path: str) -> str:
        """See `Disk.link`."""
        try:
            return os.readlink(path)  # noqa: PTH115 — text in, text out
        except (OSError, ValueError):
            return ""

    def names(self, path: str) -> list[str]:
        """See `Disk.names`."""
        try:
            return sorted(os.listdir(path))  # noqa: PTH208 — names, not paths
        except (OSError, ValueError):
            return []

    def text(self, path: str, limit: int) -> str | None:
        """See `Disk.text`."""
        try:
            with open(path, "rb", opener=_without_waiting) as file:
                plain = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
                data = file.read(limit + 1) if plain else b"\0"
            return None if len(data) > limit or b"\0" in data else data.decode()
        except (OSError, ValueError):
            return None


Now: TypeAlias = Mapping[str, tuple[Entry, str] | None]
"""What is at each changed path, with the text of a link; `None` where nothing is any more."""


class ChangedDisk:
    """A disk as a difference leaves it."""

    def __init__(self, base: Disk, root: str, upper: str, now: Now) -> None:
        self._base = base
        self._root = root
        self._upper = upper
        self._now = now

    def entry(self, path: str) -> Entry | None:
        """See `Disk.entry`."""
        found = self._now.get(path)
        return self._base.entry(path) if path not in self._now else found and found[0]

    def link(self, path: str) -> str:
        """See `Disk.link`."""
        found = self._now.get(path)
        return found[1] if found is not None else self._base.link(path)

    def names(self, path: str) -> list[str]:
        """See `Disk.names`."""
        return sorted({*self._base.names(path), *self._base.names(self._in_upper(path))})

    def text(self, path: str, limit: int) -> str | None:
        """See `Disk.text`."""
        if path not in self._now:
            return self._base.text(path, limit)
        entry = self.entry(path)
        plain = entry is not None and entry.kind == "file"  # a link's target may change without it
        return self._base.text(self._in_upper(path), limit) if plain else None

    def _in_upper(self, path: str) -> str:
        return self._upper + path.removeprefix(self._root)


def real_path(disk: Disk, path: str) -> str:
    """Return absolute `path` with every link on the way resolved, as the kernel would; what is
    missing is kept as written.

    Raises:
        ValueError: the path passes through too many links, or round in a circle.
    """
    done = "/"
    rest = [part for part in reversed(path.split("/")) if part not in {"", "."}]
    links = 0
    while rest:
        part = rest.pop()
        if part == "..":
            done = os.path.dirname(done)  # noqa: PTH120 — `done` is already free of links
            continue
        here = done.rstrip("/") + "/" + part
        found = disk.entry(here)
        if found is None or found.kind != "link":
            done = here
            continue
        links += 1
        if links > _MAX_LINKS:
            raise ValueError(tr("Too many symbolic links in {path}.").format(path=path))
        target = disk.link(here)
        if target.startswith("/"):
            done = "/"
        rest.extend(p for p in reversed(target.split("/")) if p not in {"", "."})
    return done


def walk(disk: Disk, top: str, limit: int) -> list[str] | None:
    """Return the paths of everything below `top`, links not followed; `None` if there are more
    than `limit`.
    """
    found: list[str] = []
    folders = [top]
    while folders:
        folder = folders.pop()
        for name in disk.names(folder):
            path = folder.rstrip("/") + "/" + name
            found.append(path)
            if len(found) > limit:
                return None
            entry = disk.entry(path)
            if entry is not None and entry.kind == "folder":
                folders.append(path)
    return sorted(found)
