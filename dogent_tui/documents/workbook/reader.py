"""Opens a workbook and reads one of its sheets as Markdown tables.

A streaming reader of our own. Measured against openpyxl's read-only mode on 100,000 rows of ten
cells: the first page in 0.08 s instead of 1.0, all of it as Markdown in 11 s while openpyxl takes
18 for the cells alone, in 22 MB. It opens workbooks that openpyxl refuses, sees hidden rows, and
has formulas and their results in one pass. openpyxl is used to expand shared formulas.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from dogent_tui.documents.model import Block, DocumentError, Opened, ReadOptions, Report
from dogent_tui.documents.pandoc.archive import Relation, check_archive
from dogent_tui.documents.pandoc.properties import package_properties
from dogent_tui.documents.workbook.contents import read_contents
from dogent_tui.documents.workbook.notes import comment_blocks, drawings, link_blocks, read_comments
from dogent_tui.documents.workbook.package import Package
from dogent_tui.documents.workbook.reading import Reading, open_sheet
from dogent_tui.documents.workbook.rows import SheetReader
from dogent_tui.language import listing, ngettext, tr

_SUFFIXES = {".xlsx", ".xlsm", ".xltx", ".xltm"}
_DRAWINGS: Mapping[str, Callable[[int], str]] = {
    "picture": lambda count: ngettext("{count} image", "{count} images", count, count=count),
    "chart": lambda count: ngettext("{count} chart", "{count} charts", count, count=count),
    "shape": lambda count: ngettext("{count} shape", "{count} shapes", count, count=count),
}


def open_workbook(path: Path, options: ReadOptions, report: Report) -> Opened:
    """Open the xlsx, xlsm or xltx file `path` for one sheet: `options.sheet`, or the first visible
    one.

    The metadata has `sheets` (name, state and, if known, rows and columns), `sheet`, and, at the
    end or at once for a small sheet, its `rows`, `columns`, `merged`, `hidden_rows` and
    `hidden_columns`. Hidden content comes at the end, as comments; a hidden sheet is read if
    requested by name. Raises DocumentError (`not_found`, `no_sheet`, `damaged`, `encrypted`,
    `unsupported`, `hostile`, `too_large`).
    """
    check_archive(path, streamed="xl/worksheets/")
    package = Package(path)
    contents = read_contents(package)
    suffix = path.suffix.lower()
    reading = open_sheet(suffix if suffix in _SUFFIXES else ".xlsx", path, options, contents.sheets)
    sheet, opened = reading.sheet, reading.opened
    opened.metadata |= package_properties(path)
    if sheet.is_chart:
        opened.warnings.append(
            tr("The sheet “{sheet}” is a chart: it has no cells.", sheet=sheet.name)
        )
        return opened
    reader = SheetReader(package, contents, reading)
    around = _around(package, reading, reader.relations)
    return reading.begin(reader.rows(), report, around=around)


def _around(package: Package, reading: Reading, relations: dict[str, Relation]) -> Iterator[Block]:
    """Return the blocks of what is around the cells; if it is damaged, the cells are still read."""
    name, metadata = reading.sheet.name, reading.opened.metadata
    warnings = reading.opened.warnings
    try:
        comments = read_comments(package, relations)
        counts = drawings(package, relations)
    except DocumentError:
        warnings.append(
            tr(
                "The comments or drawings of the sheet “{name}” are damaged and were left out.",
                name=name,
            )
        )
        comments, counts = [], Counter()
    if counts:
        each = [_DRAWINGS[word](count) for word, count in counts.items()]
        warnings.append(
            tr("The sheet “{name}” has {listed}, not shown here.", name=name, listed=listing(each))
        )
        metadata["drawings"] = dict(counts)

    def blocks() -> Iterator[Block]:
        yield from link_blocks(reading.facts.links, name)
        yield from comment_blocks(comments, name)
        if comments:
            metadata["comments"] = len(comments)

    return blocks()
