"""What /show history lists: each run or command once, with what came of it. No Textual here."""

import re
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime

import msgspec

from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.storage.history import HistoryEntry
from dogent_tui.tui.transcript.entries import duration

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
"""Markdown in a reply, which in a line of a table is noise."""


class HistoryRow(msgspec.Struct, frozen=True):
    """One line of the history. `when` is local time, `outcome` a word or two, `came` what the agent
    said or why it ended.

    `typed` is the prompt as it was typed, `prompt` the same in one line that is safe to draw.
    """

    when: str
    outcome: str
    took: str
    prompt: str
    came: str
    typed: str


def history_rows(entries: Iterable[HistoryEntry]) -> list[HistoryRow]:
    """Return the rows for `entries`, the latest first. A run whose beginning and end were
    recorded is one row.
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
