"""Every test has a home of its own, no keys, and no way to the person's files."""

import gc
import os
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from tests.published_pandoc import no_pandoc, offered, published, real_pandoc  # noqa: F401 — fixtures of several rooms

# A busy machine is no fault of the code: no example has a time limit, and making them may take as long as it takes.
# Every run tries other examples. `--hypothesis-profile=thorough` tries very many.
settings.register_profile("usual", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=50)
settings.register_profile("thorough", settings.get_profile("usual"), max_examples=2000)
settings.load_profile("usual")

gc.disable()
"""Until all tests are collected: what is imported meanwhile stays, and looking through it again and again costs seconds."""

sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
"""What Python and pytest make of each file is kept, also where that is not usual: to make it again in every process of the tests
and in every program that they start took half of the time that collecting takes."""

os.environ["TEXTUAL_FPS"] = "15"  # before Textual is imported: pictures that nobody sees are a tenth of what its tests cost
os.environ["DOGENT_LANGUAGE"] = "en"  # before any message is imported: whoever runs the tests may speak otherwise

_WHOLE = (Path(__file__).parent / "e2e", Path(__file__).parent / "tui")
"""Where tests open the whole application, or the real CLI; the tests of single widgets and models lie in folders below."""

_HEAVY = {"snap_compare", "stage", "exporter", "browser_here"}
"""Fixtures that compare a picture, open the whole application, or start a browser."""

_OURS = ("ANTHROPIC_", "CLAUDE_", "DOGENT_", "API_TIMEOUT_MS", "NO_COLOR", "TERM_PROGRAM")


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder. Variables that would reach the person's accounts, or change how the screen is drawn, are gone."""
    folder = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(_OURS) and name != "DOGENT_LANGUAGE":
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("DOGENT_HOME", str(folder / ".dogent"))
    return folder


def pytest_configure(config: pytest.Config) -> None:
    """Have the processes of a parallel run share what is made once in a fresh clone and kept from then on.

    They begin to collect at different files, so that each compiles a part of them; in step, each would compile all. Meanwhile the
    process that they belong to has hypothesis find out what UTF-8 can encode, which takes seconds.
    """
    worker = getattr(config, "workerinput", None)
    if worker is None and config.getoption("numprocesses", None):
        config.option.loadscopereorder = False  # the order is ours: see `_what_takes_long_first`
        threading.Thread(target=st.text().validate).start()
    if worker and config.args == config.getini("testpaths"):
        folders = sorted(str(each) for each in Path(__file__).parent.iterdir() if each.name[0] not in "._")
        folders = [each for each in folders if Path(each).is_dir() or Path(each).name.startswith("test_")]
        first = len(folders) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
        config.args = folders[first:] + folders[:first]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Spare a quick run the import of what it would leave out."""
    whole = collection_path.parent in _WHOLE and collection_path.name.startswith("test_")
    return True if whole and config.getoption("markexpr") == "not slow" else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what compares a picture, so that `make snapshots` finds it; a quick run leaves out what is heavy."""
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if {"snap_compare", "snapshot"} & fixtures:
            item.add_marker("snapshot")
        if fixtures & _HEAVY or item.path.parent in _WHOLE:
            item.add_marker("slow")
    if hasattr(config, "workerinput"):
        _what_takes_long_first(items)


def _what_takes_long_first(items: list[pytest.Item]) -> None:
    """Order the files for processes that share them, so that none is left alone with a long one in the end."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: (item.path.parent != _WHOLE[0], item.path not in slow, item.path))


def pytest_collection_finish() -> None:
    """Leave what was imported out of all collections of garbage: a full one would take half a second, again and again."""
    gc.freeze()
    gc.enable()
