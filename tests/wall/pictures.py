"""Pictures of folders, to compare them byte by byte."""

import os
import stat
from pathlib import Path


def picture(root: Path) -> dict[str, tuple]:
    """Return what is below a folder: kind, mode and content of each path. Our own temporary names
    would show.
    """
    found: dict[str, tuple] = {}
    for folder, folders, files in os.walk(root):
        for path in (os.path.join(folder, name) for name in (*folders, *files)):  # noqa: PTH118 — names may not be UTF-8
            state = os.lstat(path)
            content: object = None
            if stat.S_ISREG(state.st_mode):
                content = Path(path).read_bytes()
            elif stat.S_ISLNK(state.st_mode):
                content = os.readlink(path)  # noqa: PTH115
            found[path[len(str(root)) + 1 :]] = (
                stat.S_IFMT(state.st_mode),
                stat.S_IMODE(state.st_mode),
                content,
            )
    return found
