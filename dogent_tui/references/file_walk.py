"""Walks a folder as git sees it: without ignored and hidden files."""

import os
import re
import stat
from collections.abc import Callable, Collection, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

Folder: TypeAlias = tuple[str, list[str], list[str]]
"""A folder relative to the root, with a trailing ``/``, empty for the root; its subfolders and its
other entries.
"""


def walk(
    root: Path, stopped: Callable[[], bool] = lambda: False, without: Collection[str] = ()
) -> Iterator[str]:
    """Yield the files and folders below `root`, relative to it, until `stopped`. Unreadable folders
    are left out.

    `without` are further folders to leave out: a name matches every folder with that name, a path
    with a ``/`` a single folder.
    """
    prefix = len(str(root).rstrip("/")) + 1
    for entry in _entries(root, without):
        if stopped():
            return
        if path := str(entry.path())[prefix:]:  # not the root itself
            yield path


def changed_files(root: Path, most: int = 5_000) -> dict[str, float]:
    """Return files below `root`, relative to it, each with its modification time (seconds since
    1970).

    Stops after `most` files. Blocks: call it in a thread.
    """
    found: dict[str, float] = {}
    for path in islice(walk(root), most):
        try:
            status = (root / path).stat()
        except OSError:  # it has disappeared, or is a dangling link
            continue
        if stat.S_ISREG(status.st_mode):
            found[path] = status.st_mtime
    return found


def count(root: Path, without: Collection[str] = ()) -> int:
    """Return how many files and folders `walk` would yield, in a tenth of its time: creating the
    paths is what takes long.
    """
    return sum(1 for _ in _entries(root, without)) - 1  # the root itself


def scan(root: Path, without: Collection[str] = ()) -> Iterator[Folder]:
    """Yield each folder below `root` with its folders and other files: everything `walk` would
    yield without ignore files.

    If `count` returns as many as this yields, nothing is ignored, since a walk never yields more.
    """
    left_out = {folder for folder in without if "/" not in folder}
    places = {folder.strip("/") for folder in without if "/" in folder}
    todo = [""]
    while todo:
        inside = todo.pop()
        folders: list[str] = []
        files: list[str] = []
        try:
            with os.scandir(root / inside) as entries:
                for entry in entries:
                    if not entry.name.startswith("."):
                        (folders if entry.is_dir(follow_symlinks=False) else files).append(
                            entry.name
                        )
        except OSError:  # unreadable, or has disappeared
            continue
        folders = [name for name in folders if name not in left_out and inside + name not in places]
        todo.extend(f"{inside}{name}/" for name in folders)
        yield inside, folders, files


def _entries(root: Path, without: Collection[str]) -> Iterator[Any]:
    """Yield the walker's entries, the root first."""
    from ignore import Error, WalkBuilder
    from ignore.overrides import OverrideBuilder

    builder = WalkBuilder(root).require_git(False).parents(_in_repository(root))
    if without:
        left_out = OverrideBuilder(root)
        for folder in without:
            literal = re.sub(r"([\\*?\[\]{}!])", r"\\\1", folder.strip("/"))
            left_out.add(f"!/{literal}/" if "/" in folder else f"!{literal}/")
        builder = builder.overrides(left_out.build())
    entries = builder.build()
    while True:
        try:
            yield next(entries)
        except StopIteration:
            return
        # a folder that is unreadable or has disappeared: the walk continues
        except (Error, OSError):
            continue


def _in_repository(root: Path) -> bool:
    """Return whether `root` is in a git repository: only then do the ignore files of its parent
    folders count.

    Otherwise a ``.gitignore`` in the home folder, left by keeping dot files in git, would hide
    everything.
    """
    return any((folder / ".git").exists() for folder in (root, *root.parents))
