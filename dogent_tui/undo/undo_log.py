"""Copies of what tool calls are about to change or delete, kept outside the workspace for undo.

``STATE/copies/WORKSPACE-KEY/SESSION/`` contains ``changes.jsonl``, one change per line, and a
folder with the copies of each. It is readable by the user only, and deleted a week after the
session was last used. `restoring.py` undoes and rewinds with them.
"""

import contextlib
import errno
import hashlib
import os
import shutil
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from dogent_tui.records import Record
from dogent_tui.storage.files import (
    append_lines,
    atomic_write,
    json_line,
    json_lines,
    private_folder,
)
from dogent_tui.storage.paths import Workspace, file_name, state_dir
from dogent_tui.undo.changes import Entry, entries_below, entry_at, own_attributes
from dogent_tui.undo.file_moves import copy

LARGEST_FILE = 50_000_000
"""The largest file to copy, in bytes."""
_LARGEST_READ = 1_000_000_000
"""The largest file to tell from others by its content, in bytes; one of holes can be any size."""
LARGEST_SESSION = 2_000_000_000
"""The total size of a session's copies in bytes; the oldest are removed first, those of the last
change never.
"""
_MOST_FILES = 2_000
"""The number of files and folders in one change."""
_KEPT_FOR_S = 7 * 24 * 3600.0
_PROBE, _PROBE_BYTES = "probe", 65_536
_DISK_REFUSES = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)
"""Errors that concern the disk with the copies rather than the copied file."""

OWN = "own"
"""Instead of a run: the user made the change with a command of the application."""

_Kind: TypeAlias = Literal["file", "link", "folder", "absent", "other"]


class KeptCopies(Record):
    """The result of keeping copies: places that `undo` can restore, and those it cannot (too large,
    unreadable, too many).

    `number` is the number of the change, 0 if nothing had to be kept.
    """

    paths: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    number: int = 0


class Undone(Record):
    """The result of an undo. `removed` had been created by the change; `left` could not be
    restored. `aside`: where the previous content is of what someone else had changed since, which
    was left too.
    """

    label: str
    restored: tuple[str, ...]
    removed: tuple[str, ...]
    left: tuple[str, ...]
    aside: tuple[str, ...] = ()


class Item(Record):
    """The previous entry of a place. `copy` is relative to the session's folder; for a link it is
    the link's text.

    `mode` has its permission bits, as the copy of a file has, too.
    """

    path: str
    kind: _Kind
    copy: str = ""
    size: int = 0
    mode: int = 0


class State(Record):
    """Enough about the entry at a place to tell whether it has changed. `mode`: permission bits,
    none for a link.

    `digest` covers content and attributes, and is "" for a file that was not read; then its `stamp`
    (size and time) has to do.
    """

    kind: _Kind
    digest: str = ""
    mode: int = 0
    stamp: str = ""

    def same(self, other: "State | None") -> bool:
        """Return whether both are of the same entry; a state that is not known is not."""
        if other is None or (self.kind, self.mode) != (other.kind, other.mode):
            return False
        if self.digest and other.digest:
            return self.digest == other.digest
        return self.stamp == other.stamp


class KeptChange(Record, tag="change"):
    """What a call was about to change. `run` is its run; `left` could not be copied.

    `undoes` is the number of the change that it took back: it is over then, and so is this one.
    """

    number: int
    label: str
    items: tuple[Item, ...]
    run: str = ""
    left: tuple[str, ...] = ()
    undoes: int = 0


class _Settled(Record, tag="settled"):
    """Records the state after a change, one for each of its items."""

    settled: int
    states: tuple[State, ...]


