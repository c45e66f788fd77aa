"""Workbooks made for tests from raw XML, so that they can be what no library writes."""

import zipfile
from collections.abc import Iterable
from pathlib import Path

from dogent_tui.documents.model import Block, Opened, ReadOptions
from dogent_tui.documents.workbook.reader import open_workbook

_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
NAMESPACES = f'xmlns="{_MAIN}" xmlns:r="{_OFFICE}"'

STYLES = [
    "General",
    "yyyy-mm-dd",
    "h:mm:ss",
    "[h]:mm:ss",
    "0.0%",
    '"$"#,##0.00',
    "yyyy-mm-dd hh:mm",
]
"""The number formats of a made workbook, by the number of the style."""


def relations(
    entries: Iterable[tuple[str, str]], *, external: Iterable[tuple[str, str]] = ()
) -> str:
    """Return a part of relations rId1, rId2, … of (kind, target)."""
    inner = [f'Type="{_OFFICE}/{kind}" Target="{target}"' for kind, target in entries]
    inner += [
        f'Type="{_OFFICE}/{kind}" Target="{target}" TargetMode="External"'
        for kind, target in external
    ]
    listed = "".join(
        f'<Relationship Id="rId{number}" {each}/>' for number, each in enumerate(inner, 1)
    )
    return f'{_DECLARATION}<Relationships xmlns="{_PACKAGE}">{listed}</Relationships>'


def sheet_xml(rows: str, *, before: str = "", after: str = "") -> str:
    """Return a sheet's part around its `rows`."""
    return (
        f"{_DECLARATION}<worksheet"
        f" {NAMESPACES}>{before}<sheetData>{rows}</sheetData>{after}</worksheet>"
    )


def workbook(
    path: Path,
    sheets: dict[str, str],
    *,
    states: dict[str, str] | None = None,
    strings: Iterable[str] = (),
    settings: str = "",
    extra: dict[str, str | bytes] | None = None,
) -> Path:
    """Write a workbook of `sheets`, name → rows or a whole part; `extra` are further parts, or
    others instead of the usual.
    """
    shown = "".join(
        f'<sheet name="{name}" sheetId="{number}" state="{(states or {}).get(name, "visible")}"'
        f' r:id="rId{number}"/>'
        for number, name in enumerate(sheets, 1)
    )
    targets = [
        ("worksheet", f"worksheets/sheet{number}.xml") for number in range(1, len(sheets) + 1)
    ]
    codes = "".join(
        f'<numFmt numFmtId="{200 + number}" formatCode="{_quoted(code)}"/>'
        for number, code in enumerate(STYLES)
    )
    styles = "".join(f'<xf numFmtId="{200 + number}"/>' for number in range(len(STYLES)))
    formats = f"<numFmts>{codes}</numFmts><cellXfs>{styles}</cellXfs>"
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": (
            f"{_DECLARATION}<Types"
            ' xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
        ),
        "_rels/.rels": relations([("officeDocument", "xl/workbook.xml")]),
        "xl/workbook.xml": (
            f"{_DECLARATION}<workbook {NAMESPACES}>{settings}<sheets>{shown}</sheets></workbook>"
        ),
        "xl/_rels/workbook.xml.rels": relations(
            [*targets, ("sharedStrings", "sharedStrings.xml"), ("styles", "styles.xml")]
        ),
        "xl/sharedStrings.xml": (
            f"{_DECLARATION}<sst"
            f" {NAMESPACES}>{''.join(f'<si>{each}</si>' for each in strings)}</sst>"
        ),
        "xl/styles.xml": f"{_DECLARATION}<styleSheet {NAMESPACES}>{formats}</styleSheet>",
    }
    for number, rows in enumerate(sheets.values(), 1):
        parts[f"xl/worksheets/sheet{number}.xml"] = (
            rows if rows.startswith("<?xml") else sheet_xml(rows)
        )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (parts | (extra or {})).items():
            archive.writestr(name, content)
    return path


def text(reference: str, content: str) -> str:
    """Return a cell that holds a text; `content` is XML."""
    return f'<c r="{reference}" t="inlineStr"><is><t xml:space="preserve">{content}</t></is></c>'


def number(reference: str, value: object, style: int = 0) -> str:
    """Return a cell that holds a number, shown as STYLES[`style`] says."""
    return f'<c r="{reference}" s="{style}"><v>{value}</v></c>'


def row(position: int, *cells: str, attributes: str = "") -> str:
    """Return a row of `cells`."""
    return f'<row r="{position}" {attributes}>{"".join(cells)}</row>'


def read(path: Path, sheet: str = "") -> tuple[list[Block], Opened]:
    """Return all blocks of a sheet, and what is known when they are taken."""
    opened = open_workbook(path, ReadOptions(sheet=sheet), lambda *_: None)
    return list(opened.blocks), opened


def markdown(path: Path, sheet: str = "") -> str:
    """Return all of a sheet as the reader of the document gets it."""
    shown = ""
    for block in read(path, sheet)[0]:
        shown += ("\n" if block.tight else "\n\n" if shown else "") + block.markdown
    return shown


def _quoted(code: str) -> str:
    return code.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
