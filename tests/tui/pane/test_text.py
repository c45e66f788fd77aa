"""A Markdown text in parts, and what changed in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.errors import DogentError
from dogent_tui.tui.pane.text import (
    Changes,
    Heading,
    MarkdownText,
    Moved,
    changes,
    read_markdown_text,
    stamp_of,
)

LINES = st.sampled_from(
    ["", "", "# Heading", "A sentence of a paragraph, long enough. " * 12, "茶是一种饮料。" * 40,
        "- item", "```", "<!--", "-->",
     "| a | b |", "  indented", "[x]: https://example.org", "1. first", "> quoted"]
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("---\ntitle: Tea\n---\n\n# Tea, it’s *hot*\n\n- 1,204 cups of well-made tea\n", 8),
        ("茶很热 (hot).", 4),
        ("[The source](https://example.org/a/b) says so.<!-- is it\ntrue? -->", 4),
        ("", 0),
    ],
)
def test_words_are_counted_as_a_reader_would(text, words):
    assert MarkdownText(text).note.split()[0] == str(words)


@given(st.lists(LINES, max_size=200))
def test_the_parts_are_the_text(lines):
    markdown = MarkdownText("\n".join(lines))
    rebuilt: list[str] = []
    for part in markdown.parts:
        # the beginning of a code block or table is repeated before the rest of it
        repeated = len(rebuilt) - part.first
        assert repeated in {0, 1, 2}
        rebuilt += part.text.split("\n")[repeated:]
    assert rebuilt == markdown.lines


def test_what_belongs_together_is_not_cut():
    paragraph = "A sentence that is long. " * 40
    fenced = "\n".join(["```", "", paragraph, "", paragraph, "", paragraph, "```"])
    loose = "\n\n".join(["- item", *(f"  {paragraph}" for _ in range(4))])
    hidden = f"<!--\n\n{paragraph}\n\n{paragraph}\n\n{paragraph}\n-->"
    text = "\n\n".join([paragraph, fenced, paragraph, loose, paragraph, hidden, paragraph])
    parts = [part.text.strip() for part in MarkdownText(text).parts]
    assert len(parts) > 2
    for block in (fenced, loose, hidden):
        assert sum(block.strip() in part for part in parts) == 1


def test_what_is_long_is_cut_all_the_same():
    code = "\n".join(["```py", *(f"x = {number}" for number in range(5000)), "```", "", "After."])
    parts = MarkdownText(code).parts
    assert len(parts) > 2
    assert all(part.text.startswith("```py\nx = ") for part in parts[:-1])
    first = parts[1].first + 1
    assert parts[1].text.split("\n")[1] == f"x = {first - 1}"
    one = MarkdownText("# Tea\n\n" + "茶是一种饮料。" * 9000 + "\n\nEnd\n")
    assert max(len(part.text) for part in one.parts) <= 8_000
    assert "".join(part.text for part in one.parts if part.first == 2) == "茶是一种饮料。" * 9000
    assert one.parts[-1].text == "\nEnd"
    assert len(MarkdownText("- item\n" * 20_000).parts) > 5
    table = "| a | b |\n|---|---|\n"
    rows = MarkdownText(table + "| one | two |\n" * 2_000).parts
    assert len(rows) > 2
    assert all(part.text.startswith(table) for part in rows)
    assert [part.first for part in rows][1] == rows[0].text.count("\n") + 1 - 2
    assert MarkdownText("> " * 3000 + "deep\n").headings == ()


def test_what_follows_a_table_is_no_part_of_it():
    parts = MarkdownText("word " * 400 + "\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nAfter.\n").parts
    assert [part.text for part in parts][1:] == ["After."]


def test_front_matter_is_shown_as_it_is_written():
    markdown = MarkdownText("---\ntitle: Tea\n---\n# Tea\n")
    assert [part.first for part in markdown.parts] == [0, 3]
    assert markdown.parts[0].text == "```yaml\ntitle: Tea\n```"
    assert markdown.headings == (Heading(3, 1, "Tea"),)


def test_headings_and_definitions():
    markdown = MarkdownText("# One #\n\n[a]: b\n\nTwo *words*\n===\n\n```\n# none\n[c]: d\n```\n")
    assert markdown.headings == (Heading(0, 1, "One"), Heading(4, 1, "Two *words*"))
    assert markdown.definitions == {"a": "[a]: b"}


def test_what_was_added_and_what_is_gone():
    before = ["one", "", "two", "", "three"]
    assert changes(before, before) == Changes()
    assert changes(before, ["one", "", "2", "two", "", "three"]) == Changes(added=(2,))
    assert changes(before, ["one", "", "", "three"]) == Changes(cut=(2,))
    assert changes(before, ["one", "", "zwei", "", "three"]).added == (2,)
    marked = Changes(added=(2,), cut=(7,))
    assert [marked.mark((0, 2), 0), marked.mark((1, 3), 1), marked.mark((8, 9), 6)] == [
        "",
        "added",
        "cut",
    ]


@given(
    st.lists(st.sampled_from("abcdefgh"), max_size=20),
    st.lists(st.sampled_from("abcdefgh"), max_size=20),
)
def test_every_new_line_is_marked_or_was_there(before, now):
    found = changes(before, now)
    assert {line for number, line in enumerate(now) if number not in found.added} <= set(before)


def test_where_lines_are_after_a_change():
    moved = Moved(["a", "b", "c", "d"], ["new", "a", "b", "x", "d"])
    assert [moved.line(number) for number in range(4)] == [1, 2, 3, 4]
    assert moved.lines(0, 2) == (1, 3)
    assert moved.lines(1, 3) is None
    assert Moved(["a"], []).line(0) == 0


def test_files(tmp_path):
    path = tmp_path / "tea.md"
    assert stamp_of(path) is None
    path.write_bytes("\ufeff# 茶\r\n\r\nHot.\r\n".encode())
    assert read_markdown_text(path).lines == ["# 茶", "", "Hot."]
    first = stamp_of(path)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8)
    assert stamp_of(path) != first
    with pytest.raises(DogentError, match="contains no text"):
        read_markdown_text(path)
    with pytest.raises(DogentError, match="cannot be read"):
        read_markdown_text(tmp_path)


def test_footnotes_define_no_links() -> None:
    text = "Said.[^1] See [it].\n\n[^1]: notes.md\n[it]: https://example.org\n"
    assert list(MarkdownText(text).definitions) == ["it"]
