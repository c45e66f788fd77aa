"""The Markdown of a document during its conversion, in a file: appended to at the end, cut into
pages anywhere.
"""

import os
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from dogent_tui.documents.messages import Piece
from dogent_tui.documents.model import Source
from dogent_tui.language import tr
from dogent_tui.records import Record
from dogent_tui.storage.files import private_folder

_TAIL_BYTES = 8
"""The suffix of a stored file: the length of the description that precedes it."""


class Shown(Record):
    """Characters `start` to `end` of a document's Markdown come from `source` in it."""

    start: int
    end: int
    source: Source


class Page(NamedTuple):
    """Characters `start` to `end` of a document's Markdown."""

    text: str
    start: int
    end: int
    shown: tuple[Shown, ...]


class Placed(Record, array_like=True):
    """A piece whose joint begins at `start` and whose text at `begin`; the file contains both up to
    the byte `byte_end`.
    """

    start: int
    begin: int
    end: int
    byte_end: int
    source: Source


class Spool:
    """Pieces in the file `path`, which contains their text. `chars` and `size` are its current
    length; both only grow.

    One thread at a time appends; others may read concurrently. Its methods block.
    """

    def __init__(self, path: Path, placed: Iterable[Placed] = ()) -> None:
        """Use a file of this size, or none."""
        self.path = path
        self.placed = [*placed]
        self._descriptor: int | None = None

    @property
    def chars(self) -> int:
        """The number of characters."""
        return self.placed[-1].end if self.placed else 0

    @property
    def size(self) -> int:
        """The size of the file."""
        return self.placed[-1].byte_end if self.placed else 0

    def append(self, pieces: Iterable[Piece]) -> None:
        """Append pieces. Raises OSError."""
        descriptor = self._open()
        data, placed, chars, size = bytearray(), [], self.chars, self.size
        for piece in pieces:
            data += (piece.joint + piece.text).encode()
            begin = chars + len(piece.joint)
            end = begin + len(piece.text)
            placed.append(Placed(chars, begin, end, size + len(data), piece.source))
            chars = end
        os.pwrite(descriptor, data, size)
        self.placed += placed

    def page(self, offset: int, max_chars: int, *, ended: bool) -> Page:
        """Return the characters from `offset` on, at most `max_chars`, up to the best place to cut.

        That is the end of a block. A block that does not fit on any page is cut at the end of a
        line if one is near, otherwise anywhere. `ended`: nothing will be appended.
        """
        chars = self.chars
        offset = min(offset, chars)
        limit = offset + max_chars
        first = bisect_right(self.placed, offset, key=lambda each: each.end)
        last = bisect_right(self.placed, limit, lo=first, key=lambda each: each.start)
        placed = self.placed[first:last]
        if not placed:
            return Page("", offset, offset, ())
        # complete pieces, from the one containing the offset to the last that begins before the
        # limit
        start = self.placed[first - 1].byte_end if first else 0
        data = os.pread(self._open(), placed[-1].byte_end - start, start)
        base = placed[0].start
        text = data.decode()[offset - base : limit - base]
        is_rest = ended and chars <= limit
        end = offset + (len(text) if is_rest else _cut(text, offset, limit, placed))
        shown = (
            Shown(max(each.begin, offset), min(each.end, end), each.source)
            for each in placed
            if each.begin < end and each.end > offset
        )
        return Page(text[: end - offset], offset, end, tuple(shown))

    def keep(self, place: Path, about: bytes) -> None:
        """Turn the file into that of a complete document, at `place`, with the description `about`
        at its end. Raises OSError.
        """
        os.pwrite(self._open(), about + len(about).to_bytes(_TAIL_BYTES), self.size)
        self.path = self.path.replace(place)

    @staticmethod
    def about(place: Path) -> bytes:
        """Return the description of the document at `place`. Raises OSError."""
        with place.open("rb") as file:
            file.seek(-_TAIL_BYTES, os.SEEK_END)
            size = int.from_bytes(file.read())
            file.seek(-_TAIL_BYTES - size, os.SEEK_END)
            return file.read(size)

    def close(self) -> None:
        """Close the file without deleting it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _open(self) -> int:
        if self._descriptor is None:
            private_folder(self.path.parent)
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        return self._descriptor


def _cut(text: str, offset: int, limit: int, placed: Sequence[Placed]) -> int:
    """Return after how many characters of `text` it is best to cut: at least one, with something
    visible before it.
    """
    seen = len(text) - len(text.lstrip())
    places = (
        place - offset
        for each in placed
        if each.begin > each.start
        for place in (each.begin, each.start)
        if place <= limit
    )
    block = max((place for place in places if place > seen), default=0)
    line = text.rfind("\n", seen) + 1
    # the next block does not fit on any page
    is_cut_anyway = placed[-1].end - offset - block > limit - offset
    enough = len(text) // 4
    if block > enough or (block and not is_cut_anyway):
        return block
    return line if line > enough else len(text)


def places(shown: Sequence[Shown]) -> str:
    """Return `` · pages 3–5``, `` · sheet Visits, A1:D50``, `` · lines 1–80``, or nothing if
    unknown.
    """
    if not shown:
        return ""
    first, last = shown[0].source, shown[-1].source
    if last.page:
        begin = first.page or last.page
        pages = tr("page {page}") if begin == last.page else tr("pages {begin}–{page}")
        return " · " + pages.format(begin=begin, page=last.page)
    if last.sheet or last.cells:
        sheet = tr("sheet {sheet}", sheet=last.sheet) if last.sheet else ""
        begins, ends = (first.cells or last.cells).partition(":")[0], last.cells.rpartition(":")[2]
        return " · " + ", ".join(filter(None, (sheet, last.cells and f"{begins}:{ends}")))
    return " · " + tr("from line {line}", line=first.line) if first.line else ""


_UNITS = {"pages": tr("pages"), "rows": tr("rows"), "parts": tr("parts"), "bytes": tr("bytes")}
"""The units that readers count in."""


def how_far(done: int, total: int, what: str) -> str:
    """Return `` 3 of 18 pages``, `` 1,200 rows`` if the total is unknown, or nothing at the
    beginning.
    """
    unit = _UNITS.get(what, what)
    if total:
        return tr(" {done:,} of {total:,} {what}", done=done, total=total, what=unit)
    return f" {done:,} {unit}" if done else ""
