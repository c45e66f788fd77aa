"""Every test has a home of its own, no keys, and no way to the user's files."""

import gc
import itertools
import os
import re
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from tests.without_pandoc import no_pandoc, real_pandoc  # noqa: F401 — fixtures of several rooms

# A busy machine is no fault of the code: no example has a time limit, and making them may take as
# long as it takes. Every run tries other examples. `--hypothesis-profile=thorough` tries very many.
settings.register_profile(
    "usual", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=50
)
settings.register_profile("thorough", settings.get_profile("usual"), max_examples=2000)
settings.load_profile("usual")

gc.disable()
"""Until all tests are collected: what is imported meanwhile stays, and looking through it again
and again costs seconds.
"""

sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
"""What Python and pytest make of each file is kept, also where that is not usual: to make it again
in every process of the tests and in every program that they start took half of the time that
collecting takes.
"""

os.environ["DOGENT_LANGUAGE"] = (
    "en"  # before any message is imported: whoever runs the tests may speak otherwise
)

_WHOLE = tuple(
    Path(__file__).parent / name for name in ("e2e", "tui", "subcommands", "documents/export")
)
"""Where tests open the whole application, run whole commands, the real CLI or the engines of
exports; the tests of single widgets and models are in folders below.
"""

_HEAVY = {"snap_compare", "stage", "exporter", "browser_here", "make_app"}
"""Fixtures that compare a picture, open an application, or start a browser."""

_OURS = ("ANTHROPIC_", "CLAUDE_", "DOGENT_", "API_TIMEOUT_MS", "NO_COLOR", "TERM_PROGRAM")


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """New folders. `tmp_path_factory` looks through all that it has made to number one, and
    there is one for each test.
    """
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in itertools.count())


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, int]]:
    """Where the folders of the tests are made, each with a number of its own."""
    return zip(
        itertools.repeat(tmp_path_factory.mktemp("tests").resolve()),
        itertools.count(),
        strict=False,
    )


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, folders: Iterator[tuple[Path, int]]) -> Path:
    """An empty folder, as pytest's own fixture makes it; that one lists all of the others each
    time, and links to the last.
    """
    parent, number = next(folders)
    folder = parent / f"{re.sub(r'[^0-9A-Za-z_]', '_', request.node.name)[:30]}{number}"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture(autouse=True)
def home(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder. Variables that would reach the user's accounts, or change how the
    screen is drawn, are gone.
    """
    folder = next(homes)
    folder.mkdir()
    for name in list(os.environ):
        if name.startswith(_OURS) and name != "DOGENT_LANGUAGE":
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("DOGENT_HOME", str(folder / ".dogent"))
    return folder


def pytest_configure(config: pytest.Config) -> None:
    """Have the processes of a parallel run begin to collect at different files.

    So in a fresh clone each of them compiles a part of what all find ready then; in step, each
    would compile all of it.
    """
    if hasattr(config, "workerinput") and config.args == config.getini("testpaths"):
        number, count = (
            int(config.workerinput["workerid"].removeprefix("gw")),
            config.workerinput["workercount"],
        )
        here = sorted(
            str(each)
            for each in Path(__file__).parent.iterdir()
            if each.is_dir() or each.name.startswith("test_")
        )
        here = [each for each in here if Path(each).name[0] not in "._"]
        first = len(here) * number // count
        config.args = here[first:] + here[:first]


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Prepare a parallel run, in the process that the others belong to.

    The order of the files is ours. While the others collect, hypothesis finds out what UTF-8 can
    encode, which takes seconds the first time; each of the others would.
    """
    if session.config.getoption("numprocesses", None):
        session.config.option.loadscopereorder = False
        threading.Thread(target=st.text().validate).start()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Spare a quick run the import of what it would leave out."""
    whole = collection_path.parent in _WHOLE and collection_path.name.startswith("test_")
    return True if whole and config.getoption("markexpr") == "not slow" else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what compares a picture, so that `make snapshots` finds it; a quick run leaves out
    what is heavy.
    """
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if {"snap_compare", "snapshot"} & fixtures:
            item.add_marker("snapshot")
        if fixtures & _HEAVY or item.path.parent in _WHOLE:
            item.add_marker("slow")
    _leave_rows_to_thorough_runs(items)
    if hasattr(config, "workerinput"):
        _what_takes_long_first(items)


def _leave_rows_to_thorough_runs(items: list[pytest.Item]) -> None:
    """Mark the rows behind the first ones of each test that has `thorough_after`."""
    rows = Counter[str]()
    for item in items:
        if marker := item.get_closest_marker("thorough_after"):
            test = item.nodeid.partition("[")[0]
            rows[test] += 1
            if rows[test] > marker.args[0]:
                item.add_marker("thorough")


def _what_takes_long_first(items: list[pytest.Item]) -> None:
    """Order the files for processes that share them, so that none is left alone with a long one
    in the end.
    """
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: (item.path.parent != _WHOLE[0], item.path not in slow, item.path))


def pytest_collection_finish() -> None:
    """Leave what was imported out of all collections of garbage: a full one would take half a
    second, again and again. Collect seldom: every test makes an application and drops it.
    """
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()
