"""What changed within a hunk is shown by sentences and words, in scripts without spaces by
characters.
"""

from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.changes.prose import InlineDiff, inline_diff, pieces, sentences

TEXTS = st.text(
    st.sampled_from("ab cd.!?'’ \n\t天气很好。！「」é\u0301กา-3") | st.characters(codec="utf-8"),
    max_size=40,
)


def shown(found: InlineDiff) -> tuple[str, str]:
    """Both sides, with [what changed] in brackets."""
    old, new = (
        "".join(f"[{span.text}]" if span.changed else span.text for span in side) for side in found
    )
    return old, new


@given(TEXTS)
def test_the_parts_of_a_text_are_the_text(text):
    assert "".join(pieces(text)) == text
    assert "".join(sentences(text)) == text


@given(TEXTS, TEXTS)
def test_the_spans_of_a_text_are_the_text(old, new):
    found = inline_diff(old, new)
    assert "".join(span.text for span in found.old) == old
    assert "".join(span.text for span in found.new) == new
    assert any(span.changed for side in found for span in side) == (old != new)


def test_words_and_sentences():
    assert shown(
        inline_diff(
            "The quick fox ran. It rained all day. We left.", "The slow fox ran. We left soon."
        )
    ) == (
        "The [quick] fox ran. [It rained all day. ]We left.",
        "The [slow] fox ran. We left[ soon].",
    )


def test_chinese_by_characters_not_by_chance():
    assert shown(
        inline_diff(
            "今天天气很好，我们去公园散步。晚上下雨了。",
            "今天天气不错，我们去公园跑步。晚上下雨了。",
        )
    ) == (
        "今天天气[很好]，我们去公园[散]步。晚上下雨了。",
        "今天天气[不错]，我们去公园[跑]步。晚上下雨了。",
    )
    old, new = shown(inline_diff("猫在屋里睡觉。", "股市的今天下跌在即。"))
    assert old == "[猫在屋里睡觉。]", new


def test_where_only_lines_break_anew_that_is_shown_else_not():
    assert shown(inline_diff("one two\nthree", "one\ntwo four")) == (
        "one two\n[three]",
        "one\ntwo [four]",
    )
    assert shown(inline_diff("one two\nthree", "one\ntwo three")) == (
        "[one two\nthree]",
        "[one\ntwo three]",
    )


def test_spaces_that_came_or_went_are_shown_where_they_are():
    assert shown(inline_diff("At dusk.  Nobody  came.\n", "At dusk. Nobody came.\n")) == (
        "At dusk.[  ]Nobody[  ]came.\n",
        "At dusk.[ ]Nobody[ ]came.\n",
    )
    assert shown(
        inline_diff("The sea was  grey and calm.\n", "The sea was grey\nand still.\n")
    ) == (
        "The sea was[  ]grey and [calm].\n",
        "The sea was[ ]grey\nand [still].\n",
    )
    assert shown(inline_diff("A hard break,  \nand one.\n", "A hard break,\nand two.\n")) == (
        "A hard break,[  \n]and [one].\n",
        "A hard break,[\n]and [two].\n",
    )


def test_marks_stay_with_their_letters():
    assert pieces("cafe\u0301 👩‍💻 ที่") == ["cafe\u0301", " ", "👩‍", "💻", " ", "ที่"]


def test_a_stop_within_a_number_ends_nothing():
    assert sentences("It is 3.5 m. “Really?” Yes… 好。吗？") == [
        "It is 3.5 m. ",
        "“Really?” ",
        "Yes… ",
        "好。",
        "吗？",
    ]
