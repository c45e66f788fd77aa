"""The ledger: which files the model has seen in a session, with a copy of each text as it was then.

It lies in ``STATE/seen/SESSION/``: ``index.jsonl`` has a line for each reading, the latest last; a
copy is named by its hash.
"""

import hashlib
import os
import shutil
import stat
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from dogent_tui.storage.files import atomic_write, open_for_appending, private_folder
from dogent_tui.storage.paths import state_dir

LARGEST = 4 << 20
"""Bytes of a file that is copied; of a larger one only the size and the time of its last change
are noted.
"""

_INDEX = "index.jsonl"
_MOST_HELD = 32 << 20
"""Bytes of copies that are in memory only; of what is more, the oldest are given up."""


How: TypeAlias = Literal["whole", "part", "edit"]
"""How the model came to know a text: all of it was read or written, a part of it was, or its own
edit made it of what it knew.
"""


class Seen(msgspec.Struct, frozen=True, omit_defaults=True):
    """A file as the model was given it.

    Attributes:
        path: Where it really lies.
        size: Its bytes.
        changed_ns: When it was last changed, its mode and place included.
        sha256: The hash of its content, "" where that was not read.
        how: How the model came to know it.
        start: Where the part begins that was given, counted from 0.
        end: Where it ends.
        total: Of how many lines or characters; 0 where that is not known.
    """

    path: str
    size: int
    changed_ns: int
    sha256: str = ""
    how: How = "whole"
    start: int = 0
    end: int = 0
    total: int = 0


class _Begun(msgspec.Struct, frozen=True):
    """A line of the index that says that the prompt of a run follows."""

    run: str


