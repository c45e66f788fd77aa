"""What is in a workbook: its sheets with their sizes and parts, and what it says of itself."""

from contextlib import suppress
from typing import Any

import msgspec

from dogent_tui.documents.model import DocumentError
from dogent_tui.documents.workbook.columns import MOST_COLUMNS, size_of
from dogent_tui.documents.workbook.package import Package, Relation, no_workbook, problems
from dogent_tui.language import tr
from dogent_tui.references.sheets import TableOfContents, table_of_contents

_MOST_MEASURED = 1_000_000
"""Bytes of a sheet's part that are parsed to learn its size where it states none; four times
that for all sheets together.
"""

MOST_SIZED = 200
"""Sheets of which the size is looked up."""

_LEAST_ROW = 20
"""Bytes that a row with a cell in it takes at least."""

_MOST_IN_MESSAGE = 30
_PROPERTIES = {"title": "title", "creator": "author", "subject": "subject"}


class SheetPart(msgspec.Struct, frozen=True):
    """A sheet: the `part` of the package that holds it, and its `size` in (rows, columns), None
    if only reading it would tell.
    """

    name: str
    state: str
    part: str
    is_chart: bool
    size: tuple[int, int] | None


class Contents(msgspec.Struct, frozen=True):
    """A workbook without its cells. `strings` and `styles` are names of parts, "" if there are
    none.
    """

    sheets: list[SheetPart]
    strings: str
    styles: str
    epoch_1904: bool
    properties: dict[str, Any]


def read_contents(package: Package) -> Contents:
    """Return what the workbook in `package` holds. Raises DocumentError `damaged` or `hostile`."""
    with problems(package.name):
        listed = table_of_contents(package.archive)
    relations = package.relations(listed.part)
    sheets = _sheets(package, listed, relations)
    if not sheets:
        raise no_workbook(package.name)
    return Contents(
        sheets,
        _part(relations, "sharedStrings"),
        _part(relations, "styles"),
        listed.epoch_1904,
        _properties(package),
    )


def choose_sheet(contents: Contents, wanted: str, name: str) -> SheetPart:
    """Return the sheet called `wanted`, by its exact name before one in another case; the first
    visible one if `wanted` is empty.

    Raises DocumentError `no_sheet` with the names that there are; `name` is the file's.
    """
    sheets = contents.sheets
    if not wanted:
        readable = [sheet for sheet in sheets if not sheet.is_chart] or sheets
        return next((sheet for sheet in readable if sheet.state == "visible"), readable[0])
    exact = [sheet for sheet in sheets if sheet.name == wanted]
    alike = exact or [
        sheet for sheet in sheets if sheet.name.strip().casefold() == wanted.strip().casefold()
    ]
    if alike:
        return alike[0]
    names = ", ".join(
        f"“{sheet.name}”" + ("" if sheet.state == "visible" else tr(" (hidden)"))
        for sheet in sheets[:_MOST_IN_MESSAGE]
    )
    more = (
        tr(" and {more} more").format(more=len(sheets) - _MOST_IN_MESSAGE)
        if len(sheets) > _MOST_IN_MESSAGE
        else ""
    )
    raise DocumentError(
        tr("{name} has no sheet “{wanted}”.").format(name=name, wanted=wanted),
        tr("It has: {names}{more}.").format(names=names, more=more),
        code="no_sheet",
    )


def _part(relations: dict[str, Relation], kind: str) -> str:
    return next((relation.target for relation in relations.values() if relation.kind == kind), "")


def _sheets(
    package: Package, listed: TableOfContents, relations: dict[str, Relation]
) -> list[SheetPart]:
    sheets: list[SheetPart] = []
    budget = 4 * _MOST_MEASURED
    for sheet in listed.sheets:
        relation = relations.get(sheet.relation)
        if (
            relation is None
            or relation.kind not in {"worksheet", "chartsheet"}
            or not package.has(relation.target)
        ):
            continue  # macro and dialog sheets of the nineties, and what is damaged
        is_chart = relation.kind == "chartsheet"
        size = None
        if not is_chart and len(sheets) < MOST_SIZED:
            with suppress(DocumentError):  # it is said when this sheet is read
                size = _stated_size(package, relation.target)
                large = package.size(relation.target)
                if size is None and large <= min(budget, _MOST_MEASURED):
                    budget -= large
                    size = _counted_size(package, relation.target)
        sheets.append(SheetPart(sheet.name, sheet.state, relation.target, is_chart, size))
    return sheets


def _stated_size(package: Package, part: str) -> tuple[int, int] | None:
    """Return the rows and columns that a sheet states, None where it has a single cell or far more
    than it can have, which is what careless programs write.
    """
    first = next(package.elements(part, frozenset({"dimension", "row"})), None)
    size = size_of(first.attributes.get("ref", "")) if first and first.name == "dimension" else None
    if size is None or size == (1, 1) or size[1] >= MOST_COLUMNS:
        return None
    return size if size[0] * _LEAST_ROW < package.size(part) else None


def _counted_size(package: Package, part: str) -> tuple[int, int]:
    """Return the rows and columns up to the last cell that is more than a mere format."""
    cells = (each for each in package.elements(part, frozenset({"c"})) if each.text)
    sizes = [size_of(each.attributes.get("r", "")) or (0, 0) for each in cells]
    return max((down for down, _ in sizes), default=0), max((a for _, a in sizes), default=0)


def _properties(package: Package) -> dict[str, Any]:
    properties = {}
    for relation in package.relations("").values():
        if relation.kind == "core-properties":
            for element in package.elements(relation.target, frozenset(_PROPERTIES)):
                if element.text.strip():
                    properties[_PROPERTIES[element.name]] = element.text.strip()[:500]
    return properties
