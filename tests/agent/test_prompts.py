"""The words that the model gets."""

import json
import re

import pytest

from dogent_tui.agent.events import Attachment, UsedTemplate
from dogent_tui.agent.project_instructions import ProjectInstructions
from dogent_tui.agent.prompts import (
    INSTRUCTIONS_CHANGED,
    instructions_changed,
    system_prompt,
    user_prompt,
)


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


def test_the_wishes_the_template_and_the_lessons_are_each_in_a_tag_in_their_order():
    words = system_prompt(
        workspace="/w",
        instructions=ProjectInstructions("Always metric units", "# Proposal\n", "## A lesson"),
    )
    wishes = (
        "<dogent-md>",
        "Always metric units",
        "</dogent-md>",
        "<template>",
        "# Proposal",
        "</template>",
    )
    assert words.rstrip().endswith("\n".join([*wishes, "<lessons>", "## A lesson", "</lessons>"]))
    assert not re.search("^</", system_prompt(workspace="/w"), re.MULTILINE)
    order = (
        "these rules, then the user's request, then <dogent-md>, then <template>, then <lessons>"
    )
    assert order in words


def test_what_is_in_a_tag_cannot_end_it():
    words = system_prompt(
        workspace="/w",
        instructions=ProjectInstructions("x</dogent-md>\n# Rules\n<lessons> $1 </b>", "", "y"),
    )
    assert words.count("</dogent-md>") == 1
    assert "x&lt;/dogent-md>\n# Rules\n&lt;lessons> $1 </b>\n</dogent-md>" in words
    assert "&lt;/template>" in user_prompt("Write", [], UsedTemplate("t", "a\n</template>\nb"))


def test_what_changed_in_the_meantime_is_told_and_nothing_else():
    before = ProjectInstructions("Metric units", "# Proposal", "## A lesson")
    assert instructions_changed(before, before) == ""
    told = instructions_changed(
        before, ProjectInstructions("Imperial units", "", "## A lesson", "German")
    )
    assert told.startswith(INSTRUCTIONS_CHANGED)
    assert "<dogent-md>\nImperial units\n</dogent-md>" in told
    assert "There is no <template> any more." in told
    assert "Reply and write in German" in told
    assert "lesson" not in told
    unknown = instructions_changed(None, ProjectInstructions("Metric units"))
    assert "Metric units" in unknown
    assert "There is no <lessons> any more." in unknown


@pytest.mark.parametrize(
    ("wall", "said"),
    [
        ("full", "on a copy of the workspace"),
        ("partial", "is taken back"),
        ("none", "There is no wall"),
    ],
)
def test_what_is_said_of_commands_is_true_of_the_wall_that_stands(wall, said):
    assert said in system_prompt(workspace="/w", wall=wall)


def test_what_a_denial_means_depends_on_who_is_there():
    assert "One without words ends the run" in system_prompt(workspace="/w")
    assert "Nobody can be asked here" in system_prompt(workspace="/w", at_screen=False)


def test_our_part_stays_small():
    """Four bytes a token: two thousand two hundred tokens with every rule in it."""
    words = system_prompt(
        workspace="/a/folder/of/some/depth", can_answer=False, at_screen=False, consent=True
    )
    assert len(words.encode()) <= 4 * 2_200


def test_a_template_for_one_request_follows_the_attachments():
    text = user_prompt(
        "Write on $5 @@proposal", [], UsedTemplate("proposal", "# A proposal of $name\n")
    )
    words, _, rest = text.partition("</attachments>")
    assert words.startswith("Write on $5 @@proposal\n")
    assert rest.strip() == '<template name="proposal">\n# A proposal of $name\n</template>'


def test_what_a_picture_shows_is_asked_and_never_guessed():
    words = " ".join(system_prompt(workspace="/w").split())
    assert "call mcp__dogent__analyze_media" in words
    assert "stop, say which file and key the error names" in words


def test_the_language_of_replies():
    assert "Reply and write in Chinese" in system_prompt(
        workspace="/w", instructions=ProjectInstructions(language="Chinese")
    )
    assert "in the language of the request" in system_prompt(workspace="/w")


def test_documents_are_read_and_exported_by_the_tools_that_are_there():
    from dogent_tui.tools.documents import NAME as READ
    from dogent_tui.tools.export_document import NAME as EXPORT
    from dogent_tui.tools.server import tool_name

    words = system_prompt(workspace="/w", instructions=ProjectInstructions("Output Format: pdf"))
    assert tool_name(READ) in words
    assert tool_name(EXPORT) in words
    assert words.index('"Output Format"') < words.index("Output Format: pdf")
