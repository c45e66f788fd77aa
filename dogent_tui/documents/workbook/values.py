"""Reads the values of xls, ods and xlsb with calamine, only in the worker: hostile files may crash
the process.
"""

import datetime
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from dogent_tui.documents.model import Opened, ReadOptions, Report, damaged, encrypted
from dogent_tui.documents.pandoc.archive import check_archive, is_old_workbook
from dogent_tui.documents.workbook.columns import cell_range
from dogent_tui.documents.workbook.formats import duration, general, iso_text
from dogent_tui.documents.workbook.reading import MOST_TEXT, Sheet, open_sheet
from dogent_tui.documents.workbook.tables import Row
from dogent_tui.language import tr

_DURATION = re.compile(r"PT\d+H\d+M\d+(\.\d+)?S")
"""A duration of more than a day in an ods, which calamine returns as it is."""


def open_values(path: Path, options: ReadOptions, report: Report) -> Opened:
    """See `dogent_tui.documents.model.Reader` and `open_workbook`, whose metadata this provides as
    far as calamine does.
    """
    import python_calamine as calamine

    if not is_old_workbook(path):
        check_archive(path)
    try:
        book = calamine.CalamineWorkbook.from_path(str(path))
        sheets = [
            Sheet(
                sheet.name,
                str(sheet.visible).rpartition(".")[2].lower(),
                sheet.typ != calamine.SheetTypeEnum.WorkSheet,
            )
            for sheet in book.sheets_metadata
        ]
        reading = open_sheet(path.suffix.lower() or ".xls", path, options, sheets)
        content = book.get_sheet_by_name(reading.sheet.name)
    except calamine.PasswordError as error:
        raise encrypted(path.name) from error
    except (calamine.CalamineError, LookupError, ValueError) as error:
        raise damaged(tr("{name} is damaged or not a workbook.", name=path.name)) from error
    reading.opened.warnings.append(
        tr(
            "Of this format only values are read: not how numbers are shown, nor comments, nor"
            " which rows are hidden."
        )
    )
    reading.facts.merged += [
        cell_range((first[0] + 1, last[0] + 1), (first[1] + 1, last[1] + 1))
        for first, last in content.merged_cell_ranges or ()
    ]
    return reading.begin(_rows(content, reading.window.rows[1]), report)


def _rows(content: Any, last: int) -> Iterator[Row]:
    """Yield the rows up to the `last` requested one."""
    first_column = (content.start or (0, 0))[1] + 1
    for number, values in enumerate(islice(content.iter_rows(), last), 1):
        filled = {at: value for at, value in enumerate(values, first_column) if value != ""}
        texts = {at: text for at, value in filled.items() if (text := shown_as(value).strip())}
        if texts:
            yield Row(number, texts, {at for at in texts if not isinstance(filled[at], str)})


def shown_as(value: Any) -> str:
    """Return a value of calamine's in the form of our xlsx reader for a cell without a format."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        return general(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ", "seconds").removesuffix(" 00:00:00")
    if isinstance(value, datetime.timedelta):
        return duration(value / datetime.timedelta(days=1))
    text = str(value)[:MOST_TEXT]
    return iso_text(text) if _DURATION.fullmatch(text) else text
