"""Numbers as Word writes them, and how it counts."""

import pytest

from dogent_tui.documents.pandoc.counting import Level, next_label, spelled


@pytest.mark.parametrize(
    ("form", "number", "text"),
    [
        ("decimalZero", 7, "07"),
        ("upperLetter", 28, "BB"),
        ("lowerRoman", 14, "xiv"),
        ("russianUpper", 3, "В"),
        ("ganada", 2, "나"),
        ("chineseCounting", 21, "二十一"),
        ("chineseCounting", 110, "一一〇"),
        ("chineseCountingThousand", 12, "十二"),
        ("chineseCountingThousand", 101, "一百零一"),
        ("chineseCountingThousand", 3010, "三千零一十"),
        ("japaneseCounting", 111, "百十一"),
        ("chineseLegalSimplified", 10, "壹拾"),
        ("ideographDigital", 10, "一〇"),
        ("ideographTraditional", 4, "丁"),
        ("decimalEnclosedCircle", 20, "⑳"),
        ("decimalEnclosedCircle", 21, "21"),
        ("decimalFullWidth", 10, "１０"),
        ("cardinalText", 42, "Forty-two"),
        ("numberInDash", 3, "- 3 -"),
        ("none", 3, ""),
        ("unheardOf", 3, "3"),
        ("upperRoman", 5000, "5000"),
        ("lowerLetter", 0, "0"),
    ],
)
def test_numbers_are_written_in_the_formats_of_word(form, number, text):
    assert spelled(number, form) == text


def test_a_level_that_is_legal_has_digits_and_one_that_does_not_restart_continues():
    levels = {
        0: Level("upperRoman", "Article %1."),
        1: Level("decimalZero", "Section %1.%2", is_legal=True, restarts=False, space=""),
    }
    counts = {}
    labels = [next_label(counts, levels, at) for at in (0, 1, 0, 1)]
    assert labels == ["Article I. ", "Section 1.01", "Article II. ", "Section 2.02"]
