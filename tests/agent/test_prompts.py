"""The words that the model gets."""

import json

from dogent_tui.agent.events import Attachment, UsedTemplate
from dogent_tui.agent.project_instructions import ProjectInstructions
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


def test_the_wishes_the_template_and_the_lessons_stand_in_every_conversation():
    words = system_prompt(workspace="/w", standing=ProjectInstructions("Always metric units", "# Proposal\n", "## A lesson"))
    assert words.index("Always metric units") < words.index("# Proposal") < words.index("## A lesson")
    assert "The workspace has none" in system_prompt(workspace="/w")


def test_a_template_for_one_request_follows_the_attachments():
    text = user_prompt("Write on $5 @@proposal", [], UsedTemplate("proposal", "# A proposal of $name\n"))
    words, _, rest = text.partition("</attachments>")
    assert words.startswith("Write on $5 @@proposal\n")
    assert rest.strip() == '<template name="proposal">\n# A proposal of $name\n</template>'


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

    words = system_prompt(workspace="/w", standing=ProjectInstructions("Output Format: pdf"))
    assert tool_name(READ) in words
    assert tool_name(EXPORT) in words
    assert words.index('"Output Format"') < words.index("Output Format: pdf")
