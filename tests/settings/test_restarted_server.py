"""What runs an MCP server that is started again in the middle of a call."""

import subprocess
import sys
from pathlib import Path

import pytest

from dogent_tui.settings import mcp_servers

PROGRAM = str(Path(mcp_servers.__file__).with_name("restarted_server.py"))


def restarted(*command: str, said: str = "") -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-I", "-S", PROGRAM, *command]
    return subprocess.run(argv, input=said, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.thorough
def test_a_silent_server_is_ended():
    done = restarted("sleep", "100000")
    assert done.returncode == 1
    assert "said nothing" in done.stderr


def test_a_server_that_answers_is_heard_to_its_end():
    done = restarted("sh", "-c", "read line; echo heard $line; sleep 0; cat; exit 3", said="a\nb\n")
    assert done.stdout == "heard a\nb\n"
    assert done.returncode == 3
