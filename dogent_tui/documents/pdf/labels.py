"""Lines that are bold or large and yet no headings: labels beside their values, terms above
their definitions, addresses.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from dogent_tui.documents.pdf.model import Table, TextBlock, rows_of
from dogent_tui.documents.pdf.structure import begins_item

_WIDE_GAP = 3.0
"""Sizes of the text between two words of a row, after which they are in columns: a section's
number stands nearer.
"""

_MOST_IN_ROW = 8
"""Blocks side by side that are compared: what is in a row follows each other from top to bottom
too.
"""

_CONTACT = re.compile(r"\w@\w|\(\d{2,5}\) ?\d{3}|\b\d{3}[-. ]\d{3}[-. ]\d{4}\b|https?://|\bwww\.")
"""What is in an address, and in no heading."""


def label_numbers(items: Sequence[TextBlock | Table], body: float) -> set[int]:
    """Return which of a page's `items` are no headings, however they are set. `body` is the size
    of the text.
    """
    blocks = [(number, item) for number, item in enumerate(items) if isinstance(item, TextBlock)]
    found = {
        number for number, block in blocks if _CONTACT.search(block.text) or _in_columns(block)
    }
    rows = sorted(
        ((number, block) for number, block in blocks if _is_row(block)),
        key=lambda row: row[1].lines[0].box.y0,
    )
    for place, (number, block) in enumerate(rows):
        for other_number, other in rows[place + 1 : place + 1 + _MOST_IN_ROW]:
            if _names(block, other):
                found |= {number, other_number}
    for (number, block), (after, below) in pairwise(blocks):
        if after == number + 1 and _defines(block, below, body):
            found.add(number)
    return found


def _in_columns(block: TextBlock) -> bool:
    for row in rows_of(block.lines):
        from_left = sorted(row, key=lambda line: line.box.x0)
        if any(
            right.box.x0 - left.box.x1 > _WIDE_GAP * left.size
            for left, right in pairwise(from_left)
        ):
            return True
    return False


def _is_row(block: TextBlock) -> bool:
    return all(line.upright and line.box.beside(block.lines[0].box) for line in block.lines)


def _names(block: TextBlock, other: TextBlock) -> bool:
    """Tell whether one of the two is a bold label, and the other its value in the same row, set
    as large.
    """
    one, two = block.lines[0], other.lines[0]
    return one.bold != two.bold and abs(one.size - two.size) < 0.5 and one.box.beside(two.box)


def _defines(term: TextBlock, below: TextBlock, body: float) -> bool:
    """Tell whether all of `below` is indented right under `term`, which is set as large as the
    text.
    """
    first = term.lines[0]
    indented = min(line.box.x0 for line in below.lines) > first.box.x0 + first.size
    near = -first.size < below.box.y0 - term.box.y1 < 0.5 * first.size
    return first.size <= body and indented and near and not begins_item(below)
