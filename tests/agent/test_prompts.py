"""The words that the model gets."""

import json

from dogent_tui.agent.events import Attachment
from dogent_tui.agent.prompts import system_prompt, user_prompt


def test_the_attachments_follow_the_words_as_metadata():
    text = user_prompt("Write $5 on {this}", [Attachment("表/a.xlsx", "a.xlsx", "xlsx", "S 1")])
    words, rest = text.split("\n\n<attachments>\n")
    assert words == "Write $5 on {this}"
    assert json.loads(rest.removesuffix("\n</attachments>")) == [
        {"path": "表/a.xlsx", "name": "a.xlsx", "type": "xlsx", "sheet": "S 1"}
    ]
    assert "表" in rest


def test_lines_are_metadata_and_the_model_knows_what_they_mean():
    text = user_prompt("Shorten this", [Attachment("a.md", "a.md", "md", lines="10-40")])
    assert '[{"path": "a.md", "name": "a.md", "type": "md", "lines": "10-40"}]' in text
    assert '"lines"' in system_prompt(workspace="/w")


def test_without_attachments_the_array_is_empty():
    assert user_prompt("Hi", []).endswith("<attachments>\n[]\n</attachments>")


def test_the_wishes_of_the_workspace_travel_and_are_capped():
    assert "Always metric units" in system_prompt(workspace="/w", constraints="Always metric units")
    long = system_prompt(workspace="/w", constraints="x" * 100_000)
    assert len(long) < 30_000
    assert "cut here" in long


def test_what_a_picture_shows_is_asked_and_never_guessed():
    words = " ".join(system_prompt(workspace="/w").split())
    assert "call mcp__dogent__analyze_media" in words
    assert "stop, say which file and key the error names" in words


def test_the_language_of_replies():
    assert "Reply and write in Chinese" in system_prompt(workspace="/w", language="Chinese")


def test_documents_are_read_and_exported_by_the_tools_that_are_there():
    from dogent_tui.tools.documents import NAME as READ
    from dogent_tui.tools.exporting import NAME as EXPORT
    from dogent_tui.tools.server import tool_name

    words = system_prompt(workspace="/w", constraints="Output Format: pdf")
    assert tool_name(READ) in words
    assert tool_name(EXPORT) in words
    assert words.index('"Output Format"') < words.index("Output Format: pdf")
