"""The application is killed while it commits, asks or undoes; the next start finishes what was
begun, and all of it can be undone.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dogent_tui.agent.events import Notice
from dogent_tui.undo import file_moves
from dogent_tui.undo.restoring import undo
from tests.undo.test_commit import EVERYTHING, expected_after, furnished, left_over
from tests.wall.pictures import picture
from tests.wall.session import Session
from tests.wall.world import World

MOMENTS = ["question", *(f"{way} {step}" for way in ("commit", "undo") for step in (1, 2, 5, 12))]


def opened(root: Path) -> Session:
    return Session(World(home=root.parent, state=root.parent, workspace=root), keeps=True)


@pytest.mark.slow
@pytest.mark.thorough_after(2)
@pytest.mark.parametrize("moment", MOMENTS)
def test_the_next_start_finishes_what_a_kill_cut_off(tmp_path, monkeypatch, moment):
    monkeypatch.setenv("DOGENT_HOME", str(tmp_path / "dogent-home"))
    root = furnished(tmp_path / "w")
    before, expected = picture(root), expected_after(root, EVERYTHING)
    process = subprocess.run([sys.executable, "-m", "tests.wall.test_killed", root, moment])
    assert process.returncode == -signal.SIGKILL
    assert moment == "question" or picture(root) not in (before, expected), "it was in the middle"

    session = opened(root)
    said: list[object] = []
    monkeypatch.setattr(session._commands, "_tell", said.append)
    session._commands.offer_leftovers()
    session._await(_nothing())
    notices = {event.code for event in said if isinstance(event, Notice)}
    assert ("commit_resumed" in notices) == (moment != "question")
    assert picture(root) == (before if "undo" in moment else expected)
    assert left_over(root) == []
    if "undo" not in moment:
        undone = undo(session._commands._copies)
        assert undone is not None
        assert undone.left == ()
        assert picture(root) == before
    assert undo(session._commands._copies) is None
    session.close()


async def _nothing() -> None:
    pass


def _die(root: Path, moment: str) -> None:
    """Run the command in `root`, and be killed at a moment."""
    way, _, step = moment.partition(" ")
    session, left = opened(root), int(step or 0)

    def kill(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def counted(real, *arguments):
        nonlocal left
        left -= 1
        if not left:
            kill()
        return real(*arguments)

    def arm() -> None:
        real = file_moves.rename_with
        file_moves.rename_with = lambda *arguments: counted(real, *arguments)

    if way == "question":
        session._commands._ask = kill
    elif way == "commit":
        arm()
    session.bash(EVERYTHING)
    session._commands._settling.submit(int).result()
    arm()
    undo(session._commands._copies)


if __name__ == "__main__":
    _die(Path(sys.argv[1]), sys.argv[2])
