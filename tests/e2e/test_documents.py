"""The model reads documents, through the real CLI: what the next request to it holds, and what
is asked first.
"""

import asyncio
from contextlib import suppress

import psutil
import pytest

from dogent_tui.agent.events import (
    PermissionAnswer,
    PermissionRequested,
    Prompt,
    RunFinished,
    ToolOutput,
    ToolResult,
    ToolUse,
)
from tests.children import children_running
from tests.e2e.conftest import IN_ONE_LOOP

pytestmark = IN_ONE_LOOP

READ = "mcp__dogent__read_document"


async def test_documents_reach_the_model_as_markdown_in_parts_and_errors_as_sentences(api, agent):
    (agent.root / "visits.csv").write_text("month;visits\nMay;1,204\n", encoding="utf-8")
    (agent.root / "notes.txt").write_bytes(("读者人数很多。\n\n" * 2000).encode("gb18030"))
    (agent.root / "scan.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    api.call_all(
        (READ, {"path": "visits.csv"}),
        (READ, {"path": "notes.txt", "max_chars": 300}),
        (READ, {"path": "scan.png"}),
    )
    api.call(READ, {"path": "notes.txt", "max_chars": 300, "offset": 297})
    api.call(READ, {"path": "visits.csv", "changes": "some"})
    api.say("Read.")
    ended = await agent.run("Read my documents")
    assert ended.status == "completed"
    table, notes, picture, more, wrong = agent.of(ToolResult)
    assert table.content.startswith("visits.csv · csv · characters 0 to ")
    assert table.content.endswith("\n\n| month | visits |\n| --- | --- |\n| May | 1,204 |")
    assert "There is more: call read_document again with offset 297." in notes.content
    assert notes.content.endswith("\n\n读者人数很多。")
    assert picture.is_error
    assert "analyze_media" in picture.content
    assert "characters 297 to " in more.content
    assert wrong.is_error
    assert "Invalid enum value 'some' - at `$.changes`" in wrong.content
    assert "| May | 1,204 |" in str(api.requests[1].messages[-1])
    assert agent.of(PermissionRequested) == []


@pytest.mark.thorough
async def test_outside_of_the_workspace_the_user_is_asked(api, agent, tmp_path):
    (tmp_path / "secret.txt").write_text("for my eyes", encoding="utf-8")
    api.call(READ, {"path": str(tmp_path / "secret.txt")})
    api.say("Read.")
    await agent.service.submit(Prompt("Read what lies outside"))
    question = await agent.heard(PermissionRequested)
    assert "secret.txt" in question.sentence
    await agent.service.reply(question.request_id, PermissionAnswer("allow"))
    await agent.heard(RunFinished)
    (result,) = agent.of(ToolResult)
    assert "for my eyes" in result.content


@pytest.mark.thorough
async def test_a_long_reading_tells_how_far_it_is_and_an_interrupt_ends_it_with_the_run(api, agent):
    (agent.root / "long.csv").write_text("1,2,3,4,5,6,7,8,9\n" * 2_000_000, encoding="utf-8")
    # known to lie beyond the end only when all is read
    api.call(READ, {"path": "long.csv", "offset": 10**9})
    await agent.service.submit(Prompt("Read to the end"))
    await agent.heard(ToolUse)
    told = await agent.heard(ToolOutput, 2)
    assert told.text.endswith(" %\n")
    assert told.tool_use_id == agent.of(ToolUse)[0].tool_use_id
    await agent.service.interrupt()
    assert (await agent.heard(RunFinished)).status == "interrupted"
    await until(lambda: not readers())


def readers():
    """The processes that read a document now."""
    found = []
    for reader in children_running("documents.worker"):
        with suppress(psutil.NoSuchProcess):
            if reader.cpu_percent(0.05) > 1:
                found.append(reader)
    return found


async def until(holds):
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.05)
