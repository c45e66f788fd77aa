"""What dead sessions leave is taken over by the next one; what lives is left alone."""

import fcntl
import os
from pathlib import Path

import pytest

from dogent_tui.wall.leftovers import hold, take_leftovers


def test_a_session_that_another_window_sees_as_it_starts_is_not_taken_for_dead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, workspace = tmp_path / "sessions/one", tmp_path / "workspace"
    session.mkdir(parents=True)
    real = fcntl.flock

    def another_window_looks(descriptor: int, operation: int) -> None:
        if operation == fcntl.LOCK_EX:
            take_leftovers(session.parent, workspace)
        real(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", another_window_looks)
    held = hold(session, workspace)
    assert session.is_dir()
    take_leftovers(session.parent, workspace)
    assert session.is_dir()
    os.close(held)
    take_leftovers(session.parent, workspace)
    assert not session.exists()
