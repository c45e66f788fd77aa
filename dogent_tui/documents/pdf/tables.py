"""Tables of an untagged page: those with ruling lines, and those without, whose texts form
columns.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise
from statistics import median
from typing import Any, TypeAlias

from msgspec.structs import replace

from dogent_tui.documents.pdf.model import (
    WIDE,
    Box,
    Cell,
    Line,
    Lines,
    Rows,
    Run,
    Table,
    area_of,
    around,
    is_within,
    one_line,
    placed_runs,
    reads_leftward,
    rows_of,
    text_of,
    words_of,
)
from dogent_tui.documents.pdf.structure import LEADER

_DOT = (1.0, 14.0)
"""The minimum and maximum width and height of a drawn bullet in points."""

_THIN = 3.0
"""A drawn rectangle at most this high or wide, in points, is a line."""

_APART = 6.0
"""The minimum distance of two separate lines in points."""

_SHORTEST = 8.0
_MOST_LINES = 4_000
"""A page with more lines is a drawing, not a table."""

_MOST_CELLS = 2_400
"""The number of lines beyond which PyMuPDF takes more than a second to find tables: twice the lines
take eight times as long.
"""

_LARGEST_CONTENT = 4 << 20
"""The length of drawing instructions in bytes beyond which finding lines would take seconds."""

_WORDY = 34
"""If half of the texts are longer than this, they are columns of a page rather than of a table."""

_FIGURE = re.compile(r"\W*\d[\d\W]*\w{0,3}\W*|\w{0,3}\W{0,2}\d[\d\W]*")
_FAR = 0.4
"""The share of a table's width that separates two unrelated texts."""

_BLANK = 0.4
"""A gap wider than a blank, in text sizes."""

_GAP = 0.15
"""The gap between columns, in text sizes, on a page with real blanks between words."""

_UNPARTED = re.compile(f" |{WIDE.pattern}")
_MOST_MADE = 2
"""The ratio of gaps to blanks, or characters of scripts without them, beyond which the words of a
page are placed separately.
"""

_REACH = 0.25
"""The share of its height by which a row may overlap another one of its table."""

_TIGHT = 0.15
"""How much closer than rows the lines of a cell are, in text sizes."""

_LARGER = 1.12
"""Text larger than the rows above it by this factor does not belong to them."""


_Columns: TypeAlias = Sequence[tuple[float, float]]
"""The left and right edge of each column."""

_Row: TypeAlias = dict[int, list[Line]]
"""The texts in each column of a row."""


def _sides(drawings: Iterable[dict[str, Any]]) -> Iterator[Box]:
    """Yield the drawn lines, and the sides of drawn or line-thin rectangles."""
    for drawing in drawings:
        stroked = "s" in drawing["type"]
        for kind, *where in drawing["items"]:
            if kind == "l" and stroked:
                yield around(Box(*point, *point) for point in where)
            elif kind == "re":
                box = Box(*where[0])
                if stroked or min(box.width, box.height) <= _THIN:
                    yield from (Box(box.x0, y, box.x1, y) for y in (box.y0, box.y1))
                    yield from (Box(x, box.y0, x, box.y1) for x in (box.x0, box.x1))


def drawn_on(page: Any) -> tuple[list[Box], list[Box]]:
    """Return the lines drawn on the pymupdf page, and the small round or square shapes, which may
    be bullets; no lines if there are too many for a table.
    """
    streams = (page.parent.xref_stream_raw(xref) for xref in page.get_contents())
    if sum(map(len, filter(None, streams))) > _LARGEST_CONTENT:
        return [], []
    drawings = page.get_cdrawings()
    sides = list(islice(_sides(drawings), _MOST_LINES + 1))
    if len(sides) > _MOST_LINES:
        return [], []
    thin = [
        s for s in sides if min(s.width, s.height) <= _THIN and max(s.width, s.height) >= _SHORTEST
    ]
    shapes = (Box(*drawing["rect"]) for drawing in drawings)
    least, most = _DOT
    dots = [s for s in shapes if least <= min(s.width, s.height) and max(s.width, s.height) <= most]
    return thin, dots


