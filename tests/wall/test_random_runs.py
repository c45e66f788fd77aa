"""Random programs: what is kept is what they do without a wall, what is dropped or undone is as
before, and what destroys is asked about and nothing else.
"""

import pytest

from tests.wall.throwaway import run_inside

pytestmark = pytest.mark.slow


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("level", "first", "last"), [("full", 0, 8), ("full", 8, 24), ("bound", 0, 18), ("bare", 0, 18)]
)
def test_what_comes_of_a_random_program_is_what_is_promised(level, first, last):
    argument = {"seeds": [*range(first, last)], "level": level}
    assert run_inside("tests.wall.random_runs:run", argument) == []


CLOSING = (
    "chmod 400 notes.md",
    "echo x >> notes.md; chmod 444 notes.md",
    "echo x >> chapters/deep/er/y; chmod 500 chapters/deep/er",
    "echo x >> data/a.csv; chmod 000 data",
    "chmod 444 chapters",
    "chmod 000 empty",
    "mkdir n; echo x > n/f; chmod 500 n",
    "mkdir -p n/m; echo x > n/m/f; chmod 444 n",
    "ln -s /etc n",
    "echo x >> notes.md; chmod 000 .",
)


@pytest.mark.thorough
@pytest.mark.parametrize("level", ["full", "bound", "bare"])
def test_an_ordinary_user_keeps_and_undoes_what_takes_permissions_away(level):
    argument = {"commands": CLOSING, "level": level}
    assert run_inside("tests.wall.random_runs:run", argument) == []
