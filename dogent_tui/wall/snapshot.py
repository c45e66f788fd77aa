"""A standing copy of the workspace, for commands that write into it directly: what they did is found out, and taken back.

``FOLDER/index`` (SQLite) knows each path as it was and holds the content of small files, ``FOLDER/large`` of larger ones. It is
brought up to date before a command, so only what changed since is copied. ``FOLDER/running`` is there while a command runs: if
it is found at a start, a command was cut off.
"""

import contextlib
import fcntl
import io
import itertools
import os
import select
import shutil
import signal
import sqlite3
import stat
import threading
import time
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import BinaryIO, TypeAlias

import msgspec

from dogent_tui.wall import kernel
from dogent_tui.wall.changes import Change, Difference, Entry, entry_kind
from dogent_tui.workspace.files import private_folder

LARGEST_FILE = 50_000_000
"""Bytes of a file that is still copied where the file system cannot share them."""
LARGEST_STORE = 4_000_000_000
"""Bytes of all copies."""
_SMALL = 1_000_000
_CHUNK = 1 << 20
_SHARE_BLOCKS = 0x40049409
"""The request FICLONE of ioctl_ficlone(2)."""
_TICK_NS = 20_000_000
_COARSE = 5
"""CLOCK_REALTIME_COARSE, from which file systems take their times."""
_DIES_WITHIN_S = 5.0
_LARGEST_NUMBER = (1 << 63) - 1

_Row: TypeAlias = tuple[int, int, int, int, int, int, int, str, int]
"""Inode, ctime, size, mode with the kind, device, names, mtime, target, number of the copy: 0 where there is none."""


class TakenBack(msgspec.Struct, frozen=True):
    """Paths that are as before again, and those that are not: changed by somebody else meanwhile, or not covered."""

    restored: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


class _Running(msgspec.Struct):
    private: str
    jobs: list[str]


