"""The log of one conversation: events as JSON lines, with one writer at a time.

Next to ``STARTED_ID.jsonl`` are ``STARTED_ID.json``, the metadata of the conversation, and
``STARTED_ID.lock``, which a window holds while it writes.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from dogent_tui.records import Json
from dogent_tui.storage.files import (
    atomic_write,
    json_text,
    locked,
    open_for_appending,
    read_json,
)
from dogent_tui.temporary import take_lock

SUFFIX = ".jsonl"

PATIENCE_S = 0.1
"""How long to keep trying to take a hold, in seconds: `is_held` of another window takes it for an
instant.
"""


class SessionHold:
    """The right to write a conversation's log, held by one window at a time. The kernel releases it
    when the process dies.
    """

    def __init__(self) -> None:
        self._log: Path | None = None
        self._lock: int | None = None

    def take(self, log: Path, *, patience_s: float = PATIENCE_S) -> bool:
        """Acquire the right to write `log`. Return False if another window has it. May be repeated.
        Raises OSError.
        """
        if self._log == log:
            return True
        self.release()
        with suppress(BlockingIOError):
            self._lock, self._log = take_lock(_lock_of(log), patience_s), log
        return self._log is not None

    def release(self) -> None:
        """Release the right. May be repeated."""
        lock, self._lock, self._log = self._lock, None, None
        if lock is not None:
            os.close(lock)


def is_held(log: Path, *, patience_s: float = PATIENCE_S) -> bool:
    """Return whether a window currently has the right to write `log`. Raises OSError.

    If not `patient`, another window that checks at the same instant is mistaken for a writer.
    """
    with suppress(BlockingIOError):
        if (lock := _lock_of(log)).exists():
            os.close(take_lock(lock, patience_s))
        return False
    return True


class SessionLog:
    """The log at `path`, open for appending. Thread-safe; close it at the end."""

    def __init__(self, path: Path) -> None:
        """Open the log, a new one or one to continue. Raises OSError."""
        self.path = path
        self._descriptor = open_for_appending(path, os.O_RDWR)
        _drop_cut_line(self._descriptor)

    def append(self, line: str) -> None:
        """Append `line`, an event as JSON. It is passed to the kernel at once, so that a crash of
        ours loses nothing. Raises OSError.
        """
        # JSON contains line breaks only between tokens
        flat = line.rstrip("\n").replace("\n", " ")
        data = memoryview(f"{flat}\n".encode("utf-8", errors="backslashreplace"))
        size = os.fstat(self._descriptor).st_size
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
        except OSError:
            os.ftruncate(self._descriptor, size)  # a partial line would corrupt the next one too
            raise

    def entitle(self, title: str) -> None:
        """Set the `title` in the list of conversations unless there is one. Raises OSError,
        DogentError.
        """
        change_metadata(
            self.path, lambda metadata: {} if metadata.get("title") else {"title": title}
        )

    def continue_as(self, session_id: str) -> None:
        """Record the id under which the agent continues, and earlier ids. Raises OSError,
        DogentError.
        """

        def changes(metadata: Json) -> Json:
            before = metadata.get("session_id")
            if not before or before == session_id:
                return {"session_id": session_id}
            return {"session_id": session_id, "before": [*(metadata.get("before") or []), before]}

        change_metadata(self.path, changes)

    def forgets_from(self, run_id: str) -> None:
        """Record that the agent must forget everything from the prompt of this run on. Raises
        OSError, DogentError.
        """
        change_metadata(self.path, lambda _: {"dropped": run_id})

    def close(self) -> None:
        """Close the file. May be repeated."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of the log `path`: see `LogTail.lines`."""
    return LogTail(path).lines()


class LogTail:
    """Reads a log from the beginning, and later only what has been added."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = 0

    def lines(self) -> Iterator[str]:
        """Yield the complete lines that were not yielded before, without line endings. Raises
        OSError if the log is gone.
        """
        with self._path.open("rb") as file:
            file.seek(self._read)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self._read += len(line)
                if line.strip():
                    yield line.rstrip(b"\r\n").decode("utf-8", errors="replace")


def copy_log(source: Path, target: Path) -> None:
    """Create the log `target` with the content of the log `source`. Raises OSError."""
    try:
        with os.fdopen(open_for_appending(target), "wb") as copy, source.open("rb") as log:
            shutil.copyfileobj(log, copy)
    except OSError:
        target.unlink(missing_ok=True)
        raise


def metadata_file(log: Path) -> Path:
    """Return the metadata file of the conversation of `log`."""
    return log.with_suffix(".json")


def change_metadata(log: Path, changes: Callable[[Json], Json]) -> None:
    """Update the metadata of `log` with the result of `changes`.

    Raises OSError, and DogentError if another window holds the file.
    """
    metadata_path = metadata_file(log)
    with locked(metadata_path):
        metadata, _ = read_json(metadata_path)
        changed = {**metadata, **changes(metadata)}
        if changed != metadata:
            atomic_write(metadata_path, json_text(changed), mode=0o600)


def _lock_of(log: Path) -> Path:
    return log.with_suffix(".lock")


def _drop_cut_line(descriptor: int) -> None:
    """Truncate the file to its last complete line: otherwise a partial one would run into the next
    line.
    """
    end = size = os.fstat(descriptor).st_size
    while end > 0:
        start = max(0, end - 65_536)
        found = os.pread(descriptor, end - start, start).rfind(b"\n")
        if found >= 0:
            end = start + found + 1
            break
        end = start
    if end < size:
        os.ftruncate(descriptor, end)
