"""Moving files from one place to another without a moment at which one is lost: exchanged, over nothing, or copied whole."""

# ruff: noqa: PTH101, PTH104, PTH108, PTH115, PTH123, PTH211 — names are text from `os.fsdecode`, by the ten thousand

import contextlib
import ctypes
import errno
import functools
import os
import shutil
import stat

_CWD = -100
_UNABLE = (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP)
_LASTING = ("st_ino", "st_size", "st_mtime_ns", "st_mode")
_NEW, _EXCHANGE = 1, 2


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
    """Move a file or link, to another file system, too: there the target appears when it is whole."""
    try:
        os.rename(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        copy(source, target)
        os.unlink(source)


def copy(source: str, target: str) -> None:
    """Copy a file, link or pipe with its mode, times and attributes, on the disk when it appears."""
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


def is_same_file(one: os.stat_result, other: os.stat_result) -> bool:
    """Whether a file is the same before and after a renaming, which changes its ctime alone."""
    return all(getattr(one, name) == getattr(other, name) for name in _LASTING)


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
