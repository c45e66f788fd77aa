"""Cell references of spreadsheets, and the requested rows and columns of a sheet."""

import re
from collections.abc import Iterable
from functools import lru_cache

from dogent_tui.documents.model import DocumentError
from dogent_tui.language import tr
from dogent_tui.records import Record

MOST_ROWS = 1_048_576
"""Rows of a sheet (Excel's specifications and limits)."""

MOST_COLUMNS = 16_384

HEAD = 3
"""The number of rows at the top that are always read: one of them is the header of the table."""

_REFERENCE = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})")
_RANGE = re.compile(r"\$?([A-Za-z]{0,3})\$?(\d{0,7})(:?)\$?([A-Za-z]{0,3})\$?(\d{0,7})")


class Window(Record):
    """The requested rows and columns, from the first to the last of each, counted from 1."""

    rows: tuple[int, int] = (1, MOST_ROWS)
    columns: tuple[int, int] = (1, MOST_COLUMNS)

    def holds(self, row: int) -> bool:
        """Return whether a row is requested."""
        return self.rows[0] <= row <= self.rows[1]


def window_of(rows: str, cells: str = "") -> Window:
    """Parse ``84871-84873``, or a range of cells such as ``A1:F200``, ``B:D`` or ``C7``; everything
    if both are empty.

    Raises DocumentError for anything else.
    """
    wanted = cells.strip() or re.sub(r"\s*[-–:]\s*", ":", rows.strip())
    if not wanted:
        return Window()
    match = _RANGE.fullmatch(wanted)
    try:
        if match is None or not (cells or re.fullmatch(r"[:$]*\d[\d:$]*", wanted)):
            raise ValueError
        left, top, colon, right, bottom = match.groups()
        first, last = (name and str(column_number(name)) for name in (left, right))
        return Window(_span(top, colon, bottom, MOST_ROWS), _span(first, colon, last, MOST_COLUMNS))
    except ValueError:
        raise DocumentError(
            tr("“{text}” is not a range of rows or cells.", text=cells or rows),
            tr("Use the form {form}.", form="A1:F200" if cells else "100-250"),
            code="no_page",
        ) from None


def _span(first: str, colon: str, last: str, most: int) -> tuple[int, int]:
    if last and not colon:
        raise ValueError
    numbers = int(first or 1), int(last or most) if colon or not first else int(first)
    if min(numbers) < 1:
        raise ValueError
    return min(numbers), max(numbers)


def letters(column: int) -> str:
    """Return the name of a column, counted from 1: A, …, Z, AA, …, XFD."""
    name = ""
    while column > 0:
        column, rest = divmod(column - 1, 26)
        name = chr(65 + rest) + name
    return name


@lru_cache(maxsize=MOST_COLUMNS)
def column_number(name: str) -> int:
    """Return the number of the column `name`, counted from 1. Raises ValueError if it is not
    one.
    """
    number = 0
    for letter in name.upper():
        number = number * 26 + "ABCDEFGHIJKLMNOPQRSTUVWXYZ".index(letter) + 1
    if not 1 <= number <= MOST_COLUMNS:
        raise ValueError(f"{name} is no column")
    return number


def size_of(reference: str) -> tuple[int, int]:
    """Return the number of rows and columns up to the last cell of a range like ``A1:D20``. Raises
    ValueError if it is not a range.
    """
    match = _REFERENCE.fullmatch(reference.rpartition(":")[2].strip())
    if match is None:
        raise ValueError(f"{reference} is no range")
    return min(int(match[2]), MOST_ROWS), column_number(match[1])


def cell_range(rows: tuple[int, int], columns: tuple[int, int]) -> str:
    """Return the range from the first to the last of `rows` and `columns`: ``A1:D20``, or ``B3``
    for a single cell.
    """
    start, end = f"{letters(columns[0])}{rows[0]}", f"{letters(columns[1])}{rows[1]}"
    return start if start == end else f"{start}:{end}"


def spans(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Return ascending `numbers` as runs: 1, 2, 3, 7 are (1, 3), (7, 7)."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] + 1 == number:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs
