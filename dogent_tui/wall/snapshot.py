"""A persistent copy of the workspace, used when commands write to the workspace directly: it shows
what they did and allows taking it back.

``FOLDER/tree`` holds each path as it was; before a command, only what has changed is copied. A pipe
in it represents an entry that cannot be copied. A file too large to copy is represented by a hard
link: it survives deletion and moving, but not being written to. ``FOLDER/running`` exists while a
command runs: if it is found at startup, a command was cut off.
"""

import contextlib
import errno
import hashlib
import itertools
import os
import select
import signal
import stat
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

import msgspec

from dogent_tui.storage.files import atomic_write, private_folder
from dogent_tui.temporary import remove_tree, take_lock
from dogent_tui.undo.changes import (
    FOR_EVER,
    Change,
    Difference,
    Entry,
    entries_below,
    entry_at,
    entry_of,
    is_below,
)
from dogent_tui.undo.commit import Committing
from dogent_tui.undo.file_moves import AnchoredFolder, copy, set_mode
from dogent_tui.undo.undo_log import UndoLog
from dogent_tui.wall.difference import is_same, with_blank, with_moves

LARGEST_FILE = 50_000_000
"""The size in bytes up to which a file is copied if the file system cannot share its blocks."""
LARGEST_STORE = 4_000_000_000
"""The total size of all copies in bytes."""
_TICK_NS = 20_000_000
_COARSE = 5
"""CLOCK_REALTIME_COARSE, from which file systems take their times."""
_DIES_WITHIN_S = 5.0
_LOOKS = 5
"""The number of searches for processes started while others were being killed."""
_KEPT_FOR_S = 30 * 86_400
"""How long to keep the copy of a workspace that is not opened any more."""

_Stamp: TypeAlias = tuple[str, int, int, int, int, int]
"""Kind, mode, size, mtime, inode, ctime; for a folder only kind, mode and inode. An entry with the
same stamp was not touched.

For entries copied by an earlier process only the first four are known; the others are 0.
"""


class TakenBack(msgspec.Struct, frozen=True):
    """Paths that were restored, and those that were not because someone else changed them or they
    are not covered. `changes` are what was restored, as the commands had left it.
    """

    restored: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()


class _Running(msgspec.Struct):
    private: str
    jobs: list[str]


