import sys
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.tui.transcript.lines import MIN_WIDTH
from dogent_tui.tui.transcript.markdown import growing_lines, markdown_lines, pieces

_PIECES = [
    "# Title\n", "text with `code` and **bold** ", "\n", "\n\n", "- item\n", "  - nested\n",
    "1. one\n", "> quote\n",
    "```python\n",
    "def f():\n    return 1\n", "```\n", "| a | b |\n", "|---|:-:|\n", "| x | 漢字漢字 |\n",
    "===\n", "---\n", "    indented\n",
    "[link](https://example.org/a)", "[/b]", "[ ]", "- [x] done\n", "漢字、かな。", "~~gone~~",
    "\\", "*", "`", "#", "&amp;",
    "https://example.org/path.", "\x1b[31m", "\t", "word ", "![i](a.png)", "<b>", "~~~\n", "+ x\n",
        "2) y\n", "\r", "👩‍👩‍👧",
]  # fmt: skip
_markdown = st.lists(st.sampled_from(_PIECES), max_size=30).map("".join)
_any = st.one_of(_markdown, st.text(max_size=300))


def shown(text: str, width: int = 60) -> list[str]:
    return [line.text.rstrip() for line in markdown_lines(text, width)]


@given(_any, st.integers(1, 120))
def test_no_line_is_wider_than_the_width(text: str, width: int) -> None:
    assert all(line.width <= max(width, MIN_WIDTH) for line in markdown_lines(text, width))


@given(_markdown, _markdown)
def test_parts_are_drawn_like_the_whole_whatever_follows(text: str, more: str) -> None:
    end = pieces(text, 1)[-1]
    head, whole = markdown_lines(text[:end], 50), markdown_lines(text + more, 50)
    assert whole[: len(head)] == head


@given(_markdown, st.integers(10, 60))
def test_a_growing_text_differs_only_in_the_colors_of_its_code(text: str, width: int) -> None:
    grown = growing_lines(text, width)
    assert [(line.text, line.glue) for line in grown] == [
        (line.text, line.glue) for line in markdown_lines(text, width)
    ]


@given(st.text(alphabet=st.characters(codec=None), max_size=100))
def test_nothing_that_a_terminal_obeys_is_drawn(text: str) -> None:
    assert all(
        character.isprintable() or character.isspace() or ord(character) > 0x9F
        for line in shown(text)
        for character in line
    )


def test_blocks() -> None:
    text = (
        "# Plan\n\nSome *words*.\n\n- one\n- two\n  1. deep\n\n> said\n\n---\n\n- [ ] open\n- [x]"
        " done\n"
    )
    assert shown(text, 20) == [
        "Plan", "━━━━", "", "Some words.", "", "• one", "• two", "  1. deep", "", "▌ said", "",
        "─" * 20, "", "☐ open", "☑ done",
    ]  # fmt: skip


def test_a_table_wraps_its_cells_to_fit() -> None:
    text = "| Name | What |\n|---|--:|\n| a | some longer words here |\n| 漢字 | b |\n"
    assert shown(text, 22) == [
        "Name │            What",
        "━━━━━┿━━━━━━━━━━━━━━━━",
        "a    │     some longer",
        "     │      words here",
        "─────┼────────────────",
        "漢字 │               b",
    ]


def test_a_table_too_wide_for_its_columns_is_listed() -> None:
    head = "|" + "|".join(f"column {number}" for number in range(9)) + "|"
    text = f"{head}\n|{'---|' * 9}\n|{'value|' * 9}\n"
    assert shown(text, 20)[:2] == ["column 0: value", "column 1: value"]


@pytest.mark.parametrize(
    "text", ["[/b] and [ ] and [bold]", "<script>x</script>", "␛[31m", "a [x] b", "\\[x\\](y)"]
)
def test_brackets_and_html_are_literal(text: str) -> None:
    assert shown(text) == [text.replace("\\", "")]


def test_brackets_by_the_thousand_are_drawn_without_a_search_from_each() -> None:
    steps = 0

    def count(frame: FrameType, event: str, arg: object) -> None:
        nonlocal steps
        steps += event == "call"

    sys.setprofile(count)
    try:
        lines = markdown_lines("[" * 3000, 100)
        lines += markdown_lines("[" * 1500 + "[a](https://b.example)" + "]" * 1500, 100)
    finally:
        sys.setprofile(None)
    assert "".join(line.text for line in lines).count("[") == 4500
    assert any(span.link for line in lines for span in line.spans)
    assert steps < 400_000


def test_links_open_only_where_that_is_safe() -> None:
    text = (
        "[a](https://x.org) [b](javascript:alert) [c](notes/a.md) <mailto:me@x.org>"
        " https://y.org/z. [d](file:///etc/passwd)"
    )
    (line,) = markdown_lines(text, 200)
    assert {span.link for span in line.spans} - {""} == {
        "https://x.org",
        "mailto:me@x.org",
        "https://y.org/z",
    }
    assert "c (notes/a.md)" in line.text
    assert "file:///etc/passwd" in line.text


def test_code_is_colored_and_keeps_its_spaces() -> None:
    lines = markdown_lines("```python\ndef f():\n    return  1\n```\n", 60)
    assert [line.text[line.decoration :] for line in lines] == ["def f():", "    return  1"]
    assert any("code-keyword" in span.style for span in lines[0].spans)
    assert shown("```nonsense\nx\n```") == ["▎ x"]


def test_cjk_wraps_between_characters_but_not_before_a_full_stop() -> None:
    assert shown("漢字漢字漢字。漢", 12) == ["漢字漢字漢", "字。漢"]


def test_a_copy_of_wrapped_text_is_the_text() -> None:
    text = (
        "Some words that are wrapped, 漢字かな漢字かな漢字かな and a " + "very" * 20 + " long one."
    )
    lines = markdown_lines(text, 18)
    assert len(lines) > 5
    assert "".join(line.text[line.decoration :] + line.glue for line in lines).rstrip("\n") == text


def test_hundreds_of_quotes_are_still_text() -> None:
    assert "end" in "".join(shown(">" * 900 + " end"))
    assert "end" in "".join(shown("[" * 900 + " end"))


def test_each_footnote_is_a_paragraph_of_its_own():
    text = "Said.[^1] Also.[^2]\n\n[^1]: notes.md\n[^2]: talk.txt, “What we agreed”\ncontinued\n"
    drawn = ["".join(span.text for span in line.spans) for line in markdown_lines(text, 60)]
    assert drawn == [
        "Said.[^1] Also.[^2]",
        "",
        "[^1]: notes.md",
        "",
        "[^2]: talk.txt, “What we agreed” continued",
    ]
