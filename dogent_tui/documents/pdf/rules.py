"""Tables that are fenced in by lines drawn on the page."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from dogent_tui.documents.pdf.model import Box, Line, Table, join_words, reads_leftward, words_of

_THIN = 3.0
"""Points: a drawn rectangle no higher, or no wider, than this is a line."""

_APART = 6.0
"""Points between two lines that are not one."""

_SHORTEST = 8.0
_MOST_LINES = 4_000
"""On a page with more it is a drawing, not a table."""

_MOST_CELLS = 2_400
"""Beyond it, looking for tables takes PyMuPDF more than a second: twice the lines, eight times as
long.
"""

_LARGEST_CONTENT = 4 << 20
"""Bytes of drawing instructions: beyond it, looking for lines would take seconds."""

_LONGEST_CELL = 600
"""Characters: boxes around more are the page's layout, not a table."""


def _boxes(drawings: Iterable[dict[str, Any]]) -> Iterator[Box]:
    for drawing in drawings:
        stroked = "s" in drawing["type"]
        for item in drawing.get("items", ()):
            if item[0] == "l" and stroked:
                (x0, y0), (x1, y1) = item[1], item[2]
                yield Box(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
            elif item[0] == "re":
                box = Box(*item[1])
                if min(box.width, box.height) <= _THIN:
                    yield box
                elif stroked:
                    for x in (box.x0, box.x1):
                        yield Box(x, box.y0, x, box.y1)
                    for y in (box.y0, box.y1):
                        yield Box(box.x0, y, box.x1, y)


def fenced_tables(page: Any, lines: Sequence[Line]) -> list[Table]:
    """Return the tables of the pymupdf page whose cells are fenced by lines in both directions.
    `lines` of text in reading order.
    """
    streams = (page.parent.xref_stream_raw(xref) for xref in page.get_contents())
    if not lines or sum(map(len, filter(None, streams))) > _LARGEST_CONTENT:
        return []
    boxes = list(islice(_boxes(page.get_cdrawings()), _MOST_LINES + 1))
    heights = {
        round(box.y0 / _APART) for box in boxes if box.height <= _THIN and box.width >= _SHORTEST
    }
    places = {
        round(box.x0 / _APART) for box in boxes if box.width <= _THIN and box.height >= _SHORTEST
    }
    cells = len(heights) * len(places)
    if len(boxes) > _MOST_LINES or len(heights) < 2 or not 0 < cells < _MOST_CELLS:
        return []
    words = [(place, box, word) for place, line in enumerate(lines) for box, word in words_of(line)]
    tables = (_table(found, words) for found in page.find_tables(strategy="lines_strict").tables)
    return [table for table in tables if table is not None]


def _table(found: Any, words: Sequence[tuple[int, Box, str]]) -> Table | None:
    """Return a table of PyMuPDF's with the `words` in its cells; None where it is a frame, or the
    page's layout.
    """
    area = Box(*found.bbox)
    inside = [word for word in words if area.holds(word[1].middle)]
    cells = [
        [[w for w in inside if cell and _in(cell, w[1])] for cell in row.cells]
        for row in found.rows
    ]
    if sum(len(cell) for row in cells for cell in row) < len(inside):
        return None
    texts = [[join_words((at, word) for at, _, word in cell) for cell in row] for row in cells]
    rows = [row for row in texts if any(row)]
    kept = [number for number, column in enumerate(zip(*rows, strict=True)) if any(column)]
    full = sum(map(bool, (text for row in rows for text in row)))
    longest = max((len(text) for row in rows for text in row), default=0)
    if min(len(rows), len(kept)) < 2 or full < 1.25 * len(rows) or longest > _LONGEST_CELL:
        return None
    order = kept[::-1] if reads_leftward("".join(map("".join, rows))) else kept
    return Table(area, tuple(tuple(row[number] for number in order) for row in rows))


def _in(cell: tuple[float, float, float, float], box: Box) -> bool:
    (x, y), (x0, y0, x1, y1) = box.middle, cell
    return x0 <= x < x1 and y0 <= y < y1
