"""A command on its way through the wall, and one that has ended."""

import contextlib
import json
import os
import subprocess
from collections.abc import Collection
from pathlib import Path

import msgspec

from dogent_tui.undo.changes import Difference
from dogent_tui.wall.difference import read_difference
from dogent_tui.wall.outside import Outside

_LONGEST_PATH = 4096
"""PATH_MAX of Linux, in bytes."""
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC


class Job(msgspec.Struct, frozen=True):
    """A command that may run behind the wall. `text` is what the CLI's shell runs in its place.

    `hosts` are those it may reach: None for none, an empty collection for all public ones.
    `outside` are the places outside the workspace that it may change.
    """

    name: str
    text: str
    command: str
    cwd: Path
    folder: Path
    hosts: Collection[str] | None = None
    outside: tuple[Outside, ...] = ()

    def seal(self) -> None:
        """Replace what it wrote by a copy: a command that still runs may have got it open, through
        a socket, and change it after it was judged. Raises OSError and SubprocessError.
        """
        for written in {each.parent for each in self.folder.glob("[!w]*/*")}:
            sealed = Path(f"{written}-sealed")  # not in its place before it is complete
            subprocess.run(("cp", "-a", "--", written, sealed), check=True, capture_output=True)
            written.rename(f"{written}-open")
            sealed.rename(written)


class Ended(msgspec.Struct, frozen=True):
    """A command that has ended. `began_ns` is the start time according to the file system's clock.

    `why` is ``timeout``, ``gone`` (its shell was killed) or "". `output` is the file it wrote to
    and that file's size before.
    """

    job: Job
    status: int
    began_ns: int
    why: str = ""
    output: tuple[str, int] = ("", 0)

    @property
    def upper(self) -> Path:
        """The folder with what it wrote."""
        return self.job.folder / "upper"

    def difference(self, root: Path) -> Difference:
        """Return what it did to the workspace. Raises OSError."""
        with contextlib.suppress(FileNotFoundError):
            return msgspec.convert(json.loads(self.restored.read_bytes()), Difference)
        return read_difference(str(root), str(self.upper), self.began_ns)

    @property
    def restored(self) -> Path:
        """The file with the difference, if the workspace was restored from a copy."""
        return self.job.folder / "restored"

    def judged(self) -> None:
        """Keep the next start from offering it, after a crash, to be judged again."""
        with contextlib.suppress(OSError):
            (self.job.folder / "ended").unlink()

    def stands_in(self) -> Path | None:
        """Return the final working directory of its shell, or None if it failed."""
        place = self.job.folder.parents[1] / "run" / self.job.name
        with contextlib.suppress(OSError):  # a command may have put anything there
            with os.fdopen(os.open(place, _READ), "rb") as file:
                text = os.fsdecode(file.read(_LONGEST_PATH) or b"")
            return Path(text.removesuffix("\n")) if text.startswith("/") else None
        return None
