"""An untagged page: its lines are structured by position and style."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from msgspec.structs import replace

from dogent_tui.documents.pandoc.tree import Node, table_node
from dogent_tui.documents.pdf.flow import joined
from dogent_tui.documents.pdf.lists import Item, Mark, is_mark, list_nodes
from dogent_tui.documents.pdf.model import (
    BULLET,
    Box,
    Line,
    Nodes,
    Rows,
    Run,
    Table,
    TextBlock,
    area_of,
    around,
    blocks_in,
    lines_in,
    rows_in_order,
    rows_of,
    without,
)
from dogent_tui.documents.pdf.order import from_the_top, regions
from dogent_tui.documents.pdf.structure import (
    code_block,
    heading,
    heading_level,
    is_code,
    label_numbers,
    paragraph,
    paragraphs,
)
from dogent_tui.documents.pdf.survey import Survey
from dogent_tui.documents.pdf.tables import aligned_tables, drawn_on, fenced_tables

_SIGN_FONTS = ("dingbats", "wingdings", "webdings")
_NUMBER = re.compile(r" ?\d{1,3} ?")
_WIDEST_GAP, _NUMBER_GAP = 3.5, 2.0
"""The maximum gap between an item's mark, or a number, and the item, in text sizes."""
_LARGEST_MARK = 1.3
"""The maximum height of a drawn mark of an item in text sizes."""


def layout_items(page: Any, blocks: Sequence[TextBlock], known: Survey) -> Nodes:
    """Return the content of the `blocks` of the pymupdf page, in reading order."""
    if not blocks:
        return ()
    return joined(_items(page, blocks, known), known)


def nodes_of(items: Sequence[TextBlock | Table], known: Survey) -> Iterator[Node]:
    """Yield the elements for the `items`, with the items of a list joined."""
    labels = label_numbers(items, known.body)
    writer = List()
    for place, item in enumerate(items):
        if isinstance(item, Table):
            cells = [
                [(o.down, o.across, [paragraph(rows_in_order(o.lines))]) for o in row]
                for row in item.rows
            ]
            node = table_node(cells, heads=max(cell.down for cell in item.rows[0]))
        elif level := heading_level(item, known, is_label=place in labels):
            node = heading(item.lines, level)
        elif not known.typewritten and is_code(item):
            node = code_block(item.lines)
        else:
            for mark, rows in paragraphs(item):
                yield from writer.written(mark, rows, item.column)
            continue
        yield from writer.flushed()
        yield node
    yield from writer.flushed()


class List:
    """A growing list, joined across the blocks that contain its items; the depth of an item follows
    from the indentation of its mark.
    """

    def __init__(self) -> None:
        self.items: list[Item] = []
        self._rows: Rows = []

    def add(self, mark: Mark, blocks: list[Node]) -> None:
        """Append an item."""
        depth, inner = 0, None
        for item in reversed(self.items):  # the last item and its ancestors
            if inner is None or item.depth < inner:
                inner = item.depth
                depth += item.mark.holds(mark)
        self.items.append(Item(mark, depth, blocks))

    def written(self, mark: Mark | None, rows: Rows, column: Box | None) -> Iterator[Node]:
        """Add a part of the text in a column; yield what is complete."""
        if column and mark is not None:
            left = -column.x1 if rows[0][0].right_to_left else column.x0
            x0, text = mark.x0 - left, mark.text - left
            mark = replace(mark, x0=x0, text=text)
        if mark is not None and self._takes(mark):
            self._rows = rows
            self.add(mark, [paragraph(rows, mark)])
        elif mark is None and self.items and self._continues(rows):
            self._rows = [*self._rows, *rows]
            last = self.items[-1]
            last.blocks[-1] = paragraph(self._rows, last.mark)
        else:
            yield from self.flushed()
            yield paragraph(rows)

    def flushed(self) -> Iterator[Node]:
        """Yield the list so far, and start another. A capital letter alone is an initial."""
        is_name = len(self.items) == 1 and self.items[0].mark.label.isupper()
        yield from [paragraph(self._rows)] if is_name else list_nodes(self.items)
        self.items = []

    def _takes(self, mark: Mark) -> bool:
        """Return whether `mark` may belong to this list: a letter or Roman number continues others,
        or starts an enumeration.
        """
        begins = not mark.label.isalpha() or mark.label.lower() in {"a", "i"}
        return begins or any(item.mark.label.isalpha() for item in self.items)

    def _continues(self, rows: Rows) -> bool:
        """Return whether `rows` directly follow the last item with the same indentation as its
        text.
        """
        first, last = rows[0][0], self._rows[-1][0]
        near = -0.5 * first.size < first.box.y0 - last.box.y1 < 0.6 * first.size
        return near and first.start > self._rows[0][0].start + 0.6 * first.size


