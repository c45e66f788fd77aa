"""The cells of tables whose words stay whole: a browser takes a column that may break anywhere for one of a single letter."""

import re
from typing import Any

from dogent_tui.documents.export.tree import plain_text

WHOLE = "whole"
"""The class of such a cell (`styles/pdf.css`)."""
_LONGEST = 20
"""Characters of a word; a longer one, such as an address, may break anywhere."""
_UPRIGHT, _ON_ITS_SIDE = 84, 128
"""Characters of a table's 9.3 points that fit beside each other on a page, roughly."""
_MARGINS = 3
"""Characters that the space on both sides of a cell is worth."""
_WORD = re.compile(r"[^\s\u2e80-\uffdc]+")
"""What has no place to break: Chinese, Japanese and Korean text has one after each character."""


def columns_fit(rows: list[Any]) -> bool:
    """Tell whether a page is wide enough for the longest words of a table side by side, and mark the cells that stay whole.

    `rows` are those of pandoc's tree. On a page that lies on its side, more words stay whole.
    """
    columns: dict[int, int] = {}
    cells = []
    covered: dict[int, int] = {}
    for _, row in rows:
        place = 0
        for cell in row:
            while covered.get(place, 0):
                covered[place] -= 1
                place += 1
            _, _, down, across, blocks = cell
            longest = max(map(len, _WORD.findall(plain_text_of(blocks))), default=0)
            if across == 1:
                columns[place] = max(columns.get(place, 1), longest if longest <= _LONGEST else 1)
            cells.append((cell, longest))
            for _ in range(across):
                covered[place] = down - 1
                place += 1
    needed = sum(columns.values()) + _MARGINS * len(columns)
    for cell, longest in cells:
        cell[0] = ["", [WHOLE] if longest <= _LONGEST and needed <= _ON_ITS_SIDE else [], []]
    return needed <= _UPRIGHT


def plain_text_of(blocks: list[Any]) -> str:
    """Return the words of `blocks`, apart from each other."""
    return " ".join(plain_text(block) for block in blocks)
