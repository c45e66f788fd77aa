"""What dead sessions leave is taken over by the next one; what lives is left alone."""

import os
from pathlib import Path

import pytest

from dogent_tui import temporary
from dogent_tui.wall.leftovers import begin, take_leftovers


def test_a_session_that_another_window_sees_as_it_starts_is_not_taken_for_dead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, workspace = tmp_path / "sessions/one", tmp_path / "workspace"
    real = temporary.take_lock

    def another_window_looks(place: Path) -> int:
        monkeypatch.undo()
        take_leftovers(session.parent, workspace)
        return real(place)

    monkeypatch.setattr(temporary, "take_lock", another_window_looks)
    held = begin(session, workspace)
    assert session.is_dir()
    take_leftovers(session.parent, workspace)
    assert session.is_dir()
    os.close(held)
    take_leftovers(session.parent, workspace)
    assert not session.exists()


def test_what_a_dead_session_of_another_folder_left_waits_for_that_folder(tmp_path: Path) -> None:
    session, workspace = tmp_path / "sessions/one", tmp_path / "workspace"
    os.close(begin(session, workspace))
    (session / "jobs/a").mkdir(parents=True)
    (session / "jobs/a/ended").write_text('{"began": 1, "why": ""}')
    (session / "jobs/a/plan").write_text('{"command": "make", "cwd": "/"}')
    assert take_leftovers(session.parent, tmp_path / "another") == []
    (left,) = take_leftovers(session.parent, workspace)
    assert (left.job.command, left.job.cwd) == ("make", Path("/"))
    assert take_leftovers(session.parent, workspace) == []
