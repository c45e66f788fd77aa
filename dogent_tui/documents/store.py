"""Conversions that are kept: in the platform's cache folder, for as long as their files do not
change and there is room.
"""

import contextlib
import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from dogent_tui import __version__
from dogent_tui.documents.model import ReadOptions
from dogent_tui.documents.spool import Placed, Spool
from dogent_tui.language import interface_language
from dogent_tui.storage.files import atomic_write, private_folder

_MOST_BYTES = 512 << 20
"""Of all conversions together; the least recently used go first."""
_UNUSED_S = 14 * 86_400
"""A conversion that nobody asked for in this time goes: it holds what is in somebody's document."""
_UNFINISHED_S = 3_600
"""After this time without a change a conversion that was never finished belongs to nobody."""


class FileState(msgspec.Struct, frozen=True):
    """What tells one content of a file from another. `path` has all links followed, `suffix` is
    how it was named.
    """

    path: bytes
    suffix: str
    size: int
    mtime_ns: int
    inode: int

    @classmethod
    def of(cls, path: Path) -> "FileState":
        """Look at the file. Raises OSError."""
        found = path.stat()
        return cls(
            os.fsencode(os.path.realpath(path)),
            path.suffix.lower(),
            found.st_size,
            found.st_mtime_ns,
            found.st_ino,
        )


class Kept(msgspec.Struct, frozen=True):
    """What is known of a whole conversion, beside the text in its spool."""

    format: str
    metadata: dict[str, Any]
    warnings: list[str]
    placed: list[Placed]


class ConversionStore:
    """The conversions in `folder`, which is made when it is first needed. All of it blocks."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def key(self, state: FileState, options: ReadOptions) -> str:
        """Return the name of a conversion: it differs where the file, what is wanted of it, this
        program or the language of its warnings does.
        """
        known = msgspec.json.encode((state, options, __version__, interface_language()))
        return hashlib.sha256(known).hexdigest()[:32]

    def begin(self, key: str) -> Spool:
        """Return an empty spool for a conversion. Raises OSError."""
        private_folder(self._folder)
        spool = Spool(self._folder / f"{key}.{os.getpid()}-{os.urandom(4).hex()}.part")
        spool.append(())
        return spool

    def keep(self, key: str, spool: Spool, kept: Kept) -> None:
        """Keep a conversion that is whole. Raises OSError."""
        place = self._spool(key)
        spool.path.replace(place)
        spool.path = place
        atomic_write(self._about(key), msgspec.json.encode(kept), mode=0o600, durable=False)
        self.tidy()

    def find(self, key: str) -> tuple[Kept, Spool] | None:
        """Return a conversion that was kept, and remember that it was wanted."""
        about, place = self._about(key), self._spool(key)
        try:
            kept = msgspec.json.decode(about.read_bytes(), type=Kept)
            spool = Spool(place, kept.placed)
            if place.stat().st_size != spool.bytes:
                return None
            os.utime(about)
        except (OSError, msgspec.DecodeError):
            return None
        return kept, spool

    def tidy(self) -> None:
        """Drop what nobody wants any more, and the least recently used where all take too much
        room.
        """
        now, left = time.time(), _MOST_BYTES
        for used_at, about in sorted(self._kept(), reverse=True):
            place = self._spool(about.stem)
            with contextlib.suppress(OSError):
                left -= place.stat().st_size
            if left < 0 or now - used_at > _UNUSED_S:
                self._drop(about, place)
        known = {about.stem for _, about in self._kept()}
        with contextlib.suppress(OSError):
            for path in [*self._folder.glob("*.part"), *self._folder.glob("*.blocks")]:
                if path.stem not in known and now - path.stat().st_mtime > _UNFINISHED_S:
                    self._drop(path)

    def _kept(self) -> Iterator[tuple[float, Path]]:
        with contextlib.suppress(OSError):
            for about in self._folder.glob("*.json"):
                with contextlib.suppress(OSError):
                    yield about.stat().st_mtime, about

    def _drop(self, *paths: Path) -> None:
        for path in paths:
            with contextlib.suppress(OSError):
                path.unlink()

    def _spool(self, key: str) -> Path:
        return self._folder / f"{key}.blocks"

    def _about(self, key: str) -> Path:
        return self._folder / f"{key}.json"