class _Known:
    """What the model knows of a file. A text that it proposes changes `base`, an older one rather
    than one it has not seen.

    `latest` is what it was given last, a part included, `told` what it knows to be there now.
    """

    def __init__(self, seen: Seen) -> None:
        self.base = self.latest = self.told = seen
        self.is_whole = seen.how == "whole"
        self._parts: list[Seen] = []

    def take(self, seen: Seen) -> None:
        """Take in a reading, or a change by the model itself."""
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
    """What the model has seen in one session. Everything here blocks for the disk, and nothing
    raises.

    What the disk does not take stays in memory, and `refused` says why. So does a copy that holds
    a key, which is never written.
    """

    def __init__(
        self,
        session_id: str,
        fork_of: str = "",
        *,
        dropped: str = "",
        holds_key: Callable[[bytes], bool] | None = None,
    ) -> None:
        """Continue the ledger of a session. `fork_of` is the session that a new one starts from.

        `dropped`: the model remembers nothing from the prompt of this run on, so what it saw since
        is taken out.
        """
        self._folder = _folder(session_id)
        self._holds_key = holds_key
        self._held: dict[str, bytes] = {}
        self._secret: set[str] = set()
        self._unwritten = b""
        self._lock = threading.Lock()
        self.refused: OSError | None = None
        if fork_of and not self._folder.exists():
            with suppress(OSError, shutil.Error):
                before = _folder(fork_of)
                shutil.copytree(before, self._folder, copy_function=os.link)
                # No link: the sessions go separate ways from here.
                atomic_write(self._folder / _INDEX, (before / _INDEX).read_bytes(), mode=0o600)
        if dropped:
            self._cut(dropped)
        self._known: dict[str, _Known] = {}
        with suppress(OSError), (self._folder / _INDEX).open("rb") as lines:
            for line in lines:
                # But for what a crash cut short, and the beginnings of runs.
                with suppress(msgspec.DecodeError):
                    self._take(msgspec.json.decode(line, type=Seen))

    def begin(self, run: str) -> None:
        """Note that the prompt of a run follows: the model may be made to forget from there on."""
        self._write(_Begun(run))

    def note(
        self, path: Path, how: How = "whole", start: int = 0, end: int = 0, total: int = 0
    ) -> None:
        """Note that the model knows the file at `path` as it is now, or its part from `start` to
        `end` of `total`.
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
        """Note that the model changed the file, or had it changed, where its content had the hash
        `before`.

        What somebody else wrote there before is not known by that, and is told unless it was
        already.
        """
        known = self._known.get(str(path))
        if known is not None and before and before == known.base.sha256:
            self.note(path, "edit")
        elif known is not None and before and before == known.told.sha256:
            self.expect([path])

    def expect(self, paths: Iterable[Path]) -> None:
        """Note that these files changed by the model's own doing: that is not reported as a
        change by somebody else.
        """
        for path in paths:
            known = self._known.get(str(path))
            if known is not None and (found := _look(path)) is not None:
                known.told = found[0]

    def has(self, path: Path) -> bool:
        """Return whether the model has seen all of the file, in whatever state, and there is a
        copy of it.
        """
        known = self._known.get(str(path))
        return known is not None and known.is_whole and self.content(path) is not None

    def content(self, path: Path) -> bytes | None:
        """Return what the file held as the model knows it, None where that is not known."""
        known = self._known.get(str(path))
        if known is None or not known.base.sha256:
            return None
        with self._lock:
            held = self._held.get(known.base.sha256)
        with suppress(OSError):
            return (self._folder / known.base.sha256).read_bytes() if held is None else held
        return None

    def is_stale(self, path: Path) -> bool:
        """Return whether the model was given the file, and it holds something else by now."""
        known = self._known.get(str(path))
        found = _look(path) if known is not None else None
        return known is not None and found is not None and not _same(known.latest, found[0])

    def is_part(self, path: Path) -> bool:
        """Return whether the model has seen a part of the file only."""
        known = self._known.get(str(path))
        return known is not None and not known.is_whole

    def changed(self) -> list[Path]:
        """Return the files that somebody else changed or removed since the model saw them, each
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
        """Write what is in memory only."""
        with self._lock:
            try:
                self._write_held()
                self.refused = None
            except OSError as error:
                self.refused = error

    def leave_no_key(self) -> None:
        """Remove the copies in which there is a key by what is known of keys now."""
        with suppress(OSError):
            for copy in self._folder.iterdir():
                if copy.name != _INDEX and self._is_secret(copy.read_bytes()):
                    copy.unlink()

    def _is_secret(self, content: bytes) -> bool:
        return self._holds_key is not None and self._holds_key(content)

    def _hold(self, name: str, content: bytes) -> None:
        self._held[name] = content
        if self._is_secret(content):
            self._secret.add(name)
        while sum(map(len, self._held.values())) > _MOST_HELD:
            del self._held[next(iter(self._held))]

    def _write(self, line: Seen | _Begun) -> None:
        with self._lock:
            # What the disk cut short before would spoil a line that is not a new one.
            self._unwritten += b"\n" + msgspec.json.encode(line) + b"\n"
        self.try_again()

    def _write_held(self) -> None:
        for name in [name for name in self._held if name not in self._secret]:
            place = private_folder(self._folder) / name
            atomic_write(place, self._held[name], mode=0o600, durable=False)
            del self._held[name]
        if self._unwritten:
            index = open_for_appending(private_folder(self._folder) / _INDEX)
            with os.fdopen(index, "ab") as stream:
                stream.write(self._unwritten)
            self._unwritten = b""

    def _cut(self, run: str) -> None:
        """Take out of the index what was noted from the beginning of a run on."""
        index = self._folder / _INDEX
        with suppress(OSError):
            kept, found, _ = index.read_bytes().partition(msgspec.json.encode(_Begun(run)) + b"\n")
            if found:
                atomic_write(index, kept, mode=0o600, durable=False)


def hash_of(path: Path) -> str:
    """Return the hash of what a file holds, empty where there is none or it is too large.
    Blocks.
    """
    found = _look(path)
    return found[0].sha256 if found is not None else ""


def forget(session_id: str) -> None:
    """Delete the ledger of a session."""
    shutil.rmtree(_folder(session_id), ignore_errors=True)


def _folder(session_id: str) -> Path:
    return state_dir() / "seen" / hashlib.sha256(session_id.encode()).hexdigest()[:32]


def _same(one: Seen, other: Seen) -> bool:
    """Return whether two states of a file hold the same; of a large one, whether nothing was
    done to it.
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
    """Return what is to be noted of a file as it is now, with its content ("" where it is too
    large); None for no file.
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
