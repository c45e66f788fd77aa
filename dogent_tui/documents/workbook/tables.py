"""Rows of a sheet as tables in Markdown, made while the rows are read.

An empty row ends a table, unless what follows is clearly more of the same: then the empty row stays
in it. The first row of a table is its header. A text alone in its row above a table, or between
tables, is a paragraph.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence

import msgspec

from dogent_tui.documents.model import Block, Source
from dogent_tui.documents.workbook import markdown
from dogent_tui.documents.workbook.columns import cell_range, letters, spans
from dogent_tui.documents.workbook.rows import Cell, Row

ROWS_IN_BLOCK = 50
_CHARACTERS_IN_BLOCK = 8000
_ROWS_AHEAD = 200
"""Rows from which the columns of a table are known; a later row that has more begins a wider table.
"""

_WEIGHT_AHEAD = 2_000_000
"""Characters of these rows, and a hundred for each cell: keeps the memory bounded where rows are
long.
"""

_WIDEST_GAP = 3
"""Empty columns that stay in a table. Where more lie between two cells, one column stands for them
and says so.
"""

_LONGEST_PAUSE = 2
"""Empty rows after which a table may continue."""

_MOST_TITLES = 3
"""Rows with a single text at the head of a table that are taken for its title."""


class _Window(msgspec.Struct):
    """Rows that follow each other, as many as are looked at at once; `pause` is how many empty rows
    come before them.

    Without rows: it may be long until there are others.
    """

    pause: int
    rows: list[Row]


class _Layout(msgspec.Struct, frozen=True):
    """The columns of a table: `shown` has the number of a column, or the first and last of some
    empty ones.
    """

    used: frozenset[int]
    shown: tuple[int | tuple[int, int], ...]


def sheet_blocks(
    rows: Iterable[Row | None],
    sheet: str,
    hidden_columns: Collection[int] = (),
    heads: Sequence[Row] = (),
) -> Iterator[Block]:
    """Yield the Markdown of `rows`, without those that are hidden, and without room for
    `hidden_columns`.

    Where `rows` are some from the middle of a table, the last of `heads`, known with the first of
    them, is its header.

    These may become known while the first row is taken; no row has cells in them. Where a row is
    None, all that is known of those before it is given at once. Raises what taking the rows raises.
    """
    return _Tables(sheet, hidden_columns, heads).blocks(_windows(rows))


def _windows(rows: Iterable[Row | None]) -> Iterator[_Window]:
    last, pause, weight = 0, 0, 0
    taken: list[Row] = []
    for row in rows:
        if row is None:
            if taken:
                yield _Window(pause, taken)
                taken, pause, weight = [], 0, 0
            yield _Window(0, [])
            continue
        gap = row.number - last - 1
        last = row.number
        if taken and (gap or len(taken) >= _ROWS_AHEAD or weight > _WEIGHT_AHEAD):
            yield _Window(pause, taken)
            taken, pause, weight = [], 0, 0
        pause += gap if gap >= 0 else _LONGEST_PAUSE + 1  # rows that do not ascend are no table
        if not row.hidden:
            taken.append(row)
            weight += sum(100 + len(cell.text) for cell in row.cells)
    if taken:
        yield _Window(pause, taken)


class _Tables:
    def __init__(self, sheet: str, hidden_columns: Collection[int], heads: Sequence[Row]) -> None:
        self._sheet, self._hidden_columns, self._heads = sheet, hidden_columns, heads
        self._layout: _Layout | None = None
        self._header: list[Cell] = []
        self._lines: list[str] = []
        self._size = 0
        self._range = (0, 0)
        self._tight = False

    def blocks(self, windows: Iterable[_Window]) -> Iterator[Block]:
        for window in windows:
            if not window.rows:
                yield from self._flush()
            elif self._layout is not None and (not window.pause or _goes_on(self._layout, window)):
                self._put(
                    ["|" + "  |" * len(self._layout.shown)] * window.pause, window.rows[0].number
                )
                yield from self._add(window.rows)
            else:
                yield from self._flush()
                self._layout = None
                yield from self._begin(window.rows)
        yield from self._flush()

    def _begin(self, rows: list[Row]) -> Iterator[Block]:
        start = 0
        self._tight = False
        if self._heads:
            self._layout = _layout([*self._heads, *rows], frozenset(), self._hidden_columns)
            self._header = self._heads[-1].cells
            self._put(_head(self._layout, self._header), rows[0].number)
            yield from self._add(rows)
            return
        while start < min(len(rows), _MOST_TITLES) and _is_title(rows, start):
            yield self._paragraph(rows[start])
            start += 1
        rows = rows[start:]
        if rows:
            self._layout = _layout(rows, frozenset(), self._hidden_columns)
            self._header = rows[0].cells
            self._put(_head(self._layout, self._header), rows[0].number)
            yield from self._add(rows[1:])

    def _add(self, rows: list[Row]) -> Iterator[Block]:
        """Add `rows` to the table; where they have more columns than it, a wider one begins there,
        under the same header.
        """
        for index, row in enumerate(rows):
            assert self._layout is not None
            if not all(cell.column in self._layout.used for cell in row.cells):
                yield from self._flush()
                self._layout = _layout(rows[index:], self._layout.used, self._hidden_columns)
                self._tight = False
                self._put(_head(self._layout, self._header), row.number)
            self._put([_line(self._layout, row.cells)], row.number)
            if len(self._lines) >= ROWS_IN_BLOCK or self._size > _CHARACTERS_IN_BLOCK:
                yield from self._flush()

    def _put(self, lines: list[str], number: int) -> None:
        if lines and not self._lines:
            self._range = (number, number)
        if lines:
            self._range = (self._range[0], number)
        self._lines += lines
        self._size += sum(map(len, lines))

    def _flush(self) -> Iterator[Block]:
        if self._lines and self._layout is not None:
            columns = (min(self._layout.used), max(self._layout.used))
            cells = cell_range(self._range, columns)
            yield Block("\n".join(self._lines), Source(sheet=self._sheet, cells=cells), self._tight)
        self._lines, self._size = [], 0
        self._tight = True

    def _paragraph(self, row: Row) -> Block:
        cell = row.cells[0]
        text = markdown.code(cell.text) if cell.formula else markdown.paragraph(cell.text)
        cells = cell_range((row.number, row.number), (cell.column, cell.column))
        return Block(text, Source(sheet=self._sheet, cells=cells))


def _is_title(rows: list[Row], position: int) -> bool:
    """Tell whether a row is a paragraph: its only cell is alone in the window, or a text above a
    row with more cells.
    """
    cells = rows[position].cells
    if len(cells) > 1:
        return False
    if len(rows) == 1:
        return True
    below = next(
        (row.cells for row in rows[position + 1 : _MOST_TITLES + 1] if len(row.cells) > 1), None
    )
    return cells[0].is_text and below is not None and cells[0].column <= below[0].column


def _goes_on(layout: _Layout, window: _Window) -> bool:
    """Tell whether the table continues after empty rows: with data under the same columns, not with
    another header.
    """
    first = window.rows[0].cells
    return (
        window.pause <= _LONGEST_PAUSE
        and len(first) > 1
        and not all(cell.is_text for cell in first)
        and all(cell.column in layout.used for row in window.rows for cell in row.cells)
    )


def _layout(rows: list[Row], used: frozenset[int], hidden: Collection[int]) -> _Layout:
    used = used.union(cell.column for row in rows for cell in row.cells)
    shown: list[int | tuple[int, int]] = []
    runs = spans(sorted(used))
    for position, (start, end) in enumerate(runs):
        if position:
            gap = [
                column for column in range(runs[position - 1][1] + 1, start) if column not in hidden
            ]
            shown += [(gap[0], gap[-1])] if len(gap) > _WIDEST_GAP else gap
        shown += range(start, end + 1)
    return _Layout(used, tuple(shown))


def _head(layout: _Layout, header: list[Cell]) -> list[str]:
    names = {cell.column: _text(cell) for cell in header}
    titles = [
        names.get(column, "") if isinstance(column, int) else _gap_title(column)
        for column in layout.shown
    ]
    return [f"| {' | '.join(titles)} |", "|" + " --- |" * len(titles)]


def _gap_title(gap: tuple[int, int]) -> str:
    return f"({letters(gap[0])}:{letters(gap[1])} empty)"


def _line(layout: _Layout, cells: list[Cell]) -> str:
    texts = {cell.column: _text(cell) for cell in cells}
    shown = [texts.get(one, "") if isinstance(one, int) else "" for one in layout.shown]
    return f"| {' | '.join(shown)} |"


def _text(cell: Cell) -> str:
    return markdown.code(cell.text) if cell.formula else markdown.cell(cell.text)
