"""Two windows on one workspace for a minute, and a history of 100,000 entries: what is lost, and
what it costs.
"""

import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

from dogent_tui.storage.history import History, HistoryEntry, utc_now
from dogent_tui.storage.paths import Workspace
from tests.benchmarks.table import Row
from tests.storage.hammering import hammer

SECONDS = 60.0
ENTRIES = 100_000


def measure() -> list[Row]:
    """Hammer a workspace, which fails where anything is missing, and time what a long history
    costs.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.dict(os.environ, DOGENT_HOME=f"{folder}/home"),
    ):
        workspace = Workspace(Path(folder) / "work")
        workspace.dot.mkdir(parents=True)
        rounds = hammer(workspace, 1, SECONDS)
        history = _long_history(Path(folder) / "history.json")
        return [
            Row(
                "two windows for a minute, nothing lost: milliseconds an entry",
                1000 * SECONDS / rounds,
                beside=f"{rounds:,} entries",
            ),
            Row(f"history of {ENTRIES:,}: recall at start", _timed(history.recall), target=50),
            Row(
                f"history of {ENTRIES:,}: an entry added",
                _timed(lambda: history.append(_entry())),
                target=50,
            ),
            Row(
                f"history of {ENTRIES:,}: the latest 1,000 for Ctrl+R",
                _timed(lambda: history.recall(1_000)),
                target=100,
            ),
            Row(
                f"history of {ENTRIES:,}: all of it for Ctrl+R, behind",
                _timed(lambda: history.recall(ENTRIES)),
            ),
        ]


def _long_history(file: Path) -> History:
    rows = (
        {
            "timestamp": f"2026-01-01T00:00:00.{number:06}+00:00",
            "status": "completed",
            "prompt": f"Prompt {number}",
            "summary": "x" * 200,
        }
        for number in range(ENTRIES)
    )
    file.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n", encoding="utf-8")
    return History(file)


def _entry() -> HistoryEntry:
    return HistoryEntry(utc_now(), "command", "/theme nord")


def _timed(call: Callable[[], object]) -> float:
    call()
    began = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - began)
