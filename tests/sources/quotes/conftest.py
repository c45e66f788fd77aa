"""Where the shared example and the builders of gold are."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_quotes() -> Path:
    """The folder of the example and of the builders; the test is skipped if there is none."""
    folder = (
        Path(os.environ.get("DOGENT_SHARED") or Path(__file__).parents[3].parent / "shared")
        / "quotes"
    )
    if not (folder / "score.py").is_file():
        pytest.skip(
            f"The example is not in {folder}; DOGENT_SHARED names the folder that holds quotes/."
        )
    return folder
