"""What the agent remembers, on the screen: a summary in its place, /compact and /context."""

from datetime import datetime, timedelta

import pytest
from textual.widgets import OptionList

from dogent_tui.agent.conversation import ContextUse
from dogent_tui.agent.events import (
    Compacted,
    Compacting,
    Prompt,
    RunFinished,
    RunStarted,
    SessionStarted,
    TextFinished,
    UsageChanged,
    UsedTokens,
)
from dogent_tui.agent.launch import Budget
from dogent_tui.storage.paths import state_dir
from dogent_tui.storage.usage import UsageEntry, note_usage, usage_since
from dogent_tui.tui.budget import dollars
from dogent_tui.tui.context_page import context_page
from dogent_tui.tui.screens.choice import ChoiceScreen
from dogent_tui.tui.screens.page import PageScreen
from dogent_tui.tui.status import Status
from dogent_tui.tui.transcript.entries import Look, entry_lines
from dogent_tui.tui.transcript.model import Compacted as Shown
from dogent_tui.tui.transcript.model import TranscriptModel
from dogent_tui.tui.usage_page import usage_page

USE = ContextUse(
    total=61_000,
    window=200_000,
    compacts_at=167_000,
    system_prompt=2_100,
    tools=4_400,
    prompts=900,
    replies=8_000,
    calls=12_000,
    notes=600,
    results={"Read": 25_000, "Grep": 3_000, "mcp__dogent__web_fetch": 5_000},
)

TOLD = Compacted(
    run_id="2",
    summary="The user writes a *report*.",
    by_user=True,
    before_tokens=61_000,
    after_tokens=2_050,
)


def compacted_conversation():
    return [
        SessionStarted(session_id="s", profile="glm", model="glm-4.6", endpoint="custom", cwd="/w"),
        RunStarted(run_id="1", prompt=Prompt("Write a report")),
        TextFinished(run_id="1", message_id="m", block=0, text="Done."),
        UsageChanged(run_id="1", context_tokens=61_000, window=200_000),
        RunFinished(run_id="1", status="completed", duration_ms=9_000, result="Done."),
        RunStarted(run_id="2", prompt=Prompt("/compact the report", compacts=True)),
        Compacting(run_id="2"),
        TOLD,
        UsageChanged(run_id="2", context_tokens=0, window=200_000),
        RunFinished(run_id="2", status="completed", duration_ms=4_000),
    ]


def test_a_summary_takes_its_place_in_the_transcript_and_unfolds():
    model = TranscriptModel()
    for event in compacted_conversation():
        model.apply(event)
    [entry] = [entry for entry in model.entries if isinstance(entry, Shown)]
    folded = "\n".join(line.text for line in entry_lines(entry, Look(80)))
    assert "Compacted by you · 61,000 → 2,050 tokens" in folded
    assert "report" not in folded
    unfolded = "\n".join(line.text for line in entry_lines(entry, Look(80, unfolded=True)))
    assert "The user writes a report." in unfolded
    assert not [
        each for each in model.entries if type(each).__name__ == "Waiting" and not each.gone
    ]


def test_the_page_says_what_fills_the_context_and_what_makes_room():
    page = context_page(USE, 80)
    assert "61,000 of 200,000 tokens (30 %)" in page
    rows = {line.partition("  ")[0].strip(): line for line in page.splitlines()}
    assert "25,000" in rows["Files read"]
    assert "8,000" in rows["Other tool results"]
    assert "139,000" in rows["Free"]
    assert "/compact" in page
    assert "empty" in context_page(ContextUse(total=0, window=200_000), 80)


def test_in_a_narrow_window_a_cut_name_is_recognized_as_one():
    assert "Reminders to the age…" in context_page(USE, 30)


async def test_context_opens_a_page_and_compact_needs_a_model(stage):
    async with stage() as it:
        it.conversation.use = USE
        await it.type("/context")
        await it.pilot.press("escape", "enter")
        await it.until(lambda: isinstance(it.app.screen, PageScreen) and it.app.screen._found)
        assert "61,000 of 200,000" in it.app.screen._found(80)
        await it.pilot.press("escape")
        await it.type("/compact")
        await it.pilot.press("escape", "enter")
        await it.until(
            lambda: (
                "built-in engine"
                in str(it.app.conversation.prompt.query_one("#prompt-hint").content)
            )
        )


