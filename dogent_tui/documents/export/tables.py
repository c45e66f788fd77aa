"""Tables: their captions, cells whose words must not be broken, and tables too wide for a page.

A browser considers a column that may break anywhere as narrow as one letter.
"""

import re
from itertools import chain, dropwhile
from typing import Any

from dogent_tui.documents.export.lengths import points
from dogent_tui.documents.export.tree import (
    LANDSCAPE,
    Node,
    attributes,
    div,
    kinds_in,
    node,
    plain_text,
    walk,
    words,
)
from dogent_tui.documents.pandoc.tree import LISTS
from dogent_tui.plain import columns_of

WHOLE = "whole"
"""The class of such a cell (`styles/pdf.css`)."""
WORD = "word"
"""The class of one with a single word, such as a date, not broken at its hyphens either."""
DENSE = "dense"
"""The class of a table with many columns, in smaller type."""
_LONGEST = 20
"""The length of a word in characters; a longer one, such as an address, may break anywhere."""
_UPRIGHT, _ON_ITS_SIDE, _DENSE = 84, 128, 165
"""The approximate number of characters that fit in the width of a page at a table's 9.3 points, and
at 7.6 points if that is too few.
"""
_ITEM = "_" * 6
"""Letters as wide as what is before an item of a list."""
_MARGINS = 3
"""The padding of a cell, in characters."""
_CELL, _LETTER, _DENSE_LETTER = 18.0, 5.6, 4.5
"""The padding of a cell with room for wide letters, and the width of a letter, in points."""
_CAPTION = re.compile(r"(?:Table)?:")
_WORD = re.compile(r"[^\s\u2e80-\uffdc]+")
"""Text without break opportunities: Chinese, Japanese and Korean text has one after each
character.
"""


def turned(block: Node, share: float = 1) -> Node:
    """Return a table too wide for a page as a landscape page of its own; other blocks unchanged.
    Marks the cells whose words must not be broken. `share` is the width of the paper, as a part of
    that of A4.
    """
    if block.get("t") != "Table":
        return block
    columns, cells = _columns(block["c"])
    words = [[_longest(_text(cell)) for cell in column] for column in columns]
    needed = sum(
        _MARGINS + max((size if size <= _LONGEST else 1 for size in sizes), default=1)
        for sizes in words
    )
    for cell in cells:
        text = _text(cell)
        is_whole = needed <= _DENSE * share and _longest(text) <= _LONGEST
        cell[0] = attributes("", *[WORD if len(text.split()) == 1 else WHOLE] * is_whole)
    block["c"][0][1] = [DENSE] if needed > _ON_ITS_SIDE * share else []
    return block if needed <= _UPRIGHT * share else div(LANDSCAPE, [block])


def _longest(text: str) -> int:
    return max(map(len, _WORD.findall(text)), default=0)


def _text(cell: Any) -> str:
    """Return the text of a cell, with what is before the items of a list as letters."""
    return " ".join(_ITEM * (block["t"] in LISTS) + plain_text(block) for block in cell[4])


