"""The calls of the corpus, really run behind the wall in throw-away roots: what is left of the
folder and around it counts.

`make attacks` runs all of them; here it is a share, the same one every time.
"""

import pytest

from tests.permissions.corpus_adapter import decide
from tests.permissions.run_behind_wall import judged_in_throwaway_roots, own_rows
from tests.wall.throwaway import NotThrowAwayError

_EACH = 80


@pytest.fixture(scope="module")
def results():
    return judged_in_throwaway_roots(own_rows(each=_EACH))


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_no_command_does_anything_that_nobody_was_asked_about(results):
    assert len(results) > 70
    assert {result["id"]: result["harm"] for result in results if result["harm"]} == {}


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_what_is_harmless_is_committed_unasked(results):
    harmless = [result for result in results if result["expect"] == "allow"]
    assert {
        result["id"]: result.get("asked") for result in harmless if result["verdict"] != "allow"
    } == {}


def test_nothing_is_run_where_it_could_cost_something(tmp_path):
    with pytest.raises(NotThrowAwayError):
        decide("Bash", {"command": "touch x"}, tmp_path, tmp_path)
    assert [*tmp_path.iterdir()] == []
