"""The reading order of the text of a page: column by column, if it has columns."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import groupby, pairwise, takewhile
from operator import itemgetter
from statistics import median

from dogent_tui.documents.pdf.model import (
    Box,
    Line,
    Lines,
    Table,
    TextBlock,
    area_of,
    lines_in,
    rows_of,
)

_STEPS = 200
"""The number of positions across a page where a gutter is sought."""

_NARROW = 0.75
"""A line wider than this share of the text spans the columns and separates them."""

_CROSSING = 0.05
"""The share of the narrow text that may cross a gutter, such as a centered title."""

_FULL = 0.75
"""The share of a column's width that a full line takes."""

_FULL_LINES = {16.0: 0.1, 9.0: 0.5}
"""The average line width of a column in text sizes → the required share of text in full lines.
Columns of prose have long lines, however short the items of lists are; tables and forms have mostly
shorter ones, few of them full.
"""

_LAST = 1.8
"""The line distance, in text sizes, of the last line of a paragraph."""

_SLACK = 2.0
_FEWEST_ROWS = 3
_APART = 0.8
"""The minimum distance from the edge of a table to the middle of the next line, in text sizes: more
than within a text.
"""


def regions(
    blocks: Sequence[TextBlock], others: Iterable[Sequence[Box]] = ()
) -> list[list[TextBlock]]:
    """Return the blocks in groups in reading order: what spans the columns, such as a table with
    cells in all of them, separates groups. `others` are the columns of other pages.
    """
    lines, wide = lines_in(blocks), _wide(blocks)
    places = _places(lines, wide, others)
    if not places:
        return [list(blocks)]
    numbers = {line: number for number, block in enumerate(blocks) for line in block.lines}
    home = numbers.__getitem__
    groups = (sorted(group, key=home) for group in _groups(lines, places, wide))
    return [[TextBlock(tuple(part)) for _, part in groupby(group, key=home)] for group in groups]


def columns_of(
    blocks: Sequence[TextBlock], others: Iterable[Sequence[Box]] = ()
) -> tuple[Box, ...]:
    """Return the columns of a page from the left; none if it has only one. `others` are those of
    other pages.
    """
    lines, wide = lines_in(blocks), _wide(blocks)
    places = _places(lines, wide, others)
    parts = _in_columns(lines, wide, places)
    return tuple(parts[at] for at in range(len(places) + 1) if at in parts) if places else ()


def _places(lines: Lines, wide: Set[Line], others: Iterable[Sequence[Box]]) -> list[float]:
    """Return the gutters of a page: its own, or those between the columns of another."""
    usual = (_usual_gutters(lines, wide, columns) for columns in others)
    return _gutters(lines, wide) or next(filter(None, usual), [])


def _usual_gutters(lines: Lines, wide: Set[Line], columns: Sequence[Box]) -> list[float]:
    """Return the gutters between the `columns` of another page if all lines that are not `wide` are
    in these, and begin or end where they do: the last page may be too short to tell its own.
    """
    places = [(left.x1 + right.x0) / 2 for left, right in pairwise(columns)]
    parts = _in_columns(lines, wide, places)
    fits = [
        at is not None and min(abs(box.x0 - columns[at].x0), abs(box.x1 - columns[at].x1)) < _SLACK
        for at, box in parts.items()
    ]
    return places if len(fits) > 1 and all(fits) else []


def _in_columns(
    lines: Iterable[Line], wide: Set[Line], places: Sequence[float]
) -> dict[int | None, Box]:
    """Return the area of the lines of each column, except the `wide` ones."""
    parts: defaultdict[int | None, list[Line]] = defaultdict(list)
    for line in lines:
        if line not in wide:
            parts[_column(line.box, places)].append(line)
    return {at: area_of(part) for at, part in parts.items()}


def _wide(blocks: Sequence[TextBlock]) -> set[Line]:
    """Return the lines of the texts that are wider than a column, with their short last lines,
    which MuPDF sets apart if the lines are far apart.
    """
    most = _NARROW * area_of(blocks).width if blocks else 0.0
    found: set[Line] = set()
    above: Line | None = None
    for block in sorted(blocks, key=lambda block: block.box.y0):
        first = block.lines[0]
        is_last = above is not None and (
            abs(first.start - above.start) < 4 * above.size
            and 0 < first.base - above.base < _LAST * above.size
        )
        if is_last or any(line.box.width >= most for line in block.lines):
            found |= set(block.lines)
            above = None if is_last else block.lines[-1]
    return found


def _groups(lines: Lines, places: Sequence[float], wide: Set[Line]) -> Iterator[list[Line]]:
    """Yield the lines of each column, and the lines between them that span the columns."""
    across = {*wide, *_titles(lines, wide), *_tables_over(lines, places)}
    sign = -1 if sum(line.right_to_left for line in lines) * 2 > len(lines) else 1

    def column(line: Line) -> int | None:
        at = None if line in across else _column(line.box, places)
        return at if at is None else sign * at

    placed = [(column(line), line) for line in sorted(lines, key=lambda line: line.box.y0)]
    for lies_across, run in groupby(placed, key=lambda each: each[0] is None):
        part = list(run)
        if not lies_across:
            part.sort(key=itemgetter(0))
        for _, same in groupby(part, key=itemgetter(0)):
            yield [line for _, line in same]


def _tables_over(lines: Lines, places: Sequence[float]) -> Iterator[Line]:
    """Yield the lines of a table that spans the columns: rows of short texts in several columns,
    apart from the lines above and below. Prose fills its lines.
    """
    page = area_of(lines)
    bounds = [page.x0, *places, page.x1]
    rows = rows_of(lines)
    for is_short, run in groupby(rows, key=lambda row: _is_short(row, bounds)):
        table = [line for row in run for line in row]
        box, apart = area_of(table), _APART * table[0].size
        near = any(
            box.y0 - apart < line.box.middle[1] < box.y1 + apart
            and _column(line.box, places) is not None
            and line not in table
            for line in lines
        )
        if is_short and len(table) >= 2 * _FEWEST_ROWS and not near:
            yield from table


