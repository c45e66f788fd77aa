"""The policy's view of the disk, and a view of it after a command."""

import os
import stat
from collections.abc import Mapping

from dogent_tui.language import tr
from dogent_tui.undo.changes import Entry, entry_at

_MAX_LINKS = 40
"""The number of links that a path may pass through: the kernel's limit (path_resolution(7))."""


def _without_waiting(path: str, flags: int) -> int:
    """Open a path without waiting for a writer if it is a pipe, or acquiring it if it is a
    terminal.
    """
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY)


class Disk:
    """The part of a file system that decisions need. No method raises for a missing or unreadable
    path.
    """

    def entry(self, path: str) -> Entry | None:
        """Return the entry at `path` (absolute), not following a final symlink, or `None`."""
        try:
            return entry_at(path)
        except (OSError, ValueError):
            return None

    def names(self, path: str) -> list[str]:
        """Return the sorted names in a folder; empty if it is not a folder or cannot be read."""
        try:
            return sorted(os.listdir(path))  # noqa: PTH208 — names, not paths
        except (OSError, ValueError):
            return []

    def text(self, path: str, limit: int) -> str | None:
        """Return up to `limit` bytes of a file as text, `None` if it is longer, binary or
        unreadable.
        """
        try:
            with open(path, "rb", opener=_without_waiting) as file:
                plain = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
                data = file.read(limit + 1) if plain else b"\0"
            return None if len(data) > limit or b"\0" in data else data.decode()
        except (OSError, ValueError):
            return None


class ChangedDisk(Disk):
    """The disk after a difference has been applied: `now` has the new entry at each changed path,
    `None` if it no longer exists.
    """

    def __init__(self, root: str, upper: str, now: Mapping[str, Entry | None]) -> None:
        self._root = root
        self._upper = upper
        self._now = now

    def entry(self, path: str) -> Entry | None:
        """See `Disk.entry`. What is in `/proc` depends on who looks, so nothing leads there."""
        if path not in self._now:
            return None if path.startswith("/proc/") else super().entry(path)
        return self._now[path]

    def text(self, path: str, limit: int) -> str | None:
        """See `Disk.text`."""
        if path not in self._now:
            return super().text(path, limit)
        entry = self.entry(path)
        # the target of a link may change although the link does not
        plain = entry is not None and entry.kind == "file"
        upper = self._upper + path.removeprefix(self._root)
        return super().text(upper, limit) if plain else None


def real_path(disk: Disk, path: str) -> str:
    """Resolve all links of an absolute `path` as the kernel would; missing parts are kept as
    written.

    Raises:
        ValueError: the path passes through too many links or a cycle of links.
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
            raise ValueError(tr("Too many symbolic links in {path}.", path=path))
        if found.target.startswith("/"):
            done = "/"
        rest.extend(p for p in reversed(found.target.split("/")) if p not in {"", "."})
    return done
