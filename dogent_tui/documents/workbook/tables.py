"""Turns the rows of a sheet into Markdown tables while they are read.

An empty row ends a table, unless what follows clearly continues it: then the empty row is kept. The
first row of a table is its header. A text alone in its row above a table, or between tables, is a
paragraph.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby, pairwise

import msgspec
from msgspec.structs import replace

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


class Row(msgspec.Struct, gc=False):
    """A row with content. `number` counts from 1.

    `texts` is what the cells show, never empty, by column from left to right. `values` are the
    columns without text: numbers, dates, booleans, errors, and those of `formulas` without a stored
    result. `unseen` is the content of cells that show nothing.
    """

    number: int
    texts: dict[int, str]
    values: set[int] = set()
    formulas: set[int] = set()
    unseen: dict[int, str] = {}
    hidden: bool = False


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
        elif not table.used or (pause and not table.continues(pause, chunk)):
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
            weight += 100 * len(row.texts) + sum(map(len, row.texts.values()))
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
        self._header: dict[int, str] = {}
        self._lines: list[str] = []
        self._size = 0
        self._range = (0, 0)
        self._tight = False

    def continues(self, pause: int, rows: list[Row]) -> bool:
        """Return whether the table continues after empty rows: with data in the same columns, not
        with another header.
        """
        first = rows[0]
        return (
            pause <= _LONGEST_PAUSE
            and len(first.texts) > 1
            and not first.texts.keys().isdisjoint(first.values)
            and all(row.texts.keys() <= self.used for row in rows)
        )

    def begin(self, rows: list[Row], heads: Sequence[Row]) -> Iterator[Block]:
        """Start with `rows`: the header, and what is above it. Tables next to each other are read
        one after the other.
        """
        parts = [rows] if heads else _beside(rows, self._hidden_columns)
        for part in parts:
            yield from self.flush()
            yield from self._begin(part, heads)
        if len(parts) > 1:
            yield from self.flush()
            self.used = frozenset()

    def _begin(self, rows: list[Row], heads: Sequence[Row]) -> Iterator[Block]:
        self.used, self._header = frozenset(), {}
        if heads:
            self._header = _shown(heads[-1])
        else:
            titles = 0
            while titles < min(len(rows), _MOST_TITLES) and _is_title(rows[titles:]):
                yield self._paragraph(rows[titles])
                titles += 1
            rows = rows[titles:]
        if rows:
            self._header = self._header or _shown(rows[0])
            self._widen([*heads, *rows], rows[0].number)
            yield from self.add(rows if heads else rows[1:])

    def add(self, rows: list[Row]) -> Iterator[Block]:
        """Add `rows` to the table; if they have more columns, a wider one begins there, with the
        same header.
        """
        for index, row in enumerate(rows):
            if not row.texts.keys() <= self.used:
                yield from self.flush()
                self._widen(rows[index:], row.number)
            self.put([self._line(_shown(row))], row.number)
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
        self.used = self.used.union(*(row.texts for row in rows))
        self.shown, self._gaps, self._tight = [], {}, False
        end = min(self.used)
        for start, stop in spans(sorted(self.used)):
            gap = [column for column in range(end + 1, start) if column not in self._hidden_columns]
            if len(gap) > _WIDEST_GAP:
                self._gaps[gap[0]] = f"({letters(gap[0])}:{letters(gap[-1])} empty)"
                gap = gap[:1]
            self.shown += [*gap, *range(start, stop + 1)]
            end = stop
        rule = "|" + " --- |" * len(self.shown)
        self.put([self._line(self._gaps | self._header), rule], number)

    def _line(self, texts: dict[int, str]) -> str:
        return f"| {' | '.join([texts.get(column, '') for column in self.shown])} |"

    def _paragraph(self, row: Row) -> Block:
        ((column, text),) = row.texts.items()
        text = markdown.code(text) if column in row.formulas else markdown.paragraph(text)
        cells = cell_range((row.number, row.number), (column, column))
        return Block(text, Source(sheet=self._sheet, cells=cells))


def _beside(rows: list[Row], hidden_columns: Collection[int]) -> list[list[Row]]:
    """Return the rows of each table if several are next to each other."""
    runs = spans(sorted(frozenset(hidden_columns).union(*(row.texts for row in rows))))
    begins = [first for first, _ in runs[:1]]
    parts = _cut(rows, [first for first, _ in runs])
    for (before, part), (_, end), (first, _) in zip(pairwise(parts), runs, runs[1:], strict=False):
        is_apart = first - end > 2 or [row.number for row in before] != [row.number for row in part]
        if is_apart and _is_table(before) and _is_table(part):
            begins.append(first)
    return _cut(rows, begins) if len(begins) > 1 else [rows]


def _cut(rows: list[Row], begins: list[int]) -> list[list[Row]]:
    """Return the rows from each of these columns to the next."""
    parts: list[list[Row]] = [[] for _ in begins]
    for row in rows:
        for index, cells in groupby(row.texts, key=lambda column: bisect_right(begins, column) - 1):
            texts = {column: row.texts[column] for column in cells}
            parts[index].append(replace(row, texts=texts))
    return parts


def _is_table(rows: list[Row]) -> bool:
    """Return whether rows form a separate table: with texts at the top and on the left."""
    columns = set[int]().union(*(row.texts for row in rows))
    left = min(columns, default=0)
    return (
        len(rows) > 1
        and len(columns) > 1
        and rows[0].texts.keys().isdisjoint(rows[0].values)
        and all(left in row.texts and left not in row.values for row in rows)
    )


def _is_title(rows: list[Row]) -> bool:
    """Return whether the first row is a paragraph: its only cell is the only one of all rows, or a
    text above a row with more cells.
    """
    texts = rows[0].texts
    if len(texts) > 1 or len(rows) == 1:
        return len(texts) == 1
    below = next((row.texts for row in rows[1 : _MOST_TITLES + 1] if len(row.texts) > 1), None)
    is_text = texts.keys().isdisjoint(rows[0].values)
    return below is not None and is_text and min(texts) <= min(below)


def _shown(row: Row) -> dict[int, str]:
    """Return the cells of a row in Markdown."""
    if not row.formulas and markdown.is_plain("".join(row.texts.values())):
        return row.texts
    return {
        column: markdown.code(text) if column in row.formulas else markdown.cell(text)
        for column, text in row.texts.items()
    }
