from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own for each test: nothing is read from, or left in, the real one."""
    folder = tmp_path / "dogent-home"
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("DOGENT_HOME", str(folder))
    return folder
