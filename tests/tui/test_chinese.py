"""The interface in Simplified Chinese, screen by screen. `make snapshots` accepts what they say
now.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[2]
NAMES = re.compile(r"[A-Za-z][\w.+/-]*")
"""Words in Latin letters. Those that stay in any language: names, keys, commands, and what is
typed.
"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Each screen at each size, as text: made in one process, since messages are settled when
    they are imported.
    """
    home = tmp_path_factory.mktemp("chinese")
    folder = home / "folder"
    folder.mkdir()
    (folder / "茶.md").write_text("# 茶\n\n茶很热。\n", encoding="utf-8")
    variables = {
        "DOGENT_LANGUAGE": "zh_CN",
        "HOME": str(home),
        "DOGENT_HOME": str(home / ".dogent"),
        "PYTHONPATH": str(ROOT),
    }
    made = subprocess.run(
        [sys.executable, "-m", "tests.tui.chinese_screens", str(folder)],
        cwd=ROOT,
        env={**os.environ, **variables},
        capture_output=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr.decode()
    return json.loads(made.stdout)


@pytest.mark.parametrize("size", ["80x24", "200x60"])
@pytest.mark.parametrize(
    "screen", ["start", "run", "question", "form", "help", "settings", "sessions"]
)
def test_a_screen(shown, snapshot, screen, size):
    assert shown[f"{screen} {size}"] == snapshot


def test_how_much_of_a_form_is_answered_is_said_whole(shown):
    """Chinese is twice as wide as it is long."""
    assert "全部已回答" in shown["form 80x24"]


def test_no_line_cuts_a_wide_character(shown):
    """What is too wide would push the rest of its line out of its place."""
    from rich.cells import cell_len

    for name, text in shown.items():
        width = int(name.rpartition(" ")[2].partition("x")[0])
        assert all(cell_len(line) <= width for line in text.splitlines()), name
