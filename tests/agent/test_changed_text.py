"""What the CLI tells of a file that it changed."""

import pytest
from claude_agent_sdk import ToolResultBlock, UserMessage

from dogent_tui.agent.translator import Translator, changed_hunks, part_given


def test_hunks_become_what_was_there_and_what_is_there_now():
    told = {
        "type": "update",
        "structuredPatch": [
            {
                "oldStart": 1,
                "lines": [
                    " one",
                    "-two",
                    "+zwei",
                    "+[b]",
                    " three",
                    "\\ No newline at end of file",
                ],
            },
            {"oldStart": 9, "lines": ["-- an item", "+- a better item"]},
        ],
    }
    assert changed_hunks(told) == (
        ("one\ntwo\nthree", "one\nzwei\n[b]\nthree"),
        ("- an item", "- a better item"),
    )


def test_what_is_no_report_of_a_change_tells_of_none():
    for told in (
        None,
        "Error: no",
        [],
        {},
        {"structuredPatch": None},
        {"structuredPatch": "x"},
        {"structuredPatch": ["x", 1]},
        {"structuredPatch": [{"lines": None}]},
    ):
        assert changed_hunks(told) == ()
    assert changed_hunks({"structuredPatch": [{"lines": ["+" + "x" * 200_000]}]}) == ()
    same = {"originalFile": "one\n", "content": "one\n", "structuredPatch": []}
    assert changed_hunks(same) == (("", ""),)


def test_a_result_carries_the_change_where_it_is_clear_whose_it_is():
    told = {"structuredPatch": [{"lines": ["-old", "+new"]}]}
    one, other = (
        ToolResultBlock(tool_use_id="a", content="ok"),
        ToolResultBlock(tool_use_id="b", content="ok"),
    )
    translator = Translator()
    (alone,) = translator.translate(UserMessage(content=[one], tool_use_result=told))
    assert alone.changes == (("old", "new"),)
    assert [
        event.changes
        for event in translator.translate(UserMessage(content=[one, other], tool_use_result=told))
    ] == [(), ()]


@pytest.mark.parametrize(
    ("told", "result", "part"),
    [
        ({"file": {"startLine": 5, "numLines": 3, "totalLines": 9}}, "", (4, 7, 9)),
        ({"file": {"startLine": "x"}}, "", None),
        (None, '{"path": "a.md", "size": 3, "modified": ""}\n\none', (0, 1, 1)),
        (
            None,
            (
                '{"path": "a", "size": 9, "modified": "", "characters": 9, "offset": 2,'
                ' "next_offset": 5}\n\none'
            ),
            (2, 5, 9),
        ),
        (None, '{"path": "a.docx"}\n\ntext', None),
        ("Error", "text", None),
    ],
)
def test_which_part_of_a_text_a_tool_gave(told, result, part):
    assert part_given(told, result) == part
