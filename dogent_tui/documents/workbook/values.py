"""Reads the values of xls, ods and xlsb with calamine. In the worker alone: hostile ones may end
the process.
"""

import datetime
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from dogent_tui.documents.model import Opened, ReadOptions, Report, damaged, encrypted
from dogent_tui.documents.pandoc.archive import check_archive, is_old_workbook
from dogent_tui.documents.workbook.columns import cell_range
from dogent_tui.documents.workbook.contents import Contents, SheetPart, choose_sheet
from dogent_tui.documents.workbook.formats import general
from dogent_tui.documents.workbook.package import MOST_TEXT
from dogent_tui.documents.workbook.rows import Cell, Row
from dogent_tui.documents.workbook.tables import sheet_blocks, within
from dogent_tui.documents.workbook.window import window_of
from dogent_tui.language import tr
from dogent_tui.references.sheets import split_cells

_ROWS_PER_REPORT = 2000


def open_values(path: Path, options: ReadOptions, report: Report) -> Opened:
    """See `dogent_tui.documents.model.Reader` and `open_workbook`, whose metadata this has as
    far as calamine tells.
    """
    import python_calamine as calamine

    if not is_old_workbook(path):
        check_archive(path)
    try:
        book = calamine.CalamineWorkbook.from_path(str(path))
        sheets = [
            SheetPart(
                sheet.name,
                str(sheet.visible).rpartition(".")[2].lower(),
                "",
                sheet.typ != calamine.SheetTypeEnum.WorkSheet,
                None,
            )
            for sheet in book.sheets_metadata
        ]
        named, cells = split_cells(options.sheet, {sheet.name for sheet in sheets})
        sheet = choose_sheet(Contents(sheets, "", "", False, {}), named, path.name)
        content = book.get_sheet_by_name(sheet.name)
    except calamine.PasswordError as error:
        raise encrypted(path.name) from error
    except (calamine.CalamineError, LookupError, ValueError) as error:
        raise damaged(tr("{name} is damaged or not a workbook.").format(name=path.name)) from error
    window = window_of(options.rows, cells)
    opened = Opened(path.suffix[1:].lower() or "xls", {}, iter(()))
    opened.metadata |= {
        "format": opened.format,
        "sheet": sheet.name,
        "sheets": [{"name": each.name, "state": each.state} for each in sheets],
        "sheet_count": len(sheets),
        "rows": content.total_height,
        "columns": content.total_width,
    }
    if sheet.state != "visible":
        opened.warnings.append(
            tr("The sheet “{sheet}” is hidden in the workbook.").format(sheet=sheet.name)
        )
    opened.warnings.append(
        tr(
            "Of this format only values are read: not how numbers are shown, nor comments, nor"
            " which rows are hidden."
        )
    )
    if merged := content.merged_cell_ranges:
        opened.metadata["merged"] = [
            cell_range((first[0] + 1, last[0] + 1), (first[1] + 1, last[1] + 1))
            for first, last in merged[:20]
        ]
    heads: list[Row] = []
    rows = within(_rows(content, window.rows[1], report), window, heads)
    opened.blocks = sheet_blocks(rows, sheet.name, (), heads)
    return opened


def _rows(content: Any, last: int, report: Report) -> Iterator[Row]:
    """Yield the rows up to the `last` that is wanted."""
    first_column = (content.start or (0, 0))[1] + 1
    for number, values in enumerate(islice(content.iter_rows(), last), 1):
        if number % _ROWS_PER_REPORT == 0:
            report(number, content.total_height, "rows")
        cells = [
            Cell(column, text, isinstance(value, str))
            for column, value in enumerate(values, first_column)
            if value != "" and (text := shown_as(value)).strip()
        ]
        yield Row(number, False, cells)


def shown_as(value: Any) -> str:
    """Return a value of calamine's as our reader of xlsx shows it where there is no format."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        return general(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ", "seconds").removesuffix(" 00:00:00")
    return str(value)[:MOST_TEXT]
