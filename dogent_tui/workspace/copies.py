"""Copies of what a tool call is about to change or delete, kept outside the workspace, so that it can be undone.

``STATE/copies/WORKSPACE-KEY/SESSION/`` holds ``changes.jsonl``, one change after the other, and a folder of copies for each. It
is readable by the user only, and goes a week after its session was last used.
"""

import contextlib
import os
import re
import shutil
import stat
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from dogent_tui.workspace.files import private_folder
from dogent_tui.workspace.paths import Workspace, state_dir

LARGEST_FILE = 50_000_000
"""Bytes of a file that is still copied."""
LARGEST_SESSION = 200_000_000
"""Bytes of all copies of a session; the oldest go first."""
_MOST_FILES = 2_000
"""Files and folders of one change."""
_KEPT_FOR_S = 7 * 24 * 3600.0

_Kind: TypeAlias = Literal["file", "link", "folder", "absent"]


class Kept(msgspec.Struct, frozen=True):
    """What came of keeping: places that `undo` can bring back, and those that it cannot (too large, unreadable, too many)."""

    paths: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


class Undone(msgspec.Struct, frozen=True):
    """What an undo did. `removed` had been made by the change; `left` could not be brought back to what it was."""

    label: str
    restored: tuple[str, ...]
    removed: tuple[str, ...]
    left: tuple[str, ...]


class _Item(msgspec.Struct, frozen=True):
    """A place as it was. `copy` is relative to the session's folder; a link's is the text of the link."""

    path: str
    kind: _Kind
    copy: str = ""
    size: int = 0


class _Change(msgspec.Struct, frozen=True, tag="change"):
    number: int
    label: str
    items: tuple[_Item, ...]


class _Undoing(msgspec.Struct, frozen=True, tag="undone"):
    """The note that a change was undone: its number."""

    undone: int


