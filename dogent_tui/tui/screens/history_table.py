"""/show history: what was asked in this workspace and what came of it, as a table."""

import asyncio
from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.widgets import DataTable, Static

from dogent_tui.language import tr
from dogent_tui.storage.history import HistoryEntry
from dogent_tui.tui.dialog import Dialog, DialogScreen
from dogent_tui.tui.history_rows import HistoryRow, history_rows
from dogent_tui.tui.stylesheets import stylesheet

_MOST_SHOWN = 1000
_FRAME = 8
"""Columns beside the table."""
_GAP = 2
"""Columns between two cells."""
_ROOMY = 100
"""Columns in which it is also told how long it took."""


class HistoryTableScreen(DialogScreen[str]):
    """Dismissed with the prompt that was chosen, or with nothing."""

    CSS_PATH = stylesheet("history_table.tcss")
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "dismiss", tr("Close"))]

    def __init__(self, load: Callable[[], Sequence[HistoryEntry]]) -> None:
        """Show what `load` returns; it reads the disk and is called in a thread."""
        self._load = load
        self._rows: list[HistoryRow] = []
        self._table = DataTable[Text](
            id="history-table-rows", cursor_type="row", zebra_stripes=True
        )
        self._note = Static("", classes="dialog-why", markup=False)
        keys = {"enter": tr("Reuse the prompt"), "up,down": tr("Choose"), "escape": tr("Close")}
        about = tr("this folder")
        super().__init__(
            Dialog(tr("History"), keys, self._table, self._note, about=about, id="history-table")
        )

    def on_mount(self) -> None:
        """Read the history in a thread."""
        self._table.focus()
        self.run_worker(self._read())

    def _columns(self) -> dict[str, tuple[str, int]]:
        """Return what the columns show: a field of a row → its title, and how many cells it has."""
        took = {"took": (tr("Duration"), 10)} if self.size.width >= _ROOMY else {}
        facts = {"when": (tr("When"), 16), "outcome": (tr("Result"), 9), **took}
        taken = sum(width for _, width in facts.values()) + _GAP * (len(facts) + 2)
        rest = max(20, self.size.width * 96 // 100 - _FRAME - taken)
        return facts | {
            "prompt": (tr("Prompt"), rest * 3 // 5),
            "came": (tr("Reply"), rest * 2 // 5),
        }

    async def _read(self) -> None:
        rows = await asyncio.to_thread(lambda: history_rows(self._load()))
        self._rows = rows[:_MOST_SHOWN]
        columns = self._columns()
        for title, width in columns.values():
            self._table.add_column(title, width=width)
        for row in self._rows:
            cells = (getattr(row, field) for field in columns)
            self._table.add_row(*(Text(cell, no_wrap=True, overflow="ellipsis") for cell in cells))
        note = "" if rows else tr("No history yet.")
        if (older := len(rows) - _MOST_SHOWN) > 0:
            note = tr("{count:,} older entries are in the file.", count=older)
        self._note.update(note)
        self._note.display = bool(note)
        self._table.display = bool(rows)

    @on(DataTable.RowSelected)
    def _taken(self, event: DataTable.RowSelected) -> None:
        event.stop()
        self.leave(self._rows[event.cursor_row].typed)
