"""Selecting text with the mouse, in coordinates that stay valid while lines are added and heights
change.

Textual passes a selection around as offsets: x counts the characters of a line, y is only compared
and returned. Therefore y encodes the entry, its part and the line, in this order of significance.
"""

import re
from collections.abc import Iterable, Iterator

from rich.cells import cell_len, split_text
from textual.geometry import Offset
from textual.selection import Selection

from dogent_tui.tui.transcript.layout import Layout
from dogent_tui.tui.transcript.lines import Line
from dogent_tui.tui.transcript.rows import Place

_BITS = 20
_MASK = (1 << _BITS) - 1
_WORD = re.compile(r"[\w\-./@]+")


def key(place: Place) -> int:
    """Return the y of `place`."""
    return place.row.entry << 2 * _BITS | place.row.part << _BITS | min(place.line, _MASK)


def span(selection: Selection, y: int, line: Line) -> tuple[int, int] | None:
    """Return the selected characters of `line` at `y`, None if there are none. Decoration is never
    selected.
    """
    selected = selection.get_span(y)
    if selected is None:
        return None
    size = len(line.text)
    start = max(selected[0], line.decoration)
    end = size if selected[1] == -1 else min(size, selected[1])
    return (start, end) if start < end else None


def selected_text(selection: Selection, numbered: Iterable[tuple[int, Line]]) -> str:
    """Return the selected text of lines, each with its y: without bars and gutters, and with
    wrapped lines joined.
    """
    text = []
    for y, line in numbered:
        if selection.get_span(y) is not None:
            part = span(selection, y, line)
            text += [line.text[slice(*part)] if part else "", line.glue]
    return "".join(text[:-1])


def numbered(selection: Selection, layout: Layout) -> Iterator[tuple[int, Line]]:
    """Yield the lines of the rows in which the selection starts and ends, and of those between."""
    first = 0 if selection.start is None else _row(selection.start, layout)
    last = len(layout.rows) - 1 if selection.end is None else _row(selection.end, layout)
    for row in layout.rows[first : last + 1]:
        for number, line in enumerate(layout.lines(row)):
            yield key(Place(row, number)), line


def word(layout: Layout, place: Place, cell: int) -> Selection:
    """Return the selection of the word at `cell` of a line (letters, digits and connectors),
    otherwise of that character.
    """
    line = layout.lines(place.row)[place.line]
    text = line.text
    # rich 15 raises IndexError for a cell beyond the end of a text with wide characters
    within = min(max(0, cell), cell_len(text))
    at = min(len(split_text(text, within)[0]), max(0, len(text) - 1))
    words = (found.span() for found in _WORD.finditer(text, line.decoration))
    start, end = next(
        (span for span in words if span[0] <= at < span[1]), (at, min(at + 1, len(text)))
    )
    return Selection(Offset(start, key(place)), Offset(end, key(place)))


def paragraph(layout: Layout, place: Place) -> Selection:
    """Return the selection of the text that was one line before wrapping."""
    lines = layout.lines(place.row)
    first = last = place.line
    while first > 0 and lines[first - 1].glue != "\n":
        first -= 1
    while last < len(lines) - 1 and lines[last].glue != "\n":
        last += 1
    start, end = place._replace(line=first), place._replace(line=last)
    return Selection(Offset(0, key(start)), Offset(len(lines[last].text), key(end)))


def _row(offset: Offset, layout: Layout) -> int:
    rows = layout.rows_of(offset.y >> 2 * _BITS)
    part = offset.y >> _BITS & _MASK
    return rows[min(part, len(rows) - 1)].index if rows else 0
