"""What matches a query: in the contents of files, and in their names."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dogent_tui.markdown_search.matcher import matcher, name_filter
from dogent_tui.markdown_search.model import MarkdownSearchError

TEXTS = st.text(alphabet="aAbKsſ ßüÜéЧч读者\n.*", max_size=60)


@given(TEXTS, st.text(alphabet="aAbksüÜЧч读.*", min_size=1, max_size=3))
@example("Straße\nSTRASSE", "strasse")
def test_plain_words_are_found_as_unicode_folds_them(text, query):
    found = matcher(query, regex=False)
    expected = query.casefold() in text.casefold()
    assert (found.count(text.encode()) > 0) == expected
    lines = found.lines(text.encode(), 1000)
    on_lines = [
        number
        for number, line in enumerate(text.split("\n"), 1)
        if query.casefold() in line.casefold()
    ]
    assert [number for number, _ in lines] == on_lines


@given(st.binary(max_size=200), st.text(min_size=1, max_size=4), st.booleans())
def test_no_bytes_and_no_query_break_the_search(data, query, regex):
    try:
        found = matcher(query, regex=regex)
    except MarkdownSearchError:
        assert regex
        return
    assert found.count(data) >= len(found.lines(data, 5)[:1])


def test_accents_are_found_however_they_are_written_and_what_is_no_utf8_is_searched_too():
    found = matcher("café", regex=False)
    assert found.count("CAFÉ cafe\u0301".encode()) == 2
    assert matcher("plain", regex=False).lines(b"\xff\xfe\xff\nPlain text", 5) == [
        (2, "Plain text")
    ]


def test_a_regular_expression_finds_lines_in_any_capitals():
    found = matcher(r"^(to)?do\b", regex=True)
    data = "读者\nTODO one\nno todo\nDo two\r\n".encode()
    assert found.count(data) == 2
    assert found.lines(data, 5) == [(2, "TODO one"), (4, "Do two")]
    assert matcher("x*", regex=True).count(b"aaa") == 0
    with pytest.raises(MarkdownSearchError, match="not a valid regular expression"):
        matcher("(", regex=True)
    with pytest.raises(MarkdownSearchError, match="nothing to search"):
        matcher("", regex=False)


def test_a_long_line_is_shown_around_the_match():
    data = ("前" * 5000 + " needle " + "后" * 5000 + "\nneedle").encode()
    (one, long), (two, short) = matcher("NEEDLE", regex=False).lines(data, 5)
    assert (one, two, short) == (1, 2, "needle")
    assert long.startswith("…前")
    assert " needle 后" in long
    assert long.endswith("…")
    assert len(long) <= 202
    assert matcher("needle", regex=False).lines(data, 1) == [(1, long)]


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [
        ("", True),
        ("MEETING", True),
        ("meeting.md", True),
        ("notes", False),
        ("notes/", True),
        ("*.md", True),
        ("*.markdown", False),
        ("meet", True),
        ("meet?", False),
        ("**/*.md", True),
        ("notes/*.md", False),
        ("notes/**/*.md", True),
        ("./notes/2024/Meeting.md", True),
        ("[m]", False),
    ],
)
def test_a_name_is_a_part_or_a_glob(pattern, fits):
    assert name_filter(pattern)("notes/2024/Meeting.md") is fits


def test_a_name_may_be_a_regular_expression_over_the_path():
    fits = name_filter(r"^notes/\d+/", regex=True)
    assert fits("NOTES/2024/a.md")
    assert not fits("old/notes/2024/a.md")
