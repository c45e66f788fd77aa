"""Outlines and documents are read and written without a loss."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.outline.markdown import parse, parse_file, render, titles

HEADINGS = """---
title: Tea
# no heading
---

Before.

# The report

A paragraph.

## 1. Background (300 words)

- a point
- another

### 1.1 Market 市场

```python
# no heading
```

## 2. Method

Old style
---------

Text
over lines.

#### Deep ####
"""


def shape(outline):
    return [
        (heading.level, number + heading.text)
        for number, heading in zip(titles(outline), outline.headings, strict=True)
    ]


def test_headings():
    outline = parse(HEADINGS)
    assert shape(outline) == [
        (1, "The report"),
        (2, "1. Background"),
        (3, "1.1 Market 市场"),
        (2, "2. Method"),
        (2, "Old style"),
        (4, "Deep"),
    ]
    background = outline.headings[1]
    assert (background.text, background.target, background.note) == (
        "Background",
        "300 words",
        "- a point\n- another",
    )
    assert render(outline) == HEADINGS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "1. Intro\n   - background\n   - aims\n2. Method\n   1. Data\n",
            [(1, "1. Intro"), (2, "background"), (2, "aims"), (1, "2. Method"), (2, "Data")],
        ),
        ("- A\n  a note\n  - B\n- C\n", [(1, "A"), (2, "B"), (1, "C")]),
        (
            "一、背景\n说明文字\n（一）现状\n（二）问题\n1. 成本\n二、方案（约500字）\n",
            [
                (1, "一、背景"),
                (2, "（一）现状"),
                (2, "（二）问题"),
                (3, "1. 成本"),
                (1, "二、方案"),
            ],
        ),
        ("1 Tea\n", []),
        (
            "1. Tea\n1.1 Green\n1.2 Black\n2. Coffee\n",
            [(1, "1. Tea"), (2, "1.1 Green"), (2, "1.2 Black"), (1, "2. Coffee")],
        ),
        (
            "# Report\n\nI. Intro\n   A. Who\n   B. What\nII. End\n",
            [(1, "I. Intro"), (2, "A. Who"), (2, "B. What"), (1, "II. End")],
        ),
        ("1) One\n2) Two\n", [(1, "1) One"), (1, "2) Two")]),
        ("第一章 起源\n第二章 发展\n", [(1, "第一章 起源"), (1, "第二章 发展")]),
        ("", []),
        ("Only words.\n", []),
        ("# A\n- x\n# B\n- y\n", [(1, "A"), (1, "B")]),
    ],
)
def test_kinds_of_outlines(text, expected):
    outline = parse(text)
    assert (
        shape(outline) == expected
        or [(level, title) for level, title in shape(outline)] == expected
    )
    if "   1. Data" not in text:  # the level is written as its first heading is: with bullets
        assert render(outline) == text


def test_a_level_of_a_list_is_written_as_its_first_heading_is():
    outline = parse("- A\n    * B\n* C\n   - D\n     a note\n")
    assert render(outline) == "- A\n    * B\n- C\n    * D\n      a note\n"


def test_numbers_that_do_not_count_are_words():
    text = "# 3.5 inch disks\n\n## 2024 was calm\n\n## 2. Second\n"
    outline = parse(text)
    assert [heading.text for heading in outline.headings] == [
        "3.5 inch disks",
        "2024 was calm",
        "2. Second",
    ]
    assert render(outline) == text


def test_numbers_follow_the_order():
    outline = parse("# T\n\n## 1. A\n\n### 1.1 a\n\n## 2. B\n\n## Sources\n")
    ids = [heading.id for heading in outline.headings]
    outline.move([ids[3]], -1)
    assert shape(outline)[1:] == [(2, "1. B"), (2, "2. A"), (3, "2.1 a"), (2, "Sources")]


def test_notes_of_a_list_keep_their_code():
    text = "1. A\n   ```\n   - no heading\n   ```\n2. B\n"
    assert shape(parse(text)) == [(1, "1. A"), (1, "2. B")]
    assert render(parse(text)) == text


def test_a_document_takes_no_list_for_an_outline():
    text = "# Shopping\n\n- tea\n- milk\n"
    assert shape(parse_file(text)) == [(1, "Shopping")]


PIECES = st.sampled_from(
    [
        "# A", "## B ##", "###  C", "Tea\n===", "Two\nlines\n---", "```\n# x\n```", "```", "> # q",
        "- # l", "- item", "-",
        "text", "  text", "    # code", "<!-- \n# c\n-->", "1. Uno", "2. Due", "## 1. One",
        "## 2. Two (30 words)", "### 1.1 Sub",
        "", "   ", "\\# no", "#no", "#", "\x1b[31m", "a\r", "# 标题（300字）", "一、背景",
            "（一）现状", "***", "<div>",
        "I. Rome", "A. Alpha", "1.1 Sub", "    # deep",
    ]
)  # fmt: skip
TEXTS = st.builds(
    lambda pieces, end: "\n".join(pieces) + end,
    st.lists(PIECES, max_size=14),
    st.sampled_from(["", "\n", "\n\n"]),
)


@given(TEXTS)
def test_documents_are_written_as_they_were_read(text):
    outline = parse_file(text)
    assert render(outline) == text
    assert shape(parse_file(render(outline))) == shape(outline)


@given(TEXTS | st.text())
def test_outlines_are_written_the_same_from_then_on(text):
    outline = parse(text)
    once = render(outline)
    if not outline.frame.is_list:
        assert once == text
    again = parse(once)
    assert render(again) == once
    assert shape(again) == shape(outline)
    assert [heading.note for heading in again.headings] == [
        heading.note for heading in outline.headings
    ]
