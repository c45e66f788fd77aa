"""The root to throw away: nothing of the machine can be written from it, and the wall can be
built in it.
"""

import sys
import uuid
from pathlib import Path

import psutil
import pytest

from tests.wall.throwaway import (
    CHECKOUT,
    InsideError,
    NotThrowAwayError,
    require_throwaway,
    run_inside,
)

pytestmark = pytest.mark.slow


def test_it_holds_only_what_it_must_and_none_of_it_can_be_written():
    here = run_inside("tests.wall.inside_probe:what_is_here")
    assert here["uid"] != 0
    assert here["networks"] == ["lo"]
    assert here["writable"] == []
    assert here["processes"] <= 3
    assert here["refused"] == ""
    assert int(here["capabilities"], 16) == 0
    system = ["bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "etc", "opt"]
    system += ["dev", "proc", "tmp", "var", "run", "mnt", "home"]
    assert set(here["root"]) <= {
        *system,
        *(Path(each).parts[1] for each in (CHECKOUT, sys.prefix, sys.base_prefix)),
    }


def test_the_root_of_a_namespace_is_no_more_than_that():
    here = run_inside("tests.wall.inside_probe:what_is_here", inside="namespace root")
    assert here["uid"] == 0
    assert int(here["capabilities"], 16) != 0
    assert here["writable"] == []
    assert here["networks"] == ["lo"]


@pytest.mark.parametrize("inside", ["user", "namespace root"])
def test_a_layer_can_be_mounted_in_it_and_the_folder_below_stays_whole(inside):
    shown = run_inside("tests.wall.inside_probe:nested_layer", inside=inside)
    within, after = shown[: shown.index("before")], shown[shown.index("before") :]
    assert within[0] == "new.md"
    assert int(within[1]) <= 4
    assert after[:2] == ["before", "/tmp/n/u:"]


def test_its_loopback_works():
    assert run_inside("tests.wall.inside_probe:loopback") == "here"


def test_what_it_is_given_and_returns_may_be_long():
    given = {"text": "声" * 500_000, "list": list(range(1000))}
    assert run_inside("tests.wall.inside_probe:echo", given) == given


def test_what_it_raises_is_raised_here():
    with pytest.raises(InsideError, match="as it should"):
        run_inside("tests.wall.inside_probe:fail")


def test_no_process_outlives_it():
    mark = own_mark()
    run_inside("tests.wall.inside_probe:leave_a_process", mark)
    assert not sleeping(mark)


def test_what_takes_too_long_is_killed_with_all_it_started():
    mark = own_mark()
    with pytest.raises(TimeoutError):
        run_inside("tests.wall.inside_probe:hang", mark, limit_s=3)
    assert not sleeping(mark)


def own_mark() -> str:
    """Return seconds to sleep by which a process is known, also among those of another run."""
    return f"7321.{uuid.uuid4().int}"


def sleeping(seconds: str) -> list[int]:
    alive = (
        each
        for each in psutil.process_iter(["cmdline", "status"])
        if each.info["status"] != psutil.STATUS_ZOMBIE
    )
    return [each.pid for each in alive if (each.info["cmdline"] or [])[-2:] == ["sleep", seconds]]


def test_the_machine_itself_is_no_throw_away_root():
    with pytest.raises(NotThrowAwayError):
        require_throwaway()
