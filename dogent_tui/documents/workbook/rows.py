"""The rows of a sheet as they are read, in bounded memory: what each cell shows, and what the
sheet says around them.
"""

import re
from collections.abc import Iterator
from typing import IO

import msgspec

from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.workbook.columns import MOST_COLUMNS, MOST_ROWS, column_number
from dogent_tui.documents.workbook.dates import iso_text
from dogent_tui.documents.workbook.formats import Formatter, general
from dogent_tui.documents.workbook.package import MOST_TEXT, Feed, Package, without_prefixes
from dogent_tui.documents.workbook.strings import SharedStrings, unescaped
from dogent_tui.documents.workbook.window import WantedRows, Window
from dogent_tui.language import tr

_MOST_IN_ROW = 1_000_000
"""Characters of a row; texts beyond are cut. No sheet that a user reads has so long a row."""

_MOST_LISTED = 1000
"""Merged ranges and links that are kept of a sheet; the others are counted."""

_DEEPEST = 200

_CHUNKS_UNTIL_SILENCE = 16
"""A megabyte without content: what was read before it need not wait for what may come after it."""

_MOST_SILENT_CHUNKS = 3600
"""225 MB without content, five seconds' work: formats down to the last row in many columns.
Nothing comes after them.
"""

CUT = "…"

_PLAIN = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]*[1-9])?")
"""A number that is written as General shows it."""


class Cell(msgspec.Struct, frozen=True, gc=False):
    """What a cell shows, which is never nothing. `is_text` tells a text from numbers, dates,
    booleans and errors.

    `formula` stands where a formula has no stored result: `text` is then the formula.
    """

    column: int
    text: str
    is_text: bool = False
    formula: bool = False


class Row(msgspec.Struct, gc=False):
    """A row that has content; rows without are not given. `number` counts from 1, `cells` go
    from left to right.
    """

    number: int
    hidden: bool
    cells: list[Cell]


class Link(msgspec.Struct, frozen=True):
    """A hyperlink on `cells`: the id of a relation of the sheet, or a place in the workbook."""

    cells: str
    relation: str
    place: str


class SheetFacts(msgspec.Struct):
    """What a sheet's part says besides its cells; the fields from `merged` on are complete when all
    rows are read.

    `long_texts` counts texts that were cut, `uncached` the formulas without a stored result.
    `too_long` says that there are more rows than a sheet may have, `too_empty` that reading ended
    within a vast stretch of cells without content.
    """

    hidden_columns: set[int] = msgspec.field(default_factory=set)
    merged: list[str] = msgspec.field(default_factory=list)
    merged_count: int = 0
    links: list[Link] = msgspec.field(default_factory=list)
    link_count: int = 0
    long_texts: int = 0
    uncached: int = 0
    too_long: bool = False
    too_empty: bool = False


