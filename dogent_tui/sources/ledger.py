"""The ledger: which files the model has seen in a session, with a copy of each text as it was at
the time.

It is stored in ``STATE/seen/SESSION/``: ``index.jsonl`` has a line for each reading, the latest
last; a copy is named by its hash.
"""

import hashlib
import os
import shutil
import stat
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Literal

import msgspec

from dogent_tui.records import Record
from dogent_tui.storage.files import (
    append_lines,
    atomic_write,
    json_line,
    json_lines,
    private_folder,
)
from dogent_tui.storage.paths import state_dir

LARGEST = 4 << 20
"""The largest file to copy, in bytes; of a larger one only size and modification time are
recorded.
"""

_INDEX = "index.jsonl"
_MOST_HELD = 32 << 20
"""The total size in bytes of copies held only in memory; beyond it, the oldest are dropped."""


How = Literal["whole", "part", "edit"]
"""How the model knows a text: it was read or written completely, read in part, or is the result of
the model's own edit of a known text.
"""


class Seen(Record, omit_defaults=True):
    """A file as the model was given it.

    Attributes:
        path: Its real path.
        size: Its size in bytes.
        changed_ns: Its ctime.
        sha256: The hash of its content, "" if that was not read.
        how: How the model knows it.
        start: The start of the given part, counted from 0.
        end: The end of the given part.
        total: The total number of lines or characters; 0 if unknown.
    """

    path: str
    size: int
    changed_ns: int
    sha256: str = ""
    how: How = "whole"
    start: int = 0
    end: int = 0
    total: int = 0


class _Begun(Record):
    """A line of the index saying that the prompt of a run follows."""

    run: str


class _Known:
    """What the model knows about a file. A text it proposes is a change of `base`, which is an
    older text rather than one it has not seen.

    `latest` is what it was given last, possibly a part; `told` is the state it knows to be current.
    """

    def __init__(self, seen: Seen) -> None:
        self.base = self.latest = self.told = seen
        self.is_whole = seen.how == "whole"
        self._parts: list[Seen] = []

    def take(self, seen: Seen) -> None:
        """Add a reading, or a change by the model itself."""
        self.latest = self.told = seen
        if seen.how != "part":
            self.base, self.is_whole = seen, self.is_whole or seen.how == "whole"
            return
        if not seen.total:
            return
        same = (seen.sha256, seen.total)
        self._parts = [part for part in self._parts if (part.sha256, part.total) == same]
        self._parts.append(seen)
        reached = 0
        for part in sorted(self._parts, key=lambda part: part.start):
            reached = max(reached, part.end) if part.start <= reached else reached
        if reached >= seen.total:
            self.base, self.is_whole = seen, True


