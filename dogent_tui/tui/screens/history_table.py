"""/show history: the prompts of this workspace and their outcomes, as a table."""

import asyncio
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from rich.text import Text
from textual.widgets import DataTable

from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.records import Record
from dogent_tui.storage.history import HistoryEntry
from dogent_tui.storage.paths import shipped
from dogent_tui.tui.dialog import Dialog, DialogScreen, Words
from dogent_tui.tui.transcript.entries import duration
from dogent_tui.tui.widgets import bound

_WORDS = {
    "completed": tr("done"),
    "started": tr("started"),
    "command": tr("command"),
    "clarification": tr("answers"),
    "needs_clarification": tr("asked you"),
    "needs_outline_edit": tr("asked you"),
    "aborted": tr("denied"),
    "interrupted": tr("stopped"),
    "failed": tr("failed"),
}


_MARKS = re.compile(r"\*\*|`")
"""Markdown markup in a reply, which is noise in a table."""


class HistoryRow(Record):
    """One line of the history. `when` is local time, `outcome` one or two words, `came` the agent's
    reply or the reason for the end.

    `typed` is the prompt as typed, `prompt` the same on one line that is safe to draw.
    """

    when: str
    outcome: str
    took: str
    prompt: str
    came: str
    typed: str


def history_rows(entries: Iterable[HistoryEntry]) -> list[HistoryRow]:
    """Return the rows for `entries`, latest first. A run whose start and end were recorded is one
    row.
    """
    begun: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    kept: list[HistoryEntry | None] = []
    for entry in sorted(entries, key=lambda entry: entry.timestamp):
        run = (entry.session_id, entry.prompt)
        if entry.status in ("started", "clarification"):
            begun[run].append(len(kept))
        elif entry.status != "command" and begun[run]:
            kept[begun[run].pop()] = None
        kept.append(entry)
    return [_row(entry) for entry in reversed(kept) if entry is not None]


def _row(entry: HistoryEntry) -> HistoryRow:
    took = duration(entry.duration_ms / 1000) if entry.duration_ms > 0 else ""
    outcome = _WORDS.get(entry.status) or one_line(entry.status)
    came = one_line(entry.reason or _MARKS.sub("", entry.summary))
    return HistoryRow(
        _when(entry.timestamp), outcome, took, one_line(entry.prompt), came, entry.prompt
    )


def _when(timestamp: str) -> str:
    try:
        return f"{datetime.fromisoformat(timestamp).astimezone():%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError, OSError):
        return one_line(timestamp)[:16]


_MOST_SHOWN = 1000
_FRAME = 8
"""Columns taken by the frame around the table."""
_GAP = 2
"""Columns between two cells."""
_ROOMY = 100
"""Columns from which the duration is shown, too."""


class HistoryTableScreen(DialogScreen[str]):
    """Dismissed with the chosen prompt, or with nothing."""

    CSS_PATH = shipped("history_table.tcss")
    BINDINGS = [bound("escape,q", "dismiss", "Close")]

    def __init__(self, load: Callable[[], Sequence[HistoryEntry]]) -> None:
        """Show what `load` returns; it reads the disk and is called in a thread."""
        self._load = load
        self._rows: list[HistoryRow] = []
        self._table = DataTable[Text](
            id="history-table-rows", cursor_type="row", zebra_stripes=True
        )
        self._note = Words("", classes="dialog-why")
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
        """Return the columns: a field of a row → its title and width in cells."""
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

    def _on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        self.leave(self._rows[event.cursor_row].typed)
