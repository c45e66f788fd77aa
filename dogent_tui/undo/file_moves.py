"""Moving files from one place to another without a moment at which one is lost: exchanged, over
nothing, or copied whole.
"""

# ruff: noqa: PTH101, PTH104, PTH108, PTH115, PTH123, PTH211 — names are text from `os.fsdecode`, by the ten thousand

import contextlib
import ctypes
import errno
import functools
import operator
import os
import shutil
import stat
from collections.abc import Iterable
from typing import TypeAlias

_CWD = -100
_UNABLE = (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP)
_lasting = operator.attrgetter("st_ino", "st_size", "st_mtime_ns", "st_mode")
_NEW, _EXCHANGE = 1, 2


Ours: TypeAlias = dict[tuple[int, int], int]
"""The ctime at which we left a file, by device and inode."""


class ChangedMeanwhileError(OSError):
    """Somebody else has changed the file."""


class Placing:
    """Puts files in their places, and what was there aside. After a crash each step is done again.

    `spot` is the place, `beside` a name in the same file system that is known again after a crash.
    `was` is inode and ctime of what was there when it was planned; what is there instead is not
    touched. `kept_as` is where that goes, "" for nowhere.
    """

    def __init__(self, ours: Ours) -> None:
        self.ours = ours

    def put(
        self, new: str, spot: str, beside: str, was: tuple[int, int] | None, kept_as: str
    ) -> None:
        """Put the file or link `new` in its place. `beside` may be `new` itself. Raises OSError,
        ChangedMeanwhileError.
        """
        is_there = _staged(new, beside)
        if was is not None:
            self._replace(new, spot, beside, was, kept_as)
        elif is_there:
            try:
                rename_new(beside, spot)
            except OSError:
                move(beside, new)
                raise
        at = os.lstat(spot)
        self.ours[at.st_dev, at.st_ino] = at.st_ctime_ns

    def _replace(
        self, new: str, spot: str, beside: str, was: tuple[int, int], kept_as: str
    ) -> None:
        """Exchange the new one, which is beside, for the old one."""
        at, aside = _stat(spot), f"{beside}-old"
        if at is not None and self._is(at, was):
            exchange(beside, spot, aside)
            if not is_same_file(at, os.lstat(beside)):
                exchange(beside, spot, aside)
                move(beside, new)
                raise ChangedMeanwhileError
        else:  # it is done already, or was begun before a crash, or somebody has changed the file
            if os.path.lexists(aside):
                if at is None:
                    os.rename(beside, spot)
                os.rename(aside, beside)
            old = _stat(beside)
            if old is None and at is not None:
                return
            if old is None or old.st_ino != was[0]:
                move(beside, new)
                raise ChangedMeanwhileError
        try:
            self._keep(beside, kept_as)
        except OSError:
            exchange(beside, spot, aside)
            move(beside, new)
            raise

    def take_away(self, spot: str, beside: str, was: tuple[int, int], kept_as: str) -> None:
        """Take away what is there; a folder is left. Raises OSError, ChangedMeanwhileError."""
        at = _stat(spot)
        if at is not None and self._is(at, was):
            os.rename(spot, beside)
            if not is_same_file(at, os.lstat(beside)):
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

    def _is(self, at: os.stat_result, was: tuple[int, int]) -> bool:
        return at.st_ino == was[0] and at.st_ctime_ns in (
            was[1],
            self.ours.get((at.st_dev, at.st_ino)),
        )

    def _keep(self, old: str, kept_as: str) -> None:
        """Move what was there to the copies; a file that has other names is copied."""
        at = os.lstat(old)
        if kept_as and at.st_nlink == 1:
            move(old, kept_as)
            return
        if kept_as:
            copy(old, kept_as)
        descriptor = os.open(old, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
        os.unlink(old)
        self.ours[at.st_dev, at.st_ino] = os.fstat(descriptor).st_ctime_ns
        os.close(descriptor)


def rename_new(source: str, target: str) -> None:
    """Rename where nothing is at `target`. Raises OSError."""
    rename_with(source, target, _NEW)


def exchange(new: str, old: str, aside: str) -> None:
    """Exchange two files of one folder: at once, where its file system can."""
    try:
        rename_with(new, old, _EXCHANGE)
    except OSError as error:
        if error.errno not in _UNABLE:
            raise
        os.rename(old, aside)
        os.rename(new, old)
        os.rename(aside, new)


def move(source: str, target: str) -> None:
    """Move a file or link, to another file system, too: there the target appears when it is
    whole.
    """
    try:
        os.rename(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        copy(source, target)
        os.unlink(source)


def copy(source: str, target: str) -> None:
    """Copy a file, link or pipe with its mode, times and attributes, on the disk when it
    appears.
    """
    part, mode = f"{target}-part", os.lstat(source).st_mode
    with contextlib.suppress(FileNotFoundError):
        os.unlink(part)
    try:
        if stat.S_ISLNK(mode):
            os.symlink(os.readlink(source), part)
        elif stat.S_ISFIFO(mode):
            os.mkfifo(part)
        else:
            with open(source, "rb", 0) as old, open(part, "xb", 0) as new:
                while os.sendfile(new.fileno(), old.fileno(), None, 1 << 30):
                    pass
                os.fsync(new.fileno())
        shutil.copystat(source, part, follow_symlinks=False)
        os.rename(part, target)
    except OSError:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)
        raise


def chmod_folder(path: str, mode: int) -> None:
    """Give a folder a mode; never what a link leads to. Raises OSError."""
    descriptor = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        os.chmod(f"/proc/self/fd/{descriptor}", mode)
    finally:
        os.close(descriptor)


def synced(path: str) -> None:
    """Wait until a file, or the names in a folder, are on the disk; some file systems cannot."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def all_synced(paths: Iterable[str]) -> None:
    """Wait until files are on the disk."""
    for path in paths:
        synced(path)


def is_same_file(one: os.stat_result, other: os.stat_result) -> bool:
    """Whether a file is the same before and after a renaming, which changes its ctime alone."""
    return _lasting(one) == _lasting(other)


def rename_with(source: str, target: str, flags: int) -> None:
    """Rename by `renameat2`, with its flags. Raises OSError."""
    names = os.fsencode(source), os.fsencode(target)
    if _libc().renameat2(_CWD, names[0], _CWD, names[1], flags):
        number = ctypes.get_errno()
        if flags != _NEW or number not in _UNABLE:
            raise OSError(number, os.strerror(number), source, None, target)
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target)
        os.rename(source, target)


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _staged(new: str, beside: str) -> bool:
    """Bring a new file beside its place, without the marks of an overlay. False where neither
    holds it any more.
    """
    found = _stat(new)
    if found and stat.S_ISREG(found.st_mode):
        for name in os.listxattr(new):
            if name.startswith("user.overlay."):
                os.removexattr(new, name)
    if found and beside != new and not os.path.lexists(beside):
        move(new, beside)
    return bool(found) or (beside != new and os.path.lexists(beside))


def mount_of(folder: str) -> str:
    """Return which mount a folder belongs to: nothing can be renamed from one to another."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with open(f"/proc/self/fdinfo/{descriptor}") as file:
            return file.read().partition("mnt_id:")[2].split()[0]
    finally:
        os.close(descriptor)


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None
