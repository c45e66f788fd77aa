"""What every match of a regular expression holds."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.markdown_search.literals import needed_literal
from dogent_tui.markdown_search.matcher import matcher


@pytest.mark.parametrize(
    ("pattern", "literal"),
    [
        ("lighthouse", "ghthouse"),  # re takes i for the Turkish ones, Unicode's folding does not
        (r"^# Chapter \d+$", "# Chapter "),
        (r"(?:the (old) )?river", "ver"),
        (r"(writer|draft) never", " never"),
        (r"(?:ab)+cdef?", "cde"),
        (r"\w+", ""),
        ("a|b", ""),
        ("(?:abc)?x", ""),
        ("(?<!abc)x", ""),
        ("(?P<n>読者)(?=abc)", "読者"),
        ("(", ""),
        ("x{0,3}", ""),
    ],
)
def test_literals(pattern, literal):
    assert needed_literal(pattern) == literal


PIECES = st.sampled_from(
    [
        "ab",
        "K",
        "k",
        "ſ",
        "s",
        "ß",
        "SS",
        "i",
        "İ",
        "ı",
        "é",
        "e\u0301",
        ".",
        "(?:ab)?",
        "(s|k)",
        r"\b",
        "[st]",
        "\u212b",
        "å",
    ]
)
TEXTS = st.lists(st.text("abABKksſSßiIİıéÉe\u0301\u212båst\n ", max_size=12), max_size=6)


@given(st.lists(PIECES, min_size=1, max_size=5).map("".join), TEXTS)
def test_every_match_is_counted(pattern, texts):
    expression = re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    wanted = matcher(pattern, regex=True)
    for text in texts:
        found = sum(bool(match[0]) for match in expression.finditer(text))
        assert wanted.count(text.encode()) == found
