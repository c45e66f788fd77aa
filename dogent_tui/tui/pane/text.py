"""A Markdown file for the pane: split into parts that are drawn separately, and compared with its
earlier content. Independent of the screen.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from dogent_tui.changes.sequence_match import gaps, matched
from dogent_tui.errors import DogentError, disk_remedy
from dogent_tui.language import tr
from dogent_tui.outline.blocks import count_words, fenced_lines, front_matter
from dogent_tui.tui.pane.reading import (
    Heading,
    Part,
    Sheet,
    counted,
    headings_of,
    opener_of,
)

LARGEST = 16 << 20
"""The maximum size in bytes of a file that is shown."""
_PART = 2_000
"""The approximate number of characters laid out together."""
_LONGEST_PART = 8_000
"""The length from which a text is split at the next line, even within a list or table."""

_GOES_ON = re.compile(r"\s|[-+*>|]|\d{1,9}[.)]")
"""The beginning of a line that may belong to the block above the preceding blank line."""
_DEFINITION = re.compile(r" {0,3}\[(?!\^)([^\]]+)\]:[ \t]*\S")


Stamp = tuple[int, int, int]
"""Identifies a version of a file: modification time, size and inode."""


class MarkdownText:
    """The text of a Markdown file, as a `DocumentReading` that was read to its end."""

    has_lines, has_more = True, False
    sheets: Sequence[Sheet] = ()
    sheet = ""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        if len(self.lines) > 1 and not self.lines[-1]:
            self.lines.pop()
        self._front = (
            text.count("\n", 0, front_matter(text)) if text.startswith(("---", "+++")) else 0
        )
        self._fenced = frozenset(fenced_lines(self.lines))
        self.parts = tuple(self._cut())
        words = count_words("\n".join(self.lines[self._front :]))
        self.note = counted("words", words)
        """The number of words, without front matter."""

    @cached_property
    def definitions(self) -> dict[str, str]:
        """The lines of link definitions, by link name."""
        found: dict[str, str] = {}
        for number, line in enumerate(self.lines):
            if (definition := _DEFINITION.match(line)) and number not in self._fenced:
                found.setdefault(link_name(definition[1]), line)
        return found

    @cached_property
    def headings(self) -> tuple[Heading, ...]:
        """The headings. The first access takes a second for a megabyte: use a thread."""
        return tuple(headings_of(Part("\n".join(self.lines))))

    def _cut(self) -> Iterator[Part]:
        if self._front:  # the parser would take it for a rule and a heading
            inside = "\n".join(self.lines[1 : self._front - 1])
            yield Part(f"```yaml\n{inside}\n```", 0)
        start, text = self._front, ""
        for end in self._ends():
            if (
                end == start + 1
                and len(self.lines[start]) > _LONGEST_PART
                and start not in self._fenced
            ):
                line = self.lines[start]
                for at in range(0, len(line), _LONGEST_PART):
                    yield Part(line[at : at + _LONGEST_PART], start)
                start, text = end, ""
                continue
            opener = opener_of(text, self.lines[start])
            part = Part("\n".join([*opener, *self.lines[start:end]]), start - len(opener))
            yield part
            start, text = end, f"{part.text}\n"

    def _ends(self) -> Iterator[int]:
        """Yield the ends of the parts: before a line that starts a block, or where a part is long
        enough.
        """
        size, is_comment, is_blank = 0, False, True
        for number in range(self._front, len(self.lines)):
            line = self.lines[number]
            is_fenced = number in self._fenced
            begins = is_blank and not is_fenced and bool(line) and not _GOES_ON.match(line)
            if (
                size
                and not is_comment
                and ((begins and size >= _PART) or size + len(line) >= _LONGEST_PART)
            ):
                yield number
                size = 0
            size += len(line) + 1
            is_blank = not line.strip()
            is_comment = is_comment if is_fenced else _in_comment(line, is_comment)
        if self._front < len(self.lines):
            yield len(self.lines)


def link_name(label: str) -> str:
    """Return the normalized name of a link for comparison."""
    return " ".join(label.casefold().split())


def _in_comment(line: str, before: bool) -> bool:
    """Return whether a comment is open after `line`."""
    opened, closed = line.rfind("<!--"), line.rfind("-->")
    return opened > closed if max(opened, closed) >= 0 else before


class Changes(NamedTuple):
    """Changes of a text: `added` holds its new or rewritten lines, `cut` those before which lines
    were deleted, ascending.
    """

    added: tuple[int, ...] = ()
    cut: tuple[int, ...] = ()

    def mark(self, lines: tuple[int, int], after: int) -> str:
        """Return what changed in `lines` (end exclusive): ``added``, ``cut``, or nothing.

        ``cut`` covers deletions above them, from line `after` on, because not every line of a text
        is drawn.
        """
        first, end = lines
        if _holds(self.added, first, end):
            return "added"
        return "cut" if _holds(self.cut, after, end) else ""


def _holds(numbers: Sequence[int], first: int, end: int) -> bool:
    at = bisect_right(numbers, first - 1)
    return at < len(numbers) and numbers[at] < end


def changes(before: Sequence[str], now: Sequence[str]) -> Changes:
    """Compare two texts by lines. Takes about 50 ms for a megabyte: call it in a thread."""
    if before == now:
        return Changes()
    added: list[int] = []
    cut = []
    for i, j, to_i, to_j in gaps(matched(before, now, ""), len(before), len(now)):
        if j < to_j:
            added += range(j, to_j)
        elif i < to_i:
            cut.append(min(to_j, len(now) - 1))
    return Changes(tuple(added), tuple(cut))


class Moved:
    """Maps line numbers of a text to those after a change."""

    def __init__(self, before: Sequence[str], now: Sequence[str]) -> None:
        self._pairs = matched(before, now, "")
        self._olds = [i for i, _ in self._pairs]
        self._last = max(0, len(now) - 1)

    def line(self, number: int) -> int:
        """Return the new number of a line, or the closest one."""
        at = bisect_right(self._olds, number) - 1
        if at < 0:
            return min(number, self._last)
        i, j = self._pairs[at]
        return min(j + number - i, self._last)

    def lines(self, first: int, end: int) -> tuple[int, int] | None:
        """Return the new range of the lines from `first` to before `end`, None if any of them
        changed.
        """
        at = bisect_right(self._olds, first - 1)
        now = [j for _, j in self._pairs[at : at + end - first]]
        if self._olds[at : at + end - first] != [*range(first, end)]:
            return None
        return (now[0], now[0] + len(now)) if now == [*range(now[0], now[0] + len(now))] else None


def stamp_of(path: Path) -> Stamp | None:
    """Return what identifies the version of the file at `path`, None if there is no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def read_markdown_text(path: Path) -> MarkdownText:
    """Read the Markdown file at `path`. Blocks. Raises DogentError."""
    from dogent_tui.documents.text.charset import encoding_of

    try:
        with path.open("rb") as stream:
            encoding = encoding_of(stream)
            stream.seek(0)
            data = stream.read(LARGEST + 1)
    except OSError as error:
        raise DogentError(
            tr("{name} cannot be read: {reason}.", name=path.name, reason=error.strerror or error),
            disk_remedy(error),
        ) from None
    if not encoding:
        raise DogentError(
            tr("{name} contains no text.", name=path.name),
            tr("It is a Markdown file in name only."),
        )
    if len(data) > LARGEST:
        raise DogentError(
            tr(
                "{name} is too large to show: the limit is {size} MB.",
                name=path.name,
                size=LARGEST >> 20,
            ),
            tr("Open part of it."),
        )
    text = data.decode(encoding, errors="replace").removeprefix("\ufeff")
    return MarkdownText(text.replace("\r\n", "\n"))
