"""What is in a workbook beside its cells: its sheets with their sizes and parts, and how it shows
numbers.
"""

import re
from collections.abc import Mapping
from contextlib import suppress

import msgspec

from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.workbook.columns import MOST_COLUMNS, size_of
from dogent_tui.documents.workbook.formats import BUILT_IN, Formatter, formatter
from dogent_tui.documents.workbook.package import Package, no_workbook, problems
from dogent_tui.documents.workbook.reading import Sheet
from dogent_tui.references.sheets import table_of_contents

_HEAD_BYTES = 16_384
_DIMENSION = re.compile(rb"""<(?:\w+:)?dimension\s[^>]*?ref=["']([^"']*)""")
_LEAST_ROW = 20
"""Bytes that a row with a cell in it takes at least."""


class Contents(msgspec.Struct, frozen=True):
    """A workbook without its cells. `strings` is the name of a part, "" if there is none.
    `formatters` show the numbers of a cell, by the number of its style.
    """

    sheets: list[Sheet]
    strings: str
    formatters: Mapping[str, Formatter]


def read_contents(package: Package) -> Contents:
    """Return what the workbook in `package` holds. Raises DocumentError `damaged` or `hostile`."""
    with problems(package.name):
        listed = table_of_contents(package.archive)
    relations = package.relations(listed.part)
    sheets: list[Sheet] = []
    for sheet in listed.sheets:
        relation = relations.get(sheet.relation)
        if relation is None or not package.has(relation.target):
            continue
        if relation.kind not in {"worksheet", "chartsheet"}:
            continue  # macro and dialog sheets of the nineties
        is_chart = relation.kind == "chartsheet"
        size = None if is_chart else _stated_size(package, relation.target)
        sheets.append(Sheet(sheet.name, sheet.state, is_chart, size, relation.target))
    if not sheets:
        raise no_workbook(package.name)
    parts = {relation.kind: relation.target for relation in relations.values()}
    formatters = _formatters(package, parts.get("styles", ""), epoch_1904=listed.epoch_1904)
    return Contents(sheets, parts.get("sharedStrings", ""), formatters)


def _stated_size(package: Package, part: str) -> tuple[int, int] | None:
    """Return the rows and columns that a sheet states, None where it has a single cell or far more
    than it can have, which is what careless programs write.
    """
    with suppress(DocumentError, ValueError), package.open(part) as stream, problems(package.name):
        stated = _DIMENSION.search(stream.read(_HEAD_BYTES))
        size = size_of(stated[1].decode()) if stated else (1, 1)
        is_likely = size[1] < MOST_COLUMNS and size[0] * _LEAST_ROW < package.size(part)
        return size if is_likely and size != (1, 1) else None
    return None


def _formatters(package: Package, part: str, *, epoch_1904: bool) -> dict[str, Formatter]:
    """Return what shows the numbers of a cell, by the number of the cell's style."""
    root = package.root(part)
    codes = {str(number): code for number, code in BUILT_IN.items()}
    codes |= {
        node.get("numFmtId", ""): node.get("formatCode", "")
        for node in root.iterfind("{*}numFmts/{*}numFmt")
    }
    return {
        str(style): formatter(codes.get(node.get("numFmtId", ""), ""), epoch_1904=epoch_1904)
        for style, node in enumerate(root.iterfind("{*}cellXfs/{*}xf"))
    }
