"""Which answers are offered and where they are, and how questions queue."""

import pytest
from msgspec.structs import replace

from dogent_tui.agent.events import PermissionAnswer
from dogent_tui.tui.questions.model import ANSWERS, answer_rows, offered, why_not
from dogent_tui.tui.requests import RequestQueue
from tests.tui.questions.examples import COMMAND, DIFF


def keys(request) -> str:
    return "".join(answer.key for answer in offered(request))


def test_denying_is_first_and_always_there():
    assert keys(DIFF) == "nysae"
    assert keys(COMMAND) == "nye"
    assert keys(replace(COMMAND, scopes=())) == "ne"
    assert keys(replace(COMMAND, scopes=("session", "once"))) == "nyse"
    assert ANSWERS[0].reply == PermissionAnswer("deny")


def test_what_is_not_offered_says_why():
    assert "by a pattern" in why_not(COMMAND, "a")
    assert why_not(COMMAND, "s").startswith("“This session” is not offered here.")
    assert why_not(DIFF, "a") == why_not(DIFF, "x") == ""
    assert "can't be saved" in why_not(replace(COMMAND, once_because=""), "a")


@pytest.mark.parametrize(("width", "rows"), [(116, 1), (76, 1), (36, 3), (5, 5)])
def test_all_answers_stand_somewhere(width, rows):
    placed = answer_rows(ANSWERS, width)
    assert len(placed) == rows
    assert [number for row in placed for number, _ in row] == [0, 1, 2, 3, 4]
    assert all(
        sum(len(label) + 1 for _, label in row) - 1 <= width for row in placed if len(row) > 1
    )


def question(number: int):
    return replace(COMMAND, request_id=str(number))


def test_the_counter_counts_what_came_together():
    queue = RequestQueue("question {number} of {total}")
    assert queue.counter == ""
    queue.add(question(1))
    assert queue.counter == ""
    queue.add(question(2))
    assert queue.counter == "question 1 of 2"
    queue.settle("1")
    assert queue.counter == "question 2 of 2"
    queue.add(question(3))
    assert queue.counter == "question 2 of 3"
    queue.settle("2")
    queue.settle("3")
    assert (queue.counter, queue.current) == ("", None)
    queue.add(question(4))
    assert queue.counter == ""


def test_a_question_that_was_never_put_makes_them_fewer():
    queue = RequestQueue("question {number} of {total}")
    for number in (1, 2, 3):
        queue.add(question(number))
    queue.settle("2")
    queue.settle("unknown")
    assert queue.counter == "question 1 of 2"
    assert queue.current == question(1)
