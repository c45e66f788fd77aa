"""The unsent text in the prompt: saved with every key, so that a crash loses nothing that was
visible.

A draft is a file of JSON lines. Each is an edit of the previous text, which is initially empty:
``[START, END, INSERTED]``, in characters.
"""

import contextlib
import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from dogent_tui.storage.files import atomic_write, open_for_appending, private_folder, try_lock
from dogent_tui.storage.paths import Workspace, state_dir

if TYPE_CHECKING:
    from filelock import FileLock

_MOST_WINDOWS = 32
_SPARE_BYTES = 65_536
"""How much longer than its text a draft may become before it is rewritten as a single edit."""


class Drafts:
    """The draft of one window in `workspace`.

    Each window has a file of its own and holds a lock on it. The kernel releases the lock with the
    process; a new window takes over the newest draft that no living window holds. Two windows
    therefore never show or overwrite each other's text. The files are outside the workspace,
    readable by the user only. Not for concurrent calls: the last save wins.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._folder = state_dir() / "drafts" / workspace.key
        self._file: Path | None = None
        self._lock: FileLock | None = None
        self._saved = ""
        self._descriptor: int | None = None

    def save(self, text: str) -> None:
        """Save `text` as the draft. The cost depends on what changed since the last time, not on
        the length of the text. Raises OSError.
        """
        if text == self._saved:
            return
        if not text:
            self.clear()
            return
        # Not synced: several times a second, this protects against a crash of the application, not
        # of the machine.
        size = self._size
        if self._descriptor is None or not 0 <= size <= 8 * len(text) + _SPARE_BYTES:
            self._release()
            atomic_write(self._claim(), _line(_edit("", text)), mode=0o600, durable=False)
            self._descriptor = open_for_appending(self._claim())
        else:
            line = _line(_edit(self._saved, text))
            if os.write(self._descriptor, line) < len(line):
                os.ftruncate(self._descriptor, size)  # a partial line would corrupt the next one
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._saved = text

    def load(self) -> str:
        """Return the draft that a window left behind, empty if there is none. Raises OSError."""
        self._release()
        text = ""
        file = self._claim()
        if file.is_symlink():  # a link to something that is not our draft
            return ""
        with contextlib.suppress(FileNotFoundError), file.open("rb") as lines:
            for line in lines:
                try:
                    start, end, inserted = json.loads(line)
                    text = f"{text[:start]}{inserted}{text[end:]}"
                except (ValueError, TypeError):  # truncated by a crash
                    break
        self._saved = text
        return text

    def clear(self) -> None:
        """Delete the draft, because it was sent or cleared. Raises OSError."""
        self._release()
        self._claim().unlink(missing_ok=True)
        self._saved = ""

    def close(self) -> None:
        """Release the draft, which stays for the next window."""
        self._release()
        if self._lock is not None:
            self._lock.release()
        self._lock = self._file = None
        self._saved = ""

    @property
    def _size(self) -> int:
        """Return the length of the open file, -1 if it has been replaced or deleted."""
        if self._descriptor is None:
            return -1
        held = os.fstat(self._descriptor)
        with contextlib.suppress(OSError):
            if os.path.samestat(held, self._claim().lstat()):
                return held.st_size
        return -1

    def _release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = None

    def _claim(self) -> Path:
        """Return this window's file: initially the newest draft of no living window, or a new
        name.
        """
        if self._file is None:
            private_folder(self._folder)
            for file in self._candidates():
                lock = try_lock(file.with_suffix(".lock"))
                if lock is not None:
                    self._lock, self._file = lock, file
                    break
            else:
                # More windows than anyone opens: they share the last file rather than lose text.
                self._file = self._folder / f"{_MOST_WINDOWS}.jsonl"
        return self._file

    def _candidates(self) -> list[Path]:
        files = [self._folder / f"{number}.jsonl" for number in range(_MOST_WINDOWS)]
        # stable sort: files that do not exist come last, by number
        return sorted(files, key=_modified, reverse=True)


def _edit(old: str, new: str) -> tuple[int, int, str]:
    """Return the edit from `old` to `new`: start and end of the removed part, and its
    replacement.
    """
    most = min(len(old), len(new))
    start = _alike(lambda count: old[:count] == new[:count], most)
    end = _alike(lambda count: not count or old[-count:] == new[-count:], most - start)
    return start, len(old) - end, new[start : len(new) - end]


def _alike(holds: Callable[[int], bool], most: int) -> int:
    """Return the largest number up to `most` for which `holds`, which is monotonic."""
    least = 0
    while least < most:
        middle = (least + most + 1) // 2
        least, most = (middle, most) if holds(middle) else (least, middle - 1)
    return least


def _line(edit: tuple[int, int, str]) -> bytes:
    return json.dumps(edit).encode() + b"\n"


def _modified(file: Path) -> float:
    with contextlib.suppress(OSError):
        return file.stat().st_mtime
    return 0.0
