"""What a denial means for the run: it ends with it, or goes on with what the user said."""

import asyncio

import pytest

from dogent_tui.agent.events import PermissionAnswer
from dogent_tui.agent.run import Run
from tests.agent.fake_conversation import permission

TREE = "mcp__dogent__list_file_tree"


@pytest.fixture
async def run():
    return Run("r", asyncio.get_running_loop().create_future(), started=0.0, last_heard=0.0)


async def test_a_denial_that_does_not_end_the_run_holds_for_the_same_call_with_another_reason(run):
    question = permission("t", TREE, {"reason": "one"}, ends_run=False)
    verdict = run.record_answer(question, PermissionAnswer("deny"), "/w")
    assert (verdict.allow, verdict.stop, run.aborted) == (False, False, "")
    assert "Do not ask for the same again" in verdict.message
    assert run.denied_before(permission("u", TREE, {"reason": "two"}, ends_run=False)) == verdict
    assert run.denied_before(permission("u", "Bash", {"reason": "one"})) is None


async def test_where_nobody_can_be_asked_for_more_every_denial_ends_the_run(run):
    question = permission("t", TREE, {"reason": "one"}, ends_run=False)
    assert run.record_answer(question, PermissionAnswer("deny", ends_run=True), "/w").stop
    assert run.aborted == "Denied: List files one"


async def test_other_denials_end_the_run(run):
    question = permission("t", "Bash", {"command": "rm a.md"})
    assert run.record_answer(question, PermissionAnswer("deny"), "/w").stop
    assert "rm a.md" in run.aborted
