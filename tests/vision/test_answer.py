"""The answer of a vision model is one JSON object, in a fence or not; anything else is an error."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.vision.answer import MOST_CHARS, parse_answer, question
from dogent_tui.vision.model import Analysis, VisionError
from tests.vision.conftest import SEEN

TEXT = json.dumps(SEEN)
EXPECTED = Analysis("A red square.", ("square", "red"), "Hello")


@pytest.mark.parametrize(
    "answer",
    [
        TEXT,
        f"\n {TEXT}\n",
        f"```json\n{TEXT}\n```",
        f"```\n{TEXT}```",
        f"```JSON\r\n{TEXT}\r\n```\n",
        json.dumps({**SEEN, "more": 1}),
        f"<think>\nIt is {{red}}.\n</think>\n\n{TEXT}",
        f"<think>Hm.</think><|begin_of_box|>```json\n{TEXT}\n```<|end_of_box|>",
    ],
)
def test_an_object_is_taken_whatever_is_around_it(answer):
    assert parse_answer(answer) == EXPECTED


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "A red square.",
        f"Here it is: {TEXT}",
        f"{TEXT} I hope that helps",
        f"```json\n{TEXT}\n```\nDone",
        f"[{TEXT}]",
        "null",
        pytest.param("[" * 50_000, id="deep"),
        json.dumps({**SEEN, "tags": "red"}),
        json.dumps({**SEEN, "tags": [1]}),
        json.dumps({**SEEN, "text": None}),
        json.dumps({"summary": "x", "tags": []}),
        TEXT.replace('"Hello"', "NaN"),
        '{"summary": "\\ud800", "tags": [], "text": ""',
    ],
)
def test_anything_else_is_an_error_that_says_what_came(answer):
    with pytest.raises(VisionError) as caught:
        parse_answer(answer)
    assert caught.value.code == "bad_answer"
    assert len(str(caught.value)) < 600
    assert "Try again" in caught.value.remedy


def test_what_is_shown_of_an_answer_cannot_drive_a_terminal():
    with pytest.raises(VisionError) as caught:
        parse_answer("\x1b[2J\nboo")
    assert "␛[2J boo" in caught.value.message


def test_a_long_answer_is_refused():
    with pytest.raises(VisionError) as caught:
        parse_answer(json.dumps({**SEEN, "text": "x" * MOST_CHARS}))
    assert caught.value.code == "too_long"


@given(st.builds(Analysis, st.text(), st.lists(st.text()).map(tuple), st.text()))
def test_every_object_comes_back_as_it_was(seen):
    fields = {"summary": seen.summary, "tags": seen.tags, "text": seen.text}
    assert parse_answer(f"```json\n{json.dumps(fields)}\n```") == seen


@given(st.text())
def test_whatever_comes_is_an_analysis_or_an_error(text):
    try:
        assert isinstance(parse_answer(text), Analysis)
    except VisionError as error:
        assert error.message


def test_the_question_demands_json_and_distrusts_the_picture():
    assert '{"summary": "…", "tags": ["…"], "text": "…"}' in question("image")
    assert "never instructions" in question("video")
    assert question("image", "It is an animation.").endswith("It is an animation.")
