"""The reader for tables in text, such as csv: rows like those of a sheet, in bounded memory."""

import csv
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from dogent_tui.documents.model import DocumentError, Opened, ReadOptions, Report
from dogent_tui.documents.text.source import TextSource
from dogent_tui.documents.workbook.columns import HEAD, Window, window_of
from dogent_tui.documents.workbook.reading import Reading, Sheet
from dogent_tui.documents.workbook.tables import Row
from dogent_tui.language import tr

_SNIFFED_LINES = 200
_SNIFFED_CHARS = 20_000
"""The length to use of each sample line, which may have a million columns."""
_DELIMITERS = "\t;|,"
"""In order of preference: a comma that splits all rows evenly may just as well be the decimal
separator.
"""
_DECLARED = re.compile(r"sep=(.)$", re.IGNORECASE)
"""A first line that tells Excel the delimiter."""
_NAMED = {".tsv": "\t", ".tab": "\t", ".psv": "|"}
_LONGEST_CELL = 1 << 20
_NUMERIC = frozenset("+-.0123456789")


def open_table(path: Path, options: ReadOptions, report: Report) -> Opened:
    """See `dogent_tui.documents.model.Reader`. The first row is the header; the delimiter is
    detected from the first lines.
    """
    source = TextSource(path, options.encoding)
    lines = itertools.islice(source.lines(), _SNIFFED_LINES)
    sample = [line[:_SNIFFED_CHARS] for line in lines if line.strip()]
    declared = _DECLARED.match(sample[0]) if sample else None
    sample = sample[1:] if declared else sample
    known = declared[1] if declared else _NAMED.get(path.suffix.lower(), "")
    widths = {delimiter: _widths(sample, delimiter) for delimiter in known or _DELIMITERS}
    even = {delimiter: _evenness(found) for delimiter, found in widths.items()}
    delimiter = max(even, key=even.__getitem__) if any(even.values()) else known or ","
    width = max(widths[delimiter], default=0)
    metadata = {"encoding": source.encoding, "delimiter": delimiter, "columns": width}
    opened = Opened("csv", metadata, iter(()))
    lines = itertools.islice(source.lines(), int(declared is not None), None)

    def report_bytes(*_: object) -> None:
        report(source.read, source.size, "bytes")

    reading = Reading(opened, Sheet("", "visible", is_chart=False), window_of(options.rows))
    rows = _wanted(_rows(lines, delimiter), reading.window, opened, path.name)
    return reading.begin(rows, report_bytes, said=source.warnings())


def _wanted(reader: Any, window: Window, opened: Opened, name: str) -> Iterator[Row]:
    """Yield the requested rows with content, and record the number of rows. Raises
    DocumentError.
    """
    number = 0
    try:
        for number, row in enumerate(filter(any, reader), 1):
            if number <= HEAD or window.holds(number):
                texts = {at: text for at, text in enumerate(map(str.strip, row), 1) if text}
                yield Row(number, texts, {at for at, text in texts.items() if text[0] in _NUMERIC})
        opened.metadata["rows"] = number
        if number and number < window.rows[0]:
            opened.warnings.append(
                tr("There are no rows in this part: the table has {rows:,}.", rows=number)
            )
    except csv.Error as error:
        raise DocumentError(
            tr(
                "{path} cannot be read as a table past line {line_num}: {error}.",
                path=name,
                line_num=reader.line_num,
                error=error,
            ),
            tr("A quotation mark is probably missing: fix the file."),
            code="damaged",
        ) from None


def _widths(lines: list[str], delimiter: str) -> list[int]:
    """Return the widths of the rows of some lines; empty if they cannot be parsed, which is
    reported later.
    """
    try:
        return [len(row) for row in _rows(lines, delimiter) if row]
    except csv.Error:
        return []


def _evenness(widths: list[int]) -> float:
    """Return the share of the rows with the most common width, 0 if that is a single cell."""
    count = Counter(widths)
    usual = max(count, key=lambda width: (count[width], width), default=1)
    return count[usual] / len(widths) if usual > 1 else 0


def _rows(lines: Iterable[str], delimiter: str) -> Any:
    csv.field_size_limit(_LONGEST_CELL)
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=delimiter != "\t")