def used(time, session_id="s", **values):
    return UsageEntry(
        time.timestamp(),
        values.pop("run_id", "r"),
        session_id,
        values.pop("profile", "glm"),
        "glm-4.6",
        **values,
    )


def test_what_was_used_is_summed_up_by_conversation_day_and_profile():
    now = datetime(2026, 3, 10, 12)
    entries = [
        used(
            now - timedelta(days=9), "old", profile="claude", input=1_000, output=10, cost_usd=1.5
        ),
        used(now - timedelta(days=3), "old", input=500, output=20),
        used(now, run_id="1", input=2_000, output=30, cached=7_000, cache_written=100),
    ]
    page = usage_page(entries, "s", {"1": "Write a report"}, Budget(5.0, 1.5), now, 80)
    rows = {" ".join(line[:24].split()): line[24:].split() for line in page.splitlines()}
    assert rows["total"] == rows["Write a report"] == rows["today"] == ["1", "2,100", "7,000", "30"]
    assert rows["7 days"] == ["2", "2,600", "7,000", "50"]
    assert rows["30 days"] == ["3", "3,600", "7,000", "60", "$1.50"]
    assert rows["2026-03-07"][0] == "1"
    assert rows["claude · glm-4.6"][-1] == "$1.50"
    assert "$1.50 of $5.00" in page
    narrow = usage_page(entries, "s", {"1": "Write a report"}, Budget(5.0, 1.5), now, 36)
    assert "30 days\n    runs 3, input 3,600, cached 7,000, output 60, cost $1.50\n" in narrow


def test_runs_are_noted_by_month_and_damaged_lines_left_out(home):
    january, march = datetime(2026, 1, 31, 23), datetime(2026, 3, 1, 1)
    for time in (january, march):
        note_usage(used(time, input=5))
    file = next((state_dir() / "usage").glob("2026-03*"))
    file.write_bytes(b"{half\n" + file.read_bytes())
    assert [entry.time for entry in usage_since(datetime(2026, 1, 1), datetime(2026, 3, 2))] == [
        january.timestamp(),
        march.timestamp(),
    ]
    assert len(usage_since(datetime(2026, 2, 1), datetime(2026, 3, 2))) == 1


@pytest.mark.parametrize(
    ("typed", "amount"),
    [("2.50", 2.5), ("$3", 3.0), ("off", 0.0), ("lots", None), ("-1", None), ("nan", None)],
)
def test_an_amount_is_read_as_typed(typed, amount):
    assert dollars(typed) == amount


async def test_a_spent_budget_asks_whether_the_conversation_continues(stage):
    async with stage() as it:
        service = it.app.opened.service
        service.budget.limit_usd = service.budget.spent_usd = 1.0
        await it.type("Go on")
        await it.pilot.press("enter")
        await it.until(lambda: isinstance(it.app.screen, ChoiceScreen) and it.app.screen.guard.open)
        answers = it.app.screen.query_one(OptionList)
        assert [str(option.prompt) for option in answers.options][
            1
        ] == "Continue with another $1.00"
        await it.pilot.press("down", "enter")
        await it.until(lambda: it.conversation.sent)
        assert it.conversation.sent[0].startswith("Go on")
        assert service.budget.limit_usd == 2.0


def test_the_status_bar_shows_what_was_used_where_the_user_wants_it():
    ended = RunFinished(
        run_id="1",
        status="completed",
        duration_ms=1,
        cost_usd=0.5,
        tokens=UsedTokens(1_000, 200, 300),
    )
    for wanted, shown in (("", ""), ("cost", "$0.50"), ("tokens", "1.5k used")):
        status = Status("~/report", "glm", shows_usage=wanted)
        status.handle(ended)
        assert status.usage == shown
        assert shown in status.parts(80)[1]
