"""What was asked in a workspace, and the result: ``.dogent/history.json``.

The file is one JSON array, so that any program can read it. With one entry per line, a new entry
replaces the closing bracket, so the cost does not grow with the file. That is not atomic, so
readers salvage: every complete entry of a truncated or damaged file is read. Only the entry being
written can be truncated.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec.structs import asdict, fields

from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.records import Json, JsonDict, Record
from dogent_tui.storage.files import BrokenFile, atomic_write, locked, set_aside

RECALLED = 30
"""The number of prompts to offer again."""

_TAIL = 64
"""The number of bytes at the end of the file to search for its closing bracket."""

_RECALL_BLOCK = 1 << 18
"""The number of bytes at the end of the file to read first when recalling prompts."""

_EMPTY = b"[\n]\n"
# An unindented bracket on a line of its own ends the array; any other may belong to a list inside a
# truncated entry.
_END_OF_ARRAY = re.compile(rb"([\[}])\s*\n\]\s*\Z")
_NEXT_ENTRY = re.compile(r"\s*,\s*(?=\{)")
_ENTRY_START = re.compile(r"^[ \t\[,]*(?=\{)", re.MULTILINE)


class HistoryEntry(Record):
    """One run or command. `timestamp`: UTC, ISO 8601; `status`: ``started``, ``command``,
    ``clarification`` or the outcome of the run.

    `prompt` is what the user typed. `cost_usd` is None if unknown. `todos` are the items of the
    plan as objects.
    """

    timestamp: str
    status: str
    prompt: str
    summary: str = ""
    reason: str = ""
    session_id: str = ""
    duration_ms: int = 0
    cost_usd: float | None = None
    todos: tuple[Json, ...] = ()


def utc_now() -> str:
    """Return the current time for an entry: UTC, ISO 8601, with milliseconds, so that texts sort as
    times.
    """
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class History:
    """The history in `file`, which several windows may share. Every method reads or writes the
    disk: call them in a thread.
    """

    def __init__(self, file: Path) -> None:
        self.file = file

    def append(self, entry: HistoryEntry) -> BrokenFile | None:
        """Add `entry`. Return the report if the file was damaged: it was set aside, and its
        readable entries were kept.

        Raises OSError, and DogentError if another window holds the file for too long or the file is
        a link.
        """
        line = _as_json(entry)
        with locked(self.file):
            self._refuse_a_link()
            if not self.file.exists():
                atomic_write(self.file, _EMPTY)
            if self._append_in_place(line):
                return None
            text = self._text()
            data, broken = _parse(text), None
            if data is None:
                data = list(_salvage(text))
                broken = set_aside(
                    self.file, tr("it was damaged or cut short; its intact entries were kept")
                )
                if broken.kept_as is None:
                    # writing now would lose its content
                    raise PermissionError(f"{self.file}: {broken.reason}")
            atomic_write(self.file, b"[\n" + b",\n".join([*map(_dump, data), line]) + b"\n]\n")
            return broken

    def _append_in_place(self, line: bytes) -> bool:
        """Write `line` over the closing bracket, followed by a new bracket. Return False if the
        file does not end like ours.
        """
        descriptor = os.open(self.file, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        with os.fdopen(descriptor, "r+b") as file:
            size = file.seek(0, os.SEEK_END)
            start = file.seek(max(0, size - _TAIL))
            end = _END_OF_ARRAY.search(file.read())
            if end is None or (end[1] == b"[" and start + end.start() > 0):
                return False
            file.seek(start + end.end(1))
            # Only white space and the bracket are overwritten: an interrupted write does not touch
            # older entries.
            file.write((b"\n" if end[1] == b"[" else b",\n") + line + b"\n]\n")
            file.truncate()
            file.flush()
            os.fsync(file.fileno())
        return True

    def _refuse_a_link(self) -> None:
        # A workspace may come from anyone: a link in it must not make us write to another file.
        if self.file.is_symlink() or self.file.parent.is_symlink():
            raise DogentError(
                tr("{file} is a link, and history is not written through links.", file=self.file),
                tr("Replace it with a file."),
            )

    def entries(self) -> list[HistoryEntry]:
        """Return all entries in the order written, without invalid ones. Raises OSError, but not
        for a missing file.
        """
        return [_from_json(data) for data in _salvage(self._text())]

    def _text(self) -> str:
        try:
            return self.file.read_bytes().decode("utf-8", errors="replace")
        except FileNotFoundError:
            return ""

    def recall(self, limit: int = RECALLED) -> list[str]:
        """Return the latest `limit` prompts and commands, oldest first, without consecutive
        duplicates.

        A run recorded at its start and again at its end counts once. Answers to clarifications are
        left out. Reads only as much of the end of the file as needed. Raises OSError, but not for a
        missing file.
        """
        block = _RECALL_BLOCK
        while True:
            text, whole = self._end(block)
            prompts = _prompts(_from_json(data) for data in _salvage(text))
            if whole or len(prompts) > limit:
                return prompts[max(0, len(prompts) - limit) :]
            block *= 4

    def _end(self, size: int) -> tuple[str, bool]:
        """Return the last `size` bytes, from the first complete line on, and whether that is the
        whole file.
        """
        try:
            with self.file.open("rb") as file:
                total = file.seek(0, os.SEEK_END)
                file.seek(max(0, total - size))
                content = file.read()
        except FileNotFoundError:
            return "", True
        if total > size:
            content = content.partition(b"\n")[2]
        return content.decode("utf-8", errors="replace"), total <= size


def _parse(text: str) -> list[JsonDict] | None:
    """Return the objects of `text` if it is a JSON array of objects, else None."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, list) and all(isinstance(item, dict) for item in data) else None


