"""The rows of a sheet as they are read, in bounded memory: what each cell shows, and what the sheet
contains around them.
"""

import re
from collections.abc import Iterator
from typing import Any

from dogent_tui.documents.workbook.columns import (
    HEAD,
    MOST_COLUMNS,
    MOST_ROWS,
    Window,
    column_number,
)
from dogent_tui.documents.workbook.contents import Contents
from dogent_tui.documents.workbook.formats import general, iso_text
from dogent_tui.documents.workbook.package import (
    Package,
    SharedStrings,
    crafted,
    fed,
    problems,
    shown_text,
    unescaped,
)
from dogent_tui.documents.workbook.reading import MOST_TEXT, Reading
from dogent_tui.documents.workbook.tables import Row

_WANTED = ("row", "col", "mergeCell", "hyperlink")

_CHUNKS_UNTIL_SILENCE = 16
"""A megabyte without content: rows read before it are returned without waiting for more."""

_MOST_SILENT_CHUNKS = 3600
"""225 MB without content, five seconds' work: formats down to the last row in many columns. Nothing
follows.
"""

CUT = "…"

_BLANK_CELL = re.compile(rb'<c r="[A-Z]{1,3}[0-9]{1,7}"(?: [a-z]+="[0-9a-z]*")*\s*(?:/>|></c>)')
_BLANK_ROW = re.compile(
    rb'<row r="[0-9]{1,7}"(?: [A-Za-z0-9:]+="[^"<>&]{0,40}")*\s*(?:/>|>\s*</row>)'
)
"""As written by common programs; the parser handles others."""


_NUMBERED_ROW = re.compile(rb'<row r="([0-9]{1,7})"[^>]*(?<!/)>.*?</row>', re.DOTALL)
_TRUE = {"1", "true"}


