"""The reader for tables in text, csv and its kin: a Markdown table, row by row in bounded
memory.
"""

import csv
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from dogent_tui.documents.model import Block, DocumentError, Opened, ReadOptions, Report, Source
from dogent_tui.documents.text.source import TextSource
from dogent_tui.documents.workbook.columns import Window, cell_range, window_of
from dogent_tui.language import tr

_SNIFFED_LINES = 200
_ROWS_OF_BLOCK = 50
_LONG_BLOCK = 4000
_DELIMITERS = ("\t", ";", "|", ",")
"""In the order of preference: a comma that splits all rows evenly may as well be that of their
decimals.
"""
_DECLARED = re.compile(r"sep=(.)$", re.IGNORECASE)
"""A first line by which a file tells Excel its delimiter."""
_NAMED = {".tsv": "\t", ".tab": "\t", ".psv": "|"}
_LONGEST_CELL = 1 << 20


def open_table(path: Path, options: ReadOptions, report: Report) -> Opened:
    """See `dogent_tui.documents.model.Reader`. The first row is the header; the delimiter is
    told by the first lines.
    """
    source = TextSource(path, options.encoding)
    sample = [line for line in itertools.islice(source.lines(), _SNIFFED_LINES) if line.strip()]
    declared = _DECLARED.match(sample[0]) if sample else None
    sample = sample[1:] if declared else sample
    delimiter = declared[1] if declared else _NAMED.get(path.suffix.lower()) or _delimiter(sample)
    table = _Table(
        source, delimiter, _width(sample, delimiter), has_declaration=declared is not None
    )
    opened = Opened(
        "csv",
        {"encoding": source.encoding, "delimiter": delimiter, "columns": table.width},
        iter(()),
    )
    opened.blocks = _blocks(table, window_of(options.rows), opened, report)
    return opened


class _Table(NamedTuple):
    source: TextSource
    delimiter: str
    width: int
    has_declaration: bool


def _width(lines: list[str], delimiter: str) -> int:
    try:
        return max((len(row) for row in _rows(iter(lines), delimiter)), default=0)
    except csv.Error:  # said where it is read
        return 1


def _delimiter(lines: list[str]) -> str:
    """Return what splits the lines into the most even rows."""

    def evenness(delimiter: str) -> float:
        try:
            widths = [len(row) for row in _rows(iter(lines), delimiter) if row]
        except csv.Error:
            return 0
        usual = max(set(widths), key=lambda width: (widths.count(width), width)) if widths else 1
        return widths.count(usual) / len(widths) if usual > 1 else 0

    scores = {delimiter: evenness(delimiter) for delimiter in _DELIMITERS}
    return max(scores, key=scores.__getitem__) if any(scores.values()) else ","


def _rows(lines: Iterator[str], delimiter: str) -> Iterator[list[str]]:
    csv.field_size_limit(_LONGEST_CELL)
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=delimiter != "\t")


def _blocks(table: _Table, window: Window, opened: Opened, report: Report) -> Iterator[Block]:
    source, width = table.source, table.width
    lines = itertools.islice(source.lines(), int(table.has_declaration), None)
    reader: Any = _rows(lines, table.delimiter)
    rows, first_row, number, last, tight, ragged = list[str](), 1, 0, 0, False, 0
    try:
        for row in reader:
            if not row:
                continue
            number += 1
            if number > 1 and not window.holds(number):
                continue
            if number > last + 1:
                first_row = number  # the header stands above rows from further below
            last = number
            ragged += len(row) > width
            rows.append(_markdown_row(row, width))
            if number == 1:
                rows.append(f"|{' --- |' * width}")
            if number - first_row + 1 >= _ROWS_OF_BLOCK or sum(map(len, rows)) >= _LONG_BLOCK:
                yield _block(rows, first_row, number, width, tight=tight)
                rows, first_row, tight = [], number + 1, True
                report(source.read, source.size, "bytes")
    except csv.Error as error:
        raise DocumentError(
            tr("{path} cannot be read as a table past line {line_num}: {error}.").format(
                path=source.path.name, line_num=reader.line_num, error=error
            ),
            tr("A quotation mark is probably missing: fix the file."),
            code="damaged",
        ) from None
    if rows:
        yield _block(rows, first_row, last, width, tight=tight)
    opened.metadata["rows"] = number
    opened.warnings.extend(source.warnings())
    if ragged:
        opened.warnings.append(
            tr(
                "{ragged} rows have more than {width} cells: the extra ones are in the last cell,"
                " separated by ¦."
            ).format(ragged=ragged, width=width)
        )


def _block(rows: list[str], first: int, last: int, width: int, *, tight: bool) -> Block:
    return Block(
        "\n".join(rows), Source(cells=cell_range((first, last), (1, max(width, 1)))), tight
    )


def _markdown_row(row: list[str], width: int) -> str:
    if len(row) > width:
        row = [*row[: width - 1], " ¦ ".join(row[width - 1 :])]
    return f"| {' | '.join(map(_cell, row))} |{'  |' * (width - len(row))}"


def _cell(text: str) -> str:
    text = text.strip()
    if "|" in text or "\n" in text:
        text = text.replace("|", "\\|").replace("\n", "<br>")
    return text
