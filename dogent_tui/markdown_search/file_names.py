"""The Markdown files of a folder, and which of them have a pattern in their names."""

import os
from collections.abc import Iterator
from pathlib import Path

from dogent_tui.markdown_search.markdown_file import when
from dogent_tui.markdown_search.matcher import name_filter
from dogent_tui.markdown_search.model import (
    MOST_FILES,
    FindFiles,
    FoundFile,
    FoundFiles,
    Scope,
    is_markdown,
)
from dogent_tui.references.file_walk import count, scan, walk


def find_files(request: FindFiles) -> FoundFiles:
    """Return the files, by path. Raises ManuscriptError where the pattern is none."""
    fits = name_filter(request.pattern, regex=request.regex)
    found = sorted(path for path in markdown_files(request.scope) if fits(shown(path)))
    root = Path(request.scope.root)
    return FoundFiles(tuple(_described(root, path) for path in found[:MOST_FILES]), len(found))


def markdown_files(scope: Scope) -> Iterator[str]:
    """Yield the paths of the files, which are not links, from the root on."""
    allowed = everything_but_ignored(scope)
    root = Path(scope.root)
    for folder, _, names in scan(root, scope.without):
        for name in filter(is_markdown, names):
            path = f"{folder}/{name}" if folder else name
            if (allowed is None or path in allowed) and not (root / path).is_symlink():
                yield path


def everything_but_ignored(scope: Scope) -> frozenset[str] | None:
    """Return the paths that the ignore files leave, None where they leave all: to know that
    takes a tenth of the time.
    """
    root = Path(scope.root)
    there = sum(len(folders) + len(files) for _, folders, files in scan(root, scope.without))
    return (
        None
        if count(root, scope.without) == there
        else frozenset(walk(root, without=scope.without))
    )


def shown(path: str) -> str:
    """Return a path as text: bytes that are no character are shown as such."""
    return os.fsencode(path).decode("utf-8", "replace")


def _described(root: Path, path: str) -> FoundFile:
    name = path.rpartition("/")[2]
    try:
        found = (root / path).lstat()
    except OSError:  # it went away
        return FoundFile(shown(path), shown(name), 0, "")
    return FoundFile(shown(path), shown(name), found.st_size, when(found.st_mtime))
