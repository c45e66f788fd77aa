"""The order in which the text of a page is read: column by column, where it has columns."""

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from statistics import median

from dogent_tui.documents.pdf.columns import rows_of
from dogent_tui.documents.pdf.model import Box, Line, Table, TextBlock, around

_STEPS = 200
"""Places across a page at which a gutter is looked for."""

_NARROW = 0.6
"""What is wider than this share of the text lies across the columns, and parts them."""

_CROSSING = 0.05
"""The share of the narrow text that may lie across a gutter, such as a title in the middle."""

_FULL = 0.75
"""The share of a column's width that a full line takes."""

_FULL_LINES = {16.0: 0.1, 9.0: 0.5}
"""How wide the lines of a column are on average, in sizes of the text → the share of the text in
full ones. Columns of prose have long ones, however short the items of a list in them are; tables
and forms have mostly shorter ones, and few are full.
"""

_SLACK = 2.0
_FEWEST_ROWS = 3
_APART = 0.8
"""Sizes of the text from the edge of a table to the middle of the next line: more than within a
text.
"""


def regions(blocks: Sequence[TextBlock]) -> list[list[TextBlock]]:
    """Return the blocks in groups in the order of reading: what lies across the columns, such as a
    table whose cells stand in all of them, parts them.
    """
    lines = [line for block in blocks for line in block.lines]
    places = _gutters(lines)
    if not places:
        return [list(blocks)]
    found: list[list[TextBlock]] = []
    rest = list(blocks)
    for top, bottom in _tables_over(lines, places):
        above, rest = _cut(rest, top)
        table, rest = _cut(rest, bottom)
        found += [*_in_columns(above, places), table]
    return [group for group in [*found, *_in_columns(rest, places)] if group]


def _in_columns(blocks: Sequence[TextBlock], places: Sequence[float]) -> list[list[TextBlock]]:
    found: list[list[TextBlock]] = []
    columns: list[list[TextBlock]] = [[] for _ in range(len(places) + 1)]
    lines = [line for block in blocks for line in block.lines]
    leftward = sum(line.right_to_left for line in lines[:100]) * 2 > len(lines[:100])
    titles = _titles(lines)
    parts = (part for block in blocks for part in _parted(block, places, titles))
    for column, block in sorted(parts, key=lambda part: part[1].box.y0):
        if column is None:
            found += [*(columns[::-1] if leftward else columns), [block]]
            columns = [[] for _ in columns]
        else:
            columns[column].append(block)
    return found + (columns[::-1] if leftward else columns)


def _cut(blocks: Sequence[TextBlock], height: float) -> tuple[list[TextBlock], list[TextBlock]]:
    """Return what of the blocks is above `height`, and what is below."""
    above, below = [], []
    for block in blocks:
        upper = tuple(line for line in block.lines if line.box.middle[1] < height)
        lower = tuple(line for line in block.lines if line.box.middle[1] >= height)
        above += [TextBlock(upper)] if upper else []
        below += [TextBlock(lower)] if lower else []
    return above, below


def _tables_over(lines: Sequence[Line], places: Sequence[float]) -> Iterator[tuple[float, float]]:
    """Yield from where to where a table lies over the columns, from the top: rows of short texts in
    several columns, apart from the lines above and below. Prose fills its lines.
    """
    page = around(line.box for line in lines)
    bounds = [page.x0, *places, page.x1]
    rows = rows_of([line for line in lines if line.upright])
    for is_short, run in groupby(rows, key=lambda row: _is_short(row, bounds)):
        table = list(run)
        box = around(line.box for row in table for line in row)
        apart = _APART * table[0][0].size
        near = any(
            box.y0 - apart < line.box.middle[1] < box.y1 + apart
            and _column(line.box, places) is not None
            for row in rows
            if row not in table
            for line in row
        )
        if is_short and len(table) >= _FEWEST_ROWS and not near:
            yield box.y0, box.y1


def _is_short(row: Sequence[Line], bounds: Sequence[float]) -> bool:
    columns = {_column(line.box, bounds[1:-1]) for line in row}
    narrowest = min(right - left for left, right in pairwise(bounds))
    return len(columns) > 1 and all(line.box.width < _NARROW * narrowest for line in row)


