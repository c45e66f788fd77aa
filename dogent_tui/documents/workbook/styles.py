"""How the styles of a workbook show numbers: the part of its style sheet that reading needs."""

from dogent_tui.documents.workbook.formats import BUILT_IN, Formatter, formatter, general
from dogent_tui.documents.workbook.package import Package

_WANTED = frozenset({"numFmt", "xf"})


def read_formatters(package: Package, part: str, *, epoch_1904: bool) -> list[Formatter]:
    """Return what shows the numbers of a cell, by the number of the cell's style. Empty if there
    is no style sheet.
    """
    codes = dict(BUILT_IN)
    numbers: list[int] = []
    for element in package.elements(part, _WANTED):
        attributes = element.attributes
        if element.name == "numFmt" and element.parent == "numFmts":
            number = _number(attributes.get("numFmtId"))
            if number is not None:
                codes[number] = attributes.get("formatCode", "")
        elif element.name == "xf" and element.parent == "cellXfs":
            numbers.append(_number(attributes.get("numFmtId")) or 0)
    shown = {
        number: formatter(codes[number], epoch_1904=epoch_1904) if number in codes else general
        for number in set(numbers)
    }
    return [shown[number] for number in numbers]


def _number(text: str | None) -> int | None:
    try:
        return int(text or "")
    except ValueError:
        return None