def fenced_tables(page: Any, drawn: Sequence[Box], lines: Lines) -> list[Table]:
    """Return the tables of the pymupdf page whose cells have ruling lines in both directions.
    `lines` of text are in reading order.
    """
    heights = {round(line.y0 / _APART) for line in drawn if line.width > line.height}
    places = {round(line.x0 / _APART) for line in drawn if line.height > line.width}
    if len(heights) < 2 or not 0 < len(heights) * len(places) < _MOST_CELLS:
        return []
    words = [list(words_of(line)) if line.upright else [line] for line in lines]
    tables = (_fenced(found, words) for found in page.find_tables(strategy="lines_strict").tables)
    return [table for table in tables if table is not None]


def _fenced(found: Any, lines: Rows) -> Table | None:
    """Return a PyMuPDF table with the words of the `lines` in its cells, None if it is a frame or
    the page's layout.
    """
    area = Box(*found.bbox)
    inside = _in(found.bbox, lines)
    cells = [list(row.cells) for row in found.rows]
    texts = [[_in(cell, inside) for cell in row] for row in cells]
    full = sum(map(bool, chain.from_iterable(texts)))
    placed = sum(len(part) for row in texts for text in row for part in text)
    rows = [number for number, row in enumerate(texts) if any(row)]
    kept = [number for number, column in enumerate(zip(*texts, strict=True)) if any(column)]
    whole = [[tuple(map(one_line, text)) for text in row] for row in texts]
    if placed < sum(map(len, inside)) or len(kept) < 2 or full < 1.25 * len(rows):
        return None
    if len(rows) < 2 and max(map(len, texts[rows[0]])) > 1:  # a head may be cut from its table
        return None
    spans = _spans(cells, rows, kept)
    if reads_leftward(text_of(chain.from_iterable(inside))):
        kept.reverse()
    table = (
        tuple(Cell(whole[n][at], *spans[n, at]) for at in kept if (n, at) in spans) for n in rows
    )
    return Table(area, tuple(table))


_Place: TypeAlias = tuple[float, float, float, float] | None
"""The area of a cell of PyMuPDF, None if another one covers it."""


def _spans(
    cells: Sequence[Sequence[_Place]], rows: list[int], columns: list[int]
) -> dict[tuple[int, int], tuple[int, int]]:
    """Return the number of `rows` and `columns` that each cell of a table spans, without covered
    cells.
    """
    tops = [min(cell[1] for cell in row if cell) for row in cells if any(row)]
    places = zip(*cells, strict=True)
    lefts = [min((cell[0] for cell in own if cell), default=float("inf")) for own in places]
    taken: set[tuple[int, int]] = set()
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for n in rows:
        for at in columns:
            if (n, at) in taken:
                continue
            _, _, right, bottom = cells[n][at] or [float("-inf")] * 4
            down = [r for r in rows if r == n or (r > n and tops[r] < bottom - 1)]
            across = [c for c in columns if c == at or (c > at and lefts[c] < right - 1)]
            taken |= {(r, c) for r in down for c in across}
            found[n, at] = (len(down), len(across))
    return found


def _in(cell: _Place, lines: Rows) -> Rows:
    """Return the words of each line that are in the cell."""
    if cell is None:
        return []
    area = Box(*cell)
    parts = ([word for word in line if area.holds(word.box.middle)] for line in lines)
    return list(filter(None, parts))


def aligned_tables(lines: Lines) -> list[tuple[Table, set[Line]]]:
    """Return the tables among `lines`, each with the lines it consists of."""
    found = []
    run: list[list[Line]] = []
    pieces = _parted(lines)
    rows = list(_overlapping(rows_of(chain.from_iterable(pieces.values()))))
    whole = [row[0].box for row in rows if len(row) == 1]
    owners = {piece: at for at, own in pieces.items() for piece in own}
    for number, (parts, below) in enumerate(pairwise([*rows, []])):
        if _is_text(parts, below, whole):
            rows[number] = [one_line(parts)]
            pieces |= {owners[piece]: rows[number] for piece in parts}
    for row in [*rows, []]:
        if run and row and _continues(run, row):
            run.append(row)
            continue
        if (made := _aligned(run)) is not None:
            table, used = made
            inside = set(used)
            found.append((table, {at for at, own in pieces.items() if own[0] in inside}))
        run = [row] if len(row) > 1 else []
    return found


