"""Sequences of calls that do harm where nothing holds them: behind the wall, with every question
answered no, they do none.

`make attacks` runs all of them, in all ways; here it is a share.
"""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.wall.attacks import ATTACKS
from tests.wall.throwaway import run_inside

_AT_ONCE = os.cpu_count() or 2
_EVERY = int(os.environ.get("DOGENT_ATTACKS_EACH", "20"))

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


def tried(inside="user", *, each=_EVERY, after=0, **more):
    """Try every `each`-th attack behind the first `after`, at once in as many throw-away roots as
    there are processors.
    """

    def one(number):
        argument = {"first": after + number * each, "of": each * _AT_ONCE, **more}
        return run_inside("tests.wall.run_attacks:run", argument, inside=inside, limit_s=1700.0)

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return [result for part in pool.map(one, range(_AT_ONCE)) for result in part]


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("after", [0, _EVERY])
def test_no_attack_has_an_effect_that_nobody_was_asked_about(after):
    results = tried(each=2 * _EVERY, after=after)
    assert {result["name"]: result["found"] for result in results if result["found"]} == {}


@pytest.mark.thorough
def test_nor_where_the_user_is_root_in_a_namespace():
    results = tried("namespace root", each=3 * _EVERY)
    assert {result["name"]: result["found"] for result in results if result["found"]} == {}


@pytest.mark.thorough
def test_the_same_attacks_do_harm_where_nothing_holds_them():
    results = tried(bare=True, each=2 * _EVERY)
    tame = [result["name"] for result in results if not result["found"] and not result["missing"]]
    assert len(tame) <= len(results) // 10, tame


def test_there_are_enough_of_them_and_each_has_a_name():
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS) >= 100
