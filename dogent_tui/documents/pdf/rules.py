"""The lines drawn on a page, and the tables that they fence in."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

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


_DOT = (1.0, 8.0)
"""Points: how wide and high a bullet is at least, and at most."""


class Rules(msgspec.Struct, frozen=True):
    """The lines that are drawn on a page, those across and those down, and the small round or
    square shapes, which may be bullets.
    """

    across: tuple[Box, ...] = ()
    down: tuple[Box, ...] = ()
    dots: tuple[Box, ...] = ()


def page_rules(page: Any) -> Rules:
    """Return the lines that are drawn on the pymupdf page; none where there are too many for a
    table.
    """
    streams = (page.parent.xref_stream_raw(xref) or b"" for xref in page.get_contents())
    if sum(map(len, streams)) > _LARGEST_CONTENT:
        return Rules()
    drawings = page.get_cdrawings()
    boxes = list(_boxes(drawings))
    if len(boxes) > _MOST_LINES:
        return Rules()
    shapes = (Box(*drawing["rect"]) for drawing in drawings)
    return Rules(
        tuple(b for b in boxes if b.height <= _THIN and b.width >= _SHORTEST),
        tuple(b for b in boxes if b.width <= _THIN and b.height >= _SHORTEST),
        tuple(b for b in shapes if all(_DOT[0] <= side <= _DOT[1] for side in (b.width, b.height))),
    )


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


def fenced_tables(page: Any, rules: Rules, lines: Sequence[Line]) -> list[Table]:
    """Return the tables of the pymupdf page whose cells are fenced by rules in both directions.
    `lines` of text in reading order.
    """
    heights = {round(line.y0 / _APART) for line in rules.across}
    places = {round(line.x0 / _APART) for line in rules.down}
    if len(heights) < 2 or not 0 < len(heights) * len(places) < _MOST_CELLS:
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
    rows = [number for number, row in enumerate(texts) if any(row)]
    kept = [number for number, column in enumerate(zip(*texts, strict=True)) if any(column)]
    full = sum(map(bool, (text for row in texts for text in row)))
    longest = max((len(text) for row in texts for text in row), default=0)
    if min(len(rows), len(kept)) < 2 or full < 1.25 * len(rows) or longest > _LONGEST_CELL:
        return None
    if reads_leftward("".join(map("".join, texts))):
        return Table(area, tuple(tuple((1, 1, texts[n][at]) for at in kept[::-1]) for n in rows))
    spans = _spans([row.cells for row in found.rows], rows, kept)
    return Table(
        area,
        tuple(
            tuple((*spans[n, at], texts[n][at]) for at in kept if (n, at) in spans) for n in rows
        ),
    )


def _spans(
    cells: Sequence[Sequence[tuple[float, ...] | None]], rows: list[int], columns: list[int]
) -> dict[tuple[int, int], tuple[int, int]]:
    """Return how many of the `rows` and `columns` each cell of a table takes, without those that
    others cover.
    """
    tops = [min(cell[1] for cell in row if cell) for row in cells if any(row)]
    lefts = [
        min((cell[0] for cell in column if cell), default=float("inf"))
        for column in zip(*cells, strict=True)
    ]
    taken: set[tuple[int, int]] = set()
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for n in rows:
        for at in columns:
            if (n, at) in taken:
                continue
            cell = cells[n][at]
            down = [r for r in rows if r >= n and (r == n or (cell and tops[r] < cell[3] - 1))]
            across = [
                c for c in columns if c >= at and (c == at or (cell and lefts[c] < cell[2] - 1))
            ]
            taken |= {(r, c) for r in down for c in across}
            found[n, at] = (len(down), len(across))
    return found


def _in(cell: tuple[float, float, float, float], box: Box) -> bool:
    (x, y), (x0, y0, x1, y1) = box.middle, cell
    return x0 <= x < x1 and y0 <= y < y1


def bands(rules: Rules, box: Box) -> list[float]:
    """Return the heights of the lines that run across most of `box`, from its top to its bottom."""
    lines: list[Box] = []
    for line in sorted(rules.across, key=lambda line: line.y0):
        if lines and line.y0 - lines[-1].y0 < _APART:  # a piece of the one above, or of its double
            lines[-1] = Box(
                min(line.x0, lines[-1].x0),
                lines[-1].y0,
                max(line.x1, lines[-1].x1),
                lines[-1].y1,
            )
        elif box.y0 - 12 <= line.y0 <= box.y1 + 12:
            lines.append(line)
    margin = box.width / 4
    return [line.y0 for line in lines if line.x0 <= box.x0 + margin and line.x1 >= box.x1 - margin]
