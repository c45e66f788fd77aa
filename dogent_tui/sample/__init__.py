"""A small workspace of real documents, for users who open the application for the first time."""

import os
import shutil
from pathlib import Path

_FILES = Path(__file__).with_name("files")
SAMPLE = "~/dogent-sample"
"""Where it is created unless the user names another folder."""


def copy_sample(target: Path) -> Path:
    """Copy the sample workspace to `target` and return it. If `target` exists and is not empty,
    nothing is copied or changed.

    Thus the user's changes and deletions are preserved. Raises OSError.
    """
    if target.is_dir() and any(target.iterdir()):
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    # Copied beside it first: an interrupted copy must not be taken for a complete one the next
    # time.
    temporary = target.with_name(f".{target.name}-{os.urandom(4).hex()}")
    try:
        shutil.copytree(_FILES, temporary, copy_function=shutil.copyfile)
        temporary.rename(target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return target
