"""/show history: what was asked in this workspace and what came of it, as a table."""

import asyncio
from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import DataTable, Static

from dogent_tui.language import tr
from dogent_tui.storage.history import HistoryEntry
from dogent_tui.tui.dialog import Dialog, DialogScreen
from dogent_tui.tui.history_rows import HistoryRow, history_rows
from dogent_tui.tui.stylesheets import stylesheet

_MOST_SHOWN = 1000
_TOOK = tr("Duration")
_WIDTHS = {tr("When"): 16, tr("Result"): 9, _TOOK: 10}
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
        super().__init__()
        self._load = load
        self._rows: list[HistoryRow] = []

    def compose(self) -> ComposeResult:
        """Lay out the table."""
        keys = {"enter": tr("Reuse the prompt"), "up,down": tr("Choose"), "escape": tr("Close")}
        with Dialog(tr("History"), keys, about=tr("this folder"), id="history-table"):
            yield DataTable(id="history-table-rows", cursor_type="row", zebra_stripes=True)
            yield Static("", id="history-table-note", classes="dialog-why", markup=False)

    def on_mount(self) -> None:
        """Read the history in a thread."""
        self.query_one(DataTable).focus()
        self.run_worker(self._read())

    async def _read(self) -> None:
        rows = await asyncio.to_thread(lambda: history_rows(self._load()))
        self._rows = rows[:_MOST_SHOWN]
        table: DataTable[Text] = self.query_one(DataTable)
        widths = {
            name: width
            for name, width in _WIDTHS.items()
            if name != _TOOK or self.size.width >= _ROOMY
        }
        rest = max(
            20,
            self.size.width * 96 // 100 - _FRAME - sum(widths.values()) - _GAP * (len(widths) + 2),
        )
        widths |= {tr("Prompt"): rest * 3 // 5, tr("Reply"): rest * 2 // 5}
        for name, width in widths.items():
            table.add_column(name, width=width)
        for row in self._rows:
            cells = {
                tr("When"): row.when,
                tr("Result"): row.outcome,
                tr("Duration"): row.took,
                tr("Prompt"): row.prompt,
                tr("Reply"): row.came,
            }
            table.add_row(
                *(Text(cells[name], no_wrap=True, overflow="ellipsis") for name in widths)
            )
        older = len(rows) - _MOST_SHOWN
        note = (
            tr("{count:,} older entries are in the file.").format(count=older) if older > 0 else ""
        )
        self.query_one("#history-table-note", Static).update(
            note if rows else tr("No history yet.")
        )
        self.query_one("#history-table-note").display = bool(note or not rows)
        table.display = bool(rows)

    @on(DataTable.RowSelected)
    def _taken(self, event: DataTable.RowSelected) -> None:
        event.stop()
        self.dismiss(self._rows[event.cursor_row].typed)