class Snapshot:
    """The copy of one workspace. Safe for use by several threads; one process at a time."""

    def __init__(self, workspace: Path, folder: Path) -> None:
        """Keep the copy of `workspace` in `folder`, outside it. Raises OSError, BlockingIOError where another process does."""
        self.workspace, self.folder = workspace, private_folder(folder)
        self._lock = threading.RLock()
        self._jobs: list[str] = []
        self._private = Path()
        self._held = os.open(folder / "lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._root = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        private_folder(folder / "large")
        try:
            self._load()
        except sqlite3.DatabaseError:  # cut short by a power loss: nothing of it can be trusted
            for place in (folder / "index", folder / "index-journal", folder / "running"):
                place.unlink(missing_ok=True)
            self._load()

    def _load(self) -> None:
        self._store = sqlite3.connect(self.folder / "index", check_same_thread=False)
        self._store.execute("pragma synchronous=off")  # a kill costs nothing, only a loss of power
        self._store.execute("create table if not exists contents (number integer primary key, data)")
        self._store.execute(
            "create table if not exists entries (path blob primary key, inode, ctime, size, mode,"
            " device, names, mtime, target, copy) without rowid"
        )
        rows = self._store.execute("select * from entries")
        self._index: dict[str, _Row] = {
            os.fsdecode(path): (*numbers, os.fsdecode(target), copy) for path, *numbers, target, copy in rows
        }
        (last,) = self._store.execute("select max(copy) from entries").fetchone()
        self._number: int = last or 0
        self._sum = sum(row[2] for row in self._index.values() if row[8])

    def close(self) -> None:
        """Let go of the copy; it stays for the next start."""
        self._store.close()
        for descriptor in (self._root, self._held):
            os.close(descriptor)

    # ── Life of a command ─────────────────────────────────────────────────────────────────────

    def begin(self, job: str, private: Path) -> None:
        """Be up to date, and note that `job` runs. While another runs, the copy stays as it was before that one.

        `private` is the folder of the session, by which processes that are left over are known. Raises OSError.
        """
        with self._lock:
            if not self._jobs:
                self._refresh()
            self._jobs.append(job)
            self._note(private)

    def end(self, job: str) -> None:
        """Note that `job` has ended, and was judged."""
        with self._lock:
            if job in self._jobs:
                self._jobs.remove(job)
                self._note(self._private)

    def resume(self) -> TakenBack | None:
        """Take back what was cut off with an earlier process; None where nothing was. Call it before `begin`.

        What changed after its end is somebody else's. What is taken back is kept as a layer in ``FOLDER/aside``.
        """
        with self._lock:
            try:
                running = msgspec.json.decode((self.folder / "running").read_bytes(), type=_Running)
            except (OSError, msgspec.DecodeError):
                return None
            end_left_over(running.private)
            ends = [Path(running.private, "jobs", job, "over") for job in running.jobs]
            until = max((end.stat().st_ctime_ns for end in ends if end.exists()), default=_LARGEST_NUMBER)
            self._jobs = running.jobs
            return self.take_back_cut_off(until)

    def take_back_cut_off(self, until: int = _LARGEST_NUMBER) -> TakenBack | None:
        """Take back what commands did that will not be judged any more."""
        with self._lock:
            if not self._jobs:
                return None
            taken = self.collect(private_folder(self.folder / "aside" / str(time.time_ns())), until)
            self._jobs.clear()
            self._note(Path())
            return taken

    def is_running(self, job: str) -> bool:
        """Whether `job` has begun, and was not judged yet."""
        return job in self._jobs

    def _note(self, private: Path) -> None:
        self._private = private
        place = self.folder / "running"
        if self._jobs:
            place.with_suffix(".new").write_bytes(msgspec.json.encode(_Running(str(private), self._jobs)))
            place.with_suffix(".new").replace(place)
        else:
            place.unlink(missing_ok=True)

    # ── The copy ──────────────────────────────────────────────────────────────────────────────

    def uncovered(self) -> tuple[str, ...]:
        """Return the files that could not be brought back: too large, unreadable, or none of files, folders and links."""
        with self._lock:
            return tuple(path for path, row in self._index.items() if not _is_covered(row))

    def _refresh(self) -> None:
        """Make the copy one of what is there now, and wait for a moment that tells later changes from it."""
        seen, latest = set(), 0
        for path, found in self._scan():
            seen.add(path)
            old = self._index.get(path)
            if old is None or not _is_same(old, found):
                latest = max(latest, found.st_ctime_ns)
                self._take(path, found)
        for path in self._index.keys() - seen:
            self._forget(path)
        self._store.commit()
        while 0 <= latest - time.clock_gettime_ns(_COARSE) < _TICK_NS:
            time.sleep(0.001)  # a change within the same tick of the clock would have the same ctime

    def _scan(self) -> Iterator[tuple[str, os.stat_result]]:
        folders = [""]
        while folders:
            folder = folders.pop()
            with contextlib.suppress(OSError):  # it cannot be read, or has gone meanwhile
                descriptor = self.open_at(folder or ".", os.O_RDONLY | os.O_DIRECTORY)
                try:
                    with os.scandir(descriptor) as entries:
                        for entry in entries:
                            path = folder + entry.name
                            with contextlib.suppress(FileNotFoundError):
                                yield path, entry.stat(follow_symlinks=False)
                            if entry.is_dir(follow_symlinks=False):
                                folders.append(path + "/")
                finally:
                    os.close(descriptor)

    def open_at(self, path: str, flags: int) -> int:
        """Open what lies at a path; no link is followed. Raises OSError."""
        return kernel.open_beneath(self._root, path, flags)

    def _take(self, path: str, found: os.stat_result) -> None:
        """Have the copy hold what lies at a path."""
        self._forget(path)
        target, copy = "", 0
        with contextlib.suppress(OSError):
            if stat.S_ISLNK(found.st_mode):
                target = self._target(path)
            elif stat.S_ISREG(found.st_mode):
                copy = self._copied(path)
        self._sum += found.st_size if copy else 0
        self._set(path, _row(found, target, copy))

    def _set(self, path: str, row: _Row) -> None:
        self._index[path] = row
        values = (os.fsencode(path), *row[:7], os.fsencode(row[7]), row[8])
        self._store.execute(f"insert or replace into entries values ({','.join('?' * 10)})", values)  # noqa: S608

    def _copied(self, path: str) -> int:
        with open(self.open_at(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            number = self._number + 1
            if size <= _SMALL and self._sum + size <= LARGEST_STORE:
                self._store.execute("insert into contents values (?, ?)", (number, file.read(_SMALL)))
            elif not self._copied_large(file, size, self.folder / "large" / str(number)):
                return 0
        self._number = number
        return number

    def _copied_large(self, file: BinaryIO, size: int, place: Path) -> bool:
        with open(place, "wb") as copy:
            try:
                fcntl.ioctl(copy, _SHARE_BLOCKS, file.fileno())
                return True
            except OSError:
                fits = size <= LARGEST_FILE and self._sum + size <= LARGEST_STORE
            if fits:
                shutil.copyfileobj(file, copy, _CHUNK)
        if not fits:
            place.unlink()
        return fits

    def _forget(self, path: str) -> None:
        old = self._index.pop(path, None)
        if old is not None:
            self._store.execute("delete from entries where path = ?", (os.fsencode(path),))
            if old[8]:
                self._sum -= old[2]
                self._store.execute("delete from contents where number = ?", (old[8],))
                (self.folder / "large" / str(old[8])).unlink(missing_ok=True)

    @contextlib.contextmanager
    def content(self, number: int) -> Iterator[BinaryIO]:
        """Open the copy of that number."""
        found = self._store.execute("select data from contents where number = ?", (number,)).fetchone()
        with io.BytesIO(found[0]) if found else open(self.folder / "large" / str(number), "rb") as file:
            yield file

    @contextlib.contextmanager
    def parent(self, path: str) -> Iterator[tuple[int, str]]:
        """Open the folder of a path, and say its name in there. Raises OSError."""
        folder, name = os.path.split(path)
        descriptor = self.open_at(folder or ".", os.O_PATH | os.O_DIRECTORY)
        try:
            yield descriptor, name
        finally:
            os.close(descriptor)

    def row(self, path: str) -> _Row | None:
        """Return what the copy knows of a path."""
        return self._index.get(path)

    def set_row(self, path: str, found: os.stat_result) -> None:
        """Note that what the copy holds lies at its path, as `found`."""
        old = self._index[path]
        self._set(path, _row(found, old[7], old[8]))

    # ── What a command did ────────────────────────────────────────────────────────────────────

    def difference(self, began_ns: int = 0) -> Difference:
        """Return what is other than in the copy. Raises OSError."""
        with self._lock:
            changed: dict[str, Change] = {}
            seen = set()
            for path, found in self._scan():
                seen.add(path)
                old = self._index.get(path)
                if old is None or not _is_same(old, found):
                    with contextlib.suppress(FileNotFoundError):
                        if old and old[3] == found.st_mode and self.holds_same(path, old, found):
                            self.set_row(path, found)
                        else:
                            target = self._target(path) if stat.S_ISLNK(found.st_mode) else ""
                            after = _entry(_row(found, target, 0))
                            changed[path] = Change(path, _entry(old) if old else None, after)
            gone = {path: Change(path, _entry(row), None) for path, row in self._index.items() if path not in seen}
            self._store.commit()
            changes = tuple(self._with_moves(changed, gone))
            return Difference(str(self.workspace), str(self.workspace), began_ns, changes)

    def holds_same(self, path: str, row: _Row, found: os.stat_result) -> bool:
        """Whether what is found at a path is what the copy holds as `row`, whatever its permissions."""
        if stat.S_IFMT(row[3]) != stat.S_IFMT(found.st_mode):
            return False
        if stat.S_ISLNK(row[3]):
            return self._target(path) == row[7]
        if not stat.S_ISREG(row[3]) or not row[8] or row[2] != found.st_size:
            is_untouched = row[2] == found.st_size and (row[0], row[6]) == (found.st_ino, found.st_mtime_ns)
            return stat.S_ISDIR(row[3]) or is_untouched
        with self.content(row[8]) as before, open(self.open_at(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as now:
            while piece := before.read(_CHUNK):
                if piece != now.read(len(piece)):
                    return False
            return not now.read(1)

    def _target(self, path: str) -> str:
        with self.parent(path) as (parent, name):
            return os.readlink(name, dir_fd=parent)

    def _with_moves(self, changed: dict[str, Change], gone: dict[str, Change]) -> Iterator[Change]:
        """Yield all by path; what has the inode of something that is gone, and holds the same, is that, moved."""
        by_inode = {self._index[path][0]: path for path in sorted(gone, reverse=True)}
        for path, change in [*changed.items()]:
            after = change.after
            old = by_inode.get(after.inode, "") if after and not change.before else ""
            if after and old and self._is_moved(path, self._index[old]):
                del by_inode[after.inode]
                gone[old] = msgspec.structs.replace(gone[old], moved_to=path)
                changed[path] = msgspec.structs.replace(change, moved_from=old)
        yield from sorted((*changed.values(), *gone.values()), key=lambda change: change.path)

    def _is_moved(self, path: str, old: _Row) -> bool:
        with contextlib.suppress(OSError), self.parent(path) as (parent, name):
            found = os.stat(name, dir_fd=parent, follow_symlinks=False)
            is_same = old[3] == found.st_mode and self.holds_same(path, old, found)
            return is_same or not _is_covered(old)  # the only one there is, whatever was done to it
        return False

    # ── Keeping, taking back ──────────────────────────────────────────────────────────────────

    def accept(self, paths: Collection[str]) -> None:
        """Let what lies at `paths` now be what the copy holds."""
        with self._lock:
            for path in paths:
                try:
                    with self.parent(path) as (parent, name):
                        self._take(path, os.stat(name, dir_fd=parent, follow_symlinks=False))
                except OSError:
                    self._forget(path)
            self._store.commit()

    def collect(self, upper: Path, until: int = _LARGEST_NUMBER) -> TakenBack:
        """Move what commands did into `upper`, as if it were the layer that there could not be. The workspace is as before then.

        What changed after `until` stays, and what is not covered.
        """
        with self._lock:
            changes = [each for each in self.difference().changes if not each.after or each.after.ctime_ns <= until]
            left = {change.path: change for change in changes}
            back = _Back(self, changes, upper)
            back.fill_layer(changes)
            moving = (back.remove, back.move, back.remove, back.restore)
            for step in (*moving, back.move, back.restore, back.remove_rest):
                for path in sorted(left, reverse=step in (back.remove, back.remove_rest)):
                    with contextlib.suppress(OSError):
                        if step(left[path]):
                            del left[path]
            self._store.commit()
            return TakenBack(tuple(each.path for each in changes if each.path not in left), tuple(left))


class _Back:
    """Takes back single changes. Each step says whether that one is done; what raises OSError is not."""

    def __init__(self, snapshot: Snapshot, changes: list[Change], upper: Path) -> None:
        self._snapshot = snapshot
        self._left_by_it = {change.after.inode: change.after for change in changes if change.after}
        self._upper = upper

    def fill_layer(self, changes: list[Change]) -> None:
        """Have the layer hold what `changes` made, as an overlay would: whiteouts, opaque folders, whole files."""
        folders: dict[str, int] = {}
        for change in changes:
            with contextlib.suppress(OSError):
                self._make_folders(os.path.dirname(change.path), folders)
                self._fill(change, str(self._upper / change.path), folders)
        for path in sorted(folders, reverse=True):
            (self._upper / path).chmod(folders[path])

    def _make_folders(self, path: str, folders: dict[str, int]) -> None:
        if path and path not in folders:
            self._make_folders(os.path.dirname(path), folders)
            with self._snapshot.parent(path) as (parent, name):
                folders[path] = stat.S_IMODE(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode)
            (self._upper / path).mkdir(0o700)

    def _fill(self, change: Change, place: str, folders: dict[str, int]) -> None:
        before, after, row = change.before, change.after, self._snapshot.row(change.path)
        with self._snapshot.parent(change.path) as (parent, name):
            if after is None:
                os.mknod(place, stat.S_IFCHR, os.makedev(0, 0))
            elif after.kind == "folder":
                os.mkdir(place, 0o700)
                folders[change.path] = after.mode
                if before is not None and before.kind != "folder":
                    os.setxattr(place, "user.overlay.opaque", b"y")
            elif after.kind == "link":
                os.symlink(after.target, place)
            elif after.kind != "file":
                os.mknod(place, {"pipe": stat.S_IFIFO, "socket": stat.S_IFSOCK}[after.kind] | after.mode)
            elif change.moved_from or (row and not _is_covered(row)):  # the one there is goes back itself
                if row is None or self._snapshot.holds_same(change.path, row, os.stat(name, dir_fd=parent)):
                    _copy(self._snapshot.open_at(change.path, os.O_RDONLY), place, after.mode)
            else:
                try:
                    os.rename(name, place, src_dir_fd=parent)
                except OSError:  # on another disk
                    _copy(self._snapshot.open_at(change.path, os.O_RDONLY), place, after.mode)

    def move(self, change: Change) -> bool:
        """Move back what was moved away."""
        places = self._snapshot.parent
        if change.moved_to:
            with places(change.moved_to) as (source, new), places(change.path) as (target, old):
                if self._at(target, old) is None and self._is_its(self._at(source, new)):
                    os.rename(new, old, src_dir_fd=source, dst_dir_fd=target)
        return False

    def remove(self, change: Change) -> bool:
        """Remove what was not there, unless it will be moved back."""
        return not change.moved_from and self.remove_rest(change)

    def remove_rest(self, change: Change) -> bool:
        """Remove what was not there."""
        if change.before is not None:
            return False
        try:
            with self._snapshot.parent(change.path) as (parent, name):
                now = self._at(parent, name)
                if now is not None and self._is_its(now):
                    _discard(parent, name, now)
                return now is None or self._is_its(now)
        except FileNotFoundError:
            return True

    def restore(self, change: Change) -> bool:
        """Have a path hold what it held."""
        before, row = change.before, self._snapshot.row(change.path)
        if before is None or row is None:
            return False
        with self._snapshot.parent(change.path) as (parent, name):
            now = self._at(parent, name)
            if now is None or not self._snapshot.holds_same(change.path, row, now):
                if not (_is_covered(row) and (now is None or self._is_its(now))):
                    return False
                self._put(parent, name, row, now)
            if before.kind != "link":
                self._change_mode(change.path, before.mode)
            self._snapshot.set_row(change.path, os.stat(name, dir_fd=parent, follow_symlinks=False))
        return True

    def _put(self, parent: int, name: str, row: _Row, now: os.stat_result | None) -> None:
        if now is not None and not stat.S_ISREG(now.st_mode):
            _discard(parent, name, now)
        if stat.S_ISDIR(row[3]):
            os.mkdir(name, 0o700, dir_fd=parent)
        elif stat.S_ISLNK(row[3]):
            os.symlink(row[7], name, dir_fd=parent)
        else:
            new = f".{name[:200]}.{os.getpid()}.back"
            descriptor = os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600, dir_fd=parent)
            with open(descriptor, "wb") as file, self._snapshot.content(row[8]) as old:
                shutil.copyfileobj(old, file, _CHUNK)
                file.flush()
                os.utime(descriptor, ns=(time.time_ns(), row[6]))
            os.replace(new, name, src_dir_fd=parent, dst_dir_fd=parent)

    def _change_mode(self, path: str, mode: int) -> None:
        descriptor = self._snapshot.open_at(path, os.O_PATH)
        try:
            os.chmod(f"/proc/self/fd/{descriptor}", mode)
        finally:
            os.close(descriptor)

    def _at(self, parent: int, name: str) -> os.stat_result | None:
        with contextlib.suppress(FileNotFoundError):
            return os.stat(name, dir_fd=parent, follow_symlinks=False)
        return None

    def _is_its(self, now: os.stat_result | None) -> bool:
        """Whether the command left this, and nobody has touched it since."""
        entry = self._left_by_it.get(now.st_ino & _LARGEST_NUMBER) if now else None
        return entry is not None and now is not None and (entry.kind == "folder" or entry.ctime_ns == now.st_ctime_ns)


def open_snapshot(workspace: Path, folder: Path) -> Snapshot:
    """Return a copy of the workspace that no other process uses: one where a command was cut off, if there is any."""
    private_folder(folder)
    used = sorted(folder.iterdir(), key=lambda place: not (place / "running").exists())
    for place in itertools.chain(used, (folder / str(number) for number in itertools.count(len(used)))):
        with contextlib.suppress(BlockingIOError):
            return Snapshot(workspace, place)
    raise AssertionError


def _row(found: os.stat_result, target: str, copy: int) -> _Row:
    ctime = 0 if stat.S_ISDIR(found.st_mode) else found.st_ctime_ns
    inode = found.st_ino & _LARGEST_NUMBER
    device, names = found.st_dev, found.st_nlink
    return (inode, ctime, found.st_size, found.st_mode, device, names, found.st_mtime_ns, target, copy)


def _is_same(old: _Row, found: os.stat_result) -> bool:
    if old[3] != found.st_mode or old[0] != found.st_ino & _LARGEST_NUMBER:
        return False
    return stat.S_ISDIR(old[3]) or (old[1] == found.st_ctime_ns and old[2] == found.st_size)


def _is_covered(row: _Row) -> bool:
    return bool(row[8]) or stat.S_ISDIR(row[3]) or stat.S_ISLNK(row[3])


def _entry(row: _Row) -> Entry:
    inode, ctime, size, mode, device, names, _, target, _ = row
    return Entry(entry_kind(mode), size, stat.S_IMODE(mode), target, device, inode, ctime, names)


def _discard(parent: int, name: str, now: os.stat_result) -> None:
    if stat.S_ISDIR(now.st_mode):
        os.rmdir(name, dir_fd=parent)
    else:
        os.unlink(name, dir_fd=parent)


def _copy(source: int, place: str, mode: int) -> None:
    with open(source, "rb") as file, open(place, "wb") as copy:
        try:
            fcntl.ioctl(copy, _SHARE_BLOCKS, file.fileno())
        except OSError:
            shutil.copyfileobj(file, copy, _CHUNK)
        found = os.fstat(source)
        os.fchmod(copy.fileno(), mode)
        copy.flush()
        os.utime(copy.fileno(), ns=(found.st_atime_ns, found.st_mtime_ns))


def end_left_over(private: str) -> None:
    """Kill what a session has left behind whose supervisor was killed: it is known by where it keeps its own files."""
    for name in os.listdir("/proc") if private else ():
        with contextlib.suppress(OSError, ValueError), open(f"/proc/{int(name)}/environ", "rb") as file:
            process = os.pidfd_open(int(name))
            if f"TMPDIR={private}/tmp".encode(errors="surrogateescape") in file.read().split(b"\0"):
                signal.pidfd_send_signal(process, signal.SIGKILL)
                select.select([process], [], [], _DIES_WITHIN_S)
            os.close(process)
