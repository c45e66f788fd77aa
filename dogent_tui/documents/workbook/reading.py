"""A sheet, or a table in text, on its way to Markdown: which part is requested, what is hidden in
it, and warnings.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path

import msgspec

from dogent_tui.documents.model import Block, DocumentError, Opened, ReadOptions, Report, Source
from dogent_tui.documents.pandoc.escapes import hidden_comment
from dogent_tui.documents.workbook.columns import (
    MOST_COLUMNS,
    Window,
    cell_range,
    letters,
    spans,
    window_of,
)
from dogent_tui.documents.workbook.tables import Row, sheet_blocks
from dogent_tui.language import and_more, listing, ngettext, tr
from dogent_tui.records import Record
from dogent_tui.references.sheets import split_cells

MOST_TEXT = 32_767
"""The maximum number of characters in a cell (Excel's specifications and limits)."""
_ROWS_PER_REPORT = 2000
_BLOCKS_AT_ONCE = 8
"""The number of blocks produced before the first is returned, so that the warnings about a small
sheet are complete on its first page.
"""
_LONG_BLOCK = 100_000
"""The number of characters of a block that is returned at once, as its wide rows take long."""
_MOST_HIDDEN = 2_000
"""The number of cells of hidden rows and columns to show."""
_MOST_NAMED = 20
"""The number of runs of hidden rows or columns, or merged ranges, to name; beyond it they are only
counted.
"""
_MOST_IN_MESSAGE = 30


def _cell_name(number: int) -> str:
    row, column = divmod(number, MOST_COLUMNS)
    return f"{letters(column + 1)}{row}"


_NAMES: Mapping[str, Callable[[int], str]] = {"row": str, "column": letters, "cell": _cell_name}
"""Hidden elements, and the message with their number."""


class Sheet(Record):
    """A sheet: its `part` of the package, and its `size` in (rows, columns), None if that is only
    known after reading.
    """

    name: str
    state: str
    is_chart: bool
    size: tuple[int, int] | None = None
    part: str = ""


class SheetFacts(msgspec.Struct):
    """What a sheet's part contains besides its cells; the fields from `merged` on are complete when
    all rows are read.

    `links` are cells and targets. `long_texts` counts truncated texts, `uncached` formulas without
    a stored result. `too_empty`: reading ended within a vast range of empty cells.
    """

    hidden_columns: set[int] = set()
    merged: list[str] = []
    links: list[tuple[str, str]] = []
    long_texts: int = 0
    uncached: int = 0
    too_empty: bool = False


def open_sheet(suffix: str, path: Path, options: ReadOptions, sheets: list[Sheet]) -> "Reading":
    """Return the reading of the requested one of `sheets`. Raises DocumentError."""
    named, cells = split_cells(options.sheet, {sheet.name for sheet in sheets})
    window = window_of(options.rows, cells)
    sheet = choose_sheet(sheets, named, path.name)
    listed = [
        {"name": each.name, "state": each.state}
        | dict(zip(("rows", "columns"), each.size or (), strict=False))
        for each in sheets
    ]
    known = {"sheet": sheet.name, "sheets": listed, "sheet_count": len(sheets)}
    opened = Opened(suffix[1:], {"format": suffix[1:], **known}, iter(()))
    if sheet.state != "visible":
        opened.warnings.append(
            tr("The sheet “{sheet}” is hidden in the workbook.", sheet=sheet.name)
        )
    return Reading(opened, sheet, window)


def choose_sheet(sheets: list[Sheet], wanted: str, name: str) -> Sheet:
    """Return the sheet named `wanted`, preferring the exact case; the first visible one if `wanted`
    is empty.

    Raises DocumentError `no_sheet` with the existing names; `name` is the file's.
    """
    if not wanted:
        readable = [sheet for sheet in sheets if not sheet.is_chart] or sheets
        return next((sheet for sheet in readable if sheet.state == "visible"), readable[0])
    alike = [
        sheet for sheet in sheets if sheet.name.strip().casefold() == wanted.strip().casefold()
    ]
    if alike:
        return next((sheet for sheet in alike if sheet.name == wanted), alike[0])
    names = [
        f"“{sheet.name}”" + ("" if sheet.state == "visible" else tr(" (hidden)"))
        for sheet in sheets
    ]
    raise DocumentError(
        tr("{name} has no sheet “{wanted}”.", name=name, wanted=wanted),
        tr("It has: {names}.", names=and_more(names, _MOST_IN_MESSAGE)),
        code="no_sheet",
    )


class Reading:
    """A sheet being read; adds to the metadata and warnings of `opened` as it proceeds."""

    def __init__(self, opened: Opened, sheet: Sheet, window: Window) -> None:
        self.opened, self.sheet, self.window = opened, sheet, window
        self.facts = SheetFacts()
        self._heads: list[Row] = []
        self._hidden: dict[str, dict[int, list[str]]] = {"column": {}, "row": {}, "cell": {}}
        self._hidden_count = 0
        self._said: list[str] = []
        self._is_silent = False
        self._rows = self._columns = 0

    def begin(
        self,
        rows: Iterable[Row | None],
        report: Report,
        *,
        around: Iterable[Block] = (),
        said: Iterable[str] = (),
    ) -> Opened:
        """Return the document with the blocks of `rows`, the first of which are produced now, and
        of what is `around` them. `said` are warnings available after reading.
        """
        name, facts = self.sheet.name, self.facts

        def read() -> Iterator[Block]:
            visible = self._visible(rows, report)
            yield from sheet_blocks(visible, name, facts.hidden_columns, self._heads)
            yield from self._hidden_blocks()
            yield from around
            self._end()
            self._say([*self._tell_hidden(), *self._unusual(), *said])

        made: list[Block] = []
        blocks = read()
        for block in blocks:
            made.append(block)
            is_long = len(block.markdown) > _LONG_BLOCK
            if len(made) == _BLOCKS_AT_ONCE or self._is_silent or is_long:
                break
        if not self._said:
            self._say(self._tell_hidden())
        self.opened.blocks = chain(made, blocks)
        return self.opened

    def _end(self) -> None:
        """Complete the metadata after reading."""
        metadata, merged = self.opened.metadata, self.facts.merged
        if self.window == Window():
            size = {"rows": self._rows, "columns": self._columns}
            metadata |= size
            for listed in metadata.get("sheets", ()):
                if listed["name"] == self.sheet.name:
                    listed |= size
            if self._rows:
                metadata["cells"] = cell_range((1, self._rows), (1, self._columns))
        if merged:
            metadata |= {"merged": merged[:_MOST_NAMED], "merged_count": len(merged)}

    def _visible(self, rows: Iterable[Row | None], report: Report) -> Iterator[Row | None]:
        """Yield the requested rows, without the cells of hidden columns; hidden rows are marked, so
        that they leave no gap.

        The first row above the window that may be the header goes into `_heads`; in a sheet it
        needs several cells.
        """
        total = self.sheet.size[0] if self.sheet.size else 0
        first, last = self.window.columns
        is_narrow = self.window.columns != Window().columns
        for count, row in enumerate(rows, 1):
            self._is_silent = row is None
            if row is None:
                yield None
                continue
            if count % _ROWS_PER_REPORT == 0:
                report(row.number, max(total, row.number) if total else 0, "rows")
            # a text table has no sheet name, and its header is the first row
            may_head = not row.hidden and (len(row.texts) > 1 or not self.sheet.name)
            if is_narrow:
                row.texts = {at: text for at, text in row.texts.items() if first <= at <= last}
            if not self.window.holds(row.number):
                if may_head and row.number < self.window.rows[0] and not self._heads:
                    self._heads.append(row)
            elif row.texts or row.unseen:
                self._rows = max(self._rows, row.number)
                self._columns = max(self._columns, next(reversed(row.texts or row.unseen)))
                if row.hidden or row.unseen or self.facts.hidden_columns:
                    self._take_hidden(row)
                if row.texts:
                    yield row

    def _take_hidden(self, row: Row) -> None:
        """Remove the cells of hidden columns from a row, or record all of them if the row itself is
        hidden.
        """
        if row.hidden:
            self._hide("row", row.number, [*row.texts.values(), *row.unseen.values()])
            return
        for column, text in row.unseen.items():
            self._hide("cell", row.number * MOST_COLUMNS + column - 1, [text])
        for column in self.facts.hidden_columns & row.texts.keys():
            told = f"{letters(column)}{row.number} {row.texts.pop(column)}"
            self._hide("column", column, [told])

    def _hide(self, what: str, number: int, texts: list[str]) -> None:
        kept = self._hidden[what].setdefault(number, [])
        self._hidden_count += len(texts)
        if self._hidden_count <= _MOST_HIDDEN:
            kept += texts

    def _hidden_blocks(self) -> Iterator[Block]:
        """Yield the content of hidden rows and columns as comments that say so: it is untrusted and
        invisible in the workbook.
        """
        for what, found in self._hidden.items():
            for number, texts in found.items():
                place = f"{what} {_NAMES[what](number)}"
                said = hidden_comment(" | ".join(texts), "in the workbook", place)
                if texts:
                    yield Block(said, Source(sheet=self.sheet.name))

    def _say(self, warnings: list[str]) -> None:
        """Replace the warnings about a part of the sheet by this one."""
        for warning in self._said:
            self.opened.warnings.remove(warning)
        self._said = warnings
        self.opened.warnings += warnings

    def _tell_hidden(self) -> list[str]:
        """Return what is hidden, and add it to the metadata."""
        said = []
        rows, columns, cells = (sorted(self._hidden[what]) for what in ("row", "column", "cell"))
        few_rows = ngettext("row {names}", "rows {names}", len(rows))
        few_columns = ngettext("column {names}", "columns {names}", len(columns))
        few_cells = ngettext("cell {names}", "cells {names}", len(cells))
        for what, numbers, few, many in (
            ("row", rows, few_rows, tr("{count:,} rows")),
            ("column", columns, few_columns, tr("{count:,} columns")),
            ("cell", cells, few_cells, tr("{count:,} cells")),
        ):
            name = _NAMES[what]
            runs = [name(a) if a == b else f"{name(a)}–{name(b)}" for a, b in spans(numbers)]
            if runs:
                self.opened.metadata[f"hidden_{what}s"] = runs[:_MOST_NAMED]
                told = many if len(runs) > _MOST_NAMED else few
                said.append(told.format(count=len(numbers), names=", ".join(runs)))
        if not said:
            return []
        sentence = tr(
            "Hidden in the workbook and marked as hidden here: {said}.", said=listing(said)
        )
        if self._hidden_count > _MOST_HIDDEN:
            sentence += tr(" Only the first of it is shown; ask for `rows` to have others.")
        return [sentence]

    def _unusual(self) -> Iterator[str]:
        facts, name = self.facts, self.sheet.name
        if not self._rows and self.window == Window() and name:
            yield tr("The sheet “{name}” is empty.", name=name)
        elif not self._rows and name:
            yield tr("There are no cells in this part of the sheet “{name}”.", name=name)
        if facts.uncached:
            yield ngettext(
                "{count:,} formula has no stored result, so the formula itself is shown. To get"
                " results, open the workbook in a spreadsheet program and save it.",
                "{count:,} formulas have no stored result, so the formulas themselves are"
                " shown. To get results, open the workbook in a spreadsheet program and"
                " save it.",
                facts.uncached,
                count=facts.uncached,
            )
        if facts.long_texts:
            yield ngettext(
                "{count:,} text was cut: longer than {most:,} characters, or in an endless row.",
                "{count:,} texts were cut: longer than {most:,} characters, or in an endless row.",
                facts.long_texts,
                count=facts.long_texts,
                most=MOST_TEXT,
            )
        if facts.too_empty:
            yield tr(
                "After row {rows:,} there are hundreds of megabytes without content: the rest"
                " of the sheet was not read.",
                rows=self._rows,
            )