def _salvage(text: str) -> Iterator[JsonDict]:
    """Yield the complete entries of `text`, whatever else it contains.

    An entry begins on a new line, also in indented files; no line inside an entry looks like the
    beginning of one, because JSON escapes line breaks as ``\\n``. After an unreadable entry,
    continue with the next line that begins one.
    """
    decoder = json.JSONDecoder()
    start = _ENTRY_START.search(text)
    while start:
        try:
            data, end = decoder.raw_decode(text, start.end())
        except (ValueError, RecursionError):
            data, end = None, start.end() + 1
        if _is_entry(data):
            yield data
        # Other programs may write further entries on the same line.
        start = _NEXT_ENTRY.match(text, end) or _ENTRY_START.search(text, end)


def _is_entry(data: object) -> bool:
    """Tell an entry from an object inside one, such as an item of its plan, which may come first in
    a damaged file.
    """
    return isinstance(data, dict) and "timestamp" in data and "status" in data


def _prompts(entries: Iterable[HistoryEntry]) -> list[str]:
    recalled: list[str] = []
    started: set[tuple[str, str]] = set()
    for entry in sorted(entries, key=lambda entry: entry.timestamp):
        run = (entry.session_id, entry.prompt)
        if entry.status in ("started", "clarification"):
            started.add(run)
        elif entry.status != "command" and run in started:
            # the end of a run that is already in the list; a run that asked something and was
            # abandoned ends twice
            continue
        again = bool(recalled) and recalled[-1] == entry.prompt
        if entry.prompt.strip() and entry.status != "clarification" and not again:
            recalled.append(entry.prompt)
    return recalled


def _as_json(entry: HistoryEntry) -> bytes:
    data = asdict(entry)
    if not entry.reason:
        del data["reason"]
    return _dump(data)


def _dump(data: Json) -> bytes:
    # backslashreplace: JSON reads a lone surrogate, which represents an invalid byte in a file
    # name, back from its escape.
    return json.dumps(data, ensure_ascii=False).encode("utf-8", errors="backslashreplace")


def _from_json(data: Json) -> HistoryEntry:
    """Return the entry for `data`, with defaults for fields that are missing or of the wrong
    type.
    """
    known: JsonDict = dict.fromkeys(("timestamp", "status", "prompt"), "")
    for field in fields(HistoryEntry):
        with suppress(KeyError, ValueError):
            known[field.name] = msgspec.convert(data[field.name], field.type)
    return HistoryEntry(**known)
