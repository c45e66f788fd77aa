"""Moving files so that none is missing at any moment: by exchange, by rename without overwriting,
or by a complete copy.
"""

# ruff: noqa: PTH101, PTH104, PTH108, PTH115, PTH123, PTH211 — names are text from `os.fsdecode`, by the ten thousand

import contextlib
import ctypes
import errno
import fcntl
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from typing import TypeAlias

from dogent_tui.storage.places import walked
from dogent_tui.undo.changes import Entry, attributes_of, own_attributes

_libc = ctypes.CDLL(None, use_errno=True)
_CWD = -100
_UNABLE = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
_NEW, _EXCHANGE = 1, 2
PLACE = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK) | os.O_NOFOLLOW | os.O_CLOEXEC
"""How to open a file or folder that is not read; macOS has no `O_PATH`."""
_PART_BYTES = 1 << 20
_SHARE_BLOCKS = 0x40049409
"""FICLONE of ioctl_ficlone(2)."""


Ours: TypeAlias = dict[tuple[int, int], int]
"""(device, inode) → the ctime of a file after our last change."""


class ChangedMeanwhileError(OSError):
    """Someone else has changed the file."""


class AnchoredFolder:
    """Reaches what is below a folder from there, without following links."""

    def __init__(self, root: str) -> None:
        """Open the folder. Raises OSError."""
        self._top = os.open(root, PLACE | os.O_DIRECTORY)
        self._folder, self._fd = "", os.dup(self._top)

    def close(self) -> None:
        """Close the folders."""
        os.close(self._fd)
        os.close(self._top)

    def spot(self, path: str) -> str:
        """Return a link-free name for `path`, valid until the next call. Raises OSError."""
        folder, name = os.path.split(path)
        if folder != self._folder:
            names = folder.split("/") if folder else []

            def entered(number: int, found: int) -> None:
                is_last = number == len(names) - 1
                self.entered("/".join(names[: number + 1]), found, is_last=is_last)

            descriptor = walked(os.dup(self._top), names, entered=entered)
            os.close(self._fd)
            self._folder, self._fd = folder, descriptor
        return f"{name_of(self._fd)}/{name}"

    def entered(self, folder: str, descriptor: int, *, is_last: bool) -> None:
        """Note each folder on the way; `is_last` is the one that holds the place."""


