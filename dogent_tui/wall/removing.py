"""Removes what commands wrote."""

import contextlib
import shutil
import subprocess
from pathlib import Path


def remove_layer(folder: Path) -> None:
    """Remove the layer of a job. The kernel leaves a folder in it that even its owner cannot
    enter.
    """
    with contextlib.suppress(OSError):
        (folder / "work/work").rmdir()
    remove_tree(folder)


def remove_tree(folder: Path) -> None:
    """Remove what commands wrote: folders that cannot be entered, and deeper ones than Python
    can follow, among it.
    """
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        return
    except (OSError, RecursionError):
        for command in (["chmod", "-R", "u+rwX"], ["rm", "-rf", "--one-file-system"]):
            subprocess.run([*command, "--", str(folder)], check=False, stderr=subprocess.DEVNULL)
