"""The text in the prompt that was not sent yet: saved with every key, so that a crash loses nothing
that one saw.

A draft is a file with one JSON line, ``[0, 0, TEXT]``. Earlier versions wrote more of them, each an
edit of the text before, empty at first: ``[START, END, INSERTED]``, in characters.
"""

import contextlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

from dogent_tui.storage.files import atomic_write, private_folder
from dogent_tui.storage.paths import Workspace, state_dir

if TYPE_CHECKING:
    from filelock import FileLock

_MOST_WINDOWS = 32


class Drafts:
    """The draft of one window in `workspace`.

    Each window has a file of its own and holds a lock on it. The kernel drops the lock with the
    process: a window that opens takes over the newest draft that no living window holds. So two
    windows never show, or overwrite, each other's text. The files lie outside of the workspace,
    readable by the user only. One call at a time: what is saved last wins.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._folder = state_dir() / "drafts" / workspace.key
        self._file: Path | None = None
        self._lock: FileLock | None = None
        self._saved = ""

    def save(self, text: str) -> None:
        """Keep `text` as the draft. Raises OSError."""
        if text == self._saved:
            return
        if not text:
            self.clear()
            return
        # Not synced: this is for a crash of the application, several times a second, not of the
        # machine.
        line = json.dumps([0, 0, text])
        atomic_write(self._claim(), f"{line}\n", mode=0o600, durable=False)
        self._saved = text

    def load(self) -> str:
        """Return the draft that a window left behind, empty if there is none. Raises OSError."""
        text = ""
        file = self._claim()
        if file.is_symlink():  # it leads to what is no draft of ours
            return ""
        with contextlib.suppress(FileNotFoundError), file.open("rb") as lines:
            for line in lines:
                try:
                    start, end, inserted = json.loads(line)
                    text = f"{text[:start]}{inserted}{text[end:]}"
                except (ValueError, TypeError):  # what a crash cut short
                    break
        self._saved = text
        return text

    def clear(self) -> None:
        """Forget the draft, because it was sent or deleted. Raises OSError."""
        self._claim().unlink(missing_ok=True)
        self._saved = ""

    def close(self) -> None:
        """Let go of the draft, which stays for the next window."""
        if self._lock is not None:
            self._lock.release()
        self._lock = self._file = None
        self._saved = ""

    def _claim(self) -> Path:
        """Return this window's file: at first, the newest draft of no living window, or a new
        name.
        """
        if self._file is None:
            private_folder(self._folder)
            for file in self._candidates():
                lock = _try_lock(file.with_suffix(".lock"))
                if lock is not None:
                    self._lock, self._file = lock, file
                    break
            else:
                # More windows than anyone opens: they share the last file rather than lose text.
                self._file = self._folder / f"{_MOST_WINDOWS}.jsonl"
        return self._file

    def _candidates(self) -> list[Path]:
        files = [self._folder / f"{number}.jsonl" for number in range(_MOST_WINDOWS)]
        return sorted(
            files, key=_modified, reverse=True
        )  # stable: what does not exist is last, by number


def _modified(file: Path) -> float:
    with contextlib.suppress(OSError):
        return file.stat().st_mtime
    return 0.0


def _try_lock(file: Path) -> "FileLock | None":
    from filelock import FileLock, Timeout  # on use: it imports asyncio

    lock = FileLock(file, blocking=False, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        return None
    return lock
