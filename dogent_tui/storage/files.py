"""Writing and reading files without losing anything: atomically, one writer at a time, with broken
files set aside.
"""

import codecs
import contextlib
import hashlib
import json
import os
import stat
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from dogent_tui.errors import DogentError, disk_remedy
from dogent_tui.language import sentences, tr
from dogent_tui.records import JsonDict, Record
from dogent_tui.storage.paths import state_dir
from dogent_tui.temporary import take_lock

_TEMPORARY = f".dogent-{'[0-9a-f]' * 12}.tmp"
_LEFT_S = 3_600.0
"""After this time a temporary file that has not replaced its target is abandoned: writing one takes
milliseconds.
"""

_ASIDE_S = 2.0
"""How long to wait for the lock of a broken file: settings are read while a window opens."""

_HELD = threading.local()
"""The names of the locks held by a thread."""


class BrokenFile(Record):
    """A file that could not be used. `kept_as` is where it was moved to, None if it was not moved;
    `helps` is the remedy.
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
    """Write `data` to `path` atomically: readers see the old content or the new one, never a part,
    even after a power failure.

    Text is written as UTF-8, a lone surrogate as its escape (``\\udc80``, which JSON reads back).
    An existing file keeps its mode and owner; `mode` is for a new one, by default what the umask
    allows. A symbolic link is replaced by the file: resolve the path first to write to its target.
    Missing folders are created. `durable=False` does not wait for the disk, for data that must
    survive a crash of the application but not of the machine. Raises OSError.
    """
    content = data if isinstance(data, bytes) else data.encode("utf-8", errors="backslashreplace")
    path.parent.mkdir(parents=True, exist_ok=True)
    old = _regular(path)
    temporary = temporary_beside(path)
    # Private until it is complete, unless the umask decides, which requires creating it with 0o666.
    first_mode = 0o666 if old is None and mode is None else 0o600
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, first_mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            _set_owner_and_mode(descriptor, old, mode)
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
    """Open a file of our own for appending, and return its descriptor; only its owner can read a
    new one.

    `access` is ``os.O_WRONLY`` or ``os.O_RDWR``. Raises OSError, also if the path is a link, which
    leads to a file that is not ours.
    """
    flags = access | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
    return os.open(path, flags, 0o600)


def append_lines(path: Path, *lines: bytes, durable: bool = False) -> None:
    """Append `lines` to a file of our own, at once, so that several windows can. A line that a full
    disk truncated before does not affect them. Raises OSError.
    """
    descriptor = open_for_appending(private_folder(path.parent) / path.name)
    with os.fdopen(descriptor, "ab") as file:
        file.write(b"".join(b"\n%b\n" % line for line in lines))
        if durable:
            file.flush()
            os.fsync(descriptor)


def json_line(data: object) -> bytes:
    """Return `data` as JSON that `json_lines` reads back, including names that are not UTF-8."""
    try:
        return msgspec.json.encode(data)
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(data)).encode()


def json_lines(path: Path, kind: Any) -> Iterator[Any]:
    """Yield the lines of a file that are of this kind. Never raises: others are left out, and
    everything if it cannot be read.
    """
    with contextlib.suppress(OSError), path.open("rb") as lines:
        for line in lines:
            with contextlib.suppress(ValueError):
                yield msgspec.convert(json.loads(line), kind)


def temporary_beside(path: Path) -> Path:
    """Return an unused name next to `path` for a temporary file that replaces it once complete.

    Abandoned temporary files in the folder are deleted, once per folder.
    """
    _clear_leftovers(path.parent)
    return path.parent / f".dogent-{os.urandom(6).hex()}.tmp"


@cache
def _clear_leftovers(folder: Path) -> None:
    delete_unused(folder, _TEMPORARY, _LEFT_S)


def delete_unused(folder: Path, names: str, unused_s: float) -> None:
    """Delete the files in `folder` whose names match the glob `names` and that were not written for
    this long. Never raises: another window may be doing the same.
    """
    for file in folder.glob(names):
        with contextlib.suppress(OSError):
            if time.time() - file.lstat().st_mtime > unused_s:
                file.unlink()


def _regular(path: Path) -> os.stat_result | None:
    with contextlib.suppress(FileNotFoundError):
        found = path.lstat()
        return found if stat.S_ISREG(found.st_mode) else None
    return None


def _set_owner_and_mode(descriptor: int, old: os.stat_result | None, mode: int | None) -> None:
    """Give the new file the owner and mode of the old one, or `mode`."""
    if old is not None:
        if (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
            # only root may change the owner; the text matters more
            with contextlib.suppress(PermissionError):
                os.fchown(descriptor, old.st_uid, old.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
    elif mode is not None:
        os.fchmod(descriptor, mode)


def _sync_folder(folder: Path) -> None:
    """Sync a rename in `folder`. On a file system that cannot, either the old or the new file
    remains, both complete.
    """
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def private_folder(path: Path) -> Path:
    """Create the folder `path` and return it. New folders are readable by their owner only. Raises
    OSError.
    """
    if not path.is_dir() and path.parent != path:
        private_folder(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)
    return path


@contextlib.contextmanager
def locked(path: Path, timeout_s: float = 10.0) -> Iterator[None]:
    """Hold the lock of `path`: one writer at a time, in this process and all others of the same
    user.

    The lock is in the state folder, not next to the file: workspaces are committed, synchronized
    and sometimes read-only, and locks do not work on every network drive. It is a kernel lock,
    released when the process dies. The thread that holds it may take it again. If there can be no
    state folder, because the home is read-only, the folder of `path` itself is locked.

    Raises DogentError if another writer does not finish within `timeout_s` seconds, OSError if
    nothing can be locked.
    """
    name = hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:24]
    ours = _HELD.__dict__.setdefault("names", set())
    if name in ours:
        yield
        return
    try:
        place = private_folder(state_dir() / "locks") / f"{name}.lock"
        place.touch(0o600)
    except OSError:
        place = path.parent
    try:
        held = take_lock(place, timeout_s)
    except BlockingIOError:
        raise DogentError(
            tr(
                "Another dogent-tui window has been writing {path} for more than {timeout_s:g}"
                " seconds.",
                path=path.name,
                timeout_s=timeout_s,
            ),
            tr("Close that window, or end its process if it hangs, and try again."),
        ) from None
    ours.add(name)
    try:
        yield
    finally:
        ours.discard(name)
        os.close(held)


def names_in(folder: Path, most: int) -> list[str]:
    """Return the names in a folder, sorted, at most as many; empty if it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in islice(entries, most))
    except OSError:
        return []