def _parted(lines: Lines) -> dict[Line, list[Line]]:
    """Return the texts of each upright line, which may be those of several columns."""
    runs = [run for line in lines for run in line.runs]
    made = sum(run.made for run in runs)
    whole = sum(len(_UNPARTED.findall(run.text)) for run in runs if not run.made)
    least = _BLANK if made > _MOST_MADE * whole else _GAP
    rows = [[], *rows_of(lines), []]
    pieces = {
        line: _pieces(line, (), least) if len(row) > 1 else [line] for row in rows for line in row
    }
    for above, row, below in zip(rows, rows[1:], rows[2:], strict=False):
        if len(row) == 1:  # a justified line of text, or a row that MuPDF keeps whole
            parts = _pieces(row[0], ())
            near = ([o for line in other for o in pieces[line]] for other in (above, below))
            if any(_is_row_like(other, parts) for other in near):
                pieces[row[0]] = parts
    return pieces


def _overlapping(rows: Rows) -> Rows:
    """Return the rows, joining those that overlap: single-line cells are centered beside multi-line
    ones. Lines of a text are one below the other.
    """
    groups: list[list[list[Line]]] = []
    for row in rows:
        if groups and -_gap(groups[-1][-1], row) > _REACH * row[0].box.height:
            groups[-1].append(row)
        else:
            groups.append([row])
    return [row for group in groups for row in _as_one(group)]


def _as_one(group: Rows) -> Rows:
    """Return the rows of a group as one if most of their columns have a single line."""
    whole = list(chain.from_iterable(group))
    columns = _columns([whole])
    lines = Counter(number for line in whole for number in _touched(columns, line.box))
    single = sum(count == 1 for count in lines.values())
    return [whole] if 2 * single >= len(columns) else group


def _is_text(row: Lines, below: Lines, whole: Iterable[Box]) -> bool:
    """Return whether a row is an entry of a table of contents, or a justified line of text: as wide
    as a `whole` one, or set more tightly than the columns of a table and not directly above them.
    """
    if LEADER.search("".join(line.text for line in row)):
        return True
    placed = sorted(row, key=lambda line: line.box.x0)
    gaps = [after.box.x0 - before.box.x1 for before, after in pairwise(placed)]
    size = row[0].size
    uneven = max(gaps) - min(gaps) if len(gaps) > 1 else size
    box = area_of(row)
    if any(abs(line.x0 - box.x0) < 1 and abs(line.x1 - box.x1) < 1 for line in whole):
        return uneven < 0.05 * size
    is_even = len(gaps) > 2 and uneven < 0.15 * size
    return is_even and max(gaps) < 2 * size and not _is_row_like(below, placed)


def _is_row_like(row: Lines, parts: Lines) -> bool:
    """Return whether the texts of a row are above or below `parts` of a line, each at another."""
    places = [(part.box.x0, part.box.x1) for part in parts]
    near = [_touched(places, line.box) for line in row]
    return all(near) and len(set(map(tuple, near))) == len(near) > len(parts) / 2 > 0.5


def _continues(run: Rows, row: list[Line]) -> bool:
    """Return whether `row` may belong to the rows above it: it is close, and aligned with their
    columns.
    """
    size = max(line.size for line in row)
    gap = _gap(run[-1], row)
    if gap > 1.6 * size:
        return False
    columns = _columns(run)
    touched = [_touched(columns, line.box) for line in row]
    if len(row) > 1:
        taken = [column for columns_of_text in touched for column in columns_of_text]
        fits = max(map(len, touched)) < 2 and len(set(taken)) == len(taken)
        usual = max((_gap(above, below) for above, below in pairwise(run)), default=1.6 * size)
        return fits or gap <= max(0.8 * size, 2 * usual)
    if row[0].size > _LARGER * max(line.size for above in run for line in above):
        return False  # the heading of another table
    if not touched[0]:
        return False
    is_narrow = row[0].box.width < 0.6 * (columns[-1][1] - columns[0][0])
    first = touched[0][0]
    at_edge = abs(row[0].box.x0 - columns[first][0]) < 1
    if len(touched[0]) == 1:
        return is_narrow or at_edge
    # the continuation of a cell may be longer than its column is wide
    return is_narrow and at_edge and first > 0 and gap < 0.5 * size


