"""The reader for tables in text, csv and its kin: a Markdown table, row by row in bounded
memory.
"""

import csv
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

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
    width = max(map(len, _sampled(sample, delimiter)), default=0)
    metadata = {"encoding": source.encoding, "delimiter": delimiter, "columns": width}
    opened = Opened("csv", metadata, iter(()))
    lines = itertools.islice(source.lines(), int(declared is not None), None)
    window = window_of(options.rows)
    opened.blocks = _blocks(source, _rows(lines, delimiter), width, window, opened, report)
    return opened


def _delimiter(lines: list[str]) -> str:
    """Return what splits the lines into the most even rows."""

    def evenness(delimiter: str) -> float:
        widths = Counter(len(row) for row in _sampled(lines, delimiter) if row)
        usual = max(widths, key=lambda width: (widths[width], width), default=1)
        return widths[usual] / widths.total() if usual > 1 else 0

    scores = {delimiter: evenness(delimiter) for delimiter in _DELIMITERS}
    return max(scores, key=scores.__getitem__) if any(scores.values()) else ","


def _sampled(lines: list[str], delimiter: str) -> list[list[str]]:
    """Return the rows of some lines; none where they cannot be read, which is said later."""
    try:
        return list(_rows(lines, delimiter))
    except csv.Error:
        return []


def _rows(lines: Iterable[str], delimiter: str) -> Any:
    csv.field_size_limit(_LONGEST_CELL)
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=delimiter != "\t")


def _blocks(
    source: TextSource, reader: Any, width: int, window: Window, opened: Opened, report: Report
) -> Iterator[Block]:
    shown, first, number, last, tight, ragged = list[str](), 1, 0, 0, False, 0

    def block() -> Block:
        cells = cell_range((first, last), (1, max(width, 1)))
        return Block("\n".join(shown), Source(cells=cells), tight)

    try:
        for number, row in enumerate(filter(None, reader), 1):
            if number > 1 and not window.holds(number):
                continue
            if number > last + 1:
                first = number  # the header stands above rows from further below
            last = number
            ragged += len(row) > width
            shown.append(_markdown_row(row, width))
            if number == 1:
                shown.append(f"|{' --- |' * width}")
            if number - first + 1 >= _ROWS_OF_BLOCK or sum(map(len, shown)) >= _LONG_BLOCK:
                yield block()
                shown, first, tight = [], number + 1, True
                report(source.read, source.size, "bytes")
    except csv.Error as error:
        raise DocumentError(
            tr("{path} cannot be read as a table past line {line_num}: {error}.").format(
                path=source.path.name, line_num=reader.line_num, error=error
            ),
            tr("A quotation mark is probably missing: fix the file."),
            code="damaged",
        ) from None
    if shown:
        yield block()
    opened.metadata["rows"] = number
    opened.warnings.extend(source.warnings())
    if ragged:
        opened.warnings.append(
            tr(
                "{ragged} rows have more than {width} cells: the extra ones are in the last cell,"
                " separated by ¦."
            ).format(ragged=ragged, width=width)
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
