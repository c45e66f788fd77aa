"""What dead sessions leave is taken over by the next one; what lives is left alone."""

import fcntl
import os
from pathlib import Path

import pytest

from dogent_tui.wall.leftovers import hold, remove_layer, take_leftovers


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


def test_what_a_dead_session_of_another_folder_left_waits_for_that_folder(tmp_path: Path) -> None:
    session, workspace = tmp_path / "sessions/one", tmp_path / "workspace"
    (session / "jobs/a").mkdir(parents=True)
    os.close(hold(session, workspace))
    (session / "jobs/a/ended").write_text('{"began": 1, "why": ""}')
    (session / "jobs/a/plan").write_text('{"command": "make", "cwd": "/"}')
    assert take_leftovers(session.parent, tmp_path / "another") == []
    (left,) = take_leftovers(session.parent, workspace)
    assert (left.job.command, left.job.cwd) == ("make", Path("/"))
    assert take_leftovers(session.parent, workspace) == []


def test_a_layer_is_removed_without_a_change_to_what_the_workspace_has_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layer, kept = tmp_path / "layer", tmp_path / "kept"
    layer.mkdir()
    (layer / "one").write_text("x")
    (layer / "one").chmod(0o444)
    kept.hardlink_to(layer / "one")
    monkeypatch.chdir(layer)
    for _ in range(1500):  # too deep for Python
        Path("d").mkdir()
        os.chdir("d")
    monkeypatch.undo()
    remove_layer(layer)
    assert not layer.exists()
    assert kept.stat().st_mode & 0o777 == 0o444
