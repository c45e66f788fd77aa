"""The form without a screen: what is chosen, what is open, what goes back, and what a crash
leaves.
"""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.agent.events import UiAnswer
from dogent_tui.agent.ui_requests import Clarification, Question, check_answers
from dogent_tui.tui.clarification.model import (
    ClarificationForm,
    heading,
    preface,
    question_lines,
    row_lines,
)
from tests.tui.clarification.examples import CHINESE, MANY, REPORT


@pytest.fixture
def form() -> ClarificationForm:
    return ClarificationForm(REPORT)


def test_what_is_recommended_is_chosen_and_the_rest_is_open(form):
    assert form.answers == {"audience": "council", "parts": ["Costs"]}
    assert [entry.question.id for entry in form.open_entries] == ["length", "more"]
    assert (form.at, form.row) == (0, 0)


def test_one_of_several_or_several(form):
    form.number(2)
    assert form.answers["audience"] == "staff"
    form.choose()
    # a single choice is not given up by choosing it again
    assert form.answers["audience"] == "staff"
    form.go(2)
    form.number(3)
    form.number(1)
    form.number(2)
    assert form.answers["parts"] == ["Risks", "Timetable"]


def test_own_words_stand_for_an_option_or_beside_several(form):
    form.go(1)
    form.number(1)
    form.entries[1].write("Two pages\nand a half ")
    assert form.answers["length"] == "Two pages\nand a half"
    form.number(2)
    assert form.answers["length"] == "Three pages"
    assert form.entries[1].text == "Two pages\nand a half "
    form.number(3)
    assert form.answers["length"] == "Two pages\nand a half"
    form.entries[2].write("Thanks")
    assert form.answers["parts"] == ["Costs", "Thanks"]
    form.entries[2].write("  ")
    assert form.answers["parts"] == ["Costs"]


def test_a_question_can_be_skipped_and_taken_up_again(form):
    form.number(0)
    assert "audience" not in form.answers
    assert form.entries[0] not in form.open_entries
    form.number(0)
    assert form.answers["audience"] == "council"
    form.number(0)
    form.number(3)
    assert form.answers["audience"] == "public"


def test_numbers_that_nothing_has(form):
    assert not form.number(4)  # the row that skips has the 0
    form.go(3)
    assert not form.number(2)
    form.go(4)
    assert form.sending
    assert not form.number(1)


def test_the_cursor_stays_within_and_turns_between(form):
    form.move(-1)
    assert form.row == 0
    form.move(99)
    assert form.current.kind == "skip"
    form.turn(1)
    assert (form.at, form.row) == (1, 0)
    form.turn(-1)
    assert (form.at, form.row) == (0, 0)  # at what is chosen
    form.turn(-1)
    assert form.sending
    form.move(1)
    form.choose()
    form.turn(1)
    assert form.at == 0


def test_enter_takes_the_row_and_continues(form):
    form.move(1)
    form.confirm()
    assert form.answers["audience"] == "staff"
    assert form.at == 1
    form.go(2, 1)
    form.confirm()
    assert form.answers["parts"] == ["Costs"]  # of several, none is chosen by going on
    form.move(9)
    form.confirm()
    assert form.sending
    assert form.entries[3].skipped
    form.confirm()
    assert form.sending


_moves = st.lists(
    st.one_of(
        st.tuples(st.just("move"), st.integers(-3, 3)),
        st.tuples(st.just("turn"), st.sampled_from([-1, 1])),
        st.tuples(st.just("number"), st.integers(0, 9)),
        st.tuples(st.sampled_from(["choose", "confirm"])),
        st.tuples(st.just("write"), st.text(max_size=5)),
    ),
    max_size=30,
)


def _play(form: ClarificationForm, moves) -> None:
    for name, *values in moves:
        if name != "write":
            getattr(form, name)(*values)
        elif form.entry is not None and form.entry.question.takes_text:
            form.entry.write(values[0])


@given(st.sampled_from([REPORT, CHINESE, MANY]), _moves)
def test_whatever_is_done_comes_back_from_the_draft(request, moves):
    form = ClarificationForm(request)
    _play(form, moves)
    again = ClarificationForm(request, json.loads(json.dumps(form.draft())))
    assert again.answers == form.answers
    assert (again.at, again.row) == (form.at, form.row)
    assert [entry.text for entry in again.entries] == [entry.text for entry in form.entries]
    assert again.draft() == form.draft()


@given(_moves)
def test_the_answers_are_such_as_a_file_could_hold(moves):
    form = ClarificationForm(REPORT)
    _play(form, moves)
    checked = check_answers(REPORT, form.answers)
    assert isinstance(checked, UiAnswer)
    assert set(checked.answers) == set(form.answers)
    for entry in form.entries:
        assert entry.open == (not entry.skipped and entry.question.id not in form.answers)
        assert entry.question.multiple or len(entry.chosen) + entry.speaks <= 1


_junk = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=4)
    | st.sampled_from(["staff", "Costs"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "questions",
                    "at",
                    "row",
                    "audience",
                    "parts",
                    "chosen",
                    "text",
                    "speaks",
                    "skipped",
                ]
            ),
            inner,
        )
    ),
    max_leaves=15,
)


@given(st.dictionaries(st.sampled_from(["questions", "at", "row"]), _junk))
def test_a_draft_that_does_not_fit_does_no_harm(draft):
    form = ClarificationForm(REPORT, draft)
    assert json.dumps(form.draft())
    form.confirm()


@given(st.text(min_size=1, max_size=200), st.integers(20, 120))
def test_whatever_is_asked_fits_the_window_and_is_safe(text, width):
    question = Question("q", text)
    options = REPORT.questions[0].options
    request = Clarification(
        text,
        (question, REPORT.questions[0], Question("r", text, options, multiple=True, header=text)),
        text,
    )
    form = ClarificationForm(request)
    lines = heading(form, width) + preface(form, width)
    for entry in form.entries:
        lines += question_lines(entry, width)
        for row in range(len(entry.rows)):
            lines += row_lines(entry, row, 0, width)
    for line in lines:
        assert line.width <= width
        assert all(
            character.isprintable() or character in "\u3000\xa0" or ord(character) > 0x9F
            for character in line.text
        )


@pytest.mark.parametrize("width", [24, 76, 104])
def test_the_counter_is_whole_in_a_language_of_wide_letters(monkeypatch, width):
    monkeypatch.setattr(
        "dogent_tui.tui.clarification.model.tr",
        lambda text: {"all answered": "全部已回答"}.get(text, text),
    )
    form = ClarificationForm(
        Clarification(
            "起草之前",
            (Question("q", "?", recommended=("a",), options=REPORT.questions[0].options),),
            "",
        )
    )
    form.number(1)
    lines = heading(form, width)
    assert all(line.width <= width for line in lines)
    assert any(line.text.endswith("全部已回答") for line in lines)


def test_each_row_is_drawn_once_with_its_key():
    entry = ClarificationForm(REPORT).entries[0]
    rows = [[line.text for line in row_lines(entry, row, 1, 60)] for row in range(3)]
    assert [len(row) for row in rows] == [2, 1, 1]
    assert rows[0][0].split() == ["●", "1", "The", "city", "council", "recommended"]
    assert rows[1][0].startswith("❯ ○ 2")
    assert "Neighbours [and visitors]" in rows[2][0]