class Ledger:
    """What the model has seen in one session. All methods block for the disk; none raises.

    What cannot be written to disk stays in memory, and `refused` says why. The same goes for copies
    that contain a key, which are never written.
    """

    def __init__(
        self,
        session_id: str,
        fork_of: str = "",
        *,
        dropped: str = "",
        holds_key: Callable[[bytes], bool] = lambda _: False,
    ) -> None:
        """Continue the ledger of a session. `fork_of` is the session that a new one starts from.

        `dropped`: the model has forgotten everything from the prompt of this run on, so what it has
        seen since is removed.
        """
        self._folder = _folder(session_id)
        self._holds_key = holds_key
        self._held: dict[str, bytes] = {}
        self._secret: set[str] = set()
        self._unwritten: list[bytes] = []
        self._lock = threading.Lock()
        self.refused: OSError | None = None
        if fork_of and not self._folder.exists():
            with suppress(OSError, shutil.Error):
                before = _folder(fork_of)
                shutil.copytree(before, self._folder, copy_function=os.link)
                # Not a link: the sessions diverge from here on.
                atomic_write(self._folder / _INDEX, (before / _INDEX).read_bytes(), mode=0o600)
        if dropped:
            self._cut(dropped)
        self._known: dict[str, _Known] = {}
        for seen in json_lines(self._folder / _INDEX, Seen):  # not the beginnings of runs
            self._take(seen)

    def begin(self, run: str) -> None:
        """Record that the prompt of a run follows: the model may later forget everything from there
        on.
        """
        self._write(_Begun(run))

    def note(
        self, path: Path, how: How = "whole", start: int = 0, end: int = 0, total: int = 0
    ) -> None:
        """Record that the model knows the current file at `path`, or its part from `start` to `end`
        of `total`.
        """
        found = _look(path)
        if found is None:
            return
        seen, content = found
        if how != "whole":
            seen = msgspec.structs.replace(seen, how=how, start=start, end=end, total=total)
        known = self._known.get(seen.path)
        if known is not None and known.latest == seen:
            return
        self._take(seen)
        with self._lock:
            if seen.sha256 and not (self._folder / seen.sha256).exists():
                self._hold(seen.sha256, content)
        self._write(seen)

    def note_edit(self, path: Path, before: str) -> None:
        """Record that the model changed the file, or had it changed, from content with the hash
        `before`.

        If someone else had written that content, it does not become known, and is reported unless
        it already was.
        """
        known = self._known.get(str(path))
        if known is not None and before and before == known.base.sha256:
            self.note(path, "edit")
        elif known is not None and before and before == known.told.sha256:
            self.expect([path])

    def expect(self, paths: Iterable[Path]) -> None:
        """Record that the model itself caused these files to change: they are not reported as
        changed by someone else.
        """
        for path in paths:
            known = self._known.get(str(path))
            if known is not None and (found := _look(path)) is not None:
                known.told = found[0]

    def has(self, path: Path) -> bool:
        """Return whether the model has seen the whole file, in any version, and a copy exists."""
        known = self._known.get(str(path))
        return known is not None and known.is_whole and self.content(path) is not None

    def content(self, path: Path) -> bytes | None:
        """Return the content of the file as the model knows it, None if it does not."""
        known = self._known.get(str(path))
        if known is None or not known.base.sha256:
            return None
        with self._lock:
            held = self._held.get(known.base.sha256)
        with suppress(OSError):
            return (self._folder / known.base.sha256).read_bytes() if held is None else held
        return None

    def is_stale(self, path: Path) -> bool:
        """Return whether the model was given the file and its content has changed since."""
        known = self._known.get(str(path))
        found = _look(path) if known is not None else None
        return known is not None and found is not None and not _same(known.latest, found[0])

    def is_part(self, path: Path) -> bool:
        """Return whether the model has seen only part of the file."""
        known = self._known.get(str(path))
        return known is not None and not known.is_whole

    def changed(self) -> list[Path]:
        """Return the files that someone else has changed or removed since the model saw them, each
        change once.
        """
        changed = []
        for path, known in self._known.items():
            now = _stat(path)
            told = (known.told.size, known.told.changed_ns)
            if now is not None and (now.st_size, now.st_ctime_ns) == told:
                continue
            found = _look(Path(path))
            seen = found[0] if found is not None else Seen(path, -1, 0)
            if not _same(known.told, seen):
                changed.append(Path(path))
            known.told = seen
        return changed

    def _take(self, seen: Seen) -> None:
        self._known.setdefault(seen.path, _Known(seen)).take(seen)

    def try_again(self) -> None:
        """Write what is held only in memory."""
        with self._lock:
            try:
                self._write_held()
                self.refused = None
            except OSError as error:
                self.refused = error

    def leave_no_key(self) -> None:
        """Remove copies that contain a key, according to the keys known now."""
        with suppress(OSError):
            for copy in self._folder.iterdir():
                if copy.name != _INDEX and self._holds_key(copy.read_bytes()):
                    copy.unlink()

    def _hold(self, name: str, content: bytes) -> None:
        self._held[name] = content
        if self._holds_key(content):
            self._secret.add(name)
        while sum(map(len, self._held.values())) > _MOST_HELD:
            del self._held[next(iter(self._held))]

    def _write(self, line: Seen | _Begun) -> None:
        with self._lock:
            self._unwritten.append(json_line(line))
        self.try_again()

    def _write_held(self) -> None:
        for name in [name for name in self._held if name not in self._secret]:
            place = private_folder(self._folder) / name
            atomic_write(place, self._held[name], mode=0o600, durable=False)
            del self._held[name]
        if self._unwritten:
            append_lines(self._folder / _INDEX, *self._unwritten)
            self._unwritten.clear()

    def _cut(self, run: str) -> None:
        """Remove from the index what was recorded since the beginning of a run."""
        index = self._folder / _INDEX
        with suppress(OSError):
            kept, found, _ = index.read_bytes().partition(json_line(_Begun(run)) + b"\n")
            if found:
                atomic_write(index, kept, mode=0o600, durable=False)


def hash_of(path: Path) -> str:
    """Return the hash of a file's content, empty if it is missing or too large. Blocks."""
    found = _look(path)
    return found[0].sha256 if found is not None else ""


def forget(session_id: str) -> None:
    """Delete the ledger of a session."""
    shutil.rmtree(_folder(session_id), ignore_errors=True)


def _folder(session_id: str) -> Path:
    return state_dir() / "seen" / hashlib.sha256(session_id.encode()).hexdigest()[:32]


def _same(one: Seen, other: Seen) -> bool:
    """Return whether two states of a file have the same content; for a large file, whether it is
    unmodified.
    """
    if one.sha256 or other.sha256:
        return one.sha256 == other.sha256
    return (one.size, one.changed_ns) == (other.size, other.changed_ns)


def _stat(path: str | Path) -> os.stat_result | None:
    try:
        found = os.stat(path)  # noqa: PTH116 — text or path
    except (OSError, ValueError):
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def _look(path: Path) -> tuple[Seen, bytes] | None:
    """Return the state of a file with its content ("" if too large), or None if there is no
    file.
    """
    found = _stat(path)
    if found is None:
        return None
    seen = Seen(str(path), found.st_size, found.st_ctime_ns)
    if found.st_size > LARGEST:
        return seen, b""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    return msgspec.structs.replace(seen, sha256=hashlib.sha256(content).hexdigest()), content
