"""Answers questions from a table: the largest, the sum, per month, the difference, more or less
than, one cell.
"""

import re
from collections.abc import Iterable, Iterator

from dogent_tui.offline.passages import Table
from dogent_tui.offline.words import figures, language_of, pattern, related, terms, words

_TOTALS = frozenset(["total", "sum", "all", "altogether", "合计", "总计", "总额", "总和", "共计"])
_NUMBER = re.compile(r"[-−]?\d+(?:,\d{3})*(?:\.\d+)?")
_NAMED, _CELL, _CALLED, _RELATED, _MOST = 0.45, 0.5, 0.3, 0.6, 24
"""The share of the name of a column or table that a question must contain to mean it, 0 to 1; the
share if it names no operation, and the share of a cell to mean its row; the weight of a synonym;
the maximum number of rows to show.
"""


def operation_of(question: str) -> str:
    """Return the operation named by a question, empty for none."""
    return next((name for name in words()["operations"] if pattern(name).search(question)), "")


def ask(tables: Iterable[Table], question: str, operation: str, *, named: bool = False) -> str:
    """Return the answer of one of `tables`, as Markdown with the relevant rows.

    Empty if no table, column or row is suitable for the `operation`. `named`: the user named the
    files of the tables.
    """
    asked = [_Asked(table, question, operation, float(named)) for table in tables]
    best = max(asked, key=lambda one: one.fit, default=None)
    return best.answer() if best is not None and best.fit > 0 else ""


