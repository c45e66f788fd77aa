"""What the tests of documents share."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_documents() -> Path:
    """The folder of the corpora; the test is skipped if there is none. Taken before a test's own
    environment is made.
    """
    folder = (
        Path(os.environ.get("DOGENT_SHARED") or Path(__file__).parents[2].parent / "shared")
        / "documents"
    )
    if not (folder / "manifest.json").is_file():
        pytest.skip(
            f"The corpora are not in {folder}; DOGENT_SHARED names the folder that holds"
            " documents/."
        )
    return folder
