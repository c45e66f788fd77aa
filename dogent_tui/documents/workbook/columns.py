"""Cell references as spreadsheets write them."""

import re

MOST_ROWS = 1_048_576
"""Rows of a sheet (Excel's specifications and limits)."""

MOST_COLUMNS = 16_384

_REFERENCE = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})")


def letters(column: int) -> str:
    """Return the name of the column that is `column`-th, counted from 1: A, …, Z, AA, …, XFD."""
    name = ""
    while column > 0:
        column, rest = divmod(column - 1, 26)
        name = chr(65 + rest) + name
    return name


def column_number(name: str) -> int:
    """Return which column `name` is, counted from 1. Raises ValueError for what is none."""
    number = 0
    for letter in name.upper():
        if not "A" <= letter <= "Z":
            raise ValueError(f"{name} is no column")
        number = number * 26 + ord(letter) - 64
    if not 1 <= number <= MOST_COLUMNS:
        raise ValueError(f"{name} is no column")
    return number


def size_of(reference: str) -> tuple[int, int] | None:
    """Return the rows and columns up to the last cell of a range like ``A1:D20``, None if it is
    no range.
    """
    match = _REFERENCE.fullmatch(reference.rpartition(":")[2].strip())
    if match is None:
        return None
    try:
        return min(int(match[2]), MOST_ROWS), column_number(match[1])
    except ValueError:
        return None


def cell_range(rows: tuple[int, int], columns: tuple[int, int]) -> str:
    """Return the range from the first to the last of `rows` and `columns`: ``A1:D20``, or ``B3``
    for a single cell.
    """
    start, end = f"{letters(columns[0])}{rows[0]}", f"{letters(columns[1])}{rows[1]}"
    return start if start == end else f"{start}:{end}"


def spans(numbers: list[int]) -> list[tuple[int, int]]:
    """Return ascending `numbers` as runs: 1, 2, 3, 7 are (1, 3), (7, 7)."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] + 1 == number:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs
