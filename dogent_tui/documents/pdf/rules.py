"""The lines drawn on a page, and the tables that they fence in."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from dogent_tui.documents.pdf.model import Box, Line, Table, join_words, reads_leftward, words_of

_THIN = 3.0
"""Points: a drawn rectangle no higher, or no wider, than this is a line."""

_NEAR = 3.0
"""Points by which lines that meet may miss each other."""

_SHORTEST = 8.0
_MOST_LINES = 4_000
"""On a page with more it is a drawing, not a table."""

_LARGEST_CONTENT = 4 << 20
"""Bytes of drawing instructions: beyond it, looking for lines would take seconds."""

_LONGEST_CELL = 600
"""Characters: boxes around more are the page's layout, not a table."""


class Rule(msgspec.Struct, frozen=True):
    """A line across (`at` is its y, from x to x) or down (`at` is its x, from y to y)."""

    at: float
    start: float
    end: float


class Rules(msgspec.Struct, frozen=True):
    """The lines of a page, longer ones made of pieces."""

    across: tuple[Rule, ...] = ()
    down: tuple[Rule, ...] = ()


def page_rules(page: Any) -> Rules:
    """Return the lines that are drawn on the pymupdf page; none where there are too many for a
    table.
    """
    if (
        sum(len(page.parent.xref_stream_raw(xref) or b"") for xref in page.get_contents())
        > _LARGEST_CONTENT
    ):
        return Rules()
    boxes = list(_boxes(page.get_cdrawings()))
    if len(boxes) > _MOST_LINES:
        return Rules()
    across = [
        Rule((b.y0 + b.y1) / 2, b.x0, b.x1)
        for b in boxes
        if b.height <= _THIN and b.width >= _SHORTEST
    ]
    down = [
        Rule((b.x0 + b.x1) / 2, b.y0, b.y1)
        for b in boxes
        if b.width <= _THIN and b.height >= _SHORTEST
    ]
    return Rules(_joined(across), _joined(down))


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
                    yield from _edges(box)


def _edges(box: Box) -> Iterator[Box]:
    yield Box(box.x0, box.y0, box.x1, box.y0)
    yield Box(box.x0, box.y1, box.x1, box.y1)
    yield Box(box.x0, box.y0, box.x0, box.y1)
    yield Box(box.x1, box.y0, box.x1, box.y1)


def _joined(rules: list[Rule]) -> tuple[Rule, ...]:
    """Make one line of pieces that continue each other."""
    found: list[Rule] = []
    for rule in sorted(rules, key=lambda rule: (round(rule.at / _NEAR), rule.start)):
        last = found[-1] if found else None
        if last is not None and abs(last.at - rule.at) <= _NEAR and rule.start <= last.end + _NEAR:
            found[-1] = Rule(last.at, last.start, max(last.end, rule.end))
        else:
            found.append(rule)
    return tuple(found)


def fenced_tables(rules: Rules, lines: Sequence[Line]) -> list[Table]:
    """Return the tables whose cells are fenced by rules in both directions. `lines` of text in
    reading order.
    """
    if len(rules.across) < 2 or not rules.down:
        return []
    words = [(place, box, word) for place, line in enumerate(lines) for box, word in words_of(line)]
    grids = (_Grid(across, down) for across, down in _nets(rules))
    return [table for grid in grids if (table := grid.table(words)) is not None]


def _nets(rules: Rules) -> Iterator[tuple[list[Rule], list[Rule]]]:
    """Yield the lines that hang together."""
    left_across, left_down = list(rules.across), list(rules.down)
    while left_across:
        across, down = [left_across.pop()], list[Rule]()
        grown = True
        while grown:
            more_down = [d for d in left_down if any(_meet(a, d) for a in across)]
            down += more_down
            left_down = [d for d in left_down if d not in more_down]
            more_across = [a for a in left_across if any(_meet(a, d) for d in more_down)]
            across += more_across
            left_across = [a for a in left_across if a not in more_across]
            grown = bool(more_down or more_across)
        if len(across) >= 2 and down:
            yield across, down


def _meet(across: Rule, down: Rule) -> bool:
    return (
        across.start - _NEAR <= down.at <= across.end + _NEAR
        and down.start - _NEAR <= across.at <= down.end + _NEAR
    )


def _places(rules: Sequence[Rule], ends: Iterable[float]) -> list[float]:
    """Return where the lines stand, and the `ends` of those that cross them, one number for
    those that nearly coincide.
    """
    found: list[float] = []
    for at in sorted([*(rule.at for rule in rules), *ends]):
        if not found or at - found[-1] > 2 * _NEAR:
            found.append(at)
    return found


class _Grid:
    """Cells between lines."""

    def __init__(self, across: list[Rule], down: list[Rule]) -> None:
        self._across = across
        self._down = down
        self._ys = _places(across, ())
        self._xs = _places(down, (end for rule in across for end in (rule.start, rule.end)))

    def table(self, words: Sequence[tuple[int, Box, str]]) -> Table | None:
        rows, columns = len(self._ys) - 1, len(self._xs) - 1
        if rows < 2 or columns < 2:
            return None
        cells: list[list[list[tuple[int, str]]]] = [
            [[] for _ in range(columns)] for _ in range(rows)
        ]
        for place, box, word in words:
            x, y = box.middle
            row, column = _between(self._ys, y), _between(self._xs, x)
            if row is not None and column is not None:
                row, column = self._leading(row, column)
                cells[row][column].append((place, word))
        texts = [[join_words(cell) for cell in row] for row in cells]
        return self._accepted(texts)

    def _accepted(self, texts: list[list[str]]) -> Table | None:
        rows = [row for row in texts if any(row)]
        kept = [number for number in range(len(texts[0])) if any(row[number] for row in rows)]
        full = sum(1 for row in rows for text in row if text)
        if (
            len(rows) < 2
            or len(kept) < 2
            or full < 1.25 * len(rows)
            or any(len(text) > _LONGEST_CELL for row in rows for text in row)
        ):
            return None
        box = Box(self._xs[0], self._ys[0], self._xs[-1], self._ys[-1])
        order = kept[::-1] if reads_leftward("".join(map("".join, rows))) else kept
        return Table(box, tuple(tuple(row[number] for number in order) for row in rows))

    def _leading(self, row: int, column: int) -> tuple[int, int]:
        """Return the first cell of those that are one with this cell, as no line parts them."""
        middle_y = (self._ys[row] + self._ys[row + 1]) / 2
        while column and not _parted(self._down, self._xs[column], middle_y):
            column -= 1
        middle_x = (self._xs[column] + self._xs[column + 1]) / 2
        while row and not _parted(self._across, self._ys[row], middle_x):
            row -= 1
        return row, column


def _between(places: list[float], at: float) -> int | None:
    return next(
        (number for number in range(len(places) - 1) if places[number] <= at < places[number + 1]),
        None,
    )


def _parted(rules: list[Rule], at: float, where: float) -> bool:
    return any(
        abs(rule.at - at) <= 2 * _NEAR and rule.start - _NEAR <= where <= rule.end + _NEAR
        for rule in rules
    )


def bands(rules: Rules, box: Box) -> list[float]:
    """Return the heights of the lines that run across most of `box`, from its top to its bottom."""
    return _places(
        [
            r
            for r in rules.across
            if r.start <= box.x0 + box.width / 4
            and r.end >= box.x1 - box.width / 4
            and box.y0 - 12 <= r.at <= box.y1 + 12
        ],
        (),
    )