class Snapshot:
    """The copy of one workspace. Thread-safe, but for one process at a time."""

    def __init__(self, workspace: Path, folder: Path) -> None:
        """Keep the copy of `workspace` in `folder`, outside it. Raises OSError, and BlockingIOError
        if another process uses it.
        """
        self.workspace, self.folder = workspace, private_folder(folder)
        self._tree = private_folder(folder / "tree")
        self._lock = threading.RLock()
        self._running = _Running("", [])
        self._held = take_lock(folder / "lock")
        self._mode = workspace.stat().st_mode | 0o700
        self._stamps: dict[str, _Stamp] = {}
        self._sum = 0
        for path, entry in itertools.islice(entries_below(str(self._tree), ""), 1, None):
            self._stamps[path] = (*_stamp(entry)[:4], 0, 0)
            self._sum += _own_size(entry)

    def close(self) -> None:
        """Close the copy, which is kept for the next start."""
        os.close(self._held)

    @contextlib.contextmanager
    def _looking(self) -> Iterator[None]:
        with self._lock, contextlib.closing(AnchoredFolder(str(self.workspace))) as self._real:
            yield

    # ── Life of a command ─────────────────────────────────────────────────────────────────────

    def begin(self, job: str, private: Path) -> None:
        """Update the copy and record that `job` is running. While another job runs, the copy keeps
        the state before that one.

        `private` is the session's folder, which identifies leftover processes. Raises OSError.
        """
        with self._looking():
            if not self._running.jobs:
                self._refresh()
            self._note(_Running(str(private), [*self._running.jobs, job]))

    def end(self, job: str) -> None:
        """Record that `job` has ended and has been judged."""
        with self._lock:
            others = [other for other in self._running.jobs if other != job]
            self._note(_Running(self._running.private, others))

    def is_running(self, job: str) -> bool:
        """Return whether `job` has begun and has not been judged yet."""
        return job in self._running.jobs

    def sockets(self) -> list[Path]:
        """Return the sockets in the workspace, each of which may lead to a program outside."""
        found = self._stamps.items()
        return [self.workspace / path for path, stamp in found if stamp[0] == "socket"]

    def _note(self, running: _Running) -> None:
        self._running = running
        place = self.folder / "running"
        if running.jobs:
            atomic_write(place, msgspec.json.encode(running), durable=False)
        else:
            place.unlink(missing_ok=True)

    def resume(self) -> TakenBack | None:
        """Take back what was cut off with an earlier process; None if nothing was. Call this before
        `begin`.

        Later changes belong to someone else. What is taken back is kept as a layer in
        ``FOLDER/aside``.
        """
        with self._lock:
            try:
                running = msgspec.json.decode((self.folder / "running").read_bytes(), type=_Running)
            except (OSError, msgspec.DecodeError):
                return None
            end_left_over(running.private)
            ends = [Path(running.private, "jobs", job, "over") for job in running.jobs]
            until = max((end.stat().st_ctime_ns for end in ends if end.exists()), default=FOR_EVER)
            self._running = running
            self._committing(UndoLog(self.folder / "aside" / "kept", "")).resume()
            return self.take_back_cut_off(until)

    def take_back_cut_off(self, until: int = FOR_EVER) -> TakenBack | None:
        """Take back what commands did that will not be judged any more."""
        with self._lock:
            if not self._running.jobs:
                return None
            aside = self.folder / "aside" / str(time.time_ns())
            taken = self.collect(private_folder(aside / "upper"), until)
            self._note(_Running("", []))
            return taken

    # ── The copy ──────────────────────────────────────────────────────────────────────────────

    def _refresh(self) -> None:
        """Update the copy to the current state, and wait until the clock can tell later changes
        from it.
        """
        seen, latest = set(), 0
        self._mode = self.workspace.stat().st_mode
        for path, found in self._scan():
            seen.add(path)
            if self._stamps.get(path) != _stamp(found):
                latest = max(latest, found.ctime_ns)
                self._take(path, found)
        for path in self._stamps.keys() - seen:
            self._forget(path)
        while 0 <= latest - time.clock_gettime_ns(_COARSE) < _TICK_NS:
            time.sleep(0.001)  # a change in the same clock tick would have the same ctime

    def _scan(self) -> Iterator[tuple[str, Entry]]:
        """Yield everything in the workspace; folders before their contents, links without their
        targets.
        """
        folders = [""]
        while folders:
            folder = folders.pop()
            with contextlib.suppress(OSError):  # it cannot be read, or has disappeared
                for each in os.scandir(self._real.spot(f"{folder}.")):
                    with contextlib.suppress(FileNotFoundError):
                        yield folder + each.name, entry_of(each.stat(follow_symlinks=False))
                    if each.is_dir(follow_symlinks=False):
                        folders.append(f"{folder}{each.name}/")

    def _take(self, path: str, found: Entry) -> None:
        """Copy a path, unless it looks unchanged since an earlier process copied it."""
        place, old = f"{self._tree}/{path}", self._stamps.get(path)
        if old is None or old[4] or old[:4] != _stamp(found)[:4]:
            if not (found.kind == "folder" and old and old[0] == "folder"):
                self._forget(path)
            try:
                found = self._copy(path, place)
            except OSError:
                self._forget(path)
                os.mkfifo(place)
        self._stamps[path] = _stamp(found)

    def _copy(self, path: str, place: str) -> Entry:
        """Copy a path, and return its entry. Raises OSError if it cannot be copied."""
        spot = self._real.spot(path)
        found = entry_at(spot)
        if found and found.kind == "folder":
            os.scandir(spot).close()  # fails if it cannot be listed
            os.makedirs(place, exist_ok=True)
            os.chmod(place, found.mode | 0o700)
        elif found and found.kind in ("file", "link"):
            self._copy_or_link(spot, place, min(LARGEST_FILE, LARGEST_STORE - self._sum))
            self._sum += _own_size(entry_of(os.lstat(place)))
            if os.path.samestat(os.lstat(spot), os.lstat(place)):
                found = entry_of(os.lstat(spot))  # the hard link has changed its ctime
        else:
            raise OSError(path)
        return found

    def _copy_or_link(self, source: str, target: str, most: int) -> None:
        """Copy a file or link, or make a hard link of a file of more than `most` bytes, or if the
        disk is full. Raises OSError.
        """
        new = f"{self.folder}/new"  # the name of the target may be as long as a name can be
        try:
            copy(source, new, sync=False, most=most)
            os.rename(new, target)
        except OSError as error:
            if error.errno not in (errno.EFBIG, errno.ENOSPC, errno.EDQUOT):
                raise
            os.link(source, target, follow_symlinks=False)

    def _forget(self, path: str) -> None:
        self._stamps.pop(path, None)
        place = f"{self._tree}/{path}"
        if found := entry_at(place):
            self._sum -= _own_size(found)
            remove_tree(Path(place)) if found.kind == "folder" else os.unlink(place)

    def _entry(self, path: str) -> Entry | None:
        """Return the entry at a path, None if there is none, or none that can be reached."""
        with contextlib.suppress(OSError):
            return entry_at(self._real.spot(path))
        return None

    # ── What a command did ────────────────────────────────────────────────────────────────────

    def _changes(self, until: int) -> tuple[list[Change], list[str]]:
        """Return the differences from the copy, by path, and the paths that cannot be restored.
        Opens the folders that commands closed, and gives the workspace itself its mode again.
        """
        self.workspace.chmod(stat.S_IMODE(self._mode))
        seen, touched, left = set(), dict[str, int](), list[str]()
        for path, found in self._scan():
            seen.add(path)
            if self._stamps.get(path) != _stamp(found) and found.ctime_ns <= until:
                touched[path] = found.mode
                if found.kind == "folder" and found.mode & 0o700 != 0o700:
                    set_mode(self._real.spot(path), found.mode | 0o700, os.O_DIRECTORY)
        paths = sorted([*touched, *(self._stamps.keys() - seen)])
        here = (path for path in paths if not is_below(path, left))
        every = [change for path in here if (change := self._compared(path, touched, left))]
        only = {self._stamps[path][4] for path in {*left} - {each.path for each in every}}
        new = [each for each in every if each.after and not each.before]
        stays = [each for each in new if each.after and each.after.inode in only]
        left += [each.path for each in stays]  # the only copy there is, wherever it is now
        return [each for each in every if each not in stays], left

    def _compared(self, path: str, modes: Mapping[str, int], left: list[str]) -> Change | None:
        """Return how a path, left with the mode in `modes`, differs from the copy, or None if it
        does not or cannot be restored.
        """
        place, old = f"{self._tree}/{path}", self._stamps.get(path)
        now = after = self._entry(path)
        if after and path in modes:
            after = msgspec.structs.replace(after, mode=modes[path])
        if old is None:
            return Change(path, None, after) if after else None
        before = entry_at(place)
        if before is None or before.kind == "pipe":
            if now is None or (old[4] and _stamp(now)[:5] != old[:5]):
                left.append(path)
            return None
        is_same_file = now and (now.device, now.inode) == (before.device, before.inode)
        is_untouched = before.kind != "file" or _stamp(before)[2:4] == old[2:4]
        before = msgspec.structs.replace(before, mode=old[1])
        if not is_untouched:
            left.append(path)  # it was written to through its hard link
            if is_same_file:
                return None
        if now and after and is_same(place, self._real.spot(path), before, after):
            os.utime(place, ns=(now.mtime_ns, now.mtime_ns), follow_symlinks=False)
            self._stamps[path] = _stamp(now)
            return None
        return Change(path, before, after)

    # ── Keeping, taking back ──────────────────────────────────────────────────────────────────

    def accept(self, kept: Iterable[Change]) -> None:
        """Have the copy hold what was kept of a command. What another command has made of it in the
        meantime is that one's.
        """
        with self._looking():
            for change in sorted(kept, key=lambda each: each.path):
                path, after = change.path, change.after
                found = self._entry(path)
                if (found and found.kind) != (after and after.kind):
                    continue
                if found is None:
                    self._forget(path)
                elif self._stamps.get(path) != _stamp(found):
                    self._take(path, found)

    def collect(self, upper: Path, until: int = FOR_EVER) -> TakenBack:
        """Move what commands made to `upper`, and restore the workspace.

        Changes after `until` and entries that are not covered stay. This is a commit in the other
        direction.
        """
        with self._looking():
            changes, left = self._changes(until)
            copies = UndoLog(upper.parent / "kept", "")
            back = private_folder(upper.parent / "back")
            for each in changes:
                self._stage(each, f"{back}/{each.path}")
            reverse = tuple(
                Change(each.path, _as_opened(each.after), each.before) for each in changes
            )
            difference = Difference(str(self.workspace), str(back), FOR_EVER, reverse)
            done = self._committing(copies).commit(difference, "", sync=False)
            for path in done.committed:
                if found := self._entry(path):
                    self._stamps[path] = _stamp(found)
            items = copies.changes()[-1][0].items if done.number else ()
            kept = {item.path: copies.folder / item.copy for item in items if item.kind == "file"}
            undone = [
                Change(each.path, entry_at(f"{self.workspace}/{each.path}"), each.after)
                for each in changes
                if each.path in done.committed
            ]
            self._fill(undone, upper, kept)
            remove_tree(back)
            left += [each.path for each in changes if each.path not in {*done.committed, *left}]
            restored = (path for path in done.committed if path not in left)
            tops = str(self.workspace), str(upper)
            moved = with_moves(*tops, [with_blank(*tops, each) for each in undone])
            return TakenBack(tuple(restored), tuple(left), moved)

    def _committing(self, copies: UndoLog) -> Committing:
        return Committing(self.folder / "journals", copies)

    def _stage(self, change: Change, place: str) -> None:
        """Prepare a copy of the previous entry of a path, which is then moved back."""
        before, after = change.before, change.after
        if before is None or before.kind == "folder":
            return
        os.makedirs(os.path.dirname(place), exist_ok=True)
        is_one = after is not None and after.inode == before.inode  # only its mode has changed
        most = sys.maxsize if is_one else LARGEST_FILE
        self._copy_or_link(f"{self._tree}/{change.path}", place, most)
        if before.kind == "file":
            os.chmod(place, before.mode)

    def _fill(self, changes: list[Change], upper: Path, kept: dict[str, Path]) -> None:
        """Put what `changes` made into the layer; `kept` are the files."""
        for each in changes:
            after, place = each.after, upper / each.path
            if after is None or after.kind == "folder":
                continue
            place.parent.mkdir(0o700, parents=True, exist_ok=True)
            if after.kind == "link":
                place.symlink_to(after.target)
            elif after.kind == "file":
                kept[f"{self.workspace}/{each.path}"].rename(place)
            else:
                kind = stat.S_IFIFO if after.kind == "pipe" else stat.S_IFSOCK
                os.mknod(place, kind | after.mode)