def _gap(above: Lines, below: Lines) -> float:
    return area_of(below).y0 - area_of(above).y1


def _columns(rows: Rows) -> list[tuple[float, float]]:
    """Return the horizontal range of each column. Narrow texts define them; a text across several
    is their heading, unless there are more of those than texts apart.
    """
    columns: list[tuple[float, float]] = []
    rows = [row for row in rows if len(row) > 1]
    for line in sorted(chain.from_iterable(rows), key=lambda line: line.box.width):
        touched = _touched(columns, line.box)
        if not touched:
            columns.append((line.box.x0, line.box.x1))
        elif len(touched) == 1:
            start, end = columns[touched[0]]
            columns[touched[0]] = (min(start, line.box.x0), max(end, line.box.x1))
        columns.sort()
    while (at := _most_crossed(rows, columns) or _beside_heading(rows, columns)) is not None:
        (start, end), (_, other) = columns[at - 1 : at + 1]
        columns[at - 1 : at + 1] = [(start, max(end, other))]
    return columns


def _most_crossed(rows: Rows, columns: _Columns) -> int | None:
    """Return the column that texts cross from the one before it too often for it to be one."""
    apart: Counter[int] = Counter()
    crossed: Counter[int] = Counter()
    for row in rows:
        touched = [_touched(columns, line.box) for line in row]
        across = {number for numbers in touched for number in numbers[1:]}
        alone = {numbers[0] for numbers in touched if len(numbers) == 1}
        crossed.update(across)
        apart.update(number for number in alone if number - 1 in alone)
    worst = max(crossed, key=lambda number: crossed[number] / (apart[number] or 0.5), default=0)
    return worst if crossed[worst] > apart[worst] else None


def _beside_heading(rows: Rows, columns: _Columns) -> int | None:
    """Return the column that is one with that before it: one holds only the heading, the other what
    is below it, as numbers to the right are.
    """
    parts = [{at for line in row for at in _touched(columns, line.box)} for row in rows]
    heads, below = (set[int]().union(*some) for some in (parts[:1], parts[1:]))
    own = [(at in heads) - (at in below) for at in range(len(columns))]
    return next((at for at in range(1, len(own)) if own[at] * own[at - 1] < 0), None)


def _touched(columns: _Columns, box: Box) -> list[int]:
    return [
        number
        for number, (start, end) in enumerate(columns)
        if min(end, box.x1) - max(start, box.x0) > 0.5
    ]


def _aligned(run: Rows) -> tuple[Table, list[Line]] | None:
    while (
        run
        and len(run[-1]) == 1
        and _tightness(run, len(run) - 1) <= _TIGHT
        and 0 in _touched(_columns(run), run[-1][0].box)
    ):
        run = run[:-1]  # a text below is not a row
    wide = [row for row in run if len(row) > 1]
    texts = [line.text.strip() for row in wide for line in row]
    if len(wide) < 2 or (len(wide) == 2 and min(map(len, wide)) < 3):
        return None
    columns = _columns(run)
    if len(columns) < 2 or median(map(len, texts)) > _WORDY or _is_letterhead(wide, columns):
        return None
    used = [line for row in run for line in row]
    box = area_of(used)
    found = _spelled(run, columns)
    rows = [[Cell(tuple(row.get(at, ()))) for at in range(len(columns))] for row in found]
    if sum(line.right_to_left for line in used) * 2 > len(used):
        rows = [row[::-1] for row in rows]
    return (Table(box, tuple(map(tuple, rows))), used) if len(rows) > 1 else None


def _is_letterhead(rows: Rows, columns: _Columns) -> bool:
    """Return whether two texts are far apart on both sides of the page, like addresses, and the
    right one contains no figures.
    """
    if len(columns) != 2 or columns[1][0] - columns[0][1] < _FAR * (columns[1][1] - columns[0][0]):
        return False
    return 2 * sum(_is_figure(row[-1:]) for row in rows) < len(rows)


