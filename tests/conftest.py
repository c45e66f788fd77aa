"""Every test has a home of its own, no keys, and no way to the person's files."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is no fault of the code: no example has a time limit, and making them may take as long as it takes.
settings.register_profile("no-clock", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("no-clock")

_QUICK_SIZE = (80, 24)
_OURS = ("ANTHROPIC_", "CLAUDE_", "DOGENT_", "API_TIMEOUT_MS", "NO_COLOR", "TERM_PROGRAM")


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder. Variables that would reach the person's accounts, or change how the screen is drawn, are gone."""
    folder = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(_OURS):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("DOGENT_HOME", str(folder / ".dogent"))
    return folder


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what compares a picture, so that `make snapshots` finds it; the quick selection looks at the smallest window only."""
    for item in items:
        if "snap_compare" in getattr(item, "fixturenames", ()):
            item.add_marker("snapshot")
            callspec = getattr(item, "callspec", None)
            if callspec is not None and callspec.params.get("size", _QUICK_SIZE) != _QUICK_SIZE:
                item.add_marker("slow")
