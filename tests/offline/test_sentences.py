"""Sentences of files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.offline.sentences import sentences_of, split_sentences, title_of


def texts(path: str, text: str) -> list[str]:
    return [sentence.text for sentence in sentences_of(path, text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One is here. Two is there! Three?", ["One is here.", "Two is there!", "Three?"]),
        (
            "Dr. Smith paid 3.50 euros, e.g. for tea. Then J. K. left.",
            ["Dr. Smith paid 3.50 euros, e.g. for tea.", "Then J. K. left."],
        ),
        ('He said "Stop." Nobody did.', ['He said "Stop."', "Nobody did."]),
        ("第一句。第二句！“第三句？”第四句", ["第一句。", "第二句！", "“第三句？”", "第四句"]),
        (
            "Three things: 1. Bread; 2. Salt. It cost 20. Then we left.",
            ["Three things: 1. Bread; 2. Salt.", "It cost 20.", "Then we left."],
        ),
        ("Wait... what? Yes.", ["Wait... what?", "Yes."]),
        ("**Bold. And** plain.", ["Bold.", "And plain."]),
        ("See www.example.org for more", ["See www.example.org for more"]),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text, expected):
    assert split_sentences(text) == expected


def test_markdown_is_taken_apart():
    text = (
        "---\ntitle: front matter is no prose\n---\n# The title\n\nA paragraph that\nruns on. It ends here.\n\n## Costs #\n\n"
        "- The first item costs much\n- [ ] The second item costs less\n\n> A quoted line of text.\n\n"
        "```\ncode that is no prose\n```\n\n"
        "| a table | has no sentences |\n| --- | --- |\n\nUnderlined heading\n---\nThe text below it."
    )
    assert [(sentence.section, sentence.text) for sentence in sentences_of("a.md", text)] == [
        ("The title", "A paragraph that runs on."),
        ("The title", "It ends here."),
        ("Costs", "The first item costs much"),
        ("Costs", "The second item costs less"),
        ("Costs", "A quoted line of text."),
        ("Underlined heading", "The text below it."),
    ]
    assert title_of(text) == "The title"


def test_wrapped_chinese_lines_join_without_a_space():
    assert texts("a.md", "电池安全非常\n重要。") == ["电池安全非常重要。"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "item,price\nbattery,3\nbox,20\n"),
        ("a.csv", "item;price\r\nbattery;3\r\nbox;20\r\n"),
        ("a.tsv", 'item\tprice\n"battery"\t3\nbox\t20\n'),
    ],
)
def test_rows_of_a_table_file_are_sentences_that_name_their_columns(name, text):
    assert texts(name, text) == ["item: battery; price: 3", "item: box; price: 20"]


def test_labels_and_control_characters_are_not_quoted():
    assert texts("a.md", "Budget\n\nA line with \x1b[31m red in it.\n\nA line without any of that.") == [
        "A line without any of that."
    ]


@given(st.text(alphabet=st.sampled_from('aB .!?。！\n#->*`|("“1\x1b世,')))
def test_whatever_is_quoted_stands_in_the_file(text):
    plain = "".join(text.split()).replace("*", "").replace(">", "")
    for sentence in sentences_of("a.md", text):
        assert "".join(sentence.text.split()).replace("*", "").replace(">", "") in plain


@given(st.text(alphabet=st.sampled_from('aB1\n;,"\t\r\x1b世')))
def test_a_table_file_of_any_kind_can_be_quoted(text):
    for name in ("a.csv", "a.tsv"):
        for sentence in sentences_of(name, text):
            assert len(sentence.text.splitlines()) == 1
            assert "\x1b" not in sentence.text
