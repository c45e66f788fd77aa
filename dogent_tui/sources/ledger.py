"""The ledger: which files the model has seen in a session, with a copy of each text as it was then.

It lies in ``STATE/seen/SESSION/``: ``index.jsonl`` has a line for each reading, the latest last; a copy is named by its hash.
"""

import hashlib
import os
import shutil
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from dogent_tui.workspace.files import atomic_write, private_folder
from dogent_tui.workspace.paths import state_dir

LARGEST = 4 << 20
"""Bytes of a file that is copied; of a larger one only the size and the time of its last change are noted."""

_INDEX = "index.jsonl"


class Seen(msgspec.Struct, frozen=True):
    """A file as the model was given it.

    Attributes:
        path: Where it really lies.
        size: Its bytes.
        modified_ns: When it was last changed.
        sha256: The hash of its content, "" where that was not read.
        start: The first line that was given, counted from 1; 0 for the whole file.
        lines: How many lines were given; 0 for all the rest.
    """

    path: str
    size: int
    modified_ns: int
    sha256: str = ""
    start: int = 0
    lines: int = 0


class Ledger:
    """What the model has seen in one session. Everything here blocks for the disk, and nothing raises."""

    def __init__(self, session_id: str, fork_of: str = "", *, is_rewound: bool = False) -> None:
        """Continue the ledger of a session. `fork_of` is the session that a new one starts from.

        `is_rewound`: the model forgot a part of it, and the user restored files. What changed before is not told: it would
        name files that the model does not know of.
        """
        self._is_rewound = is_rewound
        self._folder = _folder(session_id)
        if fork_of and not self._folder.exists():
            with suppress(OSError, shutil.Error):
                shutil.copytree(_folder(fork_of), self._folder, copy_function=os.link)
                (self._folder / _INDEX).unlink()  # a hard link too: the sessions go separate ways from here
                shutil.copyfile(_folder(fork_of) / _INDEX, self._folder / _INDEX)
        self._seen: dict[str, Seen] = {}
        with suppress(OSError), (self._folder / _INDEX).open("rb") as lines:
            for line in lines:
                with suppress(msgspec.DecodeError):  # what a crash cut short
                    seen = msgspec.json.decode(line, type=Seen)
                    self._seen[seen.path] = seen
        self._known = dict(self._seen)

    def note(self, path: Path, start: int = 0, lines: int = 0) -> None:
        """Note that the model is given the file at `path` as it is now, from line `start`, `lines` of them (0: all)."""
        found = _look(path)
        if found is None:
            return
        seen, content = found
        self._known[seen.path] = seen
        if start or lines:
            seen = msgspec.structs.replace(seen, start=start, lines=lines)
        if self._seen.get(seen.path) == seen:
            return
        self._seen[seen.path] = seen
        with suppress(OSError):
            copy = private_folder(self._folder) / seen.sha256
            if seen.sha256 and not copy.exists():
                atomic_write(copy, content, mode=0o600, durable=False)
            with open(self._folder / _INDEX, "ab", opener=_private) as index:
                index.write(msgspec.json.encode(seen) + b"\n")

    def expect(self, paths: Iterable[Path]) -> None:
        """Note that these files changed by the model's own doing: that is not reported as a change by somebody else."""
        for path in paths:
            if str(path) in self._seen and (found := _look(path)) is not None:
                self._known[str(path)] = found[0]

    def has(self, path: Path) -> bool:
        """Return whether the model has seen the file, or a part of it, in whatever state."""
        return str(path) in self._seen

    def content(self, path: Path) -> bytes | None:
        """Return what the file held when the model last saw it, None where that is not known."""
        seen = self._seen.get(str(path))
        try:
            return (self._folder / seen.sha256).read_bytes() if seen is not None and seen.sha256 else None
        except OSError:
            return None

    def changed(self) -> list[Path]:
        """Return the files that somebody else changed or removed since the model saw them, each change once."""
        changed = []
        for path, known in [*self._known.items()]:
            now = _stat(path)
            if now is not None and (now.st_size, now.st_mtime_ns) == (known.size, known.modified_ns):
                continue
            found = _look(Path(path)) if now is not None else None
            if found is None:
                del self._known[path]
            else:
                self._known[path] = found[0]
            if found is None or not known.sha256 or found[0].sha256 != known.sha256:
                changed.append(Path(path))
        was_rewound, self._is_rewound = self._is_rewound, False
        return [] if was_rewound else changed


def forget(session_id: str) -> None:
    """Delete the ledger of a session."""
    shutil.rmtree(_folder(session_id), ignore_errors=True)


def _folder(session_id: str) -> Path:
    return state_dir() / "seen" / hashlib.sha256(session_id.encode()).hexdigest()[:32]


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _stat(path: str | Path) -> os.stat_result | None:
    try:
        found = os.stat(path)  # noqa: PTH116 — text or path
    except (OSError, ValueError):
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def _look(path: Path) -> tuple[Seen, bytes] | None:
    """Return what is to be noted of a file as it is now, with its content ("" where it is too large); None for no file."""
    found = _stat(path)
    if found is None:
        return None
    seen = Seen(str(path), found.st_size, found.st_mtime_ns)
    if found.st_size > LARGEST:
        return seen, b""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    return msgspec.structs.replace(seen, sha256=hashlib.sha256(content).hexdigest()), content
