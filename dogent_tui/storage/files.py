"""Writing and reading files so that nothing is lost: whole or not at all, one writer at a time,
broken ones kept aside.
"""

import codecs
import contextlib
import hashlib
import json
import os
import re
import stat
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from dogent_tui.errors import DogentError, disk_remedy
from dogent_tui.language import sentences, tr
from dogent_tui.storage.paths import state_dir

if TYPE_CHECKING:
    from filelock import FileLock

_TEMPORARY = re.compile(r"\.dogent-[0-9a-f]{12}\.tmp")
_LEFT_S = 3_600.0
"""After this time a text that has not taken its file's place belongs to nobody: writing one
takes milliseconds.
"""

_ASIDE_S = 2.0
"""How long the lock of a broken file is waited for: settings are read while a window opens."""

_POLL_S = 0.02
"""Seconds between two tries at a lock."""

_HELD = threading.local()
"""The names of the locks that a thread holds."""


class BrokenFile(msgspec.Struct, frozen=True):
    """A file that could not be used. `kept_as`: where it lies now, None if it still lies where
    it was, and `helps` is what to do about it.
    """

    path: Path
    kept_as: Path | None
    reason: str
    helps: str = ""

    @property
    def message(self) -> str:
        """What happened, as a sentence."""
        return tr("{name} could not be used: {reason}.", name=self.path.name, reason=self.reason)

    @property
    def remedy(self) -> str:
        """Where the text is now, as a sentence."""
        if self.kept_as is None:
            return sentences(tr("It is still at {path}.", path=self.path), self.helps)
        return tr(
            "It was kept as {kept_as}; fix it and rename it to {name} to use it again.",
            kept_as=self.kept_as,
            name=self.path.name,
        )


def atomic_write(
    path: Path, data: str | bytes, *, mode: int | None = None, durable: bool = True
) -> None:
    """Write `data` to `path`: readers, and whoever comes after a power cut, see the old text or the
    new one, never a part.

    Text is written as UTF-8, a lone surrogate as its escape (``\\udc80``, which JSON reads back).
    An existing file keeps its mode and owner; `mode` is for a new one, by default what the umask
    allows. A symbolic link is replaced by the file: resolve the path first where its target is
    meant. Missing folders are made. `durable=False` spares the wait for the disk, for what must
    survive a crash of the application but not of the machine. Raises OSError.
    """
    content = data if isinstance(data, bytes) else data.encode("utf-8", errors="backslashreplace")
    path.parent.mkdir(parents=True, exist_ok=True)
    old = _regular(path)
    temporary = temporary_beside(path)
    # Private until it is whole, unless the umask should decide: then only a create with 0o666 lets
    # it.
    first_mode = 0o666 if old is None and mode is None else 0o600
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, first_mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            _dress(descriptor, old, mode)
            file.write(content)
            file.flush()
            if durable:
                os.fsync(descriptor)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if durable:
        _sync_folder(path.parent)


def open_for_appending(path: Path, access: int = os.O_WRONLY) -> int:
    """Open a file of our own for appending, and return its descriptor; a new one only its owner can
    read.

    `access` is ``os.O_WRONLY`` or ``os.O_RDWR``. Raises OSError, also where a link is in the
    file's place: it leads to a file that is not ours.
    """
    flags = access | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)
    return os.open(path, flags, 0o600)


def temporary_beside(path: Path) -> Path:
    """Return a name beside `path` that nothing has, for what takes its place once it is whole.

    What a process that was killed left in the folder under such a name goes, once for each folder.
    """
    _clear_leftovers(path.parent)
    return path.parent / f".dogent-{os.urandom(6).hex()}.tmp"


@cache
def _clear_leftovers(folder: Path) -> None:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if (
                _TEMPORARY.fullmatch(entry.name)
                and time.time() - entry.stat(follow_symlinks=False).st_mtime > _LEFT_S
            ):
                with contextlib.suppress(OSError):
                    Path(entry.path).unlink()


def _regular(path: Path) -> os.stat_result | None:
    with contextlib.suppress(FileNotFoundError):
        found = path.lstat()
        return found if stat.S_ISREG(found.st_mode) else None
    return None