class Copies:
    """The changes of one session. Safe for use by several threads."""

    def __init__(self, workspace: Workspace, session_id: str) -> None:
        self.folder = state_dir() / "copies" / workspace.key / re.sub(r"[^A-Za-z0-9-]", "-", session_id)[:64]
        self._changes: list[_Change] | None = None
        self._count = 0
        self._lock = threading.Lock()

    def keep(self, label: str, changed: Sequence[Path], created: Sequence[Path] = ()) -> Kept:
        """Keep what lies at the places `changed`, and note that nothing lies at `created`. Call it before the change.

        Never raises: what cannot be kept is named in the answer.
        """
        with self._lock:
            try:
                return self._keep(label, changed, created)
            except OSError:
                return Kept(left=tuple(map(str, changed)))

    def undo(self) -> Undone | None:
        """Bring back what the last change changed; `None` where there is none any more. What is there now is kept aside."""
        with self._lock:
            changes = self._loaded()
            while changes:
                change = changes.pop()
                with contextlib.suppress(OSError):  # a full disk costs only that a later start offers it again
                    self._note(_Undoing(undone=change.number))
                undone = self._undo(change)
                if undone.restored or undone.removed or undone.left:
                    return undone
        return None

    # ── Keeping ───────────────────────────────────────────────────────────────────────────────

    def _keep(self, label: str, changed: Sequence[Path], created: Sequence[Path]) -> Kept:
        private_folder(self.folder)
        changes = self._loaded()
        self._count += 1
        number = self._count
        items: list[_Item] = []
        paths: list[str] = []
        left: list[str] = []
        for path in dict.fromkeys(changed):
            found = self._copied(path, number, len(items))
            if found is None:
                left.append(str(path))
            elif found:
                items += found
                paths.append(str(path))
        items += [_Item(str(path), "absent") for path in dict.fromkeys(created) if not os.path.lexists(path)]
        if items:
            changes.append(change := _Change(number, label, tuple(items)))
            self._note(change)
            self._forget_oldest()
        return Kept(tuple(paths), tuple(left))

    def _copied(self, path: Path, number: int, first: int) -> list[_Item] | None:
        """Return a place with what is below it, copied; `None` where that cannot be, nothing where nothing is there."""
        items: list[_Item] = []
        try:
            for place in _with_all_below(path):
                if len(items) >= _MOST_FILES:
                    return None
                item = self._copied_one(place, f"{number:04}/{first + len(items)}")
                if item is None:
                    return None
                items.append(item)
        except FileNotFoundError:
            return []
        except (OSError, shutil.Error):
            return None
        return items

    def _copied_one(self, path: str, name: str) -> _Item | None:
        found = os.lstat(path)
        if stat.S_ISDIR(found.st_mode):
            return _Item(path, "folder")
        if stat.S_ISLNK(found.st_mode):
            return _Item(path, "link", os.readlink(path))  # noqa: PTH115 — text in, text out
        if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST_FILE:
            return None
        copy = self.folder / name
        private_folder(copy.parent)
        shutil.copy2(path, copy, follow_symlinks=False)
        return _Item(path, "file", name, found.st_size)

    def _forget_oldest(self) -> None:
        changes = self._loaded()
        while len(changes) > 1 and sum(item.size for change in changes for item in change.items) > LARGEST_SESSION:
            shutil.rmtree(self.folder / f"{changes.pop(0).number:04}", ignore_errors=True)

    # ── Undoing ───────────────────────────────────────────────────────────────────────────────

    def _undo(self, change: _Change) -> Undone:
        restored: list[str] = []
        removed: list[str] = []
        left: list[str] = []
        for number, item in enumerate(change.items):
            try:
                if self._as_it_was(item):
                    continue
                self._put_aside(item, self.folder / f"{change.number:04}" / f"after-{number}")
                if item.kind != "absent":
                    self._put_back(item)
                (removed if item.kind == "absent" else restored).append(item.path)
            except (OSError, shutil.Error):
                left.append(item.path)
        return Undone(change.label, tuple(restored), tuple(removed), tuple(left))

    def _as_it_was(self, item: _Item) -> bool:
        if item.kind == "absent" or not os.path.lexists(item.path):
            return item.kind == "absent" and not os.path.lexists(item.path)
        mode = os.lstat(item.path).st_mode
        if item.kind == "folder":
            return stat.S_ISDIR(mode)
        if item.kind == "link":
            return stat.S_ISLNK(mode) and os.readlink(item.path) == item.copy  # noqa: PTH115 — text in, text out
        return stat.S_ISREG(mode) and Path(item.path).read_bytes() == (self.folder / item.copy).read_bytes()

    def _put_aside(self, item: _Item, aside: Path) -> None:
        """Move what is there now out of the way. A folder stays: more may lie in it than the change made. Raises OSError."""
        parent = os.path.dirname(item.path)  # noqa: PTH120 — text in, text out
        os.makedirs(parent, exist_ok=True)  # noqa: PTH103
        if os.path.realpath(parent) != parent:
            raise OSError("the folder leads elsewhere now")
        if os.path.lexists(item.path):
            if stat.S_ISDIR(os.lstat(item.path).st_mode):
                raise OSError("a folder is there now")
            private_folder(aside.parent)
            shutil.move(item.path, aside)

    def _put_back(self, item: _Item) -> None:
        if item.kind == "folder":
            Path(item.path).mkdir()
        elif item.kind == "link":
            Path(item.path).symlink_to(item.copy)
        else:
            shutil.copy2(self.folder / item.copy, item.path)

    # ── On disk ───────────────────────────────────────────────────────────────────────────────

    def _loaded(self) -> list[_Change]:
        if self._changes is None:
            self._changes = []
            _forget_old_sessions(self.folder.parent, but=self.folder)
            with contextlib.suppress(OSError):
                for line in (self.folder / "changes.jsonl").read_text("utf-8").splitlines():
                    self._apply(line, self._changes)
        return self._changes

    def _apply(self, line: str, changes: list[_Change]) -> None:
        with contextlib.suppress(ValueError):  # a line that a crash cut short
            found = msgspec.json.decode(line, type=_Change | _Undoing)
            if isinstance(found, _Undoing):
                changes[:] = [change for change in changes if change.number != found.undone]
            else:
                changes.append(found)
                self._count = max(self._count, found.number)

    def _note(self, data: _Change | _Undoing) -> None:
        private_folder(self.folder)
        try:
            line = msgspec.json.encode(data)
        except UnicodeEncodeError:  # a name that is not UTF-8: it can be undone until the session ends
            return
        descriptor = os.open(self.folder / "changes.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "ab") as file:
            file.write(b"\n" + line + b"\n")  # the line before may have been cut short


def _with_all_below(path: Path) -> Iterator[str]:
    """Yield a place, and where it is a folder all that is below, folders before what they hold."""
    yield str(path)
    if not path.is_symlink() and path.is_dir():
        for folder, folders, files in os.walk(path):
            yield from (os.path.join(folder, name) for name in (*folders, *files))  # noqa: PTH118 — text in, text out


def _forget_old_sessions(folder: Path, but: Path) -> None:
    with contextlib.suppress(OSError):
        for old in _older_than(folder, time.time() - _KEPT_FOR_S):
            if old != but:
                shutil.rmtree(old, ignore_errors=True)


def _older_than(folder: Path, moment: float) -> Iterable[Path]:
    return [Path(entry.path) for entry in os.scandir(folder) if entry.is_dir() and entry.stat().st_mtime < moment]
