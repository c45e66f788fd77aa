"""Tables that fit the width: columns shrink, cells wrap, and as a last resort each row is drawn as
a list.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

from dogent_tui.records import Record
from dogent_tui.tui.transcript.lines import BLANK, Line, Span, prefixed, wrap

Alignment = Literal["left", "center", "right"]
Cell = list[Span]

_NARROWEST = 3
"""The minimum width in cells of a readable column."""

_BETWEEN = " │ "


class Table(Record):
    """A parsed table: rows of cells, the first one the header; short rows are filled with empty
    cells.
    """

    rows: Sequence[Sequence[Cell]]
    alignments: Sequence[Alignment]

    def lines(self, width: int) -> list[Line]:
        """Return the table drawn in at most `width` cells."""
        columns = len(self.alignments)
        room = width - len(_BETWEEN) * (columns - 1)
        wanted = [
            max(1, *(_natural(row[column]) for row in self.rows)) for column in range(columns)
        ]
        if room < sum(min(_NARROWEST, want) for want in wanted):
            return list(self._listed(width))
        return list(self._drawn(_fit(wanted, room)))

    def _drawn(self, widths: Sequence[int]) -> Iterator[Line]:
        wrapped = False
        for number, row in enumerate(self.rows):
            cells = [wrap(cell, width) for cell, width in zip(row, widths, strict=True)]
            height = max(len(cell) for cell in cells)
            wrapped = wrapped or height > 1
            if number == 1:
                yield _rule(widths, "━", "━┿━")
            elif number > 1 and wrapped:
                yield _rule(widths, "─", "─┼─")
            for index in range(height):
                yield self._row(
                    [cell[index] if index < len(cell) else BLANK for cell in cells], widths
                )

    def _row(self, cells: Sequence[Line], widths: Sequence[int]) -> Line:
        spans: list[Span] = []
        places = []
        size = 0
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True)):
            if column:
                spans.append(Span(_BETWEEN, "rule"))
                size += len(_BETWEEN)
            missing = width - cell.width
            left = {"left": 0, "center": missing // 2, "right": missing}[self.alignments[column]]
            right = missing - left if column < len(widths) - 1 else 0
            spans += [Span(" " * left), *cell.spans, Span(" " * right)]
            start, end = size + left, size + left + len(cell.text)
            places.append((start, end, cell.glue))
            size = end + right
        return Line(
            tuple(span for span in spans if span.text),
            cells=tuple((start - size, end - size, glue) for start, end, glue in places),
        )

    def _listed(self, width: int) -> Iterator[Line]:
        head, *rows = self.rows
        for number, row in enumerate(rows or [head]):
            if number:
                yield _rule([min(width, 20)], "─", "")
            for title, cell in zip(head, row, strict=True):
                label = [*title, Span(": ", "muted")] if rows else []
                yield from prefixed(wrap([*label, *cell], max(1, width - 2)), Span(""), Span("  "))


def _natural(cell: Cell) -> int:
    """Return the width of `cell` without wrapping."""
    return max(line.width for line in wrap(cell, 1_000_000))


def _fit(wanted: Sequence[int], room: int) -> list[int]:
    """Distribute `room` among the columns: what narrow ones do not need goes to the wide ones."""
    widths = [0] * len(wanted)
    left = len(wanted)
    for column in sorted(range(len(wanted)), key=lambda column: wanted[column]):
        widths[column] = min(wanted[column], room // left)
        room -= widths[column]
        left -= 1
    return widths


def _rule(widths: Sequence[int], dash: str, cross: str) -> Line:
    text = cross.join(dash * width for width in widths)
    return Line((Span(text, "rule"),), decoration=len(text))
