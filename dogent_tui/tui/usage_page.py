"""The page of /usage: tokens, and cost if known, by run, conversation, day and profile."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby

from rich.cells import cell_len
from textual.content import Content

from dogent_tui.agent.launch import Budget
from dogent_tui.language import phrases, tr
from dogent_tui.plain import one_line
from dogent_tui.storage.usage import UsageEntry, total_of
from dogent_tui.tui.transcript.entries import money

DAYS = 30
"""The number of days covered."""
_MOST_RUNS = 8
_MOST_DAYS = 14
_NAME = 24
_LABELS = (tr("runs"), tr("input"), tr("cached"), tr("output"), tr("cost"))
_COLUMNS = (5, 11, 11, 9, 8)


def usage_page(
    entries: Sequence[UsageEntry],
    session_id: str,
    prompts: Mapping[str, str],
    budget: Budget,
    now: datetime,
    width: int,
) -> str:
    """Return the page for the usage of `DAYS` days in `width` columns. `prompts` are those of this
    conversation by run.
    """
    is_wide = width >= _NAME + sum(_COLUMNS)

    def head(title: str) -> str:
        return _columns(title, _LABELS) if is_wide else title

    def row(name: str, runs: Iterable[UsageEntry]) -> str:
        total = total_of(runs)
        cost = "" if total.cost_usd is None else money(total.cost_usd)
        counts = (total.runs, total.input, total.cached, total.output)
        values = (*(f"{count:,}" for count in counts), cost)
        if is_wide:
            return _columns(name, values)
        said = zip(_LABELS, values, strict=True)
        told = tr(", ").join(f"{label} {value}" for label, value in said if value not in ("0", ""))
        return f"{name}\n    {told or '–'}"

    here = [entry for entry in entries if entry.session_id == session_id]
    today = [entry for entry in entries if _day(entry) == now.date()]
    week = [entry for entry in entries if entry.time >= (now - timedelta(days=7)).timestamp()]
    days = [(day, list(runs)) for day, runs in groupby(entries, _day)]
    lines = [head(tr("This conversation")), row(tr("total"), here)]
    for entry in here[-_MOST_RUNS:]:
        name = one_line(prompts.get(entry.run_id, ""))
        name = name or f"{datetime.fromtimestamp(entry.time):%Y-%m-%d %H:%M}"
        lines.append(row(f"  {name}", [entry]))
    if budget.limit_usd:
        spent, limit = budget.spent_usd, budget.limit_usd
        lines.append(tr("Budget: ${spent:.2f} of ${limit:.2f} used.", spent=spent, limit=limit))
    lines += [
        "",
        head(tr("Days")),
        row(tr("today"), today),
        row(tr("7 days"), week),
        row(tr("{days} days", days=DAYS), entries),
        *(row(f"  {day:%Y-%m-%d}", runs) for day, runs in reversed(days[-_MOST_DAYS:])),
        "",
        head(tr("Profiles, {days} days", days=DAYS)),
        *(row(name, runs) for name, runs in _by_profile(entries)),
        "",
        tr("Costs are known for Anthropic's own endpoint only."),
        tr(
            "/usage DOLLARS limits this conversation; “budget_usd” in ~/.dogent/dogent.json limits"
            " each."
        ),
    ]
    return "\n".join(lines)


def _by_profile(entries: Iterable[UsageEntry]) -> list[tuple[str, list[UsageEntry]]]:
    found = defaultdict(list)
    for entry in entries:
        found[one_line(phrases(entry.profile, entry.model))].append(entry)
    return sorted(found.items(), key=lambda each: -len(each[1]))


def _day(entry: UsageEntry) -> object:
    return datetime.fromtimestamp(entry.time).date()


def _columns(name: str, values: Iterable[str]) -> str:
    cells = zip(values, _COLUMNS, strict=True)
    right = (" " * max(1, width - cell_len(value)) + value for value, width in cells)
    return Content(name).truncate(_NAME, ellipsis=True, pad=True).plain + "".join(right)
