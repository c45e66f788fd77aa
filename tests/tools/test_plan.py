"""The tool `plan`."""

import json

from dogent_tui.settings.values import WorkspaceSettings
from dogent_tui.storage.paths import Workspace
from dogent_tui.tools.libraries import Libraries
from dogent_tui.tools.plan import planning_tools
from dogent_tui.tools.server import tool_name


def tool(tmp_path):
    [made] = planning_tools(Libraries(Workspace(tmp_path), WorkspaceSettings()))
    return made


async def test_it_says_how_much_is_open(tmp_path):
    todos = [
        {"content": "Read", "status": "completed"},
        {"content": "Write", "status": "in_progress"},
        {"content": "Check"},
    ]
    answer = await tool(tmp_path).handler({"todos": todos})
    assert answer["content"][0]["text"] == "Shown. Open: 2 of 3."


async def test_a_plan_that_is_none_is_an_error_that_names_the_field(tmp_path):
    answer = await tool(tmp_path).handler({"todos": [{"status": "pending"}]})
    assert answer["is_error"]
    assert "content" in answer["content"][0]["text"]


def test_it_takes_no_more_than_150_tokens_of_a_request(tmp_path):
    made = tool(tmp_path)
    sent = {
        "name": tool_name(made.name),
        "description": made.description,
        "input_schema": made.schema,
    }
    assert len(json.dumps(sent)) <= 4 * 150