def _columns(table: Any) -> tuple[list[list[Any]], list[Any]]:
    """Return the cells in each column, with its share of the text of those that span several, and
    all cells.
    """
    columns: list[list[Any]] = [[] for _ in table[2]]
    cells = []
    covered = [0] * len(columns)
    for _, row in chain(*rows_of(table)):
        place = 0
        for cell in row:
            while covered[place]:
                covered[place] -= 1
                place += 1
            _, _, down, across, _ = cell
            cells.append(cell)
            text = _text(cell)
            share = [node("Plain", words(text[: -(-len(text) // across)]))]
            for column in columns[place : place + across]:
                column.append(cell if across == 1 else [*cell[:4], share])
            covered[place : place + across] = [down - 1] * across
            place += across
        covered[place:] = [max(rest - 1, 0) for rest in covered[place:]]
    return columns, cells


def rows_of(table: Any) -> list[list[Any]]:
    """Return the lists of rows in a table."""
    (_, head), bodies, (_, foot) = table[3:]
    return [head, *(rows for _, _, *parts in bodies for rows in parts), foot]


def column_widths(table: Any, whole: float, *, dense: bool = False) -> list[float]:
    """Return the widths of the columns in points: what each needs or, if that exceeds `whole`, by
    the amount of text. Images, with sizes in points, are made to fit.
    """
    columns = _columns(table)[0]
    images = [_images(cells) for cells in columns]
    widths = _widths(columns, images, whole, _DENSE_LETTER if dense else _LETTER)
    for in_column, width in zip(images, widths, strict=True):
        for image in in_column:
            sizes = {side: points(size) for side, size in image["c"][0][2]}
            shrunk = min(1, (width - _CELL) / sizes["width"])
            image["c"][0][2] = [[side, f"{size * shrunk:.2f}pt"] for side, size in sizes.items()]
    return widths


def _images(cells: list[Any]) -> list[Node]:
    found = [part for part in walk([cell[4] for cell in cells]) if part["t"] == "Image"]
    return [image for image in found if points(dict(image["c"][0][2]).get("width", ""))]


def _widths(
    columns: list[list[Any]], images: list[list[Node]], whole: float, letter: float
) -> list[float]:
    texts = [[*map(_text, cells), ""] for cells in columns]
    drawn = [
        max((points(dict(image["c"][0][2])["width"]) for image in in_column), default=0)
        for in_column in images
    ]
    needs = [
        _CELL + max(letter * max(map(columns_of, of_column)), wide)
        for of_column, wide in zip(texts, drawn, strict=True)
    ]
    if sum(needs) <= whole:
        return needs
    words = [{word for text in of_column for word in [*text.split(), ""]} for of_column in texts]
    longest = [min(max(map(columns_of, of_column)), _LONGEST) for of_column in words]
    share = whole / len(columns) - _CELL
    least = [  # bold and wide letters need more
        _CELL + max(letter * (one + 1), min(wide, share))
        for one, wide in zip(longest, drawn, strict=True)
    ]
    spare = whole - sum(least)
    if spare <= 0:
        return [whole * one / sum(least) for one in least]
    # long texts may wrap more often
    wishes = [max(need - one, 0) ** 0.7 for need, one in zip(needs, least, strict=True)]
    return [one + spare * wish / sum(wishes) for one, wish in zip(least, wishes, strict=True)]


def label_of(inlines: list[Any], kind: str) -> str:
    """Return the name of this kind in attributes at the end of `inlines`; pandoc has them as a span
    around the last one.
    """
    name: str = inlines[-1]["c"][0][0] if inlines and inlines[-1]["t"] == "Span" else ""
    return name if name.lower().startswith((f"{kind}:", f"{kind}-")) else ""


def captioned(blocks: list[Any]) -> list[Any]:
    """Return `blocks` with caption paragraphs, after or before a table, moved into these tables.
    Other lists are returned unchanged.
    """
    if "Table" not in kinds_in(blocks):
        return blocks
    out: list[Any] = []
    for block in blocks:
        table = out[-1] if out else {}
        if table.get("t") == "Table" and not table["c"][1][1]:
            caption = _caption_of(block)
        else:
            table, caption = block, _caption_of(table) if block.get("t") == "Table" else None
        if caption is None:
            out.append(block)
        else:
            name, inlines = caption
            texts = [None, [node("Plain", inlines)]]
            out[-1] = node("Table", [attributes(name), texts, *table["c"][2:]])
    return out


def _caption_of(block: Any) -> tuple[str, list[Any]] | None:
    """Return name and text of a paragraph that begins like the caption of a table, otherwise
    None.
    """
    if block.get("t") != "Para" or not block["c"] or block["c"][0]["t"] != "Str":
        return None
    first, *rest = block["c"]
    found = _CAPTION.match(first["c"])
    if found is None:
        return None
    name = label_of(rest, "tbl")
    kept = [*words(first["c"][found.end() :]), *(rest[:-1] if name else rest)]
    return name, [*dropwhile(lambda inline: inline["t"] in {"Space", "SoftBreak"}, kept)]