def first_text(path: Path, most_bytes: int) -> str:
    """Return the beginning of a text that a user may have written with any editor. Raises
    OSError.
    """
    with path.open("rb") as file:
        data = file.read(most_bytes)
    is_wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return data.decode("utf-16" if is_wide else "utf-8-sig", errors="replace").replace("\0", "")


def content_of(path: Path) -> bytes | None:
    """Return the content of the file, None if it does not exist. Raises OSError."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def write_checked(path: Path, before: bytes | None, after: str | bytes) -> bool:
    """Write `after` to `path` atomically if it still contains `before` (None: it does not exist).
    Return False, without a change, if someone else has written it.

    The one way to write a file that the user may have open elsewhere. Raises OSError, and
    DogentError if another window holds the file.
    """
    with locked(path):
        if content_of(path) != before:
            return False
        atomic_write(path, after)
    return True


def read_json(
    path: Path, *, moves: bool = True, kind: type = dict
) -> tuple[JsonDict, BrokenFile | None]:
    """Return the object in the JSON file `path`, an empty one if there is no file. Never raises
    because of the content.

    A file that is not JSON, or not of this `kind`, is set aside as ``NAME.broken-TIMESTAMP`` if it
    `moves`, and reported; one that cannot be read is reported and left in place.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # opening a pipe would block
            helps = tr("Put a file in its place.")
            return {}, BrokenFile(path, None, tr("not a regular file"), helps)
        content = path.read_bytes()
    except FileNotFoundError:
        return {}, None
    except OSError as error:
        reason = (error.strerror or tr("cannot be read")).lower()
        return {}, BrokenFile(path, None, reason, disk_remedy(error))
    value = _parsed(content, kind)
    if not isinstance(value, str):
        return value, None
    if not moves:
        return {}, BrokenFile(path, None, value)
    try:
        with locked(path, _ASIDE_S):
            if content_of(path) == content:
                return {}, set_aside(path, value)
    except (OSError, DogentError) as error:
        helps = error.remedy if isinstance(error, DogentError) else disk_remedy(error)
        return {}, BrokenFile(path, None, value, helps)
    return read_json(path)  # another window has fixed it in the meantime


def _parsed(content: bytes, kind: type) -> Any:
    """Return the content of a JSON file, or why it is invalid."""
    try:
        value = json.loads(content)
    except UnicodeDecodeError:
        return tr("not UTF-8 text")
    except json.JSONDecodeError as error:
        return tr(
            "not JSON (line {lineno}, column {colno}: {msg})",
            lineno=error.lineno,
            colno=error.colno,
            msg=error.msg,
        )
    # a number with thousands of digits, or thousands of nested brackets
    except (ValueError, RecursionError):
        return tr("not JSON that can be read")
    if isinstance(value, kind):
        return value
    expected = tr("an object {…}") if kind is dict else tr("a list […]")
    return tr("it should contain {expected}", expected=expected)


def set_aside(path: Path, reason: str) -> BrokenFile:
    """Rename `path` to ``NAME.broken-TIMESTAMP`` in its folder, never overwriting a file, and
    return the report. Never raises. Hold the lock of `path`: another window may be about to fix it.
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
    """Return `value` as JSON text for people to edit: indented, with non-ASCII characters."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
