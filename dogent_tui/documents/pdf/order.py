"""The order in which the blocks of a page are read: column by column, where it has columns."""

from collections.abc import Sequence

from dogent_tui.documents.pdf.model import Box, Table, TextBlock, around

_GUTTER = 4.0
_PROSE = 22
"""Characters of a line: columns of text have longer ones, tables and forms mostly shorter."""


def gutter(blocks: Sequence[TextBlock]) -> float | None:
    """Return the x between two columns of prose, None where the page has one column."""
    if len(blocks) < 2:
        return None
    page = around(block.box for block in blocks)
    best: tuple[float, float] | None = None
    for step in range(25, 76):
        x = page.x0 + page.width * step / 100
        share = _crossing(blocks, x)
        if share < 0.4 and _columns(blocks, x) and (best is None or share < best[0]):
            best = (share, x)
    return best[1] if best else None


def _crossing(blocks: Sequence[TextBlock], x: float) -> float:
    """The share of the text that lies across `x`."""
    total = sum(len(block.text) for block in blocks)
    return sum(len(block.text) for block in blocks if _across(block.box, x)) / max(1, total)


def _across(box: Box, x: float) -> bool:
    return box.x0 < x - _GUTTER / 2 and box.x1 > x + _GUTTER / 2


def _columns(blocks: Sequence[TextBlock], x: float) -> bool:
    sides = ([b for b in blocks if b.box.x1 <= x + _GUTTER / 2], [b for b in blocks if b.box.x0 >= x - _GUTTER / 2])
    if any(sum(len(block.lines) for block in side) < 4 for side in sides):
        return False
    for side in sides:
        lines = [line for block in side for line in block.lines if len(line.text.strip()) > 3]  # no bullets
        if len(lines) < 4 or sum(len(line.text) for line in lines) < _PROSE * len(lines):
            return False
    left, right = (around(block.box for block in side) for side in sides)
    shared = min(left.y1, right.y1) - max(left.y0, right.y0)
    return shared > 0.3 * min(left.height, right.height)


def regions(blocks: Sequence[TextBlock]) -> list[list[TextBlock]]:
    """Return the blocks in groups in the order of reading: what lies across the columns parts them."""
    x = gutter(blocks)
    if x is None:
        return [list(blocks)]
    found: list[list[TextBlock]] = []
    left: list[TextBlock] = []
    right: list[TextBlock] = []
    for block in sorted(blocks, key=lambda block: block.box.y0):
        if _across(block.box, x):
            found += [left, right, [block]]
            left, right = [], []
        elif block.box.middle[0] < x:
            left.append(block)
        else:
            right.append(block)
    found += [left, right]
    if _right_to_left(blocks):
        found = [group for first, second in zip(found[::3], found[1::3], strict=False) for group in (second, first)] + found[2::3]
    return [group for group in found if group]


def _right_to_left(blocks: Sequence[TextBlock]) -> bool:
    lines = [line for block in blocks for line in block.lines][:100]
    return sum(1 for line in lines if line.right_to_left) * 2 > len(lines)


def from_the_top(items: Sequence[TextBlock | Table]) -> list[TextBlock | Table]:
    """Return what stands in one column from its top to its bottom, and side by side from the left."""
    rows: list[list[TextBlock | Table]] = []
    for item in sorted(items, key=lambda item: item.box.y0):
        if rows and all(_level(item.box, there.box) for there in rows[-1]):
            rows[-1].append(item)
        else:
            rows.append([item])
    return [item for row in rows for item in sorted(row, key=lambda item: item.box.x0)]


def _level(one: Box, other: Box) -> bool:
    return abs(one.y0 - other.y0) < 4 and (one.x1 <= other.x0 + 1 or other.x1 <= one.x0 + 1)