def open_snapshot(workspace: Path, folder: Path) -> Snapshot:
    """Return a copy of the workspace that no other process uses, preferably one with a command that
    was cut off.
    """
    mine = private_folder(folder / hashlib.sha256(os.fsencode(workspace)).hexdigest()[:16])
    os.utime(mine)
    for other in folder.iterdir():
        is_old = other.stat().st_mtime < time.time() - _KEPT_FOR_S
        if is_old and not any(other.glob("*/running")):
            remove_tree(other)
    used = sorted(mine.iterdir(), key=lambda place: not (place / "running").exists())
    new = (mine / str(number) for number in itertools.count(len(used)))
    for place in itertools.chain(used, new):
        with contextlib.suppress(BlockingIOError):
            return Snapshot(workspace, place)
    raise AssertionError


def _as_opened(entry: Entry | None) -> Entry | None:
    """Return an entry as `_changes` leaves it: a folder is open."""
    if entry is None or entry.kind != "folder":
        return entry
    return msgspec.structs.replace(entry, mode=entry.mode | 0o700)


def _stamp(found: Entry) -> _Stamp:
    if found.kind == "folder":
        return (found.kind, found.mode, 0, 0, found.inode, 0)
    times = found.mtime_ns, found.inode, found.ctime_ns
    return (found.kind, found.mode, found.size, *times)


def _own_size(found: Entry) -> int:
    """Return the bytes that a copy takes; a hard link takes none."""
    return found.size if found.kind == "file" and found.names == 1 else 0


def end_left_over(private: str) -> None:
    """Kill the processes left by a session whose supervisor was killed, and those they start in the
    meantime. They are identified by the session's folder in their environment.
    """
    mark = f"TMPDIR={private}/tmp".encode(errors="surrogateescape")
    for _ in range(_LOOKS):
        if not _killed(mark):
            return


def _killed(mark: bytes) -> bool:
    """Kill each process with `mark` in its environment, and return whether there was one."""
    found = False
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:
            process = os.pidfd_open(int(name))
            if mark in file.read().split(b"\0"):
                found = True
                signal.pidfd_send_signal(process, signal.SIGKILL)
                select.select([process], [], [], _DIES_WITHIN_S)
            os.close(process)
    return found
