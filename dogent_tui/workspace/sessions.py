"""The conversations of a workspace: each a log of events, one JSON line after the other, and a page that says what it is.

``STATE/sessions/WORKSPACE-KEY/STARTED_ID.jsonl`` holds the events, ``STARTED_ID.json`` beside it the id, the time, the title and
the workspace. They lie outside of the workspace, readable by the user only: they hold all that was said and read.
"""

import contextlib
import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from dogent_tui.workspace.files import atomic_write, json_text, private_folder, read_json
from dogent_tui.workspace.paths import Workspace, state_dir


class SessionRecord(msgspec.Struct, frozen=True):
    """A conversation that can be resumed. `path` is its log; `started` and `updated` are UTC, ISO 8601."""

    session_id: str
    path: Path
    started: str
    title: str = ""
    updated: str = ""


class SessionLog:
    """The log of one conversation, open for appending. Safe for use by several threads; close it at the end."""

    def __init__(self, path: Path, page: dict[str, Any]) -> None:
        self.path = path
        self._page = page
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        _drop_cut_line(self._descriptor)

    @classmethod
    def create(cls, workspace: Workspace, session_id: str) -> "SessionLog":
        """Open the log of `session_id`: a new one, or the one that is there when a conversation is resumed. Raises OSError."""
        known = next((record for record in list_sessions(workspace) if record.session_id == session_id), None)
        now = datetime.now(UTC)
        page = {
            "session_id": session_id,
            "started": known.started if known else now.isoformat(timespec="milliseconds"),
            "title": known.title if known else "",
            "workspace": str(workspace.root),
        }
        if known:
            return cls(known.path, page)
        folder = private_folder(_folder(workspace))
        name = re.sub(r"[^A-Za-z0-9-]", "-", session_id)[:64]
        log = cls(folder / f"{now:%Y%m%dT%H%M%S%f}_{name}.jsonl", page)
        log._write_page()
        return log

    def append(self, line: str) -> None:
        """Add `line`, an event as JSON. It reaches the kernel at once: a crash of ours loses nothing. Raises OSError."""
        flat = line.rstrip("\n").replace("\n", " ")  # JSON has no line breaks of its own but between tokens
        data = memoryview(f"{flat}\n".encode("utf-8", errors="backslashreplace"))
        size = os.fstat(self._descriptor).st_size
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
        except OSError:
            os.ftruncate(self._descriptor, size)  # a part of a line would spoil the next one too
            raise

    def describe(self, *, title: str | None = None, session_id: str | None = None) -> None:
        """Set what the list of conversations shows, or the id under which the agent goes on. Raises OSError."""
        changes = {"title": title, "session_id": session_id}
        changed = {key: value for key, value in changes.items() if value is not None and value != self._page[key]}
        if changed:
            self._page |= changed
            self._write_page()

    def close(self) -> None:
        """Close the file. Closing twice is fine."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def _write_page(self) -> None:
        atomic_write(_page_of(self.path), json_text(self._page), mode=0o600)


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of the log `path`, without their ends; a last line that was cut short is left out. Raises OSError."""
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n") and line.strip():
                yield line.rstrip(b"\r\n").decode("utf-8", errors="replace")


def latest_session(workspace: Workspace) -> SessionRecord | None:
    """Return the conversation of `workspace` that was last spoken in, None if there is none. Never raises."""
    return next(_records(workspace), None)


def list_sessions(workspace: Workspace) -> list[SessionRecord]:
    """Return the conversations of `workspace`, last spoken in first. Never raises."""
    return list(_records(workspace))


def _records(workspace: Workspace) -> Iterator[SessionRecord]:
    """Yield what the pages say, newest log first, reading no page before it is asked for."""
    logs = []
    with contextlib.suppress(OSError), os.scandir(_folder(workspace)) as entries:
        for entry in entries:
            if entry.name.endswith(".jsonl"):
                found = entry.stat()
                logs.append((found.st_mtime_ns, found.st_size, Path(entry.path)))
    for modified_ns, size, path in sorted(logs, reverse=True):
        record = _record(path, modified_ns) if size else None  # an empty log is a conversation in which nothing was said
        if record is not None:
            yield record


def _record(path: Path, modified_ns: int) -> SessionRecord | None:
    empty: dict[str, Any] = {}
    page, _ = read_json(_page_of(path), empty)
    texts = {key: page.get(key) for key in ("session_id", "started", "title")}
    session_id, started, title = (value if isinstance(value, str) else "" for value in texts.values())
    if not session_id:
        return None
    updated = datetime.fromtimestamp(modified_ns / 1e9, UTC).isoformat(timespec="milliseconds")
    return SessionRecord(session_id, path, started, title, updated)


def _page_of(log: Path) -> Path:
    return log.with_suffix(".json")


def _folder(workspace: Workspace) -> Path:
    return state_dir() / "sessions" / workspace.key


def _drop_cut_line(descriptor: int) -> None:
    """Shorten the file to its last whole line: what a crash cut short would else run into the next line."""
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
