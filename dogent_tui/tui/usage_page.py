"""What /usage says: tokens, and cost where it is known, by run, conversation, day and profile."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby

from rich.cells import cell_len

from dogent_tui.agent.launch import Budget
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.storage.usage import UsageEntry, total_of

DAYS = 30
"""How many days back it looks."""
_MOST_RUNS = 8
_MOST_DAYS = 14
_NAME = 24
_COLUMNS = (5, 11, 11, 9, 8)


def usage_page(
    entries: Sequence[UsageEntry],
    session_id: str,
    prompts: Mapping[str, str],
    budget: Budget,
    now: datetime,
) -> str:
    """Return the page for what was used in `DAYS` days. `prompts` are those of this conversation
    by run.
    """
    here = [entry for entry in entries if entry.session_id == session_id]
    lines = [_head(tr("This conversation")), _row(tr("total"), here)]
    for entry in here[-_MOST_RUNS:]:
        clock = f"{datetime.fromtimestamp(entry.time):%Y-%m-%d %H:%M}"
        lines.append(_row(f"  {one_line(prompts.get(entry.run_id, '')) or clock}", [entry]))
    if budget.limit_usd:
        spent, limit = budget.spent_usd, budget.limit_usd
        lines.append(tr("Budget: ${spent:.2f} of ${limit:.2f} used.", spent=spent, limit=limit))
    today = [entry for entry in entries if _day(entry) == now.date()]
    week = [entry for entry in entries if entry.time >= (now - timedelta(days=7)).timestamp()]
    days = [(day, list(runs)) for day, runs in groupby(entries, _day)]
    return "\n".join(
        (
            *lines,
            "",
            _head(tr("Days")),
            _row(tr("today"), today),
            _row(tr("7 days"), week),
            _row(tr("{days} days", days=DAYS), entries),
            *(_row(f"  {day:%Y-%m-%d}", runs) for day, runs in reversed(days[-_MOST_DAYS:])),
            "",
            _head(tr("Profiles, {days} days", days=DAYS)),
            *(_row(name, runs) for name, runs in _by_profile(entries)),
            "",
            tr("Costs are known for Anthropic's own endpoint only."),
            tr(
                "/usage DOLLARS limits this conversation; “budget_usd” in ~/.dogent/dogent.json"
                " limits each."
            ),
        )
    )


def _by_profile(entries: Iterable[UsageEntry]) -> list[tuple[str, list[UsageEntry]]]:
    found = defaultdict[str, list[UsageEntry]](list)
    for entry in entries:
        found[one_line(" · ".join(filter(None, (entry.profile, entry.model))))].append(entry)
    return sorted(found.items(), key=lambda each: -len(each[1]))


def _day(entry: UsageEntry) -> object:
    return datetime.fromtimestamp(entry.time).date()


def _head(title: str) -> str:
    return _columns(title, (tr("runs"), tr("input"), tr("cached"), tr("output"), tr("cost")))


def _row(name: str, entries: Iterable[UsageEntry]) -> str:
    total = total_of(entries)
    cost = "" if total.cost_usd is None else f"${total.cost_usd:.4f}"
    if total.cost_usd is not None and total.cost_usd >= 0.1:
        cost = f"${total.cost_usd:.2f}"
    counts = (f"{count:,}" for count in (total.runs, total.input, total.cached, total.output))
    return _columns(name, (*counts, cost))


def _columns(name: str, values: Iterable[str]) -> str:
    while cell_len(name) > _NAME:
        name = f"{name.removesuffix('…')[:-1]}…"
    row = name + " " * (_NAME - cell_len(name))
    for value, width in zip(values, _COLUMNS, strict=True):
        row += " " * max(1, width - cell_len(value)) + value
    return row