class UndoLog:
    """The changes of one session. Thread-safe."""

    def __init__(self, folder: Path, run: str = "", fork_of: Path | None = None) -> None:
        """Keep the copies in `folder`, as of the run `run`; a new one starts with those in the
        folder `fork_of`, if any.
        """
        self.folder = folder
        self._fork_of = fork_of
        self._changes: list[KeptChange] | None = None
        self._states: dict[int, tuple[State, ...]] = {}
        self._open: set[int] = set()
        self._count = 0
        self._run = run
        self._lock = threading.Lock()
        self.refused: OSError | None = None
        """Why the last copy could not be written to disk."""

    @property
    def journals(self) -> Path:
        """The folder for the journals of commits, of all sessions."""
        return self.folder.parents[1] / "journals"

    @classmethod
    def of(cls, workspace: Workspace, session_id: str, fork_of: str = "") -> "UndoLog":
        """Return the log of a session; a new one starts with that of the session `fork_of`."""
        before = _folder(workspace, fork_of) if fork_of else None
        return cls(_folder(workspace, session_id), fork_of=before)

    def begin_run(self, run_id: str) -> None:
        """Assign further changes to the run `run_id`."""
        self._run = run_id

    def keep(self, label: str, places: Iterable[Path], *, own: bool = False) -> KeptCopies:
        """Copy what exists at `places`, and record where nothing does. Call this before the change.
        Never raises: what cannot be kept is named in the result.

        `own`: the user changes files of the application, which no rewind includes.
        """
        with self._lock:
            self.refused = None
            items: list[Item] = []
            paths: list[str] = []
            left: list[str] = []
            places = dict.fromkeys(places)
            try:
                number = self._begun({*map(str, places)})
                for path in places:
                    found = self._copied(path, number, len(items))
                    if found is None:
                        left.append(str(path))
                    elif found:
                        items += found
                        paths.append(str(path))
                absent = {*map(str, _with_new_folders(places))}
                # the contents of a new folder before the folder
                items += (Item(path, "absent") for path in sorted(absent, reverse=True))
                if items or left:
                    run = OWN if own else self._run
                    self._note(KeptChange(number, label, tuple(items), run, tuple(left)))
                    self._forget_oldest()
            except OSError as error:
                self.refused = error
                return KeptCopies(left=tuple(map(str, filter(os.path.lexists, places))))
            return KeptCopies(tuple(paths), tuple(left), number if items else 0)

    def try_again(self) -> None:
        """Check whether copies can be written to disk again. Never raises."""
        with self._lock:
            self.refused = None
            try:
                atomic_write(
                    private_folder(self.folder) / _PROBE, bytes(_PROBE_BYTES), durable=False
                )
                (self.folder / _PROBE).unlink()
            except OSError as error:
                self.refused = error

    def reserve(
        self, label: str, items: Iterable[Item], left: Iterable[str] = (), undoes: int = 0
    ) -> KeptChange:
        """Return a new change. The caller moves its files to the copies named by its items, then
        calls `add`.

        Call this before the change. Raises OSError.
        """
        with self._lock:
            items = [*items]
            number = self._begun({item.path for item in items})
            named = (
                msgspec.structs.replace(item, copy=f"{number:04}/{place}")
                if item.kind == "file"
                else item
                for place, item in enumerate(items)
            )
            return KeptChange(number, label, tuple(named), self._run, tuple(left), undoes)

    def add(self, change: KeptChange, states: tuple[State, ...], *, durable: bool = True) -> None:
        """Record a reserved change and the states that it left; repeating this does nothing. Raises
        OSError.
        """
        with self._lock:
            if all(change.number != other.number for other in self._loaded()):
                self._note(change, _Settled(change.number, states), durable=durable)
                self._forget_oldest()

    def drop(self, change: KeptChange) -> None:
        """Take a change off the record. Never raises: on a full disk, a later start merely offers
        it again.
        """
        with self._lock, contextlib.suppress(OSError):
            self._note(KeptChange(0, change.label, (), undoes=change.number))

    def settle(self, number: int = 0) -> None:
        """Record the state after the change `number`, or after every change of this process for
        which it was not read yet. Never raises.

        Call this after the change: later differences are changes by someone else.
        """
        with self._lock:
            for change in self._loaded():
                if number in (0, change.number):
                    self._settle(change)

    def changes(self) -> list[tuple[KeptChange, tuple[State | None, ...]]]:
        """Return the changes that were not undone, oldest first, each with the states after it,
        None if unknown.
        """
        with self._lock:
            return [
                (each, self._states.get(each.number, (None,) * len(each.items)))
                for each in self._loaded()
            ]

    def state_of(self, item: Item) -> State:
        """Return the state of a place when it was copied. Raises OSError if the copy no longer
        exists.
        """
        if item.kind != "file":
            return State(item.kind, item.copy, item.mode)
        copy = str(self.folder / item.copy)
        if (entry := entry_at(copy)) is None:
            raise FileNotFoundError(copy)
        return state_of(entry, copy)

    # ── Keeping ───────────────────────────────────────────────────────────────────────────────

    def _begun(self, paths: set[str]) -> int:
        """Return the number of a new change, after settling earlier ones of some of `paths`."""
        for change in self._loaded():
            if any(item.path in paths for item in change.items):
                self._settle(change)
        self._count += 1
        private_folder(self.folder / f"{self._count:04}")
        return self._count

    def _settle(self, change: KeptChange) -> None:
        if change.number not in self._open:
            return
        self._open.discard(change.number)
        known = self._states.get(change.number, (None,) * len(change.items))
        states = tuple(map(_settled, change.items, known))
        self._states[change.number] = states
        try:
            self._note(_Settled(change.number, states))
        except OSError as error:  # after a restart it counts as changed by someone else
            self.refused = error

    def _copied(self, path: Path, number: int, first: int) -> list[Item] | None:
        """Copy a place and everything below it and return the items; `None` if that is impossible,
        empty if nothing is there.
        """
        items: list[Item] = []
        try:
            for place, entry in entries_below("", str(path)):
                item, name = item_of(place, entry), f"{number:04}/{first + len(items)}"
                is_large = item.size > LARGEST_FILE or len(items) >= _MOST_FILES
                if item.kind == "other" or is_large:
                    return None
                if item.kind == "file":
                    copy(place, str(self.folder / name), sync=False)
                    item = msgspec.structs.replace(item, copy=name)
                items.append(item)
        except OSError as error:
            if error.errno in _DISK_REFUSES:
                self.refused = error
            return None
        return items

    def _forget_oldest(self) -> None:
        """Remove the copies that are too many; what is older and smaller may still fit."""
        total = 0
        for number, change in enumerate(reversed(self._loaded())):
            for item in (item for item in change.items if item.kind == "file"):
                if number and total + item.size > LARGEST_SESSION:
                    (self.folder / item.copy).unlink(missing_ok=True)
                else:
                    total += item.size

    # ── On disk ───────────────────────────────────────────────────────────────────────────────

    def _loaded(self) -> list[KeptChange]:
        if self._changes is None:
            self._changes = []
            if self._fork_of is not None and not self.folder.exists():
                _begin_with(self._fork_of, self.folder)
            _forget_old_sessions(self.folder.parent, but=self.folder)
            for found in json_lines(self.folder / "changes.jsonl", KeptChange | _Settled):
                self._apply(found)
        return self._changes

    def _apply(self, found: KeptChange | _Settled) -> None:
        changes = self._loaded()
        if isinstance(found, _Settled):
            self._states[found.settled] = found.states
            return
        self._count = max(self._count, found.number)
        if found.undoes:
            changes[:] = [change for change in changes if change.number != found.undoes]
        else:
            changes.append(found)

    def _note(self, *data: KeptChange | _Settled, durable: bool = False) -> None:
        for each in data:
            self._apply(each)
            if isinstance(each, KeptChange) and not each.undoes:
                self._open.add(each.number)
        lines = map(json_line, data)
        append_lines(self.folder / "changes.jsonl", *lines, durable=durable)


