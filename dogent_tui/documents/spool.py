"""The Markdown of a document as it is converted, in a file: appended to at its end, cut into
pages anywhere.
"""

import os
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from dogent_tui.documents.messages import Piece
from dogent_tui.documents.model import Source
from dogent_tui.language import tr

_CHECKPOINT_CHARS = 65_536
"""How far apart the places are that are known by heart; between them the file is read."""

_CHUNK = 65_536

_PIECE = msgspec.json.Decoder(Piece)


class Shown(msgspec.Struct, frozen=True):
    """Characters `start` to `end` of a document's Markdown stand at `source` in it."""

    start: int
    end: int
    source: Source


class Page(NamedTuple):
    """Characters `start` to `end` of a document's Markdown."""

    text: str
    start: int
    end: int
    shown: tuple[Shown, ...]


class _Placed(NamedTuple):
    """A piece, whose joint begins at `start` and whose text at `begin`."""

    start: int
    begin: int
    end: int
    piece: Piece


class Spool:
    """Pieces in the file `path`, one JSON object a line. `chars` and `bytes` tell how much there
    is; both only grow.

    One thread at a time appends; others may read meanwhile. Its methods block.
    """

    def __init__(
        self,
        path: Path,
        *,
        chars: int = 0,
        size: int = 0,
        checkpoints: list[tuple[int, int]] | None = None,
    ) -> None:
        """Take a file that holds so much, or none."""
        self.path = path
        self.chars = chars
        self.bytes = size
        self.checkpoints = checkpoints or [(0, 0)]
        self._descriptor: int | None = None

    def append(self, lines: Iterable[tuple[bytes, Piece]]) -> None:
        """Add pieces, each with the line that it was read from. Raises OSError."""
        descriptor = self._open()
        data, chars, size = bytearray(), self.chars, self.bytes
        for line, piece in lines:
            if chars - self.checkpoints[-1][0] >= _CHECKPOINT_CHARS:
                self.checkpoints.append((chars, size))
            data += line + b"\n"
            size += len(line) + 1
            chars += len(piece.joint) + len(piece.text)
        os.pwrite(descriptor, data, self.bytes)
        self.chars, self.bytes = chars, size

    def page(self, offset: int, max_chars: int, *, ended: bool) -> Page:
        """Return the characters from `offset` on, at most `max_chars`, up to where it is best to
        cut.

        That is the end of a block. A block that fits on no page is cut at the end of a line where
        one is near, else anywhere. `ended`: nothing will come after what there is.
        """
        chars = self.chars
        offset = min(offset, chars)
        limit = offset + max_chars
        placed = list(self._from(offset, limit))
        if not placed:
            return Page("", offset, offset, ())
        base = placed[0].start
        text = "".join(found.piece.joint + found.piece.text for found in placed)[
            offset - base : limit - base
        ]
        end = offset + (
            len(text) if ended and chars <= limit else _cut(text, offset, limit, placed)
        )
        return Page(text[: end - offset], offset, end, tuple(_shown(placed, offset, end)))

    def close(self) -> None:
        """Close the file. It stays."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _open(self) -> int:
        if self._descriptor is None:
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        return self._descriptor

    def _from(self, offset: int, limit: int) -> Iterator[_Placed]:
        """Yield the pieces from the one that holds `offset` to the first that begins at `limit`
        or later.
        """
        size = self.bytes
        start, place = self.checkpoints[
            bisect_right(self.checkpoints, offset, key=lambda known: known[0]) - 1
        ]
        for line in self._lines(place, size):
            piece = _PIECE.decode(line)
            begin = start + len(piece.joint)
            end = begin + len(piece.text)
            if end > offset:
                yield _Placed(start, begin, end, piece)
            start = end
            if start > limit:
                return

    def _lines(self, place: int, size: int) -> Iterator[bytes]:
        """Yield the lines from `place` on. Readers share the file and must not share its
        position.
        """
        descriptor, rest = self._open(), b""
        while place < size and (chunk := os.pread(descriptor, min(_CHUNK, size - place), place)):
            place += len(chunk)
            *lines, rest = (rest + chunk).split(b"\n")
            yield from lines


def _cut(text: str, offset: int, limit: int, placed: list[_Placed]) -> int:
    """Return after how many characters of `text` it is best to cut: there is always one, and
    something to see before it.
    """
    seen = len(text) - len(text.lstrip())
    places = (
        place - offset
        for found in placed
        if found.piece.joint
        for place in (found.begin, found.start)
        if place <= limit
    )
    block = max((place for place in places if place > seen), default=0)
    line = text.rfind("\n", seen) + 1
    is_cut_anyway = (
        placed[-1].end - offset - block > limit - offset
    )  # the next block: it fits on no page
    enough = len(text) // 4
    if block > enough or (block and not is_cut_anyway):
        return block
    if line > enough:
        return line
    return len(text)


def _shown(placed: list[_Placed], offset: int, end: int) -> Iterator[Shown]:
    for found in placed:
        if found.begin < end and found.end > offset:
            yield Shown(max(found.begin, offset), min(found.end, end), found.piece.source)


def places(shown: Sequence[Shown]) -> str:
    """Return `` · pages 3–5``, `` · sheet Visits, A1:D50``, `` · lines 1–80``, or nothing where
    nothing is known.
    """
    if not shown:
        return ""
    first, last = shown[0].source, shown[-1].source
    if last.page:
        begin = first.page or last.page
        pages = tr("page {page}") if begin == last.page else tr("pages {begin}–{page}")
        return " · " + pages.format(begin=begin, page=last.page)
    if last.sheet or last.cells:
        sheet = tr("sheet {sheet}").format(sheet=last.sheet) if last.sheet else ""
        cells = (
            f"{(first.cells or last.cells).partition(':')[0]}:{last.cells.rpartition(':')[2]}"
            if last.cells
            else ""
        )
        return " · " + ", ".join(filter(None, (sheet, cells)))
    return " · " + tr("from line {line}").format(line=first.line) if first.line else ""


_UNITS = {"pages": tr("pages"), "rows": tr("rows"), "parts": tr("parts"), "bytes": tr("bytes")}
"""What readers count while they read."""


def how_far(done: int, total: int, what: str) -> str:
    """Return `` 3 of 18 pages``, `` 1,200 rows`` where nobody knows of how many, or nothing
    where it has just begun.
    """
    unit = _UNITS.get(what, what)
    if total:
        return tr(" {done:,} of {total:,} {what}").format(done=done, total=total, what=unit)
    return f" {done:,} {unit}" if done else ""