class SheetReader:
    """Reads a sheet's part, and stores what it contains besides its cells in the facts of
    `reading`.
    """

    def __init__(self, package: Package, contents: Contents, reading: Reading) -> None:
        self._package, self._part, self._name = package, reading.sheet.part, package.name
        self._strings = SharedStrings(package, contents.strings)
        self._formatters, self._unseen = contents.formatters, contents.unseen
        self.relations = package.relations(self._part)
        self._window, self._facts = reading.window, reading.facts
        self._shared: dict[str, tuple[str, str]] = {}
        self._number = 0

    def rows(self) -> Iterator[Row | None]:
        """Yield the rows with content, including hidden ones; None after a long stretch without
        any. Raises DocumentError.
        """
        silent = 0
        with self._package.open(self._part) as stream:
            for found in fed(stream, self._name, _WANTED, self._stripped):
                with problems(self._name):
                    ready = [row for row in map(self._row, found) if row is not None]
                silent = 0 if ready else silent + 1
                yield from ready
                if silent and silent % _CHUNKS_UNTIL_SILENCE == 0:
                    self._facts.too_empty = silent > _MOST_SILENT_CHUNKS
                    yield None
                if self._facts.too_empty:
                    return

    def _stripped(self, data: bytes) -> bytes:
        """Return `data` without empty cells and rows, of which many sheets have millions, and
        without complete unwanted rows.
        """
        data = _BLANK_ROW.sub(b"", _BLANK_CELL.sub(b"", data))
        if self._window.rows == Window().rows:
            return data
        return _NUMBERED_ROW.sub(lambda row: row[0] if self._wants(int(row[1])) else b"", data)

    def _wants(self, number: int) -> bool:
        return number <= HEAD or self._window.holds(number)

    def _row(self, node: Any) -> Row | None:
        if not node.tag.endswith("}row") and node.tag != "row":
            self._take_fact(node)
            return None
        number = node.get("r")
        self._number = int(float(number)) if number else self._number + 1
        if self._number > MOST_ROWS:
            raise ValueError("no sheet has so many rows")
        if len(node) > MOST_COLUMNS:
            raise crafted(self._name)
        if not self._wants(self._number):
            return None
        row = Row(self._number, {}, hidden=_is_hidden(node, "ht"))
        column = 0
        for child in node:
            reference = child.get("r", "").replace("$", "")
            letters = reference.rstrip("0123456789")
            column = column_number(letters) if letters else column + 1
            if len(child):
                self._take_cell(row, child, column, reference)
        row.texts = dict(sorted(row.texts.items()))
        return row if row.texts or row.unseen else None

    def _take_cell(self, row: Row, node: Any, column: int, reference: str) -> None:
        """Add what a cell shows to its row, if anything."""
        kind = node.get("t", "n")
        is_text = kind in {"s", "str", "inlineStr"}
        value = inline = formula = None
        for child in node:
            name = child.tag[-1]  # of v, f, is and extLst
            if name == "v":
                value = child.text
            elif name == "f":
                formula = child
            elif name == "s":
                inline = shown_text(child)
        if formula is not None and not value and not is_text:
            text = self._formula_text(formula, reference)
            self._facts.uncached += bool(text)
            row.formulas.add(column)
        elif inline is not None:
            text = inline
        else:
            text = self._shown(kind, node.get("s", "0"), value) if value else ""
        self._put(row.unseen if node.get("s") in self._unseen else row.texts, column, text)
        if not is_text:
            row.values.add(column)

    def _put(self, texts: dict[int, str], column: int, text: str) -> None:
        if len(text) >= MOST_TEXT:
            self._facts.long_texts += 1
            text = text[:MOST_TEXT] + CUT
        if text := text.strip():
            texts[column] = text

    def _shown(self, kind: str, style: str, value: str) -> str:
        """Return what a cell of this kind and style shows for its value."""
        match kind:
            case "s":
                return self._strings[int(value)]
            case "str" | "inlineStr":
                return unescaped(value)
            case "n":
                try:
                    return self._formatters.get(style, general)(float(value))
                except ValueError:
                    return value
            case "b":
                return "FALSE" if value.strip() in {"0", "false"} else "TRUE"
            case "d":
                return iso_text(value.strip())
            case _:
                return value  # "e": the error's name

    def _formula_text(self, node: Any, reference: str) -> str:
        """Return the formula of a cell without a stored result."""
        formula = unescaped(node.text or "")
        shared = node.get("si", "") if node.get("t") == "shared" else ""
        if shared and formula:
            self._shared[shared] = (formula, reference)
        elif shared in self._shared:
            formula = _translated(*self._shared[shared], reference)
        return f"={formula}".replace("_xlfn.", "").replace("_xlws.", "") if formula else ""

    def _take_fact(self, node: Any) -> None:
        facts, cells = self._facts, node.get("ref", "")[:40]
        if node.tag.endswith("mergeCell"):
            facts.merged.append(cells)
        elif node.tag.endswith("hyperlink"):
            relation = next((value for name, value in node.items() if name[-3:] == "}id"), "")
            target = self.relations[relation].target if relation in self.relations else ""
            place = node.get("location", "")
            facts.links.append((cells, f"{target}#{place}" if place else target))
        elif _is_hidden(node, "width"):
            first, last = int(node.get("min", 0)), int(node.get("max", 0))
            facts.hidden_columns.update(range(max(1, first), min(last, MOST_COLUMNS) + 1))


def _is_hidden(node: Any, size: str) -> bool:
    """Return whether a row or a column is hidden, or has no space by its `size`."""
    return node.get("hidden") in _TRUE or node.get(size) == "0"


def _translated(formula: str, origin: str, cell: str) -> str:
    """Translate `formula` from `origin` to `cell`."""
    # half a second to import, and few workbooks need it
    from openpyxl.formula.translate import Translator

    try:
        return str(Translator(f"={formula}", origin).translate_formula(cell)).removeprefix("=")
    except (ValueError, LookupError, TypeError, AttributeError):  # for what it cannot parse
        return formula