class SheetReader:
    """Reads a sheet's part. Raises DocumentError, here and from `rows`."""

    def __init__(
        self,
        package: Package,
        part: str,
        strings: SharedStrings,
        formatters: list[Formatter],
        window: Window | None = None,
    ) -> None:
        self.facts = SheetFacts()
        self._name = package.name
        self._strings, self._formatters = strings, formatters
        stream = package.open(part)
        self._stream: IO[bytes] | WantedRows = (
            WantedRows(stream, window) if window is not None else stream
        )
        self._feed = Feed(
            self._stream, self._start, self._end, self._characters, package.name, is_sheet=True
        )
        self._ready: list[Row] = []
        self._columns: dict[str, int] = {}
        self._by_style: dict[str, Formatter] = {}
        self._shared: dict[str, tuple[str, str]] = {}
        self._row: Row | None = None
        self._row_number = self._column = self._elements = self._row_length = self._depth = 0
        self._reference = self._type = self._style = ""
        self._value = self._inline = self._formula = None  # type: str | None
        self._formula_attributes: dict[str, str] = {}
        self._pieces: list[str] | None = None
        self._length = 0
        self._in_reading = self._unordered = False

    def rows(self) -> Iterator[Row | None]:
        """Yield the rows that have content, hidden ones too; only once. None is given where
        there were none for a long while.
        """
        silent = 0
        try:
            more = True
            while more and not self.facts.too_long and not self.facts.too_empty:
                more = self._feed.more()
                silent = 0 if self._ready else silent + 1
                yield from self._ready
                self._ready.clear()
                if silent and silent % _CHUNKS_UNTIL_SILENCE == 0:
                    self.facts.too_empty = silent > _MOST_SILENT_CHUNKS
                    yield None
        finally:
            self._stream.close()

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "c":
            self._start_cell(attributes)
        elif tag in {"v", "t", "f"}:
            if self._pieces is not None:
                raise self._hostile()
            self._pieces, self._length = [], 0
            if tag == "f":
                self._formula_attributes = attributes
        elif tag == "row":
            self._start_row(attributes)
        elif tag == "rPh":
            if self._in_reading:
                raise self._hostile()
            self._in_reading = True
        else:
            self._start_other(tag, attributes)

    def _characters(self, text: str) -> None:
        if self._pieces is not None and self._length < MOST_TEXT:
            self._pieces.append(text)
            self._length += len(text)

    def _end(self, tag: str) -> None:
        if tag == "v":
            pieces, self._pieces = self._pieces, None
            if pieces:
                self._value = pieces[0] if len(pieces) == 1 else "".join(pieces)[:MOST_TEXT]
        elif tag == "c":
            self._end_cell()
        elif tag == "t":
            text = self._taken()
            if (
                not self._in_reading
            ):  # in rPh stands how to read the characters, in Japanese; not shown in the cell
                self._inline = (self._inline or "") + text
        elif tag == "f":
            self._formula = self._taken()
        elif tag == "row":
            self._end_row()
        elif tag == "rPh":
            self._in_reading = False
        else:
            self._depth -= 1

    def _start_row(self, attributes: dict[str, str]) -> None:
        if self._row is not None:
            raise self._hostile()
        number = attributes.get("r", "")
        self._row_number = int(float(number)) if number else self._row_number + 1
        if self._row_number > MOST_ROWS:
            self.facts.too_long = True
        self._row = Row(self._row_number, attributes.get("hidden") in {"1", "true"}, [])
        self._column = self._elements = self._row_length = 0
        self._unordered = False

    def _end_row(self) -> None:
        row, self._row = self._row, None
        if row is not None and row.cells and not self.facts.too_long:
            if self._unordered:
                row.cells = [
                    cell
                    for _column, cell in sorted({cell.column: cell for cell in row.cells}.items())
                ]
            self._ready.append(row)

    def _start_cell(self, attributes: dict[str, str]) -> None:
        self._elements += 1
        if self._elements > MOST_COLUMNS:
            raise self._hostile()
        reference = attributes.get("r", "")
        if reference:
            letters = reference.rstrip("0123456789")
            column = self._columns.get(letters)
            if column is None:
                column = self._columns[letters] = column_number(letters.replace("$", ""))
            if column <= self._column:
                self._unordered = True
            self._column = column
        else:
            self._column += 1
        self._reference = reference
        self._type = attributes.get("t", "n")
        self._style = attributes.get("s", "")
        self._value = self._inline = self._formula = None
        self._pieces = None

    def _end_cell(self) -> None:
        value, kind, formula, is_text = self._value, self._type, False, False
        if kind == "s" and value:
            text, is_text = self._strings[int(value)], True
        elif self._formula is not None and not value and kind != "str":
            text, formula = self._formula_text(), True
        elif kind in {"str", "inlineStr"}:
            text, is_text = (
                unescaped(
                    value if value is not None and self._inline is None else self._inline or ""
                ),
                True,
            )
        elif not value:
            return
        else:
            text = self._shown(kind, value)
        if not text or text.isspace() or self._row is None:
            return
        self._row_length += len(text)
        if len(text) >= MOST_TEXT or self._row_length > _MOST_IN_ROW:
            self.facts.long_texts += 1
            text = text[: max(0, min(MOST_TEXT, _MOST_IN_ROW - self._row_length + len(text)))] + CUT
        self.facts.uncached += formula
        self._row.cells.append(Cell(self._column, text, is_text, formula))

    def _shown(self, kind: str, value: str) -> str:
        """Return what a cell that holds no text shows."""
        if kind == "n":
            style = self._style
            shown = self._by_style.get(style)
            if shown is None:
                position = int(style) if style.isdigit() else 0
                shown = self._by_style[style] = (
                    self._formatters[position] if position < len(self._formatters) else general
                )
            if (
                shown is general
                and len(value) < 12
                and (value.isdigit() or _PLAIN.fullmatch(value))
            ):
                return value
            try:
                return shown(float(value))
            except ValueError:
                return value
        if kind == "b":
            return "FALSE" if value.strip() in {"0", "false"} else "TRUE"
        if kind == "d":
            return iso_text(value.strip())
        return value  # "e": the error's name

    def _formula_text(self) -> str:
        """Return the formula of the cell, which has no stored result."""
        formula, attributes = unescaped(self._formula or ""), self._formula_attributes
        shared = attributes.get("si", "") if attributes.get("t") == "shared" else ""
        if shared and formula:
            if len(self._shared) < _MOST_LISTED:
                self._shared[shared] = (formula, self._reference)
        elif shared in self._shared:
            formula = _translated(*self._shared[shared], self._reference)
        return f"={formula}".replace("_xlfn.", "").replace("_xlws.", "") if formula else ""

    def _taken(self) -> str:
        pieces, self._pieces = self._pieces, None
        if pieces is None:
            return ""
        return pieces[0] if len(pieces) == 1 else "".join(pieces)[:MOST_TEXT]

    def _start_other(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._hostile()
        facts = self.facts
        if tag == "mergeCell":
            facts.merged_count += 1
            if len(facts.merged) < _MOST_LISTED:
                facts.merged.append(attributes.get("ref", "")[:40])
        elif tag == "hyperlink":
            facts.link_count += 1
            if len(facts.links) < _MOST_LISTED:
                bare = without_prefixes(attributes)
                facts.links.append(
                    Link(bare.get("ref", "")[:40], bare.get("id", ""), bare.get("location", ""))
                )
        elif tag == "col" and attributes.get("hidden") in {"1", "true"}:
            first, last = int(attributes.get("min", 0)), int(attributes.get("max", 0))
            facts.hidden_columns.update(range(max(1, first), min(last, MOST_COLUMNS) + 1))

    def _hostile(self) -> DocumentError:
        return DocumentError(
            tr("{name} has a sheet that no spreadsheet program writes; it was not read.").format(
                name=self._name
            ),
            code="hostile",
        )


def _translated(formula: str, origin: str, cell: str) -> str:
    """Return `formula`, which stands in `origin`, as it reads in `cell`."""
    from openpyxl.formula.translate import (
        Translator,
    )  # half a second to import, for what few workbooks need

    try:
        return str(Translator(f"={formula}", origin).translate_formula(cell)).removeprefix("=")
    except (
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
    ):  # openpyxl.formula raises these over what it cannot parse
        return formula
