"""Turns the rows of a sheet into Markdown tables while they are read.

An empty row ends a table, unless what follows clearly continues it: then the empty row is kept. The
first row of a table is its header. A text alone in its row above a table, or between tables, is a
paragraph.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence

import msgspec

from dogent_tui.documents.model import Block, Source
from dogent_tui.documents.workbook import markdown
from dogent_tui.documents.workbook.columns import cell_range, letters, spans

ROWS_IN_BLOCK = 50
_CHARACTERS_IN_BLOCK = 8000
_ROWS_AHEAD = 200
"""The number of rows that determine the columns of a table; a later row with more columns begins a
wider table.
"""

_WEIGHT_AHEAD = 2_000_000
"""The number of characters in these rows, plus a hundred per cell: bounds the memory for long
rows.
"""

_WIDEST_GAP = 3
"""The number of empty columns to keep in a table. A larger gap between cells becomes one column
that says so.
"""

_LONGEST_PAUSE = 2
"""The number of empty rows after which a table may continue."""

_MOST_TITLES = 3
"""The number of rows with a single text at the top of a table to take for its title."""


class Cell(msgspec.Struct, frozen=True, gc=False):
    """What a cell shows, never empty. `is_text` distinguishes text from numbers, dates, booleans
    and errors.

    `formula` is set if a formula has no stored result: `text` is then the formula.
    """

    column: int
    text: str
    is_text: bool = False
    formula: bool = False


class Row(msgspec.Struct, gc=False):
    """A row with content. `number` counts from 1, `cells` are ordered from left to right."""

    number: int
    hidden: bool
    cells: list[Cell]


def sheet_blocks(
    rows: Iterable[Row | None],
    sheet: str,
    hidden_columns: Collection[int] = (),
    heads: Sequence[Row] = (),
) -> Iterator[Block]:
    """Yield the Markdown of `rows`, without hidden ones, and without space for `hidden_columns`.

    If `rows` are from the middle of a table, the last of `heads`, known with the first row, is its
    header.

    `hidden_columns` may become known while the first row is read; no row has cells in them. If a
    row is None, everything known about earlier ones is returned at once. Raises what iterating the
    rows raises.
    """
    table = _Table(sheet, hidden_columns)
    for pause, chunk in _chunks(rows):
        if not chunk:
            yield from table.flush()
        elif not table.used or (pause and not table.goes_on(pause, chunk)):
            yield from table.flush()
            yield from table.begin(chunk, heads)
        else:
            table.put(["|" + "  |" * len(table.shown)] * pause, chunk[0].number)
            yield from table.add(chunk)
    yield from table.flush()


def _chunks(rows: Iterable[Row | None]) -> Iterator[tuple[int, list[Row]]]:
    """Yield consecutive rows, up to the look-ahead, with the number of empty rows before them. No
    rows: it may take long until there are more.
    """
    last, pause, weight = 0, 0, 0
    taken: list[Row] = []
    for row in rows:
        gap = 1 if row is None else row.number - last - 1
        if taken and (gap or len(taken) >= _ROWS_AHEAD or weight > _WEIGHT_AHEAD):
            yield pause, taken
            taken, pause, weight = [], 0, 0
        if row is None:
            yield 0, []
            continue
        last = row.number
        pause += gap if gap >= 0 else _LONGEST_PAUSE + 1  # rows that do not ascend are not a table
        if not row.hidden:
            taken.append(row)
            weight += sum([100 + len(cell.text) for cell in row.cells])
    if taken:
        yield pause, taken


class _Table:
    """The table being written: the columns `used` in it, and those `shown`, where the first of many
    empty ones represents them.
    """

    def __init__(self, sheet: str, hidden_columns: Collection[int]) -> None:
        self.used: frozenset[int] = frozenset()
        self.shown: list[int] = []
        self._gaps: dict[int, str] = {}
        self._sheet, self._hidden_columns = sheet, hidden_columns
        self._header: list[Cell] = []
        self._lines: list[str] = []
        self._size = 0
        self._range = (0, 0)
        self._tight = False

    def goes_on(self, pause: int, rows: list[Row]) -> bool:
        """Return whether the table continues after empty rows: with data in the same columns, not
        with another header.
        """
        first = rows[0].cells
        return (
            pause <= _LONGEST_PAUSE
            and len(first) > 1
            and not all(cell.is_text for cell in first)
            and all(cell.column in self.used for row in rows for cell in row.cells)
        )

    def begin(self, rows: list[Row], heads: Sequence[Row]) -> Iterator[Block]:
        """Begin with `rows`: the header, and what is above it."""
        self.used, self._header = frozenset(), []
        if heads:
            self._header = heads[-1].cells
        else:
            titles = 0
            while titles < min(len(rows), _MOST_TITLES) and _is_title(rows[titles:]):
                yield self._paragraph(rows[titles])
                titles += 1
            rows = rows[titles:]
        if rows:
            self._header, first = self._header or rows[0].cells, rows[0].number
            self._widen([*heads, *rows], first)
            yield from self.add(rows if heads else rows[1:])

    def add(self, rows: list[Row]) -> Iterator[Block]:
        """Add `rows` to the table; if they have more columns, a wider one begins there, with the
        same header.
        """
        for index, row in enumerate(rows):
            texts = _texts(row.cells)
            if not texts.keys() <= self.used:
                yield from self.flush()
                self._widen(rows[index:], row.number)
            self.put([self._line(texts)], row.number)
            if len(self._lines) >= ROWS_IN_BLOCK or self._size > _CHARACTERS_IN_BLOCK:
                yield from self.flush()

    def put(self, lines: list[str], number: int) -> None:
        """Add the `lines` of the row with this number."""
        self._range = (self._range[0] if self._lines else number, number)
        self._lines += lines
        self._size += sum(map(len, lines))

    def flush(self) -> Iterator[Block]:
        """Yield the current content as a block; further content continues it."""
        if self._lines:
            cells = cell_range(self._range, (min(self.used), max(self.used)))
            yield Block("\n".join(self._lines), Source(sheet=self._sheet, cells=cells), self._tight)
        self._lines, self._size = [], 0
        self._tight = True

    def _widen(self, rows: list[Row], number: int) -> None:
        """Make space for all columns of `rows`, and begin with the header."""
        self.used = self.used.union(cell.column for row in rows for cell in row.cells)
        self.shown, self._gaps, self._tight = [], {}, False
        end = min(self.used)
        for start, stop in spans(sorted(self.used)):
            gap = [column for column in range(end + 1, start) if column not in self._hidden_columns]
            if len(gap) > _WIDEST_GAP:
                self._gaps[gap[0]] = f"({letters(gap[0])}:{letters(gap[-1])} empty)"
                gap = gap[:1]
            self.shown += [*gap, *range(start, stop + 1)]
            end = stop
        self.put(
            [self._line(self._gaps | _texts(self._header)), "|" + " --- |" * len(self.shown)],
            number,
        )

    def _line(self, texts: dict[int, str]) -> str:
        return f"| {' | '.join([texts.get(column, '') for column in self.shown])} |"

    def _paragraph(self, row: Row) -> Block:
        cell = row.cells[0]
        text = markdown.code(cell.text) if cell.formula else markdown.paragraph(cell.text)
        cells = cell_range((row.number, row.number), (cell.column, cell.column))
        return Block(text, Source(sheet=self._sheet, cells=cells))


def _is_title(rows: list[Row]) -> bool:
    """Return whether the first row is a paragraph: its only cell is the only one of all rows, or a
    text above a row with more cells.
    """
    cells = rows[0].cells
    if len(cells) > 1 or len(rows) == 1:
        return len(cells) == 1
    below = next((row.cells for row in rows[1 : _MOST_TITLES + 1] if len(row.cells) > 1), None)
    return cells[0].is_text and below is not None and cells[0].column <= below[0].column


def _texts(cells: list[Cell]) -> dict[int, str]:
    return {
        cell.column: markdown.code(cell.text) if cell.formula else markdown.cell(cell.text)
        for cell in cells
    }
