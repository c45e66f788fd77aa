"""The conversations of all workspaces: each has a log of events and a metadata file.

``STATE/sessions/WORKSPACE-KEY/STARTED_ID.jsonl`` contains the events (`session_log.py`),
``STARTED_ID.json`` next to it the id, the time, the title and the workspace. They are outside the
workspace and readable by the user only, since they contain all that was said.
"""

import contextlib
import json
import os
import shutil
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.records import JsonDict, Record, at
from dogent_tui.storage.files import private_folder, read_json
from dogent_tui.storage.paths import Workspace, file_name, state_dir
from dogent_tui.storage.session_log import (
    SUFFIX,
    SessionHold,
    SessionLog,
    change_metadata,
    copy_log,
    metadata_file,
    read_lines,
)

TITLE_CHARS = 80
"""The length of a title taken from the first prompt."""

_FIRST_EVENTS = 50
"""The number of lines of a log in which to look for the first prompt."""

_SHORTEST_ID = 4
"""The minimum length of an abbreviated id."""


class SessionRecord(Record):
    """A conversation that can be resumed. `path` is its log, `workspace` its folder, empty if
    unknown.

    `started` and `updated` are UTC, ISO 8601. `dropped`: the agent must forget everything from the
    prompt of this run on. `before` are its earlier ids.
    """

    session_id: str
    path: Path
    started: str
    title: str = ""
    updated: str = ""
    workspace: str = ""
    dropped: str = ""
    before: tuple[str, ...] = ()

    @property
    def first_id(self) -> str:
        """The original id, which is in the name of the log and under which the copies for undo are
        kept.
        """
        return self.path.name.removesuffix(SUFFIX).partition("_")[2] or self.session_id

    @property
    def ids(self) -> tuple[str, ...]:
        """All ids it has had."""
        return (self.session_id, self.first_id, *self.before)


def open_log(
    workspace: Workspace,
    session_id: str,
    hold: SessionHold | None = None,
    *,
    fork_of: SessionRecord | None = None,
) -> SessionLog:
    """Open the log of `session_id`: a new one, or the existing one of a resumed conversation.

    A new one starts with the content of `fork_of`. `hold` is acquired for it. Raises OSError, and
    DogentError if another window has the conversation.
    """
    known = session_named(workspace, session_id)
    if known:
        path = known.path
    else:
        now = datetime.now(UTC)
        path = (
            private_folder(_folder(workspace))
            / f"{now:%Y%m%dT%H%M%S%f}_{file_name(session_id)}{SUFFIX}"
        )
    if hold is not None and not hold.take(path):
        raise DogentError(
            tr("This conversation is open in another window."),
            tr("Continue there, or close it there first."),
        )
    _date_back(path.parent)
    if not known:
        title = ""
        if fork_of is not None:
            copy_log(fork_of.path, path)
            title = f"{fork_of.title} (fork)".strip()
        metadata = {
            "session_id": session_id,
            "started": now.isoformat(timespec="milliseconds"),
            "title": title,
            "workspace": str(workspace.root),
        }
        change_metadata(path, lambda _: metadata)
    return SessionLog(path)


def _date_back(folder: Path) -> None:
    """Set logs dated in the future to the current time: the clock was wrong, and further messages
    are later.
    """
    now_ns = time.time_ns()
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(SUFFIX) and entry.stat().st_mtime_ns > now_ns:
                with contextlib.suppress(OSError):
                    os.utime(entry.path, ns=(now_ns, now_ns), follow_symlinks=False)


def latest_session(workspace: Workspace) -> SessionRecord | None:
    """Return the most recent conversation of `workspace`, None if there is none. Never raises."""
    return next(_records(_folder(workspace)), None)


def list_sessions(workspace: Workspace) -> list[SessionRecord]:
    """Return the conversations of `workspace`, most recent first. Never raises."""
    return list(_records(_folder(workspace)))


def session_named(workspace: Workspace, session_id: str) -> SessionRecord | None:
    """Return the conversation of `workspace` with this id, None if there is none. Never raises."""
    records = _records(_folder(workspace))
    return next((record for record in records if record.session_id == session_id), None)


