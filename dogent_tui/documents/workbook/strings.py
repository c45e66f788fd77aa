"""The texts that the cells of a workbook share, read only as far as they are asked for."""

import re
from typing import IO

from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.workbook.package import MOST_TEXT, Feed, Package
from dogent_tui.language import tr

_MOST_MEMORY = 200_000_000
"""Bytes of shared texts that are held. The largest workbook that Excel saves with a million
different texts needs half of it.
"""

_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")


class SharedStrings:
    """The texts by their number. Cells mostly number them in the order in which they come, so the
    first rows need only the first.

    Raises DocumentError `too_large` when they take too much memory, and what `Package` raises.
    """

    def __init__(self, package: Package, part: str) -> None:
        self._texts: list[str] = []
        self._memory = 0
        self._name = package.name
        self._pieces: list[str] | None = None
        self._length = 0
        self._in_text = self._in_reading = False
        self._stream: IO[bytes] | None = package.open(part) if package.has(part) else None
        self._feed = (
            Feed(self._stream, self._start, self._end, self._characters, package.name)
            if self._stream
            else None
        )

    def __getitem__(self, number: int) -> str:
        """Return the text `number`, "" if there are not so many."""
        while number >= len(self._texts) and self._feed:
            if not self._feed.more():
                self.close()
        return self._texts[number] if 0 <= number < len(self._texts) else ""

    def close(self) -> None:
        """Read no further."""
        self._feed = None
        if self._stream:
            self._stream.close()

    def _start(self, tag: str, _attributes: dict[str, str]) -> None:
        if tag == "si":
            self._pieces, self._length = [], 0
        elif tag == "t":
            self._in_text = not self._in_reading
        elif tag == "rPh":  # how to read the characters, in Japanese; not shown in the cell
            self._in_reading = True

    def _characters(self, text: str) -> None:
        if self._in_text and self._pieces is not None and self._length < MOST_TEXT:
            self._pieces.append(text)
            self._length += len(text)

    def _end(self, tag: str) -> None:
        if tag == "t":
            self._in_text = False
        elif tag == "rPh":
            self._in_reading = False
        elif tag == "si":
            text = unescaped("".join(self._pieces or ())[:MOST_TEXT])
            self._pieces = None
            self._texts.append(text)
            self._memory += text.__sizeof__() + 8
            if self._memory > _MOST_MEMORY:
                raise DocumentError(
                    tr("The text in {name} exceeds {size} MB.").format(
                        name=self._name, size=_MOST_MEMORY // 1000000
                    ),
                    tr("Save the sheet you need as its own workbook, or as csv."),
                    code="too_large",
                )


def unescaped(text: str) -> str:
    """Return `text` with ``_x000D_`` and its like as the characters that they stand for
    (ECMA-376 part 1, 22.9.2.19).
    """
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text
