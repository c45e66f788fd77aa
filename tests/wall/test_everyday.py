"""What writers and developers do all day: behind the wall it does what it does without, and asks
where it really deletes.
"""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.wall.run_everyday import ROWS
from tests.wall.throwaway import run_inside

_AT_ONCE = os.cpu_count() or 2
_EVERY = int(os.environ.get("DOGENT_ATTACKS_EACH", "12"))
_KNOWN: dict[str, str] = {
    "git-59": (
        "a local clone makes hard links, whose numbers change when the layer copies what they"
        " link to"
    ),
}
"""Rows that behave otherwise behind the wall, and why."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def results():
    def one(number):
        argument = {"first": number * _EVERY, "of": _EVERY * _AT_ONCE}
        return run_inside("tests.wall.run_everyday:run", argument, limit_s=800.0)

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return [result for part in pool.map(one, range(_AT_ONCE)) for result in part]


def ran(results):
    return [result for result in results if "missing" not in result]


@pytest.mark.thorough
def test_output_status_and_tree_are_the_same(results):
    assert {
        each["command"]: each["differs"]
        for each in ran(results)
        if each["differs"] and each["id"] not in _KNOWN
    } == {}


@pytest.mark.thorough
def test_hardly_any_asks_and_those_that_delete_do(results):
    needless = [each["command"] for each in ran(results) if each["asked"] and not each["asks"]]
    assert len(needless) <= len(ROWS) // 200, needless
    assert [each["command"] for each in ran(results) if each["asks"] and not each["asked"]] == []


@pytest.mark.thorough
def test_most_of_the_programs_are_here(results):
    missing = sorted({name for each in results for name in each.get("missing", ())})
    assert len(ran(results)) >= len(results) * 9 // 10, f"not run for want of {missing}"


def test_there_are_enough_of_them():
    assert len(ROWS) >= 300
