"""Joins what continues in the next column, after a figure or a note, or on the next page: a text, a
table, a list, a program listing.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise, takewhile

import msgspec
from msgspec.structs import replace

from dogent_tui.documents.pdf.lists import Mark, mark_of
from dogent_tui.documents.pdf.model import (
    NOTHING,
    WIDE,
    Box,
    Cell,
    Element,
    Line,
    Nodes,
    Part,
    Run,
    Table,
    TextBlock,
    area_of,
    around,
    blocks_in,
    elements_in,
    ends_sentence,
    exchanged,
    is_within,
    lines_in,
    rows_in_order,
    text_of,
    without,
)
from dogent_tui.documents.pdf.structure import (
    NUMBERED,
    OFF_GRID,
    begins_item,
    pitch,
    within_sentence,
)
from dogent_tui.documents.pdf.survey import Survey

_WHOLE = frozenset({"Table", "L", "Code", "P", "BlockQuote"})
"""Elements that are joined across two pages as a whole; in other elements, their last child may
continue.
"""

_MARKED = frozenset({"Table", "L", "BlockQuote"})
"""Elements whose new page is marked after what precedes it."""

_MOST_ASIDE = 8
"""Tables, notes and captions that may interrupt a text."""

_MOST_EMPTY = 3.5
"""The maximum gap between two parts of a listing in lines."""

_SHORTEST = 10
"""The minimum length, in text sizes, of a line whose text continues elsewhere."""

_MOST_APART = 1.8
"""The line distance, in text sizes, up to which a text continues after a complete sentence."""

_MOST_NEAR = 1.6
"""The line distance, in text sizes, from which only a full line continues: headings that follow
each other are this far apart too, as are the rows of a form.
"""

_SAME_EDGE = 2.0
"""The tolerance in points for the edges of a table on consecutive pages."""

_SMALL = 0.95
"""The maximum size of notes and captions relative to the text."""


def joined(items: Iterable[Part], known: Survey) -> Nodes:
    """Return the `items` of a page, joining texts split by MuPDF, by something in the middle, or by
    the end of a column.
    """
    found: list[Part] = []
    for item in items:
        at = _place(found, item, known)
        if at is None:
            found.append(item)
        else:
            found[at] = _whole_text(found[at], item, known)
    return tuple(found)


class Joined(msgspec.Struct, frozen=True):
    """What is on a page including its continuation on the next one; the rest of that; and the
    repeated header of a table.
    """

    whole: Nodes
    rest: Nodes
    again: str = ""


def continued(above: Nodes, below: Nodes, number: int, known: Survey) -> Joined | None:
    """Return the page `above` joined with the one `below` it, page `number`; None if nothing
    continues.
    """
    first = next((node for node in below if isinstance(node, Element)), None)
    one = next((node for node in reversed(above) if isinstance(node, Element)), None)
    if one and first and one.xref == first.xref != 0:
        return _element(above, one, below, first, number, known)
    if found := _with_items(above, below, number):
        return found
    for at, node in enumerate(below[:_MOST_ASIDE]):
        rest = (*below[:at], *below[at + 1 :])
        if isinstance(node, Table):
            if table := _table(above, node, number):
                again = _head(node) if _head(node) == _head(table) else ""
                return Joined((*above[:-1], table), rest, again)
        elif isinstance(node, TextBlock) and (whole := _text(above, node, number, known)):
            return _with_items(whole, rest) or Joined(whole, rest)
        elif not _is_aside(node, known):
            return None
    return None


def _with_items(above: Nodes, below: Nodes, number: int = 0) -> Joined | None:
    """Return the page `above` with the items at the beginning of `below` that are inside the list
    at its end, or count on in letters; with the mark of page `number` if there is one.
    """
    listed, items = (list(takewhile(_marks, part)) for part in (reversed(above), below))
    if not listed or not items:
        return None
    marks = [mark for block in listed for mark in _marks(block)]
    first = _marks(items[0])[0]
    is_inside = first.x0 > min(mark.x0 for mark in marks) + 0.5 * first.size
    counts_on = first.label.isalpha() and first.label.lower() not in {"a", "i"}
    if not is_inside and not (counts_on and any(map(first.is_beside, marks))):
        return None
    end = above[-1]
    assert isinstance(end, TextBlock)
    if number:
        last = _with_mark(end.lines[-1], number, behind=True)
        end = TextBlock((*end.lines[:-1], last), end.column)
    moved = (TextBlock(block.lines, end.column) for block in blocks_in(items))
    return Joined((*above[:-1], end, *moved), below[len(items) :])


def _marks(part: Part) -> list[Mark]:
    """Return the marks in a text that begins with an item."""
    rows = rows_in_order(part.lines) if isinstance(part, TextBlock) else []
    return [mark for row in rows if (mark := mark_of(row))] if rows and mark_of(rows[0]) else []


def _element(
    above: Nodes, one: Element, below: Nodes, first: Element, number: int, known: Survey
) -> Joined | None:
    at, place = above.index(one), below.index(first)
    before, after = below[:place], below[place + 1 :]
    if one.kind not in _WHOLE:
        inner = continued(one.kids, (*before, *first.kids), number, known)
        if inner is None:
            return None
        whole = replace(one, kids=inner.whole)
        if inner.rest:
            after = (replace(first, kids=inner.rest), *after)
        return Joined((*above[:at], whole, *above[at + 1 :]), after, inner.again)
    again = _head_again(one, before, first)
    before = without(before, again)
    first = replace(first, kids=without(first.kids, again))
    if one.kind in _MARKED:
        ends = lines_in([one])[-1]
        marked = {ends: _with_mark(ends, number, behind=True)}
        one = replace(one, kids=exchanged(one.kids, marked))
    elif one.kind == "P":
        begins = lines_in([first])[0]
        marked = {begins: _with_mark(begins, number)}
        first = replace(first, kids=exchanged(first.kids, marked))
    return Joined(
        (*above[:at], _one(one, first), *above[at + 1 :]),
        (*before, *after),
        text_of(again),
    )


def _head_again(above: Element, before: Nodes, below: Element) -> list[Line]:
    """Return the lines of the header of a table that are repeated on the page on which it continues
    in `below`: they have the tags of the first page, or none, and are `before` it.
    """
    ended = {
        row.xref
        for part in elements_in([above])
        for row in part.kids[:-1]
        if isinstance(row, Element)
    }
    known = {word for line in lines_in([above]) for word in line.text.split()}
    bare = lines_in(before) if above.kind == "Table" else []
    again = lines_in(each for each in elements_in([below]) if each.xref in ended)
    again += [line for line in bare if known.issuperset(line.text.split())]
    return list(dict.fromkeys(again))


def _one(above: Element, below: Element) -> Element:
    """Return an element on two pages as one."""
    kept, last, new = above.kids[:-1], above.kids[-1], below.kids
    first = new[0] if new else None
    if isinstance(last, Element) and isinstance(first, Element) and last.xref == first.xref:
        last, new = _one(last, first), new[1:]
    return replace(above, kids=(*kept, last, *new))


def _with_mark(line: Line, number: int, *, behind: bool = False) -> Line:
    """Return the first line of a page as it continues a text, or with `behind` the last line above
    it; listings stay unchanged.
    """
    if line.mono:
        return line
    x0 = line.box.x1 if behind else line.runs[0].x0
    mark = Run(f"{' ' * behind}<!-- page {number} -->", line.size, x0=x0, markdown=True)
    runs = (*line.runs, mark) if behind else (mark, *line.runs)
    return replace(line, runs=runs)


def _table(above: Nodes, below: Table, number: int) -> Table | None:
    """Return the table at the end of `above` extended by `below`, which continues it in the same
    columns.
    """
    one = above[-1] if above else None
    if not isinstance(one, Table):
        return None
    widths = [sum(cell.across for cell in table.rows[-1]) for table in (one, below)]
    places = zip([one.box, *_columns(one)], [below.box, *_columns(below)], strict=False)
    edges = [(abs(a.x0 - b.x0), abs(a.x1 - b.x1)) for a, b in places]
    is_aligned = max(edges[0]) < _SAME_EDGE or max(map(min, edges)) < _SAME_EDGE
    has_head = _head(one) == _head(below)
    rows = (one.rows[0], below.rows[0], one.rows[:2][-1])
    heads = [all(line.bold for cell in row for line in cell.lines) for row in rows]
    is_another = heads == [True, True, False]  # with a head of its own
    if widths[0] != widths[1] or not (has_head or (is_aligned and not is_another)):
        return None
    *before, cell = one.rows[-1]
    lines = cell.lines or (NOTHING,)
    ends = (*lines[:-1], _with_mark(lines[-1], number, behind=True))
    last = (*before, replace(cell, lines=ends))
    rest = below.rows[has_head:]
    if rest and _is_cut(one.rows, rest[0]):
        cells = zip(last, rest[0], strict=True)
        last = tuple(replace(a, lines=(*a.lines, *b.lines)) for a, b in cells)
        rest = rest[1:]
    return Table(one.box, (*one.rows[:-1], last, *rest))


def _columns(table: Table) -> list[Box]:
    """Return the area of the texts in each column that has some."""
    columns = zip(*table.rows, strict=False)
    texts = ([line.box for cell in column for line in cell.lines] for column in columns)
    return [around(boxes) for boxes in texts if boxes]


def _is_cut(rows: Sequence[Sequence[Cell]], below: Sequence[Cell]) -> bool:
    """Return whether the row `below` continues the last of the `rows`: it has fewer texts, and one
    begins within a sentence, with a word that did not fit.
    """
    if len({len(below), *map(len, rows)}) > 1:
        return False
    one, other = (
        {at: cell.lines for at, cell in enumerate(row) if cell.lines} for row in (rows[-1], below)
    )

    def is_wrapped(at: int) -> bool:
        upper, lower = one[at][-1], other[at][0]
        widest = max(line.box.width for row in rows for line in row[at].lines)
        width = upper.box.width + lower.first_word
        return is_within(upper.text, lower.text) and width > widest

    return other.keys() < one.keys() and any(map(is_wrapped, other))


def _head(table: Table) -> str:
    return " ".join(text_of(cell.lines) for cell in table.rows[0])


def _text(above: Nodes, below: TextBlock, number: int, known: Survey) -> Nodes | None:
    """Return `above` with the text that continues in `below`."""
    at = _place(above, below, known)
    if at is None:
        return None
    begun = TextBlock((_with_mark(below.lines[0], number), *below.lines[1:]), below.column)
    return (*above[:at], _whole_text(above[at], begun, known), *above[at + 1 :])


def _place(items: Sequence[Part], item: Part, known: Survey) -> int | None:
    """Return the index of the item that continues in `item`: the last one, skipping tables, notes
    and captions.
    """
    if not isinstance(item, TextBlock) or known.furniture.repeats(item.text):
        return None
    for back, last in enumerate(reversed(items[-_MOST_ASIDE:]), 1):
        if isinstance(last, TextBlock) and _continues(last, item, known):
            return len(items) - back
        if not _is_aside(last, known):
            return None
    return None


def _is_aside(item: Part, known: Survey) -> bool:
    """Return whether `item` may interrupt a text."""
    if not isinstance(item, TextBlock):
        return isinstance(item, Table)
    first = item.lines[0]
    return (
        first.size < _SMALL * known.body or not first.upright or known.furniture.repeats(item.text)
    )


def _whole_text(above: Part, below: Part, known: Survey) -> TextBlock:
    """Return both as one text: if `below` is elsewhere on the page, it is moved under `above`, as
    if the column had no end.
    """
    assert isinstance(above, TextBlock) and isinstance(below, TextBlock)
    last, first = above.lines[-1], below.lines[0]
    if above.column == below.column and first.base > last.base:
        return TextBlock((*above.lines, *below.lines), above.column)
    here, there = above.column or above.box, below.column or below.box
    across = here.x1 - there.x1 if first.right_to_left else here.x0 - there.x0
    down = last.base + known.leading(last.size) - first.base
    return TextBlock((*above.lines, *(_moved(o, across, down) for o in below.lines)), above.column)


def _moved(line: Line, across: float, down: float) -> Line:
    box = line.box
    return Line(
        Box(box.x0 + across, box.y0 + down, box.x1 + across, box.y1 + down),
        tuple(replace(run, x0=run.x0 + across) for run in line.runs),
        line.upright,
        line.base + down,
    )


def _continues(above: TextBlock, below: TextBlock, known: Survey) -> bool:
    """Return whether the text of `above` continues in `below`."""
    row = [line for line in above.lines if line.box.beside(above.lines[-1].box)]
    last, first = max(row, key=lambda line: len(line.text)), below.lines[0]
    size, bottom = last.size, area_of(row)
    column, down = above.column or around([above.box, below.box]), first.base - last.base
    if (first.size, first.mono) != (size, last.mono):
        return False
    if last.mono:  # some words of code are bold, and its signs mark no items
        there = above.column == below.column and below.box.x0 > above.box.x1
        return (down < 0 and not there) or _on_grid(above, below, known.leading(size))
    if first.bold != last.bold:
        return False
    if first.bold and NUMBERED.match(first.text):
        return False
    is_item = mark_of(above.lines[:1]) is not None
    across = column.x0 - (below.column or below.box).x0
    if begins_item(below) and (
        is_item or not within_sentence([last], [_moved(first, across, 0)], column.x1)
    ):
        return False
    is_ended = ends_sentence("".join(line.text for line in row))
    most = min(1.2 * known.leading(size), _MOST_APART * size if is_ended else down + 1)
    width = max(above.box.width, below.box.width)  # a paragraph's last line is short
    is_below = above.column == below.column and down > 0
    begin = first.text.lstrip()[:1]
    is_near = down < _MOST_NEAR * size or begin.islower()
    if not is_near and any(b.box.x0 - a.box.x1 > 3 * size for a, b in pairwise(row)):
        return False  # a row of a form
    if is_below and down < most:
        from_left, from_right = above.box.x0 - below.box.x0, above.box.x1 - below.box.x1
        indent = abs(from_right if last.right_to_left else from_left)
        indent = min(indent, abs(from_left + from_right) / 2)  # of centered text
        is_full = bottom.width > 0.85 * width and indent < max(4 * size, 0.1 * width)
        return is_full and (is_near or _has_no_room(bottom, column, first))
    if is_ended or bottom.width < _SHORTEST * size:
        return False
    if begin.islower():
        return bottom.width > 0.5 * width
    return _has_no_room(bottom, column, first)


def _has_no_room(bottom: Box, column: Box, first: Line) -> bool:
    """Return whether the first word of `first` would not fit behind the line `bottom`."""
    room = bottom.x0 - column.x0 if first.right_to_left else column.x1 - bottom.x1
    if WIDE.match(first.text.lstrip()[:1]):
        return room < 2.2 * first.size
    return room < 1.2 * first.first_word + 0.3 * first.size


def _on_grid(above: TextBlock, below: TextBlock, leading: float) -> bool:
    """Return whether two parts of a listing belong together, separated by empty lines of the usual
    height. `leading` is the line distance of parts with one line.
    """
    bases = [[line.base for line in block.lines] for block in (above, below)]
    steps = [two - one for block in bases for one, two in pairwise(block)]
    step = pitch(steps) or leading
    apart = (bases[1][0] - bases[0][-1]) / step
    return 0.5 < apart < _MOST_EMPTY and abs(apart - round(apart)) < OFF_GRID
