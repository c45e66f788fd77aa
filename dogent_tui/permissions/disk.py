"""What the policy may know of the disk, and a view that adds what earlier parts of the same command did to it."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from dogent_tui.language import tr

EntryKind: TypeAlias = Literal["file", "folder", "link", "other"]

_MAX_LINKS = 40
"""Links that one path may pass through; the kernel's own limit on Linux (path_resolution(7))."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What lies at a path, the last link not followed. `identity` is (device, inode); `names` counts hard links."""

    kind: EntryKind
    identity: tuple[int, int] = (0, 0)
    names: int = 1
    size: int = 0


class Disk(Protocol):
    """The part of a file system that a decision needs. Nothing here raises for a missing or unreadable path."""

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
        """Return up to `limit` bytes of a file as text, `None` if it is longer, binary or unreadable."""
        ...


class RealDisk:
    """The file system of this machine."""

    def entry(self, path: str) -> Entry | None:
        """See `Disk.entry`."""
        try:
            found = os.lstat(path)
        except (OSError, ValueError):
            return None
        mode = found.st_mode
        kind: EntryKind = "other"
        if stat.S_ISLNK(mode):
            kind = "link"
        elif stat.S_ISDIR(mode):
            kind = "folder"
        elif stat.S_ISREG(mode):
            kind = "file"
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
            with Path(path).open("rb") as file:
                data = file.read(limit + 1)
            return None if len(data) > limit or b"\0" in data else data.decode()
        except (OSError, ValueError):
            return None


class OverlayDisk:
    """A disk as an earlier part of a command leaves it: links, folders and files that are not there yet."""

    def __init__(self, base: Disk) -> None:
        self._base = base
        self._links: dict[str, str] = {}
        self._made: dict[str, EntryKind] = {}
        self._texts: dict[str, str | None] = {}

    def add_link(self, path: str, target: str) -> None:
        """Note that a symbolic link with the text `target` now lies at `path`."""
        self._links[path] = target

    def add_folder(self, path: str) -> None:
        """Note that `path` is a folder now."""
        self._made.setdefault(path, "folder")

    def add_file(self, path: str, text: str | None) -> None:
        """Note that `path` was written; `text` is all of it where that is known."""
        self._texts[path] = text
        self._made.setdefault(path, "file")

    def written(self, path: str) -> bool:
        """Return whether the command itself wrote `path`."""
        return path in self._texts

    def created(self, path: str) -> bool:
        """Return whether `path` is there only because the command made it."""
        return path in self._made and self._base.entry(path) is None

    def entry(self, path: str) -> Entry | None:
        """See `Disk.entry`."""
        if path in self._links:
            return Entry("link")
        found = self._base.entry(path)
        if found is None and path in self._made:
            return Entry(self._made[path])
        return found

    def link(self, path: str) -> str:
        """See `Disk.link`."""
        return self._links.get(path) or self._base.link(path)

    def names(self, path: str) -> list[str]:
        """See `Disk.names`."""
        prefix = path.rstrip("/") + "/"
        added = {p[len(prefix) :] for p in (*self._links, *self._made) if p.startswith(prefix)}
        return sorted({*self._base.names(path), *(name for name in added if name and "/" not in name)})

    def text(self, path: str, limit: int) -> str | None:
        """See `Disk.text`."""
        return self._texts[path] if path in self._texts else self._base.text(path, limit)


def real_path(disk: Disk, path: str) -> str:
    """Return absolute `path` with every link on the way resolved, as the kernel would; what is missing is kept as written.

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
    """Return the paths of everything below `top`, links not followed; `None` if there are more than `limit`."""
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
