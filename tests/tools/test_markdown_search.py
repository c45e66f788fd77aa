"""The tools that consult Markdown files: what they answer, and that none runs without an
approved request.
"""

import json
import re

import pytest

from dogent_tui.agent.tool_names import result_summary
from dogent_tui.markdown_search.markdown_file import MarkdownFile
from dogent_tui.settings.values import WorkspaceSettings
from dogent_tui.storage.paths import Workspace
from dogent_tui.tools.libraries import Libraries
from dogent_tui.tools.markdown_search import MOST_CHARS, markdown_search_tools, read_text


@pytest.fixture
async def call(tmp_path):
    root = tmp_path / "w"
    root.mkdir()
    (root / "a.md").write_text('# "A"\n\nneedle\n', encoding="utf-8")
    libraries = Libraries(Workspace(root), WorkspaceSettings(ignored_folders=("old",)))
    tools = {tool.name: tool for tool in markdown_search_tools(libraries)}
    numbers = iter(range(1000))

    async def called(name, *, approved=True, **values):
        if approved:
            request = libraries.requests.open(str(next(numbers)), name, "", values)
            libraries.requests.settle(request.id, "approved")
        answer = await tools[name].handler(values)
        return answer["content"][0]["text"], answer["is_error"]

    called.root, called.tools = root, tools
    yield called
    await libraries.close()


async def test_the_answers_are_json(call):
    (call.root / "old").mkdir()
    (call.root / "old" / "b.md").write_text("needle", encoding="utf-8")
    text, is_error = await call("search_markdown_content", query="NEEDLE", reason="r")
    assert not is_error
    assert json.loads(text) == {
        "matches": 1,
        "files_matched": 1,
        "files_searched": 1,
        "more": 0,
        "lines": [{"path": "a.md", "line": 3, "text": "needle"}],
    }
    assert (
        json.loads((await call("search_markdown_content", query="no such", reason="r"))[0])["lines"]
        == []
    )
    found = json.loads((await call("search_markdown_files", reason="r", pattern=None))[0])
    assert (found["count"], found["more"], found["files"][0]["name"]) == (1, 0, "a.md")
    (call.root / "sub").mkdir()
    (call.root / "sub" / "x.png").touch()
    assert json.loads((await call("list_file_tree", reason="r"))[0]) == {
        "folders": 1,
        "files": 2,
        "more": 0,
        "children": [
            {
                "name": "sub",
                "path": "sub",
                "type": "folder",
                "children": [
                    {"name": "x.png", "path": "sub/x.png", "type": "file", "extension": ".png"}
                ],
            },
            {"name": "a.md", "path": "a.md", "type": "file", "extension": ".md"},
        ],
    }


async def test_what_was_found_is_told_in_a_word(call):
    told = [
        result_summary(f"mcp__dogent__{tool}", (await call(tool, reason="r", **values))[0])
        for tool, values in (
            ("search_markdown_content", {"query": "needle"}),
            ("search_markdown_content", {"query": "e"}),
            ("search_markdown_content", {"query": "no such"}),
            ("search_markdown_files", {}),
        )
    ]
    (matches,) = re.findall(r"\d+", told[1])
    assert told == ["1 result", f"{matches} results", "no results", "1 result"]


async def test_a_call_needs_a_request_that_was_approved_and_not_used(call):
    values = {"path": "a.md", "reason": "To read"}
    text, is_error = await call("read_markdown_file", approved=False, **values)
    assert is_error
    assert "not approved" in text
    assert not (await call("read_markdown_file", **values))[1]
    assert (await call("read_markdown_file", approved=False, **values))[1]


@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        ("read_markdown_file", {"path": "a.md"}, "reason"),
        ("read_markdown_file", {"path": 3, "reason": "r"}, "path"),
        ("read_markdown_file", {"path": "gone.md", "reason": "r"}, "There is no file gone.md"),
        (
            "search_markdown_content",
            {"query": "(", "regex": True, "reason": "r"},
            "not a valid regular expression",
        ),
        ("search_markdown_content", {"query": "", "reason": "r"}, "nothing to search for"),
        (
            "search_markdown_files",
            {"pattern": "(", "regex": True, "reason": "r"},
            "not a valid regular expression",
        ),
        ("list_file_tree", {"reason": "r", "path": "sub"}, "path"),
    ],
)
async def test_what_is_wrong_is_an_error_that_says_what(call, name, values, words):
    text, is_error = await call(name, **values)
    assert is_error
    assert words in text


def test_every_tool_requires_a_reason(tmp_path):
    tools = list(markdown_search_tools(Libraries(Workspace(tmp_path), WorkspaceSettings())))
    assert all("reason" in tool.schema["required"] for tool in tools)
    assert len(tools) == 4


def test_a_long_file_comes_in_parts():
    file = MarkdownFile("a.md", "a.md", "读" * (MOST_CHARS + 5), 3, "")
    head, _, part = read_text(file).partition("\n\n")
    assert json.loads(head)["next_offset"] == len(part) == MOST_CHARS
    head, _, part = read_text(file, MOST_CHARS).partition("\n\n")
    assert "next_offset" not in json.loads(head)
    assert part == "读" * 5
    assert read_text(file, 10**9).endswith("\n\n")
