"""What is temporary is gone with the process, however it ends."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from dogent_tui import temporary
from dogent_tui.temporary import remove_tree, temporary_folder

_HELD = """
import os, signal, sys
from dogent_tui.temporary import temporary_folder
with temporary_folder() as folder:
    (folder / "closed/inside").mkdir(parents=True)
    (folder / "closed").chmod(0)
    if fork := os.fork():
        print(fork, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    signal.pause()
"""


@pytest.fixture
def another_starts(monkeypatch, tmp_path):
    """Return a function that does what the first temporary folder of another process does."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def start() -> list[str]:
        temporary._remove_left.cache_clear()
        with temporary_folder() as own:
            return [path.name for path in tmp_path.iterdir() if path != own]

    return start


def test_it_is_there_meanwhile_and_for_the_user_alone(another_starts, tmp_path):
    with temporary_folder() as folder:
        assert folder.stat().st_mode & 0o777 == 0o700
        assert another_starts() == [folder.name]
    assert [*tmp_path.iterdir()] == []


def test_what_a_killed_process_left_goes_with_the_next_but_not_from_under_a_fork(
    another_starts, tmp_path
):
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", _HELD]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        fork = int(process.stdout.readline())
        assert process.wait() == -signal.SIGKILL
        assert len(another_starts()) == 1
        os.kill(fork, signal.SIGKILL)
        process.stdout.read()  # it is dead
    assert another_starts() == []


def test_what_others_named_like_it_stays(another_starts, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/text").write_text("words")
    (tmp_path / "dogent-1000").mkdir()
    (tmp_path / "dogent-held-0f.new").mkdir()  # about to be held
    (tmp_path / "dogent-held-0f").symlink_to("mine")
    assert {*another_starts()} >= {"mine", "dogent-1000", "dogent-held-0f.new"}
    assert (tmp_path / "mine/text").read_text() == "words"


def test_a_tree_is_removed_without_a_change_to_what_has_another_name_outside(tmp_path, monkeypatch):
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
    remove_tree(layer)
    assert not layer.exists()
    assert kept.stat().st_mode & 0o777 == 0o444
