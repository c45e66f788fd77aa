"""Random commands, changes by somebody else, undos and rewinds: the tree is as before, except for
what somebody else changed, which stays and is told.
"""

import pytest

from tests.wall.throwaway import run_inside

pytestmark = pytest.mark.slow

COMMANDS = [
    "rm -f closed",
    "rm -f closed; echo x > closed; chmod 000 closed",
    "chmod 600 closed; echo x >> closed",
    "chmod 000 notes.md",
    "echo x >> notes.md; chmod 000 notes.md",
    "rm -rf shut; echo x > shut",
    "rm -rf shut; ln -s nowhere shut",
    "echo x > shut/new; mkdir shut/n; chmod 000 shut/n shut",
    'python3 -c \'import os; os.removexattr("notes.md", "user.note")\'',
    'python3 -c \'import os; os.setxattr("big", "user.note", b"x")\'',
    'chmod 600 closed; python3 -c \'import os; os.setxattr("closed", "user.note", b"x")\'',
    "rm sparse; mkfifo pipe; ln data/a.csv again2",
    f"echo x > {'n' * 255}; rm notes.md; mv big {'m' * 255}",
]


@pytest.mark.thorough
def test_an_ordinary_user_undoes_what_is_closed_and_what_has_attributes():
    assert run_inside("tests.undo.random_undos:run_closed", COMMANDS) == []


@pytest.mark.thorough
@pytest.mark.parametrize("first", range(0, 24, 6))
def test_whatever_was_done_is_undone_and_nothing_of_somebody_else_is_overwritten(first):
    argument = {"seeds": [*range(first, first + 6)]}
    assert run_inside("tests.undo.random_undos:run", argument) == []