def _titles(lines: Sequence[Line]) -> set[int]:
    """Return which lines stand alone in the middle, larger than the text: of three columns, they
    are no part of the second.
    """
    if not lines:
        return set()
    text, (middle, _) = median(line.size for line in lines), around(o.box for o in lines).middle
    alone = (row[0] for row in rows_of(lines) if len(row) == 1 and row[0].size > text)
    return {id(line) for line in alone if abs(line.box.middle[0] - middle) < line.size}


def _parted(
    block: TextBlock, places: Sequence[float], titles: set[int]
) -> Iterator[tuple[int | None, TextBlock]]:
    """Yield what of a block is in each column, None for what lies across them: a block may hold
    lines of all.
    """
    held: dict[int, list[Line]] = {}
    across: list[Line] = []
    for line in block.lines:
        column = None if id(line) in titles else _column(line.box, places)
        if column is None:
            yield from ((at, TextBlock(tuple(lines))) for at, lines in held.items())
            held = {}
            across.append(line)
            continue
        if across:
            yield None, TextBlock(tuple(across))
            across = []
        held.setdefault(column, []).append(line)
    yield from ((at, TextBlock(tuple(lines))) for at, lines in held.items())
    if across:
        yield None, TextBlock(tuple(across))


def _column(box: Box, places: Sequence[float]) -> int | None:
    bounds = [float("-inf"), *places, float("inf")]
    return next(
        (
            at
            for at in range(len(bounds) - 1)
            if bounds[at] - _SLACK <= box.x0 and box.x1 <= bounds[at + 1] + _SLACK
        ),
        None,
    )


def _gutters(lines: Sequence[Line]) -> list[float]:
    """Return where columns of prose are parted, from the left; nothing where the page has one
    column.
    """
    if len(lines) < 8:
        return []
    page = around(line.box for line in lines)
    narrow = [line for line in lines if line.box.width < _NARROW * page.width]
    found = list(_clear(narrow, page))[:4]
    for places in [
        found,
        *([place] for place in sorted(found, key=lambda x: abs(x - page.middle[0]))),
    ]:
        if places and _are_columns(narrow, places):
            return places
    return []


def _clear(lines: Sequence[Line], page: Box) -> Iterator[float]:
    """Yield the middle of each strip, from top to bottom, that hardly any text lies across, with
    text at both sides.
    """
    step = max(page.width / _STEPS, 0.01)
    changes = [0] * (_STEPS + 2)
    for line in lines:
        start, end = int((line.box.x0 - page.x0) / step) + 1, int((line.box.x1 - page.x0) / step)
        if start <= end:
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


def _are_columns(lines: Sequence[Line], places: Sequence[float]) -> bool:
    columns: list[list[Line]] = [[] for _ in range(len(places) + 1)]
    for line in lines:
        if (at := _column(line.box, places)) is not None and len(
            line.text.strip()
        ) > 3:  # no marks of lists
            columns[at].append(line)
    if any(len(column) < 4 for column in columns):
        return False
    boxes = [around(line.box for line in column) for column in columns]
    if not all(_is_column(column, box.width) for column, box in zip(columns, boxes, strict=True)):
        return False
    first, *others = boxes
    return all(
        min(first.y1, box.y1) - max(first.y0, box.y0) > 0.3 * min(first.height, box.height)
        for box in others
    )


def _is_column(lines: Sequence[Line], width: float) -> bool:
    long = sum(line.box.width / max(line.size, 1) for line in lines) / len(lines)
    full = sum(len(line.text) for line in lines if line.box.width >= _FULL * width) / sum(
        len(line.text) for line in lines
    )
    return any(long >= length and full >= share for length, share in _FULL_LINES.items())


def from_the_top(items: Sequence[TextBlock | Table]) -> list[TextBlock | Table]:
    """Return what stands in one column from its top to its bottom, and side by side from the
    left.
    """
    rows: list[list[TextBlock | Table]] = []
    for item in sorted(items, key=lambda item: item.box.y0):
        if rows and all(_level(item.box, there.box) for there in rows[-1]):
            rows[-1].append(item)
        else:
            rows.append([item])
    return [item for row in rows for item in sorted(row, key=lambda item: item.box.x0)]


def _level(one: Box, other: Box) -> bool:
    return abs(one.y0 - other.y0) < 4 and (one.x1 <= other.x0 + 1 or other.x1 <= one.x0 + 1)
