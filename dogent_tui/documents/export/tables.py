"""The cells of tables whose words stay whole: a browser takes a column that may break anywhere for one of a single letter."""

import re
from collections.abc import Sequence
from itertools import pairwise

from markdown_it.token import Token

from dogent_tui.documents.export.dialect import plain_text

WHOLE = "whole"
"""The class of such a cell (`styles/pdf.css`)."""
_LONGEST = 20
"""Characters of a word; a longer one, such as an address, may break anywhere."""
_ROOM = 84
"""Characters of a table's 9.3 points that fit beside each other on a page, roughly."""
_MARGINS = 3
"""Characters that the space on both sides of a cell is worth."""
_WORD = re.compile(r"[^\s\u2e80-\uffdc]+")
"""What has no place to break: Chinese, Japanese and Korean text has one after each character."""


def keep_words_whole(tokens: Sequence[Token]) -> None:
    """Mark the cells of each table whose words can stay whole, unless the words side by side would be wider than a page."""
    rows: list[list[tuple[Token, int]]] = []
    for opening, inside in pairwise(tokens):
        if opening.type == "table_open":
            rows = []
        elif opening.type == "tr_open":
            rows.append([])
        elif opening.type in ("th_open", "td_open") and rows:
            rows[-1].append((opening, max(map(len, _WORD.findall(plain_text(inside))), default=0)))
        elif opening.type in ("thead_close", "tbody_close") and inside.type == "table_close":
            _mark(rows)


def _mark(rows: list[list[tuple[Token, int]]]) -> None:
    columns: dict[int, int] = {}
    for row in rows:
        for place, (_, longest) in enumerate(row):
            columns[place] = max(columns.get(place, 1), longest if longest <= _LONGEST else 1)
    if sum(columns.values()) + _MARGINS * len(columns) > _ROOM:
        return
    for row in rows:
        for cell, longest in row:
            if longest <= _LONGEST:
                cell.attrJoin("class", WHOLE)