class _Asked:
    """One table and a question: which columns and rows are meant. `fit` says how well, 0 for not at
    all.
    """

    def __init__(self, table: Table, question: str, operation: str, named: float) -> None:
        self._table, self._operation, self._language = table, operation, language_of(question)
        self._asked = set(terms(pattern(operation).sub(" ", question) if operation else question))
        self._limits = figures(question)
        columns = [[row[at] for row in table.rows if row[at]] for at in range(len(table.names))]
        shares = [sum(map(_is_number, cells)) / (len(cells) or 1) for cells in columns]
        is_dated = operation in ("earliest", "latest")  # the smallest year is the oldest
        dated = [pattern("dated").search(name) is not None for name in table.names]
        self._likes = list(map(float, dated)) if is_dated else list(map(self._like, table.names))
        self._figures = [at for at, share in enumerate(shares) if share >= 0.8]
        if is_dated:
            self._operation = "smallest" if operation == "earliest" else "largest"
            self._figures = [at for at in self._figures if dated[at]]
        elif self._figures[1:] and len(set(columns[0])) == len(table.rows):
            self._figures = [at for at in self._figures if at]  # no number occurs twice: years, ids
        self._columns = [at for at in self._figures if self._likes[at]]
        self._columns.sort(key=lambda at: (-self._likes[at], -len(_parts(table.names[at]))))
        last = len(table.rows) - 1
        is_total = last > 0 and set(re.findall(r"\w+", table.rows[last][0].casefold())) & _TOTALS
        self._total = last if is_total else -1
        self._rows = self._rows_named()
        if self._rows[1:] and operation != "difference" and pattern("range").search(question):
            self._rows = list(range(min(self._rows), max(self._rows) + 1))
        self._group = self._grouped_by(question)
        self.fit = self._fit(named) if self._figures and last > 0 else 0.0

    def _fit(self, named: float) -> float:
        name = self._table.path.rpartition("/")[2].rpartition(".")[0]
        file = self._like(f"{name} {self._table.place.removeprefix('sheet ')}") + named
        column = self._likes[self._columns[0]] if self._columns else 0.0
        needs = dict.fromkeys(("over", "under"), bool(self._limits))
        # A single cell, by its row and column, or a column of groups.
        is_cell = self._group is not None or (column >= _CELL and bool(self._rows))
        needs |= {"rows": file > _CELL, "": bool(self._columns) and is_cell}
        if not needs.get(self._operation, True) or max(column, file) < _NAMED:
            return 0.0
        return column + file

    def _grouped_by(self, question: str) -> int | None:
        """Return the column that the question groups by, none if it does not group."""
        found = pattern("per").search(question)
        named = set(terms(next(filter(None, found.groups()), ""))) if found else set()
        plain = (at for at in range(len(self._table.names)) if at not in self._figures)
        by = next((at for at in plain if _parts(self._table.names[at]) & named), None)
        cells = [row[by] for row in self._table.rows] if by is not None else []
        return by if len(set(cells)) < len(cells) else None

    def answer(self) -> str:
        """Return the answer and the relevant rows."""
        table, operation, chosen = self._table, self._operation, self._rows
        top = (self._columns or self._figures)[0]
        cells = enumerate(row[top] for row in table.rows)
        values = {at: _number(cell) for at, cell in cells if _is_number(cell)}
        if operation == "sum" and not chosen and self._total in values:
            operation, chosen = "", [self._total]
        elif self._total in values and len(values) > 1:
            del values[self._total]
        within = {at: values[at] for at in chosen if at in values} or values
        value, parts = self._limits[-1] if self._limits else 0.0, list(self._summed(within))
        match operation:
            case "largest" | "smallest":
                ends = [part[1] for part in parts]
                value = max(ends) if operation == "largest" else min(ends)
                parts = [part for part in parts if part[1] == value]
            case "over" | "under":
                sign = 1 if operation == "over" else -1
                parts = [part for part in parts if (part[1] - value) * sign > 0]
            case "sum" | "average":
                operation, value = operation if len(parts) == 1 else "", parts[0][1]
            case "difference":
                if len(parts) != 2:  # of two columns in the named rows
                    columns = {at: [table.rows[row][at] for row in within] for at in self._columns}
                    sums = [(at, sum(map(_number, cells))) for at, cells in columns.items()]
                    parts = [(table.names[at], end, list(within)) for at, end in sums[:2]]
                if len(parts) != 2:
                    return ""
                value = abs(parts[0][1] - parts[1][1])
        rows = list(dict.fromkeys(at for part in parts for at in part[2]))
        slots = {"name": table.names[top], "value": _show(value), "count": len(rows)}
        slots["rows"] = ", ".join(part[0] for part in parts[:_MOST]) or "–"
        slots["cells"] = "; ".join(f"{name} {_show(end)}" for name, end, _ in parts[:_MOST])
        said = words()["tells"][operation or "cell"][self._language == "zh"].format(**slots)
        place = f", {table.place}" if table.place else ""
        shown = table.markdown(rows[:_MOST], sorted({0, top}) if operation == "each" else ())
        return f"`{table.path}`{place}: {said}\n\n{shown}"

    def _summed(self, values: dict[int, float]) -> Iterator[tuple[str, float, list[int]]]:
        """Yield the name of each group of rows, its sum or average, and its rows.

        If the question does not group by a column, all rows are one group for a sum, otherwise each
        row is one.
        """
        groups, is_mean = dict[str, list[int]](), self._operation == "average"
        for at in values:
            alone = "" if is_mean or self._operation == "sum" else str(at)
            key = alone if self._group is None else self._table.rows[at][self._group]
            groups.setdefault(key, []).append(at)
        for key, rows in groups.items():
            whole = sum(values[at] for at in rows) / (len(rows) if is_mean else 1)
            yield self._label(rows[0]) if self._group is None else key, whole, rows

    def _like(self, name: str) -> float:
        """Return the share of a name that the question contains, 0 to 1."""
        parts, alike = _parts(name), related()
        near = [one for one in parts - self._asked if alike.get(one, frozenset()) & self._asked]
        return (len(parts & self._asked) + _RELATED * len(near)) / len(parts) if parts else 0.0

    def _rows_named(self) -> list[int]:
        """Return the rows that the question names by the words of a cell, best matches only."""
        found = dict[int, float]()
        for at, row in enumerate(self._table.rows):
            for cell in (cell for column, cell in enumerate(row) if column not in self._figures):
                parts = set(terms(cell))
                share = len(parts & self._asked) / (len(parts) or 1)
                found[at] = max(found.get(at, 0.0), share)
        return [at for at, share in found.items() if share >= _CALLED]

    def _label(self, row: int) -> str:
        cells = self._table.rows[row]
        return ", ".join([cell for cell in cells[:3] if not _is_number(cell)][:2]) or cells[0]


def _parts(name: str) -> set[str]:
    return set(terms(name.replace("_", " ")))


def _is_number(cell: str) -> bool:
    return _NUMBER.fullmatch(cell.strip("%€$£¥ ")) is not None


def _number(cell: str) -> float:
    """Return the number in a cell, 0 for none."""
    plain = cell.strip("%€$£¥ ").replace(",", "").replace("−", "-")
    return float(plain) if _is_number(cell) else 0.0


def _show(value: float) -> str:
    return f"{value:,.2f}".rstrip("0").rstrip(".")
