"""Stored conversions: in the platform's cache folder, as long as their files do not change and
there is room.
"""

import contextlib
import hashlib
import os
import time
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from dogent_tui import __version__
from dogent_tui.documents.model import ReadOptions
from dogent_tui.documents.spool import Placed, Spool
from dogent_tui.language import interface_language
from dogent_tui.records import Record

_MOST_BYTES = 512 << 20
"""The size of all conversions together; the least recently used are deleted first."""
_UNUSED_S = 14 * 86_400
"""A conversion not used for this long is deleted: it contains the content of someone's document."""
_UNFINISHED_S = 3_600
"""An unfinished conversion not changed for this long is abandoned."""
_READERS = Path(__file__).parent


class FileState(Record):
    """What identifies the content of a file. `path` has all links resolved, `suffix` is from the
    original name.
    """

    path: bytes
    suffix: str
    size: int
    mtime_ns: int
    inode: int

    @classmethod
    def of(cls, path: Path) -> "FileState":
        """Examine the file. Raises OSError."""
        found = path.stat()
        return cls(
            os.fsencode(os.path.realpath(path)),
            path.suffix.lower(),
            found.st_size,
            found.st_mtime_ns,
            found.st_ino,
        )


class StoredConversion(Record):
    """What is known about a complete conversion, besides the text in its spool."""

    format: str
    metadata: dict[str, Any]
    warnings: list[str]
    placed: list[Placed]


class ConversionStore:
    """The conversions in `folder`, created when first needed. All methods but `begin` block,
    `key` the first time.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def key(self, state: FileState, options: ReadOptions) -> str:
        """Return the name of a conversion, which depends on the file, the options, the version of
        this program, the code of the readers and the language of warnings.
        """
        made_by = (__version__, digest_of(_READERS))
        known = msgspec.json.encode((state, options, made_by, interface_language()))
        return hashlib.sha256(known).hexdigest()[:32]

    def begin(self, key: str) -> Spool:
        """Return an empty spool for a conversion."""
        return Spool(self._folder / f"{key}.{os.getpid()}-{os.urandom(4).hex()}.part")

    def keep(self, key: str, spool: Spool, kept: StoredConversion) -> None:
        """Store a complete conversion. Raises OSError."""
        spool.keep(self._place(key), msgspec.json.encode(kept))
        self.tidy()

    def find(self, key: str) -> tuple[StoredConversion, Spool] | None:
        """Return a stored conversion, and record that it was used."""
        place = self._place(key)
        try:
            kept = msgspec.json.decode(Spool.about(place), type=StoredConversion)
            os.utime(place)
        except (OSError, ValueError, OverflowError, msgspec.DecodeError):  # not one of ours
            return None
        return kept, Spool(place, kept.placed)

    def tidy(self) -> None:
        """Delete conversions not used for a long time, and the least recently used ones if all take
        too much space.
        """
        now, left = time.time(), _MOST_BYTES
        with contextlib.suppress(OSError):
            files = [(path.stat(), path) for path in self._folder.iterdir()]
            for about, path in sorted(files, key=lambda each: -each[0].st_mtime):
                left -= about.st_size
                unused_s = _UNFINISHED_S if path.suffix == ".part" else _UNUSED_S
                if left < 0 or now - about.st_mtime > unused_s:
                    path.unlink(missing_ok=True)

    def _place(self, key: str) -> Path:
        return self._folder / f"{key}.blocks"


@cache
def digest_of(folder: Path) -> str:
    """Return what identifies the code below `folder`, within a version too. Takes 10 ms once."""
    files = sorted(path for path in folder.rglob("*") if path.suffix in {".py", ".lua"})
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()
