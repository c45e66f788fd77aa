"""Which rows and columns of a sheet are wanted."""

import re

import msgspec

from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.workbook.columns import MOST_COLUMNS, MOST_ROWS, column_number
from dogent_tui.language import tr

HEAD = 3
"""The rows at the top that are read all the same: the header of the table stands in one of them."""

_ROWS = re.compile(r"(\d{0,7})\s*([-–:]?)\s*(\d{0,7})")
_CELLS = re.compile(r"\$?([A-Za-z]{0,3})\$?(\d{0,7})(:?)\$?([A-Za-z]{0,3})\$?(\d{0,7})")


class Window(msgspec.Struct, frozen=True):
    """The rows and columns that are wanted, from the first to the last of each, counted from 1."""

    rows: tuple[int, int] = (1, MOST_ROWS)
    columns: tuple[int, int] = (1, MOST_COLUMNS)

    def holds(self, row: int) -> bool:
        """Tell whether a row is wanted."""
        return self.rows[0] <= row <= self.rows[1]


def window_of(rows: str, cells: str = "") -> Window:
    """Return what ``84871-84873`` names, or a range of cells such as ``A1:F200``, ``B:D`` or
    ``C7``; all where both are empty.

    Raises DocumentError for what is neither.
    """
    form = "A1:F200" if cells else "100-250"
    match = (_CELLS if cells else _ROWS).fullmatch((cells or rows).strip())
    try:
        if match is None:
            raise ValueError
        if not cells:
            return (
                Window(_span(match[1], match[2], match[3], MOST_ROWS)) if rows.strip() else Window()
            )
        columns = [str(column_number(name)) if name else "" for name in (match[1], match[4])]
        down, across = match[2] or match[5], match[1] or match[4]
        return Window(
            _span(match[2], match[3], match[5], MOST_ROWS) if down else (1, MOST_ROWS),
            _span(columns[0], match[3], columns[1], MOST_COLUMNS) if across else (1, MOST_COLUMNS),
        )
    except ValueError:
        raise DocumentError(
            tr("“{text}” is not a range of rows or cells.").format(text=cells or rows),
            tr("Use the form {form}.").format(form=form),
            code="no_page",
        ) from None


def _span(first: str, dash: str, last: str, most: int) -> tuple[int, int]:
    if not (first or last) or (last and not dash):
        raise ValueError
    numbers = int(first or 1), int(last or most) if dash else int(first)
    if not min(numbers) >= 1:
        raise ValueError
    return min(numbers), max(numbers)
