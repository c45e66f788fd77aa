"""Copies of what tool calls are about to change or delete, kept outside the workspace for undo.

``STATE/copies/WORKSPACE-KEY/SESSION/`` contains ``changes.jsonl``, one change per line, and a
folder with the copies of each. It is readable by the user only, and deleted a week after the
session was last used. `rewind_plan.py` rewinds several changes.
"""

import contextlib
import errno
import hashlib
import json
import os
import shutil
import stat
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from dogent_tui.language import tr
from dogent_tui.records import Record
from dogent_tui.storage.files import atomic_write, open_for_appending, private_folder
from dogent_tui.storage.paths import Workspace, file_name, state_dir

LARGEST_FILE = 50_000_000
"""The largest file to copy, in bytes."""
LARGEST_SESSION = 200_000_000
"""The total size of a session's copies in bytes; the oldest are removed first."""
_LARGE_IN_SESSION = 2_000_000_000
"""The total size in bytes of a session's copies of files larger than `LARGEST_FILE`; the last
change is exempt.
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


class Kept(Record):
    """The result of keeping copies: places that `undo` can restore, and those it cannot (too large,
    unreadable, too many).

    `number` is the number of the change, 0 if nothing had to be kept.
    """

    paths: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    number: int = 0


class Undone(Record):
    """The result of an undo. `removed` had been created by the change; `left` could not be
    restored. `aside`: where those files are now that someone else had changed since.
    """

    label: str
    restored: tuple[str, ...]
    removed: tuple[str, ...]
    left: tuple[str, ...]
    aside: tuple[str, ...] = ()


class Item(Record):
    """The previous entry of a place. `copy` is relative to the session's folder; for a link it is
    the link's text.

    `mode` has the permission bits of a folder; the copy of a file has the file's own.
    """

    path: str
    kind: _Kind
    copy: str = ""
    size: int = 0
    mode: int = 0


class State(Record):
    """Enough about the entry at a place to tell whether it has changed. `mode`: permission bits,
    none for a link.
    """

    kind: _Kind
    digest: str = ""
    mode: int = 0


class Change(Record, tag="change"):
    """What a call was about to change. `run` is its run; `left` could not be copied."""

    number: int
    label: str
    items: tuple[Item, ...]
    run: str = ""
    left: tuple[str, ...] = ()


class _Undoing(Record, tag="undone"):
    """Records that the change with this number was undone."""

    undone: int


class _Settled(Record, tag="settled"):
    """Records the state after a change, one for each of its items."""

    settled: int
    states: tuple[State, ...]


class UndoLog:
    """The changes of one session. Thread-safe."""

    def __init__(self, workspace: Workspace, session_id: str, *, fork_of: str = "") -> None:
        """Keep the copies of `session_id`; a new session starts with those of the session
        `fork_of`, if any.
        """
        self._begin(
            _folder(workspace, session_id), _folder(workspace, fork_of) if fork_of else None
        )

    def _begin(self, folder: Path, fork_of: Path | None) -> None:
        self.folder = folder
        self._fork_of = fork_of
        self._changes: list[Change] | None = None
        self._states: dict[int, tuple[State, ...]] = {}
        self._count = 0
        self._run = ""
        self._lock = threading.Lock()
        self.refused: OSError | None = None
        """Why the last copy could not be written to disk."""

    @classmethod
    def at(cls, folder: Path, run: str) -> "UndoLog":
        """Return the log in `folder`, whichever session it belongs to, as of the run `run`."""
        copies = cls.__new__(cls)
        copies._begin(folder, None)  # noqa: SLF001 — of ours
        copies.begin_run(run)
        return copies

    def begin_run(self, run_id: str) -> None:
        """Assign further changes to the run `run_id`."""
        self._run = run_id

    def keep(
        self,
        label: str,
        changed: Sequence[Path],
        created: Sequence[Path] = (),
        *,
        forget: bool = True,
        own: bool = False,
    ) -> Kept:
        """Copy the places `changed`, and record that nothing exists at `created`. Call this before
        the change. Never raises: what cannot be kept is named in the result.

        If `forget` is False, the oldest copies are not removed to make room. `own`: the user
        changes files of the application, which no rewind includes.
        """
        with self._lock:
            self.refused = None
            try:
                return self._keep(label, changed, created, forget, OWN if own else self._run)
            except OSError as error:
                self.refused = error
                return Kept(left=tuple(map(str, changed)))

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

    def reserve(self, label: str, items: Iterable[Item], left: Iterable[str] = ()) -> Change:
        """Return a new change. The caller moves its files to the copies named by its items, then
        calls `add`.

        Call this before the change. Raises OSError.
        """
        with self._lock:
            self._loaded()
            number = self._count + 1
            named = [
                msgspec.structs.replace(item, copy=f"{number:04}/{place}")
                if item.kind == "file"
                else item
                for place, item in enumerate(items)
            ]
            self._settle_before({item.path for item in named})
            private_folder(self.folder / f"{number:04}")
            self._count = number
            return Change(number, label, tuple(named), self._run, tuple(left))

    def add(self, change: Change, *, durable: bool = True) -> None:
        """Record a reserved change after it was made; repeating this does nothing. Raises
        OSError.
        """
        with self._lock:
            changes = self._loaded()
            if all(change.number != other.number for other in changes):
                changes.append(change)
                self._count = max(self._count, change.number)
                self._note(change, durable=durable)
                self._forget_oldest()

    def settle(self, number: int = 0) -> None:
        """Record the state after the change `number`, or after every change for which it is not
        known yet. Never raises.

        Call this after the change: later differences are changes by someone else.
        """
        with self._lock:
            for change in self._loaded():
                if number in (0, change.number) and change.run == self._run:
                    self._settle(change)

    def changes(self) -> list[tuple[Change, tuple[State, ...] | None]]:
        """Return the changes that were not undone, oldest first, each with the state after it if
        known.
        """
        with self._lock:
            return [(change, self._states.get(change.number)) for change in self._loaded()]

    def state_of(self, item: Item) -> State:
        """Return the state of a place when it was copied. Raises OSError if the copy no longer
        exists.
        """
        if item.kind != "file":
            return State(item.kind, item.copy, item.mode)
        state = state_at(copy := self.folder / item.copy)
        if state.kind != "file":
            raise FileNotFoundError(copy)
        return state

    def undo(self) -> Undone | None:
        """Undo the last change and return the result; `None` if there is none. The current state is
        kept as well.
        """
        with self._lock:
            changes = self._loaded()
            while changes and not self._is_forgotten(changes[-1]):
                change = changes.pop()
                with contextlib.suppress(
                    OSError
                ):  # on a full disk, a later start merely offers it again
                    self._note(_Undoing(undone=change.number))
                undone = self._undo(change)
                if undone.restored or undone.removed or undone.left:
                    return undone
        return None

    # ── Keeping ───────────────────────────────────────────────────────────────────────────────

    def _keep(
        self, label: str, changed: Sequence[Path], created: Sequence[Path], forget: bool, run: str
    ) -> Kept:
        changes = self._loaded()
        private_folder(self.folder)
        self._settle_before({str(path) for path in (*changed, *created)})
        self._count += 1
        number = self._count
        items: list[Item] = []
        paths: list[str] = []
        left: list[str] = []
        for path in dict.fromkeys(changed):
            found = self._copied(path, number, len(items))
            if found is None:
                left.append(str(path))
            elif found:
                items += found
                paths.append(str(path))
        absent = sorted(
            dict.fromkeys(map(str, _with_new_folders(created))),
            key=lambda path: -path.count(os.sep),
        )
        items += [
            Item(path, "absent") for path in absent
        ]  # the contents of a new folder before the folder
        if items or left:
            changes.append(change := Change(number, label, tuple(items), run, tuple(left)))
            self._note(change)
            if forget:
                self._forget_oldest()
        return Kept(tuple(paths), tuple(left), number if items else 0)

    def _settle_before(self, paths: set[str]) -> None:
        """Settle earlier changes of some of `paths`, which are about to change again."""
        for change in self._loaded():
            is_open = change.run == self._run and change.number not in self._states
            if is_open and any(item.path in paths for item in change.items):
                self._settle(change)

    def _settle(self, change: Change) -> None:
        if change.number in self._states or not change.items:
            return
        self._states[change.number] = states = tuple(
            _state_or_other(item.path) for item in change.items
        )
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
            for place in _with_all_below(path):
                if len(items) >= _MOST_FILES:
                    return None
                item = self._copied_one(place, f"{number:04}/{first + len(items)}")
                if item is None:
                    return None
                items.append(item)
        except FileNotFoundError:
            return []
        except (OSError, shutil.Error) as error:
            if isinstance(error, OSError) and error.errno in _DISK_REFUSES:
                self.refused = error
            return None
        return items

    def _copied_one(self, path: str, name: str) -> Item | None:
        found = os.lstat(path)
        if stat.S_ISDIR(found.st_mode):
            return Item(path, "folder", mode=stat.S_IMODE(found.st_mode))
        if stat.S_ISLNK(found.st_mode):
            return Item(path, "link", os.readlink(path))  # noqa: PTH115 — text in, text out
        if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST_FILE:
            return None
        copy = self.folder / name
        private_folder(copy.parent)
        try:
            shutil.copy2(path, copy, follow_symlinks=False)
        except BaseException:
            copy.unlink(missing_ok=True)  # a partial copy would only take up space
            raise
        return Item(path, "file", name, found.st_size)

    def _forget_oldest(self) -> None:
        changes = self._loaded()
        large = [
            item
            for change in reversed(changes)
            for item in change.items
            if item.size > LARGEST_FILE
        ]
        # Only files that were moved here without copying are this large.
        for item, total in zip(large, accumulate(item.size for item in large), strict=True):
            if total > _LARGE_IN_SESSION and item not in changes[-1].items:
                (self.folder / item.copy).unlink(missing_ok=True)
        if _size(changes) <= LARGEST_SESSION:  # including those already removed
            return
        held = [change for change in changes if not self._is_forgotten(change)]
        while len(held) > 1 and _size(held) > LARGEST_SESSION:
            shutil.rmtree(self.folder / f"{held.pop(0).number:04}", ignore_errors=True)

    def _is_forgotten(self, change: Change) -> bool:
        """Return whether the copies of a change are gone. The change stays on record, because
        nothing before it can be restored either.
        """
        return (
            any(item.kind == "file" for item in change.items)
            and not (self.folder / f"{change.number:04}").is_dir()
        )

    # ── Undoing ───────────────────────────────────────────────────────────────────────────────

    def _undo(self, change: Change) -> Undone:
        restored: list[str] = []
        removed: list[str] = []
        left: list[str] = []
        kept: list[str] = []
        states = self._states.get(change.number) or (None,) * len(change.items)
        open_folders(item.path for item in change.items)
        for number, (item, after) in enumerate(zip(change.items, states, strict=False)):
            try:
                now = _state_or_other(item.path)
                if self._is_as_it_was(item, now) or (
                    item.kind == "absent" and _holds_something(item.path)
                ):
                    continue
                aside = self.folder / f"{change.number:04}" / f"after-{number}"
                self._put_aside(item, aside)
                if now != after and now.kind not in ("absent", "folder"):
                    kept.append(str(aside))
                if item.kind != "absent":
                    self._put_back(item)
                (removed if item.kind == "absent" else restored).append(item.path)
            except (OSError, shutil.Error):
                left.append(item.path)
        restored += [path for path in close_folders(change.items) if path not in restored]
        return Undone(change.label, tuple(restored), tuple(removed), tuple(left), tuple(kept))

    def _is_as_it_was(self, item: Item, now: State) -> bool:
        return now.kind == item.kind and (item.kind == "folder" or now == self.state_of(item))

    def _put_aside(self, item: Item, aside: Path) -> None:
        """Move the current entry out of the way. A folder stays, as it may contain more than the
        change created. Raises OSError.
        """
        parent = os.path.dirname(item.path)  # noqa: PTH120 — text in, text out
        os.makedirs(parent, exist_ok=True)  # noqa: PTH103
        if os.path.realpath(parent) != parent:
            raise OSError(tr("the folder now points elsewhere"))
        if os.path.lexists(item.path):
            if stat.S_ISDIR(os.lstat(item.path).st_mode):
                if item.kind != "absent" and _holds_something(item.path):
                    raise OSError(tr("it is now a folder"))
                os.rmdir(item.path)  # noqa: PTH106 — text in; one that holds something stays
                return
            private_folder(aside.parent)
            shutil.move(item.path, aside)

    def _put_back(self, item: Item) -> None:
        if item.kind == "folder":
            Path(item.path).mkdir()
        elif item.kind == "link":
            Path(item.path).symlink_to(item.copy)
        else:
            shutil.copy2(self.folder / item.copy, item.path)

    # ── On disk ───────────────────────────────────────────────────────────────────────────────

    def _loaded(self) -> list[Change]:
        if self._changes is None:
            self._changes = []
            if self._fork_of is not None and not self.folder.exists():
                _begin_with(self._fork_of, self.folder)
            _forget_old_sessions(self.folder.parent, but=self.folder)
            with contextlib.suppress(OSError):
                for line in (self.folder / "changes.jsonl").read_text("utf-8").splitlines():
                    self._apply(line, self._changes)
        return self._changes

    def _apply(self, line: str, changes: list[Change]) -> None:
        with contextlib.suppress(ValueError):  # a line truncated by a crash
            found = msgspec.convert(json.loads(line), Change | _Undoing | _Settled)
            if isinstance(found, _Settled):
                self._states[found.settled] = found.states
            elif isinstance(found, _Undoing):
                changes[:] = [change for change in changes if change.number != found.undone]
            else:
                changes.append(found)
                self._count = max(self._count, found.number)

    def _note(self, data: Change | _Undoing | _Settled, *, durable: bool = False) -> None:
        private_folder(self.folder)
        line = json_line(data)
        descriptor = open_for_appending(self.folder / "changes.jsonl")
        with os.fdopen(descriptor, "ab") as file:
            file.write(b"\n" + line + b"\n")  # the previous line may be truncated
            if durable:
                file.flush()
                os.fsync(descriptor)


def _size(changes: Iterable[Change]) -> int:
    return sum(
        item.size for change in changes for item in change.items if item.size <= LARGEST_FILE
    )


def json_line(data: object) -> bytes:
    """Return `data` as JSON that `json.loads` reads back, including names that are not UTF-8."""
    try:
        return msgspec.json.encode(data)
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(data)).encode()


def state_at(path: str | Path) -> State:
    """Return the state of a place. Raises OSError if it cannot be read."""
    try:
        found = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):  # a file replaced the folder
        return State("absent")
    if stat.S_ISLNK(found.st_mode):
        return State("link", os.readlink(path))  # noqa: PTH115 — text in, text out
    if stat.S_ISDIR(found.st_mode):
        return State("folder", mode=stat.S_IMODE(found.st_mode))
    if not stat.S_ISREG(found.st_mode):
        return State("other")
    with Path(path).open("rb") as file:
        return State(
            "file", hashlib.file_digest(file, "sha256").hexdigest(), stat.S_IMODE(found.st_mode)
        )


def open_folders(paths: Iterable[str]) -> None:
    """Make the folders among `paths` writable until `close_folders`."""
    for path in sorted(paths):
        with contextlib.suppress(OSError):
            mode = os.lstat(path).st_mode
            if stat.S_ISDIR(mode) and mode & 0o700 != 0o700:
                os.chmod(path, stat.S_IMODE(mode) | 0o700)  # noqa: PTH101 — text in


def close_folders(items: Iterable[Item]) -> list[str]:
    """Restore the modes of folders, and return those whose mode had changed."""
    changed = []
    for item in sorted(items, key=lambda item: item.path, reverse=True):
        with contextlib.suppress(OSError):
            now = os.lstat(item.path).st_mode
            if item.kind == "folder" and stat.S_ISDIR(now) and stat.S_IMODE(now) != item.mode:
                os.chmod(item.path, item.mode)  # noqa: PTH101 — text in
                changed.append(item.path)
    return changed


def _state_or_other(path: str) -> State:
    try:
        return state_at(path)
    except OSError:
        return State("other")


def _holds_something(path: str) -> bool:
    with contextlib.suppress(OSError), os.scandir(path) as entries:
        return any(entries) and not os.path.islink(path)  # noqa: PTH114 — text in
    return False


def _with_new_folders(created: Sequence[Path]) -> Iterator[Path]:
    """Yield the places that do not exist yet, each before its missing parent folders."""
    for path in created:
        place = path
        while not os.path.lexists(place) and place != place.parent:
            yield place
            place = place.parent


def _with_all_below(path: Path) -> Iterator[str]:
    """Yield a place and, if it is a folder, everything below it, folders before their contents."""
    yield str(path)
    if not path.is_symlink() and path.is_dir():
        for folder, folders, files in os.walk(path):
            yield from (os.path.join(folder, name) for name in (*folders, *files))  # noqa: PTH118 — text in, text out


def _folder(workspace: Workspace, session_id: str) -> Path:
    return state_dir() / "copies" / workspace.key / file_name(session_id)


def _begin_with(source: Path, target: Path) -> None:
    """Give `target` the content of `source`. Copies are never modified, so the two can share it."""

    def copy(old: str, new: str) -> None:
        if old.endswith(".jsonl"):
            shutil.copy2(old, new)
        else:
            os.link(old, new)

    with contextlib.suppress(
        OSError, shutil.Error
    ):  # without them, nothing before the fork can be undone
        shutil.copytree(source, target, copy_function=copy)


def _forget_old_sessions(folder: Path, but: Path) -> None:
    oldest = time.time() - _KEPT_FOR_S
    with contextlib.suppress(OSError):
        for old in folder.iterdir():
            if old != but and old.is_dir() and old.stat().st_mtime < oldest:
                shutil.rmtree(old, ignore_errors=True)