def _is_short(row: Lines, bounds: Sequence[float]) -> bool:
    widths: defaultdict[int | None, float] = defaultdict(float)
    for line in row:
        widths[_column(line.box, bounds[1:-1])] += line.box.width
    narrowest = min(right - left for left, right in pairwise(bounds))
    return len(widths) > 1 and max(widths.values()) < _NARROW * narrowest


def _titles(lines: Lines, wide: Set[Line]) -> set[Line]:
    """Return the lines that are centered and larger than the text, or at the top or bottom of the
    page: with three columns, they do not belong to the second. And larger ones above `wide` ones.
    """
    text, (middle, _) = median(line.size for line in lines), area_of(lines).middle
    rows = rows_of(lines)
    outer = (*takewhile(lambda row: len(row) == 1, rows), *rows[-1:])
    alone = (row[0] for row in rows if len(row) == 1 and (row[0].size > text or row in outer))
    above = {row[0] for row, below in pairwise(rows) if below[0] in wide}
    return {
        line
        for line in alone
        if abs(line.box.middle[0] - middle) < line.size or (line.size > text and line in above)
    }


def _column(box: Box, places: Sequence[float]) -> int | None:
    """Return the column of a box, None if it spans several."""
    for at, (left, right) in enumerate(pairwise([float("-inf"), *places, float("inf")])):
        if left - _SLACK <= box.x0 and box.x1 <= right + _SLACK:
            return at
    return None


def _gutters(lines: Lines, wide: Set[Line]) -> list[float]:
    """Return the gutters between columns of prose from the left; none if the page has one
    column.
    """
    if len(lines) < 8:
        return []
    page = area_of(lines)
    narrow = [line for line in lines if line not in wide]
    found = list(_clear(narrow, page))[:4]
    for places in [
        found,
        *([place] for place in sorted(found, key=lambda x: abs(x - page.middle[0]))),
    ]:
        if places and _are_columns(narrow, places):
            return places
    return []


def _clear(lines: Lines, page: Box) -> Iterator[float]:
    """Yield the middle of each vertical strip that hardly any text crosses and that has text on
    both sides.
    """
    step = max(page.width / _STEPS, 0.01)
    changes = [0] * (_STEPS + 2)
    for line in lines:
        start, end = int((line.box.x0 - page.x0) / step) + 1, int((line.box.x1 - page.x0) / step)
        changes[max(0, start)] += len(line.text)
        changes[min(_STEPS, end) + 1] -= len(line.text)
    most = _CROSSING * sum(len(line.text) for line in lines)
    covered, first = 0, None
    for at, change in enumerate(changes[:-1]):
        covered += change
        if covered > most:
            if first:  # not the margin
                yield page.x0 + step * (first + at - 1) / 2
            first = None
        elif first is None:
            first = at


def _are_columns(lines: Lines, places: Sequence[float]) -> bool:
    words = [line for line in lines if len(line.text.strip()) > 3]  # not item marks
    columns = [
        [line for line in words if _column(line.box, places) == at] for at in range(len(places) + 1)
    ]
    prose = [column for column in columns if _is_column(column)]
    aside = [column for column in columns if column not in prose]
    if not prose or not all(_is_aside(column, words) for column in aside):
        return False
    first, *others = (area_of(column) for column in columns)
    return all(
        min(first.y1, box.y1) - max(first.y0, box.y0) > 0.3 * min(first.height, box.height)
        for box in others
    )


def _is_aside(lines: Lines, others: Lines) -> bool:
    """Return whether these are the lines of a text beside others, not texts in their rows."""
    steps = [below.base - above.base for above, below in pairwise(lines)]
    near = sum(0 < step < 1.8 * line.size for step, line in zip(steps, lines, strict=False))
    bases = [line.base for line in others if line not in lines]
    level = sum(any(abs(line.base - base) < 1 for base in bases) for line in lines)
    return len(lines) > 3 and 2 * near > len(steps) and 2 * level < len(lines)


def _is_column(lines: Lines) -> bool:
    rows = rows_of(lines)  # MuPDF splits justified lines at wide blanks, and those of tables
    if len(rows) < 4:
        return False
    width = area_of(lines).width
    widths = [sum(line.box.width for line in row) for row in rows]
    lengths = [sum(len(line.text) for line in row) for row in rows]
    sizes = [max(line.size for line in row) for row in rows]
    long = sum(wide / max(size, 1) for wide, size in zip(widths, sizes, strict=True)) / len(rows)
    full = sum(
        length for wide, length in zip(widths, lengths, strict=True) if wide >= _FULL * width
    ) / sum(lengths)
    return any(long >= least and full >= share for least, share in _FULL_LINES.items())


def from_the_top(items: Sequence[TextBlock | Table]) -> list[TextBlock | Table]:
    """Return the blocks of one column from top to bottom, and those side by side from the left."""
    rows: list[list[TextBlock | Table]] = []
    for item in sorted(items, key=lambda item: item.box.y0):
        if rows and all(_level(item.box, there.box) for there in rows[-1]):
            rows[-1].append(item)
        else:
            rows.append([item])
    return [item for row in rows for item in sorted(row, key=lambda item: item.box.x0)]


def _level(one: Box, other: Box) -> bool:
    return abs(one.y0 - other.y0) < 4 and (one.x1 <= other.x0 + 1 or other.x1 <= one.x0 + 1)
