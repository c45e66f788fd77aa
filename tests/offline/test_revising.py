"""The offline engine proposes what rules can set right in a file, and tells what the user made of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.offline.conversation import PROPOSE
from dogent_tui.offline.tidying import tidied
from tests.offline.simulated_cli import TOOLS, Conversation

WITH_PROPOSALS = (*TOOLS, PROPOSE)
MESSY = """---
title: "the the"
---
# Tea

#### Hot  tea\x20
She said "it is is the the best" and it's so .

```
the the "code"
```

A `the the` span, a [link](x.md "the the title"), https://a.org/it's and $a  b$.

| a  | the the |

Line break\x20\x20
next line , then.


茶"很好"喝的的。
"""
TIDY = """---
title: "the the"
---
# Tea

## Hot tea
She said “it is the best” and it’s so.

```
the the "code"
```

A `the the` span, a [link](x.md "the the title"), https://a.org/it's and $a  b$.

| a  | the the |

Line break\x20\x20
next line, then.


茶“很好”喝的。
"""


def test_what_rules_can_set_right_and_nothing_else():
    made = tidied(MESSY)
    assert made.text == TIDY
    assert made.repairs == {"spaces": 4, "words": 3, "quotes": 4, "headings": 1}


@pytest.mark.parametrize(
    "text",
    [
        "Had he had had enough, that that is so.\n",
        "'90s rock 'n' roll, 6\" nails, the dogs' tails\n",
        "    the the code  \n",
        "<div>\nthe the  html\n</div>\n",
        "## One\n\n### Two\n\n# Three\n\n## Four\n",
        "的的确确\n",
        "~~~\n```\nthe the\n~~~\n",
        "- a\n  - b\n\n1.  c\n",
    ],
)
def test_what_is_left_as_it_is(text):
    assert tidied(text).text == text


@given(st.text(alphabet="the a\"'`~# \n|<>$[](),.“”的茶-", max_size=120))
def test_it_ends_and_changes_no_letter(text):
    made = tidied(text).text
    assert tidied(made).text.count("\n") <= made.count("\n") <= text.count("\n")
    assert set(made) - set(text) <= set("“”’")
    assert len(made) <= len(text)


def test_a_file_is_read_and_a_change_of_it_proposed():
    conversation = Conversation({"notes/a.md": MESSY}, tools=WITH_PROPOSALS)
    said = conversation.ask("Fix @notes/a.md", "notes/a.md")
    (proposal,) = conversation.called(PROPOSE)
    assert proposal["path"] == "notes/a.md"
    assert proposal["new_content"].rstrip() == TIDY.rstrip()
    assert "heading levels that were skipped (1)" in proposal["summary"]
    assert "1 of 2 hunks written to notes/a.md" in said
    assert "no AI model" in said
    said = conversation.ask("校对 @notes/a.md", "notes/a.md")
    assert "不是 AI 模型" in said
    assert "跳级的标题 1 处" in conversation.called(PROPOSE)[0]["summary"]


def test_what_cannot_be_is_said():
    files = {"a.md": "All is well.\n"}
    assert "nothing in `a.md`" in Conversation(files, tools=WITH_PROPOSALS).ask("Fix @a.md", "a.md")
    assert "Nothing was changed." in Conversation(files).ask("Fix @a.md", "a.md")
    assert "does not exist" in Conversation({}, tools=WITH_PROPOSALS).ask("Fix gone.md")
    said = Conversation({"a.md": "a  b\n" * 100_000}, tools=WITH_PROPOSALS).ask("Fix @a.md", "a.md")
    assert "too long for me to read whole" in said
    assert "limit" not in said, "what is meant for a model is not put to the user"
    rejected = "The user reviewed your change: nothing was written to a.md.\nHunk 1: rejected."
    conversation = Conversation({"a.md": "a  b\n"}, tools=WITH_PROPOSALS, errors={(PROPOSE, "a.md"): rejected})
    assert "nothing was written to a.md" in conversation.ask("Fix @a.md", "a.md")


def test_a_write_that_was_reviewed_is_no_failure():
    outcome = "The user reviewed your change: 1 of 2 hunks written to report.md.\nHunk 2: rejected."
    files = {"notes.md": "# Tea\n\nTea is hot. Tea is brown. Green tea is green.\n"}
    conversation = Conversation(files, errors={("Write", "*"): outcome})
    said = conversation.ask("Write a report on tea")
    assert "of this 1 of 2 hunks written to report.md" in said
