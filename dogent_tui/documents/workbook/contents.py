"""The contents of a workbook besides its cells: its sheets with their sizes and parts, and number
formats.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from dogent_tui.documents.looks import is_unseen
from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.workbook.columns import MOST_COLUMNS, size_of
from dogent_tui.documents.workbook.formats import BUILT_IN, NOTHING, Formatter, formatter, general
from dogent_tui.documents.workbook.package import Package, no_workbook, problems
from dogent_tui.documents.workbook.reading import Sheet
from dogent_tui.records import Record
from dogent_tui.references.sheets import table_of_contents

_HEAD_BYTES = 16_384
_DIMENSION = re.compile(rb"""<(?:\w+:)?dimension\s[^>]*?ref=["']([^"']*)""")
_LEAST_ROW = 20
"""The minimum number of bytes of a row with a cell."""


class Contents(Record):
    """A workbook without its cells. `strings` is the name of a part, "" if there is none.
    `formatters` format the numbers of a cell, by the index of its style; the cells of a style in
    `unseen` are invisible.
    """

    sheets: list[Sheet]
    strings: str
    formatters: Mapping[str, Formatter]
    unseen: frozenset[str]


def read_contents(package: Package) -> Contents:
    """Read the contents of the workbook in `package`. Raises DocumentError `damaged` or
    `hostile`.
    """
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
    styles = package.root(parts.get("styles", ""))
    codes = _codes(styles)
    formatters = {
        style: general if code == NOTHING else formatter(code, epoch_1904=listed.epoch_1904)
        for style, code in codes.items()
    }
    unseen = {style for style, code in codes.items() if code == NOTHING} | _unseen(styles)
    return Contents(sheets, parts.get("sharedStrings", ""), formatters, frozenset(unseen))


def _stated_size(package: Package, part: str) -> tuple[int, int] | None:
    """Return the rows and columns stated by a sheet, None for a single cell or far more than
    possible, as written by careless programs.
    """
    with suppress(DocumentError, ValueError), package.open(part) as stream, problems(package.name):
        stated = _DIMENSION.search(stream.read(_HEAD_BYTES))
        size = size_of(stated[1].decode()) if stated else (1, 1)
        is_likely = size[1] < MOST_COLUMNS and size[0] * _LEAST_ROW < package.size(part)
        return size if is_likely and size != (1, 1) else None
    return None


def _codes(root: Any) -> dict[str, str]:
    """Return the number formats of the `root` of the styles, by the index of a cell's style."""
    codes = {str(number): code for number, code in BUILT_IN.items()}
    codes |= {
        node.get("numFmtId", ""): node.get("formatCode", "")
        for node in root.iterfind("{*}numFmts/{*}numFmt")
    }
    return {
        str(style): codes.get(node.get("numFmtId", ""), "")
        for style, node in enumerate(root.iterfind("{*}cellXfs/{*}xf"))
    }


def _unseen(root: Any) -> set[str]:
    """Return the indices of the styles whose text has the color of its background."""
    fonts = [_color(node.find("{*}color")) for node in root.iterfind("{*}fonts/{*}font")]
    grounds = [
        {"none": "auto", "solid": _color(node.find("{*}fgColor"))}.get(
            node.get("patternType", "none"), ""
        )
        for node in root.iterfind("{*}fills/{*}fill/{*}patternFill")
    ]
    found = set()
    for style, node in enumerate(root.iterfind("{*}cellXfs/{*}xf")):
        with suppress(LookupError, ValueError):
            color = fonts[int(node.get("fontId", 0))]
            if is_unseen(color, grounds[int(node.get("fillId", 0))]):
                found.add(str(style))
    return found


def _color(node: Any) -> str:
    """Return a color as six hexadecimal digits, empty if it is unknown."""
    if node is None or node.get("tint", "0") != "0":
        return ""
    white = node.get("theme") == "0" or node.get("indexed") in {"1", "9"}
    return "FFFFFF" if white else str(node.get("rgb", ""))[-6:]