def _is_figure(texts: Lines) -> bool:
    return _FIGURE.fullmatch(text_of(texts)) is not None


def _tightness(run: Rows, place: int) -> float:
    """Return how much closer a row is to the one above than whole rows are to what is above them,
    in text sizes: then it continues its texts.
    """
    most = max(map(len, run))
    gaps = [_gap(above, below) for above, below in pairwise(run) if len(below) == most]
    if place == 0 or len(gaps) < 2:
        return 0.0
    return (median(gaps) - _gap(run[place - 1], run[place])) / run[place][0].size


def _cells(row: Lines, columns: _Columns) -> _Row:
    """Return the texts in each column."""
    cells: _Row = {}
    for line in row:
        is_wide = len(_touched(columns, line.box)) > 1
        for piece in _pieces(line, columns) if is_wide else [line]:
            ways = [abs(left - piece.box.x0) for left, _ in columns]
            number = next(iter(_touched(columns, piece.box)), ways.index(min(ways)))
            cells.setdefault(number, []).append(piece)
    return cells


def _pieces(line: Line, columns: _Columns, least: float = _BLANK) -> list[Line]:
    """Return the texts of a line, split at gaps of at `least` this width or at the edge of a
    column.
    """
    found: list[list[tuple[Run, float]]] = [[]]
    for run, end in placed_runs(line):
        at_edge = any(abs(run.x0 - x1) < 1 or abs(end - x0) < 1 for x0, x1 in columns)
        wide = abs(end - run.x0) > (least if run.text else _BLANK) * line.size
        if run.made and (at_edge or wide):
            found.append([])
        else:
            found[-1].append((run, end))
    if len(found) == 1:
        return [line]
    pieces = []
    for part in filter(None, found):
        runs = tuple(run for run, _ in part)
        x0, x1 = sorted((part[0][0].x0, part[-1][1]))
        box = replace(line.box, x0=x0, x1=x1)
        pieces.append(replace(line, box=box, runs=runs))
    return pieces


def _spelled(run: Rows, columns: _Columns) -> list[_Row]:
    """Return a row for each row of texts; text directly below, or under a column other than the
    first, continues its cell, unless both are figures. Text directly above a row, and further from
    the one above it, is the beginning of a cell whose neighbours are at its middle or bottom.
    """
    rows: list[_Row] = []
    begun: _Row = {}
    for place, row in enumerate(run):
        cells = _cells(row, columns)
        column = min(cells)
        if len(cells) == 1 and (begun or _is_above_its_row(run, place, columns)):
            begun.setdefault(column, []).extend(cells[column])
            continue
        for number, texts in begun.items():
            cells[number] = texts + cells[number]
        begun = {}
        above = rows[-1] if rows else {}
        is_sum = any(_is_figure(cells[at]) and _is_figure(above[at]) for at in cells.keys() & above)
        tight = not is_sum and len(cells) < len(columns) and _tightness(run, place) > _TIGHT
        if rows and (tight or (len(cells) == 1 and 0 not in cells)):
            for number, texts in cells.items():
                rows[-1].setdefault(number, []).extend(texts)
        else:
            rows.append(cells)
    return rows


def _is_above_its_row(run: Rows, place: int, columns: _Columns) -> bool:
    """Return whether the text at `place`, with those below it in its column, is closer to the row
    under them, which has a text in that column, than to the row above.
    """
    after = next((at for at in range(place + 1, len(run)) if len(run[at]) > 1), 0)
    if not after:
        return False
    *texts, row = (_cells(each, columns) for each in run[place : after + 1])
    column = min(texts[0])
    if column not in row or any(text.keys() != {column} for text in texts):
        return False
    if not place:
        return column > 0
    gaps = [_gap(above, below) for above, below in pairwise(run[place - 1 : after + 1])]
    is_near = gaps[0] > max(gaps[1:]) + _TIGHT * run[place][0].size
    is_tight = _tightness(run, after) > _TIGHT
    return is_near and (is_tight or is_within(text_of(texts[-1][column]), text_of(row[column])))