def _dress(descriptor: int, old: os.stat_result | None, mode: int | None) -> None:
    """Give the new file the owner and mode of the old one, or `mode`."""
    if old is not None:
        if (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
            # only root may give a file away; the text matters more
            with contextlib.suppress(PermissionError):
                os.fchown(descriptor, old.st_uid, old.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
    elif mode is not None:
        os.fchmod(descriptor, mode)


def _sync_folder(folder: Path) -> None:
    """Make a rename in `folder` last. Some file systems cannot, which leaves the old or the new
    file: both are whole.
    """
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def private_folder(path: Path) -> Path:
    """Make the folder `path`, and return it. What is new of it and above it only its owner can
    read. Raises OSError.
    """
    if not path.is_dir() and path.parent != path:
        private_folder(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)
    return path


@contextlib.contextmanager
def locked(path: Path, timeout_s: float = 10.0) -> Iterator[None]:
    """Hold the lock of `path` for a while: one writer at a time, in this process and in all others
    of the same user.

    The lock lies in the state folder, not beside the file: workspaces are committed, synchronised
    and sometimes read-only, and locks do not hold on every network drive. It is the kernel's, so a
    process that dies lets go. The thread that holds it may take it again. Where there can be no
    state folder, because the home is read-only, the folder of `path` itself is locked.

    Raises DogentError when another writer does not finish within `timeout_s` seconds; OSError where
    nothing can be locked.
    """
    from filelock import FileLock, Timeout  # on use: it imports asyncio

    name = hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:24]
    ours = _HELD.__dict__.setdefault("names", set())
    if name in ours:
        yield
        return
    with contextlib.ExitStack() as held:
        try:
            lock = FileLock(
                private_folder(state_dir() / "locks") / f"{name}.lock", timeout=timeout_s
            )
            lock.acquire()
            held.callback(lock.release)
        except Timeout:
            raise _held_elsewhere(path, timeout_s) from None
        except OSError:
            descriptor = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
            held.callback(os.close, descriptor)
            if not _lock_folder(descriptor, timeout_s):
                raise _held_elsewhere(path, timeout_s) from None
        ours.add(name)
        held.callback(ours.discard, name)
        yield


def try_lock(file: Path, patience_s: float = 0.0) -> "FileLock | None":
    """Take the lock that the file `file` is, None where another process has it for longer than
    `patience_s` seconds. Raises OSError.
    """
    from filelock import FileLock, Timeout  # on use: it imports asyncio

    lock = FileLock(file, thread_local=False, mode=0o600)
    try:
        lock.acquire(timeout=patience_s, poll_interval=_POLL_S)
    except Timeout:
        return None
    return lock


def _lock_folder(descriptor: int, timeout_s: float) -> bool:
    """Lock an open folder. False where another writer does not finish in time. Raises OSError
    where that is not possible.
    """
    try:
        import fcntl
    except ImportError:
        raise OSError(
            tr(
                "{state_dir} is not writable, and nothing else can be locked here",
                state_dir=state_dir(),
            )
        ) from None
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL_S)
        else:
            return True


def _held_elsewhere(path: Path, timeout_s: float) -> DogentError:
    return DogentError(
        tr(
            "Another dogent-tui window has been writing {path} for more than {timeout_s:g}"
            " seconds.",
            path=path.name,
            timeout_s=timeout_s,
        ),
        tr("Close that window, or end its process if it hangs, and try again."),
    )


def first_text(path: Path, most_bytes: int) -> str:
    """Return how a text begins that a user may have written with any editor. Raises OSError."""
    with path.open("rb") as file:
        data = file.read(most_bytes)
    is_wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return data.decode("utf-16" if is_wide else "utf-8-sig", errors="replace").replace("\0", "")


def content_of(path: Path) -> bytes | None:
    """Return what the file holds, None where there is none. Raises OSError."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def write_checked(
    path: Path, before: bytes | None, after: str | bytes, *, mode: int | None = None
) -> bool:
    """Write `after` to `path`, whole or not at all, where it still holds `before` (None: where it
    is not there).

    The one way in which we write what a user may have open elsewhere. False: somebody else wrote
    it, and nothing was done. `mode` is for a new file, by default what the umask allows.
    Raises OSError, DogentError where another window holds the file.
    """
    with locked(path):
        if content_of(path) != before:
            return False
        atomic_write(path, after, mode=mode)
    return True


def read_json(path: Path) -> tuple[dict[str, Any], BrokenFile | None]:
    """Return the object that the JSON file `path` holds, an empty one if there is no file. Never
    raises on what the file holds.

    A file that is not JSON, or holds no object, is set aside as ``NAME.broken-TIMESTAMP`` and
    reported; one that cannot be read is reported and left where it is.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # opening a pipe would wait for ever
            helps = tr("Put a file in its place.")
            return {}, BrokenFile(path, None, tr("not a regular file"), helps)
        content = path.read_bytes()
    except FileNotFoundError:
        return {}, None
    except OSError as error:
        reason = (error.strerror or tr("cannot be read")).lower()
        return {}, BrokenFile(path, None, reason, disk_remedy(error))
    value = _parsed(content)
    if not isinstance(value, str):
        return value, None
    try:
        with locked(path, _ASIDE_S):
            if content_of(path) == content:
                return {}, set_aside(path, value)
    except (OSError, DogentError) as error:
        helps = error.remedy if isinstance(error, DogentError) else disk_remedy(error)
        return {}, BrokenFile(path, None, value, helps)
    return read_json(path)  # another window has mended it meanwhile


def _parsed(content: bytes) -> dict[str, Any] | str:
    """Return what a JSON file holds, or why that is not what it should be."""
    try:
        value: Any = json.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return tr("not UTF-8 text")
    except json.JSONDecodeError as error:
        return tr(
            "not JSON (line {lineno}, column {colno}: {msg})",
            lineno=error.lineno,
            colno=error.colno,
            msg=error.msg,
        )
    except (ValueError, RecursionError):  # a number of thousands of digits, brackets thousands deep
        return tr("not JSON that can be read")
    if isinstance(value, dict):
        return value
    return tr("it should contain {expected}", expected=tr("an object {…}"))


def set_aside(path: Path, reason: str) -> BrokenFile:
    """Rename `path` to ``NAME.broken-TIMESTAMP`` beside it, never over another file, and return
    the report. Never raises. Hold the lock of `path`: another window may be about to mend it.
    """
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    kept_as = path.with_name(f"{path.name}.broken-{stamp}")
    for count in range(2, 1000):
        if not os.path.lexists(kept_as):
            break
        kept_as = path.with_name(f"{path.name}.broken-{stamp}-{count}")
    try:
        path.rename(kept_as)
    except OSError as error:
        return BrokenFile(path, None, reason, disk_remedy(error))
    return BrokenFile(path, kept_as, reason)


def json_text(value: object) -> str:
    """Return `value` as the JSON text of a file that people edit: indented, non-ASCII characters
    kept.
    """
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
