"""A document of any format but Markdown, for the pane: its text in parts, and facts about it.
Independent of the screen.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from dogent_tui.documents.library import DocumentLibrary, ReadResult
from dogent_tui.documents.model import ReadOptions, Report
from dogent_tui.language import ngettext, phrases, tr
from dogent_tui.outline.blocks import heading_lines, open_fence
from dogent_tui.plain import one_line
from dogent_tui.records import Json, Record
from dogent_tui.tui.attachments.model import file_size, readable_size

PART_CHARS = 6_000
"""Characters read at once: a few screens of text, laid out without a noticeable delay."""

_PAGE = re.compile(r"^<!-- page (\d+) -->$", re.MULTILINE)
"""The page separator of a pdf as the agent sees it (`documents/pdf/reader.py`)."""
_MOST_WARNINGS = 3
_LONGEST_TITLE = 60


class Sheet(Record):
    """A sheet of a workbook, hidden or not."""

    name: str
    is_hidden: bool = False


class Part(NamedTuple):
    """A part of a text. `first` is the number of its first line, from 0. `is_plain`: it is drawn
    as it is, not as Markdown.
    """

    text: str
    first: int = 0
    is_plain: bool = False


class Heading(NamedTuple):
    """A heading and the line, from 0, where it starts."""

    line: int
    level: int
    title: str


class DocumentReading:
    """Reads the document at `path` through `library` from the beginning, or one `sheet` of a
    workbook, or selected `pages` of a pdf.
    """

    def __init__(
        self, library: DocumentLibrary, path: Path, sheet: str = "", pages: str = ""
    ) -> None:
        self._library = library
        self._path = path
        self._options = ReadOptions(sheet=sheet, pages=pages)
        self._offset: int | None = 0
        self._shown = ""
        self._last: ReadResult | None = None
        self._size = 0
        self._pieces = [""]
        self.definitions: Mapping[str, str] = {}
        """The definitions of its links, which are written out where they are used."""
        self.characters = 0
        """The number of characters read so far."""
        self.line_ends = 0
        """The number of line ends in them."""
        self.headings: list[Heading] = []
        """Its headings."""

    @property
    def lines(self) -> Sequence[str]:
        """The lines of Markdown read so far."""
        self._pieces = ["".join(self._pieces)]
        return self._pieces[0].split("\n")

    @property
    def has_more(self) -> bool:
        """Whether there is more to read."""
        return self._offset is not None

    @property
    def has_lines(self) -> bool:
        """Whether its lines are those of the file, which is plain text."""
        return self._last is not None and self._last.format == "text"

    @property
    def sheets(self) -> tuple[Sheet, ...]:
        """The sheets of a workbook with several, once something has been read."""
        listed = self._last.metadata.get("sheets", ()) if self._last else ()
        return tuple(
            Sheet(str(sheet["name"]), sheet.get("state", "visible") != "visible")
            for sheet in (listed if len(listed) > 1 else ())
        )

    @property
    def sheet(self) -> str:
        """The sheet being read, if there are several."""
        return str(self._last.metadata.get("sheet", "")) if self._last and self.sheets else ""

    @property
    def note(self) -> str:
        """Facts about the document, and what could not be converted, as lines."""
        if self._last is None:
            return ""
        known = facts(self._last.format, self._last.metadata, self._size)
        if self.has_more:
            of = (
                tr(" of {total_chars:,}", total_chars=self._last.total_chars)
                if self._last.total_chars is not None
                else ""
            )
            known.append(tr("the first {text:,}{of} characters", text=self.characters, of=of))
        warnings = [one_line(warning) for warning in self._last.warnings[:_MOST_WARNINGS]]
        return "\n".join([phrases(*known), *warnings])

    async def more(self, on_progress: Report = lambda *_: None) -> Part:
        """Read the next part. Raises DocumentError.

        What continues a table or a code block is given its opening lines again, because each part
        is laid out separately.
        """
        if self._offset is None:
            return Part("")
        found = await self._library.read(
            self._path,
            self._options,
            max_chars=PART_CHARS,
            offset=self._offset,
            on_progress=on_progress,
        )
        opener, first = opener_of(self._shown, found.text), self.line_ends
        self._last, self._offset = found, found.next_offset
        self._size = self._size or file_size(self._path) or 0
        self._pieces.append(found.text)
        self.characters += len(found.text)
        self.line_ends += found.text.count("\n")
        if self.has_lines:
            return Part(found.text, first, is_plain=True)
        self._shown = shown = "\n".join([*opener, found.text])
        part = Part(
            _PAGE.sub(lambda page: tr("*— page {page} —*", page=page[1]), shown),
            first - len(opener),
        )
        self.headings += await asyncio.to_thread(headings_of, part)
        return part


def facts(kind: str, metadata: Json, size: int) -> list[str]:
    """Return facts about a document, one phrase each."""
    known = [kind]
    for name in ("pages", "slides", "sheet_count", "words", "lines"):
        number = metadata.get(name)
        if isinstance(number, int) and number > 0:
            known.append(counted(name, number))
    if extent := _extent(metadata):
        known.append(extent)
    if size:
        known.append(readable_size(size))
    title, author = (
        one_line(str(metadata.get(name) or ""))[:_LONGEST_TITLE] for name in ("title", "author")
    )
    if title:
        by = tr("“{title}” by {author}", title=title, author=author)
        known.append(by if author else f"“{title}”")
    elif author:
        known.append(tr("by {author}", author=author))
    return known


def counted(name: str, count: int) -> str:
    """Return the number of each kind of element in a document."""
    match name:
        case "pages":
            return ngettext("{count:,} page", "{count:,} pages", count, count=count)
        case "slides":
            return ngettext("{count:,} slide", "{count:,} slides", count, count=count)
        case "sheet_count":
            return ngettext("{count:,} sheet", "{count:,} sheets", count, count=count)
        case "words":
            return ngettext("{count:,} word", "{count:,} words", count, count=count)
    return ngettext("{count:,} line", "{count:,} lines", count, count=count)


def _extent(metadata: Json) -> str:
    """Return the size of a table: as counted, or as the workbook states."""
    listed = metadata.get("sheets", ())
    stated: Json = next((one for one in listed if one["name"] == metadata.get("sheet")), {})
    rows, columns = (metadata.get(name) or stated.get(name) or 0 for name in ("rows", "columns"))
    if not rows:
        return ""
    high = ngettext("{count:,} row", "{count:,} rows", rows, count=rows)
    wide = ngettext("{count:,} column", "{count:,} columns", columns, count=columns)
    return f"{high} × {wide}" if columns else high


def headings_of(part: Part) -> list[Heading]:
    """Return the headings of `part`. Takes a second for a megabyte: use a thread."""
    try:
        return [
            Heading(part.first + start, level, title)
            for start, _end, level, title in heading_lines(part.text)
        ]
    except RecursionError:  # thousands of nested quotes or lists
        return []


def opener_of(text: str, rest: str) -> list[str]:
    """Return the opening lines of the code block or table that `text`, which consists of whole
    lines, ends in and `rest` continues, to be repeated before the latter.
    """
    if ("```" in text or "~~~" in text) and (fence := open_fence(text)):
        lines = reversed(text.split("\n"))
        return [next(line for line in lines if line.lstrip().startswith(fence))]
    if text.endswith("\n\n") or not rest.startswith("|"):
        return []
    head = text.removesuffix("\n").rpartition("\n\n")[2].lstrip("\n").split("\n", 2)[:2]
    is_table = head[0].startswith("|") and not set("".join(head[1:])) - set("|-: ")
    return head if is_table else []
