"""The usage of runs: one line per run in ``STATE/usage/YYYY-MM.jsonl``, for totals across
conversations.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

import msgspec

from dogent_tui.storage.files import append_lines, json_line, json_lines
from dogent_tui.storage.paths import state_dir


class UsageEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One run. `time` is seconds since the epoch. `cost_usd` is None if unknown, as for most
    endpoints.
    """

    time: float
    run_id: str
    session_id: str
    profile: str
    model: str = ""
    input: int = 0
    output: int = 0
    cached: int = 0
    cache_written: int = 0
    cost_usd: float | None = None


class Total(msgspec.Struct):
    """The total of several runs. `cost_usd` is None if it is unknown for all of them."""

    runs: int = 0
    input: int = 0
    output: int = 0
    cached: int = 0
    cost_usd: float | None = None


def total_of(entries: Iterable[UsageEntry]) -> Total:
    """Return the total of `entries`. Tokens written to the cache count as input: they were sent to
    the model.
    """
    total = Total()
    for entry in entries:
        total.runs += 1
        total.input += entry.input + entry.cache_written
        total.output += entry.output
        total.cached += entry.cached
        if entry.cost_usd is not None:
            total.cost_usd = (total.cost_usd or 0.0) + entry.cost_usd
    return total


def note_usage(entry: UsageEntry) -> None:
    """Append a run. Raises OSError."""
    append_lines(_file(datetime.fromtimestamp(entry.time)), json_line(entry))


def usage_since(start: datetime, until: datetime) -> list[UsageEntry]:
    """Return the runs from `start` to `until` (local times), oldest first, without unreadable
    lines.
    """
    found = [entry for file in _files(start, until) for entry in json_lines(file, UsageEntry)]
    return sorted(
        (entry for entry in found if entry.time >= start.timestamp()), key=lambda entry: entry.time
    )


def _files(start: datetime, until: datetime) -> Iterator[Path]:
    month = start.replace(day=1)
    while month <= until:
        yield _file(month)
        month = month.replace(year=month.year + month.month // 12, month=month.month % 12 + 1)


def _file(month: datetime) -> Path:
    return state_dir() / "usage" / f"{month:%Y-%m}.jsonl"