class FilePlacer:
    """Puts files in place and moves previous ones away. After a crash every step can be repeated.

    `spot` is the destination, `beside` a temporary name in the same folder that is the same after a
    crash. `was` is the previous file when the step was planned; any other is left alone. `kept_as`
    is where the previous file is moved to, "" for nowhere.
    """

    def __init__(self, ours: Ours) -> None:
        self.ours = ours

    def put(
        self, new: str, spot: str, beside: str, was: Entry | None, kept_as: str
    ) -> os.stat_result:
        """Put the file or link `new` in place, from another file system by way of `beside`, and
        return its stat result. Raises OSError, ChangedMeanwhileError.
        """
        aside = f"{beside}-old"
        # if it is gone, it is at `beside`, or in place, since before a crash
        if _strip_overlay_attributes(new):
            try:
                return self._put(new, new, spot, aside, was, kept_as)
            except OSError as error:
                if error.errno != errno.EXDEV:
                    raise
            move(new, beside)
        return self._put(beside, new, spot, aside, was, kept_as)

    def _put(
        self, ready: str, new: str, spot: str, aside: str, was: Entry | None, kept_as: str
    ) -> os.stat_result:
        """Put the file at `ready` in place; if that fails, it goes back to `new`."""
        try:
            if was is not None:
                self._replace(ready, spot, aside, was, kept_as)
            elif ready == new or os.path.lexists(ready):
                rename_new(ready, spot)
        except OSError:
            if os.path.lexists(ready):
                move(ready, new)
            raise
        at = os.lstat(spot)
        self.ours[at.st_dev, at.st_ino] = at.st_ctime_ns
        return at

    def _replace(self, ready: str, spot: str, aside: str, was: Entry, kept_as: str) -> None:
        """Exchange the new file at `ready` for the old one."""
        at = _stat(spot)
        if at is not None and _is(at, was):
            exchange(ready, spot, aside)
            if not _is(os.lstat(ready), was):
                exchange(ready, spot, aside)
                raise ChangedMeanwhileError
        else:  # already done, begun before a crash, or changed by someone else
            if os.path.lexists(aside):
                if at is None:
                    os.rename(ready, spot)
                os.rename(aside, ready)
            old = _stat(ready)
            if old is None and at is not None:
                return
            if old is None or old.st_ino != was.inode:
                raise ChangedMeanwhileError
        try:
            self._keep(ready, kept_as)
        except OSError:
            exchange(ready, spot, aside)
            raise

    def take_away(self, spot: str, beside: str, was: Entry, kept_as: str) -> None:
        """Remove a file, but not a folder. Raises OSError, ChangedMeanwhileError."""
        at = _stat(spot)
        if at is not None and _is(at, was):
            os.rename(spot, beside)
            if not _is(os.lstat(beside), was):
                rename_new(beside, spot)
                raise ChangedMeanwhileError
        elif not os.path.lexists(beside):
            if at is None or stat.S_ISDIR(at.st_mode) or os.path.lexists(kept_as):
                return
            raise ChangedMeanwhileError
        try:
            self._keep(beside, kept_as)
        except OSError:
            rename_new(beside, spot)
            raise

    def _keep(self, old: str, kept_as: str) -> None:
        """Move the previous file to the copies; one with other hard links is copied."""
        at = os.lstat(old)
        if kept_as and at.st_nlink == 1:
            move(old, kept_as)
            return
        if kept_as:
            copy(old, kept_as)
        descriptor = os.open(old, PLACE)
        os.unlink(old)
        self.ours[at.st_dev, at.st_ino] = os.fstat(descriptor).st_ctime_ns
        os.close(descriptor)


def rename_new(source: str, target: str) -> None:
    """Rename without overwriting. Raises OSError."""
    rename_with(source, target, _NEW)


def exchange(new: str, old: str, aside: str) -> None:
    """Exchange two files, atomically if the file system can. Raises OSError."""
    try:
        rename_with(new, old, _EXCHANGE)
    except OSError as error:
        if error.errno not in _UNABLE:
            raise
        os.rename(old, aside)
        try:
            os.rename(new, old)
        except OSError:
            os.rename(aside, old)
            raise
        os.rename(aside, new)


def move(source: str, target: str) -> None:
    """Move a file or link, also to another file system, where the target appears only when
    complete.
    """
    try:
        os.rename(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        copy(source, target)
        os.unlink(source)


def copy(source: str, target: str, *, sync: bool = True, most: int = sys.maxsize) -> None:
    """Copy a file, link or pipe with its owner, mode, times, attributes and holes. The target
    appears when it is complete and, with `sync`, on the disk. Raises OSError, also for a file of
    more than `most` bytes if its blocks cannot be shared.
    """
    part, at = f"{target}-part", os.lstat(source)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(part)
    try:
        if stat.S_ISLNK(at.st_mode):
            os.symlink(os.readlink(source), part)
            shutil.copystat(source, part, follow_symlinks=False)
        elif stat.S_ISFIFO(at.st_mode):
            os.mkfifo(part, at.st_mode)
        else:
            reading = opened_to_us(source, at.st_mode, stat.S_IRUSR)
            with reading, open(source, "rb", 0, opener=_no_link) as old:
                with open(part, "xb", 0) as new:
                    _fill(old.fileno(), new.fileno(), at.st_size, most)
                    if sync:
                        os.fsync(new.fileno())
                with contextlib.suppress(PermissionError):  # only root may give files away
                    os.chown(part, at.st_uid, at.st_gid)
                shutil.copystat(source, part)
            os.chmod(part, stat.S_IMODE(at.st_mode))
        os.rename(part, target)
    except OSError:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)
        raise


