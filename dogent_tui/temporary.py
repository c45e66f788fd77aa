"""Locks of the kernel, which end with the process, and temporary folders, which do not outlive it
either, however it ends: each is locked by the process that made it, and what is not locked any more
is removed when another process makes one.

Imports nothing of ours and little else: `wall/once.py` uses it without the package.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

_POLL_S = 0.02
"""Seconds between two attempts to take a lock."""


def take_lock(place: Path, patience_s: float = 0.0) -> int:
    """Lock a folder, or a file that is created if it is missing, and return the descriptor that
    holds the lock until it is closed, here and in every fork. Blocks.

    Raises OSError: BlockingIOError if another one holds it for longer than `patience_s` seconds.
    """
    flags = os.O_RDONLY if place.is_dir() else os.O_RDWR | os.O_CREAT
    descriptor = os.open(place, flags | os.O_CLOEXEC, 0o600)
    deadline = time.monotonic() + patience_s
    try:
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return descriptor
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise
            time.sleep(_POLL_S)
    except OSError:
        os.close(descriptor)
        raise


@contextmanager
def temporary_folder(place: str | os.PathLike[str] = "") -> Iterator[Path]:
    """Provide a folder that is readable by the user only, in `place` or where programs put
    temporary files. Blocks for what dead processes left there. Raises OSError.
    """
    from tempfile import gettempdir  # on use, as it takes a while

    folder, held = held_folder(place or gettempdir())
    try:
        yield folder
    finally:
        remove_tree(folder)
        os.close(held)


def held_folder(place: str | os.PathLike[str]) -> tuple[Path, int]:
    """Return a new folder in `place`, and the descriptor that holds it. Raises OSError."""
    real = Path(os.path.realpath(place))
    _remove_left(real)
    folder = real / f"dogent-held-{os.urandom(8).hex()}"
    return folder, hold(folder)


def hold(folder: Path) -> int:
    """Create a folder, which is not dead for as long as the returned descriptor is open, here or in
    a fork. Raises OSError.
    """
    new = Path(f"{folder}.new")
    new.mkdir(0o700)
    descriptor = take_lock(new)
    new.rename(folder)  # once held: what is not held has been left
    return descriptor


def is_dead(folder: Path) -> bool:
    """Return whether no process holds a folder any more."""
    with suppress(OSError):
        if folder.is_dir():
            os.close(take_lock(folder))
            return True
    return False


@cache
def _remove_left(place: Path) -> None:
    """Remove what dead processes of this user left in `place`, once per process."""
    for folder in place.glob("dogent-held-*[!w]"):
        with suppress(OSError):  # it is gone
            if folder.lstat().st_uid == os.geteuid() and is_dead(folder):
                remove_tree(folder)


def remove_tree(folder: str | Path) -> None:
    """Remove what programs wrote, including folders without permissions, trees too deep for Python,
    and the layer of a command.
    """
    import shutil  # on use, too

    with suppress(OSError):
        Path(folder, "work/work").rmdir()  # a layer's, which even its owner cannot enter
    try:
        shutil.rmtree(folder)
    except (OSError, RecursionError):
        if not os.path.lexists(folder):
            return
        import subprocess

        # Only folders: a file may also be in the workspace by another name.
        closed = ("find", str(folder), "-type", "d", "!", "-perm", "-700")
        opening = (*closed, "-exec", "chmod", "u+rwx", "{}", ";")
        for command in (opening, ("rm", "-rf", "--one-file-system", "--", str(folder))):
            subprocess.run(command, check=False, stderr=subprocess.DEVNULL)
