"""A small workspace of real documents, for a user who opens the application for the first time."""

import os
import shutil
from pathlib import Path

_FILES = Path(__file__).with_name("files")
SAMPLE = "~/dogent-sample"
"""Where it is put unless the user names another folder."""


def copy_sample(target: Path) -> Path:
    """Copy the sample workspace to `target` and return it. If there is anything already, nothing is
    copied or changed.

    So what a user changed, or threw away, stays that way. Raises OSError.
    """
    if target.is_dir() and any(target.iterdir()):
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    # Beside it first: a copy that is interrupted must not pass for a complete one the next time.
    temporary = target.with_name(f".{target.name}-{os.urandom(4).hex()}")
    try:
        shutil.copytree(_FILES, temporary, copy_function=shutil.copyfile)
        temporary.rename(target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return target