@contextlib.contextmanager
def opened_to_us(path: str, mode: int, rights: int = stat.S_IRWXU) -> Iterator[None]:
    """Give the owner of a file or folder `rights` meanwhile that its `mode` lacks. Raises OSError
    if it is someone else's.
    """
    if mode & rights == rights:
        yield
        return
    set_mode(path, stat.S_IMODE(mode) | rights)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # it is gone
            set_mode(path, stat.S_IMODE(mode))


def _no_link(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW)


def _fill(old: int, new: int, size: int, most: int) -> None:
    """Copy the content of a file: by sharing its blocks or, up to `most` bytes, all of it except
    the holes. Raises OSError.
    """
    with contextlib.suppress(OSError):
        fcntl.ioctl(new, _SHARE_BLOCKS, old)
        return
    if size > most:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    at = 0
    while at < size:
        try:
            at = os.lseek(old, at, os.SEEK_DATA)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            break  # nothing but a hole is left
        end = os.lseek(old, at, os.SEEK_HOLE)
        while at < end and (part := os.pread(old, min(end - at, _PART_BYTES), at)):
            at += os.pwrite(new, part, at)
    os.ftruncate(new, size)


def name_of(descriptor: int) -> str:
    """Return a name of an open file or folder, whatever links someone puts on the way to it."""
    if sys.platform == "darwin":
        return os.fsdecode(fcntl.fcntl(descriptor, fcntl.F_GETPATH, bytes(1024)).rstrip(b"\0"))
    return f"/proc/self/fd/{descriptor}"


def set_mode(path: str, mode: int, flags: int = 0) -> None:
    """Set the mode of a file or folder, never following a link. Raises OSError."""
    if os.chmod in os.supports_follow_symlinks:  # not on Linux
        os.chmod(path, mode, follow_symlinks=False)
        return
    descriptor = os.open(path, PLACE | flags)
    try:
        os.chmod(name_of(descriptor), mode)
    finally:
        os.close(descriptor)


def dress(folder: str, attributes: dict[str, bytes]) -> None:
    """Give a folder exactly these attributes of the user's, if its file system has any."""
    worn = own_attributes(folder)
    with contextlib.suppress(OSError):
        for name in worn.keys() - attributes.keys():
            os.removexattr(folder, name)
        for name in (name for name, value in attributes.items() if worn.get(name) != value):
            os.setxattr(folder, name, attributes[name])


def synced(path: str) -> None:
    """Sync a file, or the names in a folder, to disk; some file systems cannot."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def rename_with(source: str, target: str, flags: int) -> None:
    """Rename with the flags of Linux's renameat2(2). Raises OSError."""
    names = os.fsencode(source), os.fsencode(target)
    if sys.platform == "darwin":  # RENAME_EXCL and RENAME_SWAP of renamex_np(2)
        failed = _libc.renamex_np(*names, 4 if flags == _NEW else 2)
    else:
        failed = _libc.renameat2(_CWD, names[0], _CWD, names[1], flags)
    if failed:
        number = ctypes.get_errno()
        if flags != _NEW or number not in _UNABLE:
            raise OSError(number, os.strerror(number), source, None, target)
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target)
        os.rename(source, target)


def _strip_overlay_attributes(new: str) -> bool:
    """Remove the overlay's attributes from a new file. Return False if it no longer exists."""
    found = _stat(new)
    if found and stat.S_ISREG(found.st_mode):
        mode = stat.S_IMODE(found.st_mode)
        for name in attributes_of(new):
            if name.startswith("user.overlay."):
                os.chmod(new, mode | 0o200)  # attributes are only for those who may write
                os.removexattr(new, name)
                os.chmod(new, mode)
    return found is not None


def _is(at: os.stat_result, was: Entry) -> bool:
    """Return whether this is still the same file. Its ctime does not count: it changes with a
    rename and with the file's other names.
    """
    times = at.st_ino == was.inode and at.st_mtime_ns == was.mtime_ns
    return times and at.st_size == was.size and stat.S_IMODE(at.st_mode) == was.mode


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None