def item_of(path: str, entry: Entry | None) -> Item:
    """Return the item for an entry; the copy of a file is named later."""
    if entry is None:
        return Item(path, "absent")
    if entry.kind in ("file", "folder"):
        return Item(path, entry.kind, "", entry.size, entry.mode)
    return Item(path, "link" if entry.kind == "link" else "other", entry.target)


def _settled(item: Item, left: State | None) -> State:
    """Return the state of a place with its digest, as a change has `left` it if that is known:
    what differs, except for a mode that the disk cannot have, is by someone else.

    What is in a closed folder stays unread: a command may be looking at the folder.
    """
    try:
        now = state_of(entry_at(item.path), item.path)
    except OSError:
        now = State("other")
    if left is None or left.same(now) or left.kind == now.kind == "folder":
        return now
    return left


def state_of(entry: Entry | None, path: str = "") -> State:
    """Return the state of an entry; the content of a file is read from `path`. Raises OSError."""
    if entry is None:
        return State("absent")
    if entry.kind == "link":
        return State("link", entry.target)
    if entry.kind == "folder":
        return State("folder", mode=entry.mode)
    if entry.kind != "file":
        return State("other")
    digest = _digest(path) if path and entry.size <= _LARGEST_READ else ""
    return State("file", digest, entry.mode, f"{entry.size} {entry.mtime_ns}")


def _digest(path: str) -> str:
    """Return a digest of a file's content and attributes, "" if we may not read it. Raises
    OSError.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except PermissionError:
        return ""
    with os.fdopen(descriptor, "rb") as file:
        found = hashlib.file_digest(file, "sha256")
        for name, value in sorted(own_attributes(descriptor).items()):
            found.update(os.fsencode(f"\0{name}\0") + value)
    return found.hexdigest()


def _with_new_folders(places: Iterable[Path]) -> Iterator[Path]:
    """Yield the places that do not exist yet, each before its missing parent folders."""
    for path in places:
        place = path
        while not os.path.lexists(place) and place != place.parent:
            yield place
            place = place.parent


def _folder(workspace: Workspace, session_id: str) -> Path:
    return state_dir() / "copies" / workspace.key / file_name(session_id)


def _begin_with(source: Path, target: Path) -> None:
    """Give `target` the content of `source`. Copies are never modified, so the two can share it."""

    def copy(old: str, new: str) -> None:
        if old.endswith(".jsonl"):
            shutil.copy2(old, new)
        else:
            os.link(old, new)

    with contextlib.suppress(OSError, shutil.Error):
        # without them, nothing before the fork can be undone
        shutil.copytree(source, target, copy_function=copy)


def _forget_old_sessions(folder: Path, but: Path) -> None:
    oldest = time.time() - _KEPT_FOR_S
    with contextlib.suppress(OSError):
        for old in folder.iterdir():
            if old != but and old.is_dir() and old.stat().st_mtime < oldest:
                shutil.rmtree(old, ignore_errors=True)
