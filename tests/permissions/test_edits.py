"""What the CLI's file tools would make of a text, as the CLI makes it."""

import pytest

from dogent_tui.permissions.edits import text_after


@pytest.mark.parametrize(
    ("old", "before", "after", "left"),
    [
        pytest.param("one two", "two", "2", "one 2", id="one place"),
        pytest.param("one two two", "two", "2", None, id="two places"),
        pytest.param("one", "two", "2", None, id="no place"),
        pytest.param("a\r\nb\r\n", "a\nb", "c\nd", "c\nd\n", id="line endings"),
        pytest.param("", "", "new", "new", id="a new file"),
        pytest.param("full", "", "new", None, id="over a text"),
        pytest.param("a\nb\nc\n", "b", "", "a\nc\n", id="a whole line"),
        pytest.param("a\nbc\n", "b", "", "a\nc\n", id="a part of a line"),
        pytest.param(
            "say “tea” now",
            'say "tea" now',
            'say "hot tea" now',
            "say “hot tea” now",
            id="curly quotes",
        ),
        pytest.param("It’s ‘so’", "It's 'so'", "It's 'not so'", "It’s ‘not so’", id="apostrophes"),
        pytest.param(
            "读者说“好”。",
            '读者说"好"。',
            '读者说"很好"。',
            "读者说”很好”。",
            id="no space before the quote",
        ),
    ],
)
def test_an_edit(old, before, after, left):
    assert text_after("Edit", {"old_string": before, "new_string": after}, old) == left


def test_all_places_several_edits_and_a_whole_text():
    assert (
        text_after("Edit", {"old_string": "a", "new_string": "b", "replace_all": True}, "a a\r\n")
        == "b b\n"
    )
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "b", "new_string": "c"}]
    assert text_after("MultiEdit", {"edits": edits}, "a") == "c"
    assert (
        text_after("MultiEdit", {"edits": [*edits, {"old_string": "a", "new_string": "d"}]}, "a")
        is None
    )
    assert text_after("Write", {"content": "x\r\n"}, "a") == "x\r\n"


@pytest.mark.parametrize(
    "values", [{}, {"old_string": 1, "new_string": ""}, {"edits": 3}, {"content": None}]
)
def test_what_is_no_call(values):
    for tool in ("Write", "Edit", "MultiEdit", "NotebookEdit"):
        assert text_after(tool, values, "a") is None
