"""In which state a run is, and what a denial means for it: it ends with it, or continues with what
the user said.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.agent.events import PermissionAnswer
from dogent_tui.agent.failures import Failure
from dogent_tui.agent.run import RUN, SESSION, Run
from tests.agent.fake_conversation import permission

TREE = "mcp__dogent__list_file_tree"


@pytest.fixture
def run():
    return Run("r", started=0.0, last_heard=0.0)


def test_a_denial_that_does_not_end_the_run_holds_for_the_same_call_with_another_reason(run):
    question = permission("t", TREE, {"reason": "one"}, ends_run=False)
    verdict = run.record_answer(question, PermissionAnswer("deny"), "/w")
    assert (verdict.allow, verdict.stop, run.state) == (False, False, "working")
    assert "Do not ask for the same again" in verdict.message
    assert run.denied_before(permission("u", TREE, {"reason": "two"}, ends_run=False)) == verdict
    assert run.denied_before(permission("u", "Bash", {"reason": "one"})) is None


def test_where_nobody_can_be_asked_for_more_every_denial_ends_the_run(run):
    question = permission("t", TREE, {"reason": "one"}, ends_run=False)
    assert run.record_answer(question, PermissionAnswer("deny", ends_run=True), "/w").stop
    assert (run.state, run.why.message) == ("aborted", "Denied: List files one")


def test_other_denials_end_the_run(run):
    question = permission("t", "Bash", {"command": "rm a.md"})
    assert run.record_answer(question, PermissionAnswer("deny"), "/w").stop
    assert "rm a.md" in run.why.message


@given(st.lists(st.sampled_from([state for state in RUN if state != "working"])))
def test_a_run_that_is_stopped_never_goes_back_and_keeps_why(wanted):
    run = Run("r", started=0.0, last_heard=0.0)
    taken = ["working"]
    for state in wanted:
        before = run.state, run.why
        run.turn_to(state, Failure(state))
        if (run.state, run.why) == before:
            continue
        taken.append(run.state)
        assert run.why.code == run.state != "working"
        assert before[0] not in ("aborted", "completed")
        assert not (before[0] != "working" and run.state.startswith("needs")), "the first counts"
    assert run.is_stopped == bool({"aborted", "failed", "interrupted"} & {run.state})
    assert len(set(taken)) <= 4
    assert all(taken.count(state) == 1 for state in set(taken) - {"interrupted"})


def test_the_end_of_the_turn_counts_where_nothing_said_before_how_the_run_ends(run):
    run.end()
    assert run.state == "completed"
    run.end(Failure("late"))
    assert (run.state, run.why) == ("completed", Failure())


INPUTS = sorted({happened for row in SESSION.values() for happened in row})


@given(st.lists(st.sampled_from(INPUTS)))
def test_a_session_runs_only_between_the_begin_and_the_end_of_a_run_and_stays_closed(inputs):
    state, runs, is_closed = "connecting", False, False
    for happened in inputs:
        state = SESSION[state].get(happened, state)
        is_closed = is_closed or happened == "close"
        runs = happened == "run began" or (runs and happened == "agent started")
        assert (state == "closed") == is_closed
        assert not (state == "running" and not runs)
        assert not (state == "idle" and runs)


def test_every_state_of_a_session_but_the_last_can_be_left_and_none_waits_for_ever():
    for state, row in SESSION.items():
        assert (not row) == (state == "closed")
    for state, following in RUN.items():
        assert "working" not in following
        assert state != "working" or {"completed", "failed", "interrupted"} <= {*following}
