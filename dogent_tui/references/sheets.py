"""The sheets of a workbook, read from its table of contents: fast enough to use while a reference
is typed.
"""

import posixpath
import stat
from collections.abc import Callable, Container
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from dogent_tui.records import Record

if TYPE_CHECKING:
    from zipfile import ZipFile

_TABLE_OF_CONTENTS = "xl/workbook.xml"
"""Where nearly every program stores the list of sheets; otherwise the package's relations tell."""

_PACKAGE_RELATIONS = "_rels/.rels"
_LARGEST_FILE = 1 << 29
_LARGEST_LIST = 1 << 22
_MOST_SHEETS = 10_000

_Element: TypeAlias = Callable[[str, dict[str, str]], None]


class ListedSheet(Record):
    """A sheet in the workbook's list: `state` is ``visible``, ``hidden`` or ``veryHidden``,
    `relation` the id of its part.
    """

    name: str
    state: str
    relation: str


class TableOfContents(Record):
    """The list of sheets. `part` is the name of its part; `epoch_1904` tells how dates are
    counted.
    """

    part: str
    sheets: list[ListedSheet]
    epoch_1904: bool


def sheet_names(path: Path) -> list[str]:
    """Return the names of the sheets of the xlsx or xlsm file `path`, including hidden ones, in
    order.

    Empty if it is not a workbook, damaged, encrypted or too large. Reads a few KB of the file;
    never raises.
    """
    import zipfile

    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > _LARGEST_FILE:
            return []
        with zipfile.ZipFile(path) as archive:
            return [sheet.name for sheet in table_of_contents(archive).sheets]
    except Exception:
        # zipfile and the decompressors raise all kinds of errors for a damaged archive
        return []


def split_cells(named: str, sheets: Container[str]) -> tuple[str, str]:
    """Split a name like ``Costs!A1:F200`` into sheet and cells; an existing sheet name is never
    split.
    """
    name, mark, cells = named.rpartition("!")
    return (name.strip("'"), cells) if mark and named not in sheets else (named, "")


def table_of_contents(archive: "ZipFile") -> TableOfContents:
    """Return the sheets of the workbook in `archive`, including chart sheets.

    Raises ValueError if the list is too long or contains a DOCTYPE, ExpatError if it is not XML,
    KeyError if there is none, and zipfile's errors for damage.
    """
    names = {name.lstrip("/").replace("\\", "/").lower(): name for name in archive.namelist()}
    part = (
        _TABLE_OF_CONTENTS
        if _TABLE_OF_CONTENTS in names
        else _stated_part(_read(archive, names[_PACKAGE_RELATIONS]))
    )
    sheets: list[ListedSheet] = []
    epoch_1904 = False

    def element(tag: str, attributes: dict[str, str]) -> None:
        nonlocal epoch_1904
        if tag == "sheet" and "name" in attributes and len(sheets) < _MOST_SHEETS:
            sheets.append(
                ListedSheet(
                    attributes["name"], attributes.get("state", "visible"), attributes.get("id", "")
                )
            )
        elif tag == "workbookPr":
            epoch_1904 = attributes.get("date1904") in {"1", "true"}

    _parse(_read(archive, names[part.lower()]), element)
    return TableOfContents(part, sheets, epoch_1904)


def _stated_part(relations: bytes) -> str:
    """Return the name of the workbook part according to the package's relations. Raises KeyError if
    there is none.
    """
    targets: list[str] = []

    def element(tag: str, attributes: dict[str, str]) -> None:
        if tag == "Relationship" and attributes.get("Type", "").endswith("/officeDocument"):
            targets.append(attributes.get("Target", ""))

    _parse(relations, element)
    if not targets:
        raise KeyError("officeDocument")
    return posixpath.normpath("/" + targets[0].replace("\\", "/")).lstrip("/")


def _read(archive: "ZipFile", part: str) -> bytes:
    with archive.open(part) as entry:
        data = entry.read(_LARGEST_LIST + 1)  # the size stated in the archive may be wrong
    if len(data) > _LARGEST_LIST:
        raise ValueError("the list of sheets is too long")
    return data


def _parse(data: bytes, element: _Element) -> None:
    """Call `element` with the name and the attributes of each element of `data`, without namespace
    prefixes.
    """
    from xml.parsers import expat

    def start(tag: str, attributes: dict[str, str]) -> None:
        element(
            tag.rpartition(":")[2],
            {name.rpartition(":")[2]: value for name, value in attributes.items()},
        )

    def doctype(*_: object) -> None:
        # and therefore no entities that expand to gigabytes
        raise ValueError("a workbook has no DOCTYPE")

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = doctype
    parser.Parse(data, True)
