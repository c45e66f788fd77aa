"""The agent consults the documents of the workspace, through the real CLI: what is asked, and
what an answer means.
"""

import json

import pytest

from dogent_tui.agent.events import (
    PermissionAnswer,
    PermissionRequested,
    Prompt,
    RunFinished,
    ToolResult,
)
from tests.e2e.conftest import IN_ONE_LOOP

pytestmark = IN_ONE_LOOP

READ = "mcp__dogent__read_markdown_file"
FIND = "mcp__dogent__search_markdown_files"
SEARCH = "mcp__dogent__search_markdown_content"
TREE = "mcp__dogent__list_file_tree"


async def submit(agent, text):
    await agent.service.submit(Prompt(text))
    return await agent.heard(PermissionRequested, len(agent.of(PermissionRequested)) + 1)


async def answer(agent, question, *words, **more):
    await agent.service.reply(question.request_id, PermissionAnswer(*words, **more))


@pytest.mark.thorough
async def test_each_tool_is_asked_about_with_its_reason_and_allowed_once_or_for_the_session(
    api, agent
):
    (agent.root / "meeting.md").write_text("# Meeting\n\nTODO: invite the 读者\n", encoding="utf-8")
    (agent.root / "second.md").write_text("todo\n", encoding="utf-8")
    api.call(READ, {"path": "meeting.md", "reason": "To summarise the meeting"})
    api.call(READ, {"path": "second.md", "reason": "To compare"})
    api.call(SEARCH, {"query": "todo", "reason": "To list what is open"})
    api.call(FIND, {"reason": "To see what there is"})
    api.call(TREE, {"reason": "To see where things lie"})
    api.say("Done.")
    question = await submit(agent, "Read what I wrote")
    assert (question.sentence, question.words) == ("Read meeting.md", "To summarise the meeting")
    assert (question.scopes, question.rules) == (
        ("once", "session", "always"),
        ("use:read_markdown_file",),
    )
    await answer(agent, question, "allow", "session")
    search = await agent.heard(PermissionRequested, 2)  # the second read is not asked about
    assert search.sentence == "Search all Markdown files for “todo”"
    await answer(agent, search, "allow")
    for number, sentence in (
        (3, "List all Markdown files in the workspace"),
        (4, "List the workspace's files and folders"),
    ):
        question = await agent.heard(PermissionRequested, number)
        assert question.sentence == sentence
        await answer(agent, question, "allow")
    assert (await agent.heard(RunFinished)).status == "completed"
    read, second, searched, found, tree = (result.content for result in agent.of(ToolResult))
    head, _, content = read.partition("\n\n")
    assert json.loads(head)["path"] == "meeting.md"
    assert content == "# Meeting\n\nTODO: invite the 读者\n"
    assert second.endswith("\n\ntodo\n")
    assert [(line["path"], line["line"]) for line in json.loads(searched)["lines"]] == [
        ("meeting.md", 3),
        ("second.md", 1),
    ]
    assert json.loads(found)["count"] == 2
    assert {node["path"] for node in json.loads(tree)["children"]} == {"meeting.md", "second.md"}


@pytest.mark.thorough
async def test_a_denial_goes_back_to_the_model_and_the_same_is_not_put_again(api, agent):
    (agent.root / "diary.md").write_text("private", encoding="utf-8")
    api.call(SEARCH, {"query": "private", "reason": "To find it"})
    api.call(SEARCH, {"query": "private", "reason": "Really, to find it"})
    api.call(FIND, {"pattern": "diary", "reason": "To find the file"})
    api.call(READ, {"path": "../outside.md", "reason": "To look around"})
    api.call(TREE, {"reason": " "})
    api.say("Then I leave it.")
    await answer(agent, await submit(agent, "Find my secrets"), "deny")
    second = await agent.heard(PermissionRequested, 2)
    assert second.tool == FIND
    await answer(agent, second, "deny", message="My diary is mine.")
    assert (await agent.heard(RunFinished)).status == "completed"
    assert len(agent.of(PermissionRequested)) == 2
    results = agent.of(ToolResult)
    assert all(result.is_error for result in results)
    plain, again, words, outside, without = (result.content for result in results)
    assert "The user denied this call." in plain
    assert again == plain
    assert "My diary is mine." in words
    assert "outside the workspace" in outside
    assert "reason is missing" in without


@pytest.mark.thorough
async def test_for_other_tools_a_denial_still_ends_the_run(api, agent):
    (agent.root / "diary.md").write_text("private", encoding="utf-8")
    api.call("Bash", {"command": "rm diary.md"})
    await answer(agent, await submit(agent, "Remove it"), "deny")
    assert (await agent.heard(RunFinished)).status == "aborted"
