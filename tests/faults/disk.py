"""A small disk of our own, which can be filled, frozen, broken and taken away.

It needs a mount namespace (`python -m tests.faults` enters one) and the right to mount. ``tmpfs``
holds what is filled or moved away; what is frozen or breaks is an ext4 on a loop device, because
there all writes wait or fail, also those to open files.
"""

import asyncio
import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

from tests.faults.rows import Row

_MB = 48
_ON_EXT4 = ("read-only", "stop", "slow")


def can_mount() -> str:
    """Return why no disk can be mounted here, empty where one can."""
    if os.geteuid() != 0:
        return "mounting needs root"
    tried = subprocess.run(
        ["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True
    )
    return tried.stderr.decode(errors="replace").strip() if tried.returncode else ""


class Disk:
    """The folder in which home and workspace of a row lie; a disk of its own where the row's
    fault is one of the disk.
    """

    def __init__(self, row: Row, folder: Path) -> None:
        self.folder = folder / "disk"
        self._image = folder / "image"
        self._fault = row.fault if row.victim == "disk" else ""
        self._frozen = False

    @property
    def is_broken(self) -> bool:
        """Whether it takes nothing until it is mounted again."""
        return self._fault == "read-only"

    def mount(self) -> None:
        """Have it there, empty."""
        self.folder.mkdir()
        if self._fault in _ON_EXT4:
            with self._image.open("wb") as image:
                image.truncate(_MB * 1_000_000)
            _run("mkfs.ext4", "-q", "-F", "-m", "0", str(self._image))
            _run("mount", "-o", "loop", str(self._image), str(self.folder))
        elif self._fault == "full":
            _run("mount", "-t", "tmpfs", "-o", f"size={_MB}m", "none", str(self.folder))

    def fill(self) -> None:
        """Leave no byte."""
        with (self.folder / "filler").open("wb", buffering=0) as filler, suppress(OSError):
            while True:
                filler.write(b"\0" * 4096)

    def empty(self) -> None:
        """Have room again."""
        (self.folder / "filler").unlink(missing_ok=True)

    def break_(self) -> None:
        """Refuse every write from now on, also to files that are open."""
        _run("mount", "-o", "remount,abort", str(self.folder))

    def freeze(self) -> None:
        """Have every write wait."""
        self._frozen = True
        _run("fsfreeze", "--freeze", str(self.folder))

    def thaw(self) -> None:
        """Let the writes go that wait."""
        if self._frozen:
            _run("fsfreeze", "--unfreeze", str(self.folder))
            self._frozen = False

    async def stutter(self, over: asyncio.Event) -> None:
        """Take writes only now and then, until it is `over`."""
        while not over.is_set():
            await asyncio.to_thread(self.freeze)
            await asyncio.sleep(0.2)
            await asyncio.to_thread(self.thaw)
            await asyncio.sleep(0.05)

    def sync(self) -> None:
        """Have all on it that was written so far: what breaks is the disk and not the machine."""
        _run("sync", "--file-system", str(self.folder))

    def repair(self) -> None:
        """After the application has ended: what a restart of the machine does to a disk that
        broke.
        """
        # the broken one lives for as long as any namespace has it
        repaired = self._image.with_name("repaired")
        _run("umount", "--lazy", str(self.folder))
        _run("cp", "--sparse=always", str(self._image), str(repaired))
        subprocess.run(["e2fsck", "-fy", str(repaired)], capture_output=True)
        _run("mount", "-o", "loop", str(repaired), str(self.folder))

    def unmount(self) -> None:
        """Be gone."""
        self.thaw()
        if self._fault in _ON_EXT4 or self._fault == "full":
            subprocess.run(["umount", "--lazy", str(self.folder)], capture_output=True)
        shutil.rmtree(self.folder.parent, ignore_errors=True)


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True)
    assert done.returncode == 0, (
        f"{' '.join(command)}: {done.stderr.decode(errors='replace').strip()}"
    )
