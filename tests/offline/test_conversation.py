"""What is read from the messages of a conversation."""

import json

import pytest

from dogent_tui.offline.conversation import parse_prompt


@pytest.mark.parametrize(
    ("typed", "paths", "missing"),
    [
        ("Use @a.md and @b.md.", ["a.md"], ("b.md",)),
        ('Use @"my file.md" and @"no file.md"', ["my file.md"], ("no file.md",)),
        (r'Use @"say \"hi\".md"', ['say "hi".md'], ()),
        ("Use @data.xlsx#Sheet1 and @C#notes.md", ["data.xlsx", "C#notes.md"], ()),
        ("Use @a.md:10-40, (see @./b.md)", ["a.md", "b.md"], ()),
        ("Use @../c.md and @~/d.md", ["/home/x/c.md", "/home/d.md"], ()),
        ("总结@报告.md的内容，还有@没有.md。", ["报告.md"], ("没有.md",)),
        ("Use @notes/", ["notes"], ()),
        ("Use @cafe\u0301.md", ["cafe\u0301.md"], ()),
        ("Write to me@example.org with @@letter", [], ()),
    ],
)
def test_the_references_that_lead_nowhere(typed, paths, missing):
    array = json.dumps([{"path": path, "name": path, "type": "md"} for path in paths])
    assert parse_prompt(f"{typed}\n\n<attachments>\n{array}\n</attachments>").missing == missing