def all_sessions() -> list[SessionRecord]:
    """Return the conversations of every workspace, most recent first. Never raises."""
    folders: list[Path] = []
    with contextlib.suppress(OSError), os.scandir(state_dir() / "sessions") as entries:
        folders = [Path(entry.path) for entry in entries if entry.is_dir()]
    return sorted(
        (record for folder in folders for record in _records(folder)),
        key=lambda record: record.updated,
        reverse=True,
    )


def find_session(wanted: str) -> SessionRecord | None:
    """Return the conversation of any workspace whose id starts with `wanted`, None if there is
    none.

    Raises DogentError if there are several.
    """
    records = all_sessions()
    exact = [record for record in records if record.session_id == wanted]
    found = exact or [
        record
        for record in records
        if len(wanted) >= _SHORTEST_ID and record.session_id.startswith(wanted)
    ]
    if len(found) > 1:
        raise DogentError(
            tr(
                "{found} conversations have an id that starts with {wanted}.",
                found=len(found),
                wanted=wanted,
            ),
            tr("Give more of the id."),
        )
    return found[0] if found else None


def rename_session(record: SessionRecord, title: str) -> None:
    """Rename a conversation. Raises OSError, and DogentError if another window holds its
    metadata.
    """
    change_metadata(record.path, lambda _: {"title": title})


def delete_session(record: SessionRecord) -> None:
    """Delete a conversation: its log, its metadata, and its copies for undo.

    Raises OSError, and DogentError if a window has it open.
    """
    hold = SessionHold()
    if not hold.take(record.path):
        raise DogentError(
            tr("This conversation is open in another window."), tr("Close it there first.")
        )
    try:
        # first: without it nothing is listed any more
        metadata_file(record.path).unlink(missing_ok=True)
        record.path.unlink(missing_ok=True)
    finally:
        hold.release()
    record.path.with_suffix(".lock").unlink(missing_ok=True)
    for identity in {record.first_id, record.session_id}:
        copies = state_dir() / "copies" / record.path.parent.name / file_name(identity)
        shutil.rmtree(copies, ignore_errors=True)


def _records(folder: Path) -> Iterator[SessionRecord]:
    """Yield the metadata of conversations, newest first, reading files only as needed."""
    logs: list[tuple[int, str]] = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        logs = [
            (found.st_mtime_ns, entry.path)
            for entry in entries
            # an empty log is a conversation in which nothing was said
            if entry.name.endswith(SUFFIX) and (found := entry.stat()).st_size
        ]
    for modified_ns, path in sorted(logs, reverse=True):
        record = _record(Path(path), modified_ns)
        if record is not None:
            yield record


def _record(path: Path, modified_ns: int) -> SessionRecord | None:
    metadata, _ = read_json(metadata_file(path))
    if not at(metadata, str, "session_id"):
        metadata = _told_by_the_log(path)
    session_id, started, title, workspace = (
        at(metadata, str, key) for key in ("session_id", "started", "title", "workspace")
    )
    if not session_id:
        return None
    updated = datetime.fromtimestamp(modified_ns / 1e9, UTC).isoformat(timespec="milliseconds")
    earlier = tuple(map(str, at(metadata, list, "before")))
    return SessionRecord(
        session_id, path, started, title, updated, workspace, at(metadata, str, "dropped"), earlier
    )


def _told_by_the_log(path: Path) -> JsonDict:
    """Reconstruct the metadata of a log from its first events if it was lost or damaged."""
    metadata: JsonDict = {}
    with contextlib.suppress(OSError):
        for line in islice(read_lines(path), _FIRST_EVENTS):
            with contextlib.suppress(ValueError, AttributeError, KeyError, TypeError):
                event = json.loads(line)
                if event.get("type") == "session_started":
                    metadata |= {
                        "session_id": event.get("session_id"),
                        "workspace": event.get("cwd"),
                    }
                elif event.get("type") == "run_started" and "title" not in metadata:
                    metadata |= {"title": one_line(event["prompt"]["text"])[:TITLE_CHARS]}
            # either may come first: prompts are accepted before the agent is ready
            if {"session_id", "title"} <= metadata.keys():
                break
    return metadata


def _folder(workspace: Workspace) -> Path:
    return state_dir() / "sessions" / workspace.key
