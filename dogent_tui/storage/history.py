"""What was asked in a workspace, and what came of it: ``.dogent/history.json``.

The file is one JSON array, so that any program can read it, with one entry per line. Of a file that
was cut anywhere, or that another program damaged, each entry that is whole is read.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import asdict, fields

from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.storage.files import BrokenFile, atomic_write, locked, set_aside

RECALLED = 30
"""So many prompts are offered again."""

_EMPTY = b"[\n]\n"
_NEXT_ENTRY = re.compile(r"\s*,\s*(?=\{)")
_ENTRY_START = re.compile(r"^[ \t\[,]*(?=\{)", re.MULTILINE)


class HistoryEntry(msgspec.Struct, frozen=True):
    """One run or command. `timestamp`: UTC, ISO 8601; `status`: ``started``, ``command``,
    ``clarification`` or how a run ended.

    `prompt` is what the user typed. `cost_usd` is None where it is not known. `todos` are the
    plan's lines as objects.
    """

    timestamp: str
    status: str
    prompt: str
    summary: str = ""
    reason: str = ""
    session_id: str = ""
    duration_ms: int = 0
    cost_usd: float | None = None
    todos: tuple[Mapping[str, Any], ...] = ()


def utc_now() -> str:
    """Return the time for an entry: UTC, ISO 8601, to the millisecond, so that texts sort as
    times.
    """
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class History:
    """The history in `file`. Every method reads or writes the disk: call them in a thread.
    Several windows may share the file.
    """

    def __init__(self, file: Path) -> None:
        self.file = file

    def append(self, entry: HistoryEntry) -> BrokenFile | None:
        """Add `entry`. Returns the report if the file was damaged: it was set aside, and what could
        be read of it stays.

        Raises OSError, and DogentError if another window holds the file for too long or the file is
        a link.
        """
        with locked(self.file):
            self._refuse_a_link()
            text = self._text()
            data, broken = _parse(text if self.file.exists() else "[]"), None
            if data is None:
                data = list(_salvage(text))
                broken = set_aside(
                    self.file, tr("it was damaged or cut short; its intact entries were kept")
                )
                if broken.kept_as is None:
                    raise PermissionError(
                        f"{self.file}: {broken.reason}"
                    )  # writing now would lose what it holds
            lines = [*map(_dump, data), _as_json(entry)]
            atomic_write(self.file, b"[\n" + b",\n".join(lines) + b"\n]\n")
            return broken

    def _refuse_a_link(self) -> None:
        # A workspace may come from anyone; a link in it must not turn the history into a pen for
        # any other file.
        if self.file.is_symlink() or self.file.parent.is_symlink():
            raise DogentError(
                tr("{file} is a link, and history is not written through links.", file=self.file),
                tr("Replace it with a file."),
            )

    def entries(self) -> list[HistoryEntry]:
        """Return all entries, in the order written. What is not an entry is left out. Raises
        OSError, not on a missing file.
        """
        return [_from_json(data) for data in self._raw()]

    def _raw(self) -> Iterable[dict[str, Any]]:
        text = self._text()
        data = _parse(text)
        return _salvage(text) if data is None else filter(_is_entry, data)

    def _text(self) -> str:
        try:
            return self.file.read_bytes().decode("utf-8", errors="replace")
        except FileNotFoundError:
            return ""

    def recall(self, limit: int = RECALLED) -> list[str]:
        """Return the latest `limit` prompts and commands, oldest first; of the same one several
        times in a row, one.

        A run that was recorded when it started and again when it ended counts once. Answers to
        clarifications are left out. Raises OSError, not on a missing file.
        """
        prompts = _prompts(self.entries())
        return prompts[max(0, len(prompts) - limit) :]

    def clear(self, into: Path | None = None) -> None:
        """Forget everything; `into` gets what the file held before. Raises OSError, and
        DogentError as `append` does.
        """
        with locked(self.file):
            if self.file.exists():
                self._refuse_a_link()
                if into is not None:
                    atomic_write(into, self.file.read_bytes())
                atomic_write(self.file, _EMPTY)


def _parse(text: str) -> list[dict[str, Any]] | None:
    """Return the objects of `text` if it is a JSON array of objects, else None."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, list) and all(isinstance(item, dict) for item in data) else None


def _salvage(text: str) -> Iterator[dict[str, Any]]:
    """Yield the entries of `text` that are whole, whatever else it holds.

    An entry begins a line, also in files that are indented; no line inside of an entry does, as
    JSON writes a line break in a text as ``\\n``. An entry that cannot be read is passed over up to
    the next line that begins one.
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
            # Entries that another program wrote without line breaks follow on the same line.
            start = _NEXT_ENTRY.match(text, end) or _ENTRY_START.search(text, end)
        else:
            start = _ENTRY_START.search(text, end)


def _is_entry(data: object) -> bool:
    """Tell an entry from what lies inside of one, such as a line of its plan, that a damaged
    file may show first.
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
            # the end of a run that is in the list already; one that asked something and was given
            # up ends twice
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


def _dump(data: Mapping[str, Any]) -> bytes:
    # backslashreplace: JSON reads a lone surrogate, which is how a broken byte in a file name
    # arrives, back from its escape.
    return json.dumps(data, ensure_ascii=False).encode("utf-8", errors="backslashreplace")


def _from_json(data: Mapping[str, Any]) -> HistoryEntry:
    """Return the entry that `data` describes; what is missing or of a wrong type has its
    default.
    """
    known: dict[str, Any] = dict.fromkeys(("timestamp", "status", "prompt"), "")
    for field in fields(HistoryEntry):
        with suppress(KeyError, msgspec.ValidationError):
            known[field.name] = msgspec.convert(data[field.name], field.type)
    return HistoryEntry(**known)
