import os
from pathlib import Path

import pytest

from dogent_tui.storage.paths import Workspace


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own for each test: nothing is read from, or left in, the real one."""
    for name in [
        name for name in os.environ if name.startswith(("ANTHROPIC_", "CLAUDE_", "API_TIMEOUT"))
    ]:
        monkeypatch.delenv(name)
    folder = tmp_path / "dogent-home"
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("DOGENT_HOME", str(folder))
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "ws").mkdir()
    return Workspace(tmp_path / "ws")
