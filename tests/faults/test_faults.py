"""A row of the fault matrix for each victim. `make faults` plays hundreds."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]  # half a minute on two quiet processors


@pytest.mark.thorough
def test_a_fault_of_each_victim_loses_nothing_and_leaves_nothing():
    """In a process of its own, which enters a mount namespace for its small disks."""
    command = [sys.executable, "-m", "tests.faults", "--quick"]
    played = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True)
    assert played.returncode == 0, played.stdout + played.stderr
