"""What the agent remembers, on the screen: a summary in its place, /compact and /context."""

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
)
from dogent_tui.tui.context_page import context_page
from dogent_tui.tui.screens.page import PageScreen
from dogent_tui.tui.transcript.entries import Look, entry_lines
from dogent_tui.tui.transcript.model import Compacted as Shown
from dogent_tui.tui.transcript.model import TranscriptModel

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

TOLD = Compacted(run_id="2", summary="The user writes a *report*.", by_user=True, before_tokens=61_000, after_tokens=2_050)


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
    assert not [each for each in model.entries if type(each).__name__ == "Waiting" and not each.gone]


def test_the_page_says_what_fills_the_context_and_what_makes_room():
    page = context_page(USE)
    assert "61,000 of 200,000 tokens (30 %)" in page
    rows = {line.partition("  ")[0].strip(): line for line in page.splitlines()}
    assert "25,000" in rows["Files it read"]
    assert "8,000" in rows["Other results of tools"]
    assert "139,000" in rows["Free"]
    assert "/compact" in page
    assert "empty" in context_page(ContextUse(total=0, window=200_000))


async def test_context_opens_a_page_and_compact_needs_a_model(stage):
    async with stage() as it:
        it.conversation.use = USE
        await it.type("/context")
        await it.pilot.press("escape", "enter")
        await it.until(lambda: isinstance(it.app.screen, PageScreen) and it.app.screen._found)
        assert "61,000 of 200,000" in it.app.screen._found
        await it.pilot.press("escape")
        await it.type("/compact")
        await it.pilot.press("escape", "enter")
        await it.until(lambda: "built-in engine" in str(it.app.conversation.prompt.query_one("#prompt-hint").content))
