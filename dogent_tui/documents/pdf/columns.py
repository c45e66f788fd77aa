"""Tables without lines: rows whose texts stand in columns."""

import re
from collections.abc import Sequence
from statistics import median

import msgspec

from dogent_tui.documents.pdf.model import Box, Line, Table, around
from dogent_tui.documents.pdf.rules import Rules, bands

_WORDY = 34
"""Characters: where half of the texts are longer, they are columns of a page and not of a table."""

_MARKER = re.compile(r"[\W_]{1,3}|[(（]?\w{1,3}[.)）]|\d+(\.\d+)+\.?|o")
_LEADER = re.compile(r"(\. ?){5,}|…{2,}|_{5,}")


class _Row(msgspec.Struct):
    """Texts that stand side by side, from left to right."""

    lines: list[Line]

    @property
    def box(self) -> Box:
        return around(line.box for line in self.lines)


def rows_of(lines: Sequence[Line]) -> list[list[Line]]:
    """Return the upright `lines` in rows from the top to the bottom, each in the direction of its script."""
    rows: list[_Row] = []
    for line in sorted(lines, key=lambda line: (line.box.middle[1], line.box.x0)):
        row = next((row for row in rows[-3:] if all(line.box.beside(there.box) for there in row.lines)), None)
        if row is None:
            rows.append(_Row([line]))
        else:
            row.lines.append(line)
    return [_in_direction(row.lines) for row in sorted(rows, key=lambda row: row.box.y0)]


def _in_direction(row: list[Line]) -> list[Line]:
    if sum(1 for line in row if line.right_to_left) * 2 > len(row):
        return sorted(row, key=lambda line: -line.box.x1)
    return sorted(row, key=lambda line: line.box.x0)


def aligned_tables(lines: Sequence[Line], rules: Rules) -> list[tuple[Table, list[Line]]]:
    """Return the tables among `lines`, each with the lines that it is made of."""
    found = []
    run: list[list[Line]] = []
    for row in [*rows_of(lines), None]:
        if row is not None and (not run or _goes_on(run, row)) and (run or len(row) > 1):
            run.append(row)
            continue
        if (table := _table(run, rules)) is not None:
            found.append(table)
        run = [row] if row is not None and len(row) > 1 else []
    return found


def _goes_on(run: list[list[Line]], row: list[Line]) -> bool:
    """Tell whether `row` may belong to the rows above it: it is near, and stands in their columns."""
    above = around(line.box for line in run[-1])
    here = around(line.box for line in row)
    if here.y0 - above.y1 > 1.6 * max(line.size for line in row):
        return False
    if len(row) > 1:
        return True
    columns = _columns(run)
    return len(_touched(columns, row[0].box)) == 1 and row[0].box.width < 0.6 * (columns[-1][1] - columns[0][0])


def _columns(rows: Sequence[Sequence[Line]]) -> list[tuple[float, float]]:
    """Return from where to where each column reaches. Narrow texts make them; what lies over several is a heading of these."""
    columns: list[tuple[float, float]] = []
    for line in sorted((line for row in rows if len(row) > 1 for line in row), key=lambda line: line.box.width):
        touched = _touched(columns, line.box)
        if not touched:
            columns.append((line.box.x0, line.box.x1))
        elif len(touched) == 1:
            start, end = columns[touched[0]]
            columns[touched[0]] = (min(start, line.box.x0), max(end, line.box.x1))
        columns.sort()
    return columns


def _touched(columns: Sequence[tuple[float, float]], box: Box) -> list[int]:
    return [number for number, (start, end) in enumerate(columns) if min(end, box.x1) - max(start, box.x0) > 0.5]


def _table(run: list[list[Line]], rules: Rules) -> tuple[Table, list[Line]] | None:
    while run and len(run[-1]) == 1 and 0 in _touched(_columns(run), run[-1][0].box):  # a text below is no row
        run = run[:-1]
    wide = [row for row in run if len(row) > 1]
    texts = [line.text.strip() for row in wide for line in row]
    if len(wide) < 2 or (len(wide) == 2 and min(map(len, wide)) < 3):
        return None
    columns = _columns(run)
    if len(columns) < 2 or median(map(len, texts)) > _WORDY or not _is_grid(wide, columns):
        return None
    used = [line for row in run for line in row]
    box = around(line.box for line in used)
    rows = _banded(run, columns, bands(rules, box)) or _spelled(run, columns)
    if sum(1 for line in used if line.right_to_left) * 2 > len(used):
        rows = [row[::-1] for row in rows]
    return (Table(box, tuple(tuple(row) for row in rows)), used) if len(rows) > 1 else None


def _is_grid(rows: Sequence[Sequence[Line]], columns: Sequence[tuple[float, float]]) -> bool:
    lines = [line for row in rows for line in row]
    placed = sum(1 for line in lines if len(_touched(columns, line.box)) == 1)
    marked = sum(1 for row in rows if _MARKER.fullmatch(row[0].text.strip()) and len(row) <= 3)
    led = sum(1 for line in lines if _LEADER.search(line.text))
    return placed >= 0.7 * len(lines) and marked <= 0.5 * len(rows) and led <= 0.2 * len(rows)


def _cells(row: Sequence[Line], columns: Sequence[tuple[float, float]]) -> dict[int, str]:
    cells: dict[int, str] = {}
    for line in row:
        touched = _touched(columns, line.box)
        number = touched[0] if touched else min(range(len(columns)), key=lambda n: abs(columns[n][0] - line.box.x0))
        cells[number] = f"{cells.get(number, '')} {line.text.strip()}".strip()
    return cells


def _spelled(run: Sequence[Sequence[Line]], columns: Sequence[tuple[float, float]]) -> list[list[str]]:
    """Return a row for each row of texts; one that stands under a single column other than the first goes on with its cell."""
    rows: list[list[str]] = []
    for row in run:
        cells = _cells(row, columns)
        if rows and len(cells) == 1 and 0 not in cells:
            number, text = next(iter(cells.items()))
            rows[-1][number] = f"{rows[-1][number]} {text}".strip()
        else:
            rows.append([cells.get(number, "") for number in range(len(columns))])
    return rows


def _banded(run: Sequence[Sequence[Line]], columns: Sequence[tuple[float, float]], heights: Sequence[float]) -> list[list[str]]:
    """Return a row for each band between lines that run across; empty where there are too few lines for that."""
    if len(heights) < 4:
        return []
    bounds = [*heights, float("inf")]
    rows: list[list[str]] = []
    for above, below in zip([float("-inf"), *heights], bounds, strict=True):
        inside = [line for row in run for line in row if above <= line.box.middle[1] < below]
        if inside:
            cells = _cells(inside, columns)
            rows.append([cells.get(number, "") for number in range(len(columns))])
    return rows
