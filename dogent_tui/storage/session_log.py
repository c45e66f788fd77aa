"""The log of one conversation: events as JSON lines, in segments of limited size, with one writer
at a time.

``STARTED_ID.jsonl`` is the first segment, ``STARTED_ID.jsonl.2`` the next. Next to it are
``STARTED_ID.json``, the metadata of the conversation, and ``STARTED_ID.lock``, which a window holds
while it writes.
"""

import contextlib
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from dogent_tui.records import Json
from dogent_tui.storage.files import (
    atomic_write,
    json_text,
    locked,
    open_for_appending,
    read_json,
    try_lock,
)

if TYPE_CHECKING:
    from filelock import FileLock

MISSING = "{}"
"""Replaces lines that are gone; it is not an event, so it is read as a gap."""

LARGEST_SEGMENT = 16_000_000
"""The size of a segment in bytes after which the next line begins a new one."""

SUFFIX = ".jsonl"

PATIENCE_S = 0.1
"""How long to keep trying to take a hold, in seconds: `is_held` of another window takes it for an
instant.
"""

_SEGMENT = re.compile(r"\.jsonl(?:\.(\d{1,6}))?$")


class SessionHold:
    """The right to write a conversation's log, held by one window at a time. The kernel releases it
    when the process dies.
    """

    def __init__(self) -> None:
        self._log: Path | None = None
        self._lock: FileLock | None = None

    def take(self, log: Path, *, patience_s: float = PATIENCE_S) -> bool:
        """Acquire the right to write `log`. Return False if another window has it. May be repeated.
        Raises OSError.
        """
        if self._log == log:
            return True
        self.release()
        lock = try_lock(_lock_of(log), patience_s)
        if lock is None:
            return False
        self._log, self._lock = log, lock
        return True

    def release(self) -> None:
        """Release the right. May be repeated."""
        lock, self._lock, self._log = self._lock, None, None
        if lock is not None:
            lock.release()


def is_held(log: Path, *, patience_s: float = PATIENCE_S) -> bool:
    """Return whether a window currently has the right to write `log`. Raises OSError.

    If not `patient`, another window that checks at the same instant is mistaken for a writer.
    """
    if not _lock_of(log).exists():
        return False
    hold = SessionHold()
    try:
        return not hold.take(log, patience_s=patience_s)
    finally:
        hold.release()


class SessionLog:
    """The log at `path`, open for appending. Thread-safe; close it at the end."""

    def __init__(self, path: Path, *, largest_segment: int = LARGEST_SEGMENT) -> None:
        """Open the log, a new one or one to continue. Raises OSError."""
        self.path = path
        self._largest_segment = largest_segment
        segments = log_segments(path)
        self._count = segment_number(segments[-1]) if segments else 1
        self._descriptor = _open(_segment(path, self._count))

    def append(self, line: str) -> None:
        """Append `line`, an event as JSON. It is passed to the kernel at once, so that a crash of
        ours loses nothing. Raises OSError.
        """
        # JSON contains line breaks only between tokens
        flat = line.rstrip("\n").replace("\n", " ")
        data = memoryview(f"{flat}\n".encode("utf-8", errors="backslashreplace"))
        size = os.fstat(self._descriptor).st_size
        if size and size + len(data) > self._largest_segment:
            self._begin_segment()
            size = 0
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

    def _begin_segment(self) -> None:
        following = _open(_segment(self.path, self._count + 1))
        os.close(self._descriptor)
        self._descriptor, self._count = following, self._count + 1


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of the log `path`: see `LogTail.lines`."""
    return LogTail(path).lines()


class LogTail:
    """Reads a log from the beginning, and later only what has been added."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._number = 0  # the segment read last, and how much of it was read
        self._read = 0

    def lines(self) -> Iterator[str]:
        """Yield the complete lines that were not yielded before, without line endings; `MISSING`
        replaces a segment that is empty or gone. Raises OSError if the log is gone.
        """
        segments = log_segments(self._path)
        if not segments:
            raise FileNotFoundError(self._path)
        for segment in segments:
            number = segment_number(segment)
            if number < self._number:
                continue
            if number > self._number:
                if number > self._number + 1:
                    yield MISSING
                self._number, self._read = number, 0
            with segment.open("rb") as file:
                file.seek(self._read)
                for line in file:
                    if not line.endswith(b"\n"):
                        break
                    self._read += len(line)
                    if line.strip():
                        yield line.rstrip(b"\r\n").decode("utf-8", errors="replace")
            if not self._read and segment is not segments[-1]:
                yield MISSING


def log_segments(path: Path) -> list[Path]:
    """Return the files of the log `path` in order; empty if there are none."""
    segments = []
    with contextlib.suppress(FileNotFoundError), os.scandir(path.parent) as entries:
        segments = [
            Path(entry.path)
            for entry in entries
            if entry.name.startswith(path.name) and _SEGMENT.search(entry.name)
        ]
    return sorted(segments, key=segment_number)


def segment_number(segment: str | os.PathLike[str]) -> int:
    """Return the segment number of a file, 0 if it is not a segment."""
    found = _SEGMENT.search(os.fspath(segment))
    return int(found[1] or 1) if found else 0


def copy_log(source: Path, target: Path) -> None:
    """Create the log `target` with the content of the log `source`. Raises OSError."""
    log = SessionLog(target)
    try:
        for line in read_lines(source):
            log.append(line)
    except OSError:
        log.close()
        for segment in log_segments(target):
            segment.unlink(missing_ok=True)
        raise
    log.close()


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


def _segment(path: Path, number: int) -> Path:
    return path if number == 1 else path.with_name(f"{path.name}.{number}")


def _open(segment: Path) -> int:
    descriptor = open_for_appending(segment, os.O_RDWR)
    _drop_cut_line(descriptor)
    return descriptor


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