def _with_marks(blocks: Sequence[TextBlock], dots: Iterable[Box]) -> Iterator[TextBlock]:
    """Yield the blocks with item marks, which are often drawn separately, at the beginning of their
    lines. Some are drawn `dots` rather than characters.
    """
    lines = lines_in(blocks)
    drawn = (
        Line(dot, (Run(BULLET, dot.height, x0=dot.x0),), base=dot.y1)
        for dot in dots
        if not any(_ends_before(line, dot) for line in lines)
    )
    rows = rows_of([*lines, *drawn])
    alone = {line.text.strip() for row in rows for line in row if _NUMBER.fullmatch(line.text)}
    near = {str(int(text) + step) for text in alone for step in (-1, 1)}
    partners: dict[Line, Line] = {}
    for row in rows:
        texts = [line for line in row if not _is_mark(line)]
        for mark, line in pairwise(row):
            sign = mark.text.strip()
            is_only = sum(text is not mark for text in texts) == 1
            widest = _WIDEST_GAP if _is_mark(mark) else _NUMBER_GAP
            gap = line.box.x0 - mark.box.x1
            if line.right_to_left:
                gap = mark.box.x0 - line.box.x1
            begins = _is_mark(mark) or sign in near
            beside = -1 < gap < widest * line.size
            is_large = not mark.runs[0].font and mark.size > _LARGEST_MARK * line.size
            if begins and beside and not is_large and (is_only or not sign.strip(".)(").isalnum()):
                partners[line] = mark
    marks = set(partners.values())
    for block in blocks:
        lines = [line for line in block.lines if line not in marks]
        if lines:
            yield TextBlock(tuple(_marked(line, partners.get(line)) for line in lines))


def _is_mark(line: Line) -> bool:
    return is_mark(line.text) or _is_sign(line)


def _is_sign(line: Line) -> bool:
    """Return whether a line is a single character of a symbol font, as bullets often are."""
    font = line.runs[0].font.lower()
    return len(line.text.strip()) == 1 and any(name in font for name in _SIGN_FONTS)


def _ends_before(line: Line, dot: Box) -> bool:
    """Return whether `dot` is inside or directly after `line`, so that it does not mark what
    follows.
    """
    if line.right_to_left:
        begins, gap = line.box.x1 >= dot.x1, line.box.x0 - dot.x1
    else:
        begins, gap = line.box.x0 <= dot.x0, dot.x0 - line.box.x1
    return line.box.beside(dot) and begins and gap < _WIDEST_GAP * line.size


def _marked(line: Line, mark: Line | None) -> Line:
    if mark is None:
        return line
    blank = Run(" ", line.size, x0=mark.box.x1)
    dot = "." if mark.text.strip().isdecimal() else ""
    signs = [
        replace(run, text=BULLET if _is_sign(mark) else run.text.strip() + dot) for run in mark.runs
    ]
    return Line(around([mark.box, line.box]), (*signs, blank, *line.runs), base=line.base)


def _items(page: Any, blocks: Sequence[TextBlock], known: Survey) -> Iterator[TextBlock | Table]:
    drawn, dots = drawn_on(page)
    lines = lines_in(blocks)
    fenced = fenced_tables(page, drawn, lines)
    areas = [table.box for table in fenced]
    inside = (line for line in lines if any(area.holds(line.box.middle, 1) for area in areas))
    outside = list(blocks_in(without(tuple(blocks), inside)))
    aslant = [block for block in outside if not all(line.upright for line in block.lines)]
    groups = regions([block for block in outside if block not in aslant], known.columns)
    for number, unmarked in enumerate(groups):
        region = list(_with_marks(unmarked, dots))
        tables = aligned_tables(lines_in(region))
        used = {line for _, used in tables for line in used}
        column = area_of(lines_in(region)) if region else None
        texts = [TextBlock(part.lines, column) for block in region for part in _parts(block, used)]
        here = [table for table in fenced if _home(table, groups) == number]
        yield from from_the_top([*texts, *here, *(table for table, _ in tables)])
    yield from aslant


def _home(table: Table, groups: list[list[TextBlock]]) -> int:
    """Return the group after which the `table` is read: the closest one."""
    ways = [
        (abs(block.box.y0 - table.box.y0) + abs(block.box.x0 - table.box.x0), number)
        for number, group in enumerate(groups)
        for block in group
    ]
    return min(ways, default=(0.0, 0))[1]


def _parts(block: TextBlock, used: set[Line]) -> Iterator[TextBlock]:
    """Yield the parts of `block` outside tables, split where a table was, and where a heading
    starts or ends.
    """
    part: list[Line] = []
    lines = [line for row in rows_of(block.lines) for line in row]
    for line in lines:
        taken = line in used
        if part and (taken or _differs(part[-1], line)):
            yield TextBlock(tuple(part))
            part = []
        if not taken:
            part.append(line)
    if part:
        yield TextBlock(tuple(part))


def _differs(above: Line, line: Line) -> bool:
    """Return whether the styles of two lines of a block differ so much that one is a heading of the
    other.
    """
    larger = abs(above.size - line.size) >= 0.12 * min(above.size, line.size)
    if above.box.beside(line.box):  # a title with a date or a number on the other side of the page
        return larger and line.box.x0 - above.box.x1 > 3 * above.size
    return larger or above.bold != line.bold or above.mono != line.mono
