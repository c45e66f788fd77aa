"""The Markdown files of a folder, and those whose names match a pattern."""

import os
from collections.abc import Callable, Iterable, Iterator
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
from dogent_tui.references.file_walk import Folder, count, scan, walk


def find_files(request: FindFiles) -> FoundFiles:
    """Return the files, by path. Raises MarkdownSearchError if the pattern is invalid."""
    fits = name_filter(request.pattern, regex=request.regex)
    found = sorted(path for path in markdown_files(request.scope) if fits(shown(path)))
    root = Path(request.scope.root)
    return FoundFiles(tuple(_described(root, path) for path in found[:MOST_FILES]), len(found))


def markdown_files(scope: Scope) -> Iterator[str]:
    """Yield the paths of the files, except links, relative to the root."""
    folders, root = folders_of(scope), Path(scope.root)
    keeps = ignore_filter(scope, folders)
    for folder, _, names in folders:
        for path in (folder + name for name in names if is_markdown(name)):
            if keeps(path) and not (root / path).is_symlink():
                yield path


def folders_of(scope: Scope) -> list[Folder]:
    """Return the folders, disregarding ignore files."""
    return list(scan(Path(scope.root), scope.without))


def ignore_filter(scope: Scope, folders: Iterable[Folder]) -> Callable[[str], bool]:
    """Return a function that tells whether a path in `folders` (all folders) is not ignored. If
    nothing is ignored, finding that out takes a tenth of the time.
    """
    root = Path(scope.root)
    if count(root, scope.without) == sum(len(inside) + len(names) for _, inside, names in folders):
        return lambda _: True
    return frozenset(walk(root, without=scope.without)).__contains__


def shown(path: str) -> str:
    """Return a path as text, with invalid bytes shown as escapes."""
    return os.fsencode(path).decode("utf-8", "replace")


def _described(root: Path, path: str) -> FoundFile:
    name = path.rpartition("/")[2]
    try:
        found = (root / path).lstat()
    except OSError:  # it was deleted
        return FoundFile(shown(path), shown(name), 0, "")
    return FoundFile(shown(path), shown(name), found.st_size, when(found.st_mtime))
