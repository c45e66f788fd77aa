"""The unsent text in the prompt: saved on every key, so that a crash loses nothing that was
visible.

It is written whole each time, because finding what changed in a long text takes longer than writing
it (13 ms and 2 ms for a megabyte).
"""

import contextlib
import os
from pathlib import Path

from dogent_tui.storage.files import atomic_write, private_folder
from dogent_tui.storage.paths import Workspace, state_dir
from dogent_tui.temporary import take_lock

_MOST_WINDOWS = 32


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
        self._lock: int | None = None
        self._saved = ""

    def save(self, text: str) -> None:
        """Save `text` as the draft; an empty one is deleted. Raises OSError."""
        if text == self._saved:
            return
        file = self._claim()
        if text:
            # Not synced: several times a second, this protects against a crash of the application,
            # not of the machine.
            data = text.encode("utf-8", errors="surrogatepass")
            atomic_write(file, data, mode=0o600, durable=False)
        else:
            file.unlink(missing_ok=True)
        self._saved = text

    def load(self) -> str:
        """Return the draft that a window left behind, empty if there is none. Raises OSError."""
        self._saved, file = "", self._claim()
        if not file.is_symlink():  # it points to something that is not a draft of ours
            with contextlib.suppress(FileNotFoundError, UnicodeDecodeError):
                self._saved = file.read_bytes().decode("utf-8", errors="surrogatepass")
        return self._saved

    def close(self) -> None:
        """Release the draft, which stays for the next window."""
        if self._lock is not None:
            os.close(self._lock)
        self._lock = self._file = None
        self._saved = ""

    def _claim(self) -> Path:
        """Return this window's file: initially the newest draft of no living window, or a new
        name.
        """
        if self._file is None:
            private_folder(self._folder)
            for file in self._candidates():
                with contextlib.suppress(BlockingIOError):
                    self._lock, self._file = take_lock(file.with_suffix(".lock")), file
                    break
            else:
                # More windows than anyone opens: they share the last file rather than lose text.
                self._file = self._folder / f"{_MOST_WINDOWS}.txt"
        return self._file

    def _candidates(self) -> list[Path]:
        files = [self._folder / f"{number}.txt" for number in range(_MOST_WINDOWS)]
        # stable sort: files that do not exist come last, by number
        return sorted(files, key=_modified, reverse=True)


def _modified(file: Path) -> float:
    with contextlib.suppress(OSError):
        return file.stat().st_mtime
    return 0.0
