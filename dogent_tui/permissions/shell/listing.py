"""Which files a listing command names: worked out on the disk, so that what follows it is judged by real names."""

import re
from collections.abc import Callable
from fnmatch import translate
from pathlib import Path

from dogent_tui.permissions.disk import Disk, walk
from dogent_tui.permissions.paths import Guard, PathRule

_MOST_VISITED = 20_000
_MOST_ORDINARY = 60
"""Ordinary files, empty or not, that stand for all such in a long listing: they are judged alike."""


def below(rule: PathRule, disk: Disk, folder: str, keep: Callable[[str, str], bool]) -> list[str] | None:
    """Return the paths below `folder`, relative to it, that `keep(relative, kind)` keeps; `None` if it is too large.

    Links, files with several names and guarded places are all there; of the rest, as many as are judged differently.
    """
    paths = walk(disk, folder, _MOST_VISITED)
    if paths is None:
        return None
    start = len(folder.rstrip("/")) + 1
    found: list[str] = []
    ordinary = {True: 0, False: 0}
    for path in paths:
        entry = disk.entry(path)
        if entry is None or not keep(path[start:], entry.kind):
            continue
        special = entry.kind == "link" or (entry.kind == "file" and entry.names > 1) or _guarded(rule, path)
        holds_something = entry.size > 0
        ordinary[holds_something] += not special
        if special or ordinary[holds_something] <= _MOST_ORDINARY:
            found.append(path[start:])
    return found


def _guarded(rule: PathRule, path: str) -> bool:
    return "/." in path[len(rule.root) :] and rule.guard(Path(path)) is not Guard.NONE


def name_test(pattern: str, ignore_case: bool = False) -> Callable[[str], bool]:
    """Return whether a name matches a shell pattern, as a function."""
    expression = re.compile(translate(pattern), re.IGNORECASE if ignore_case else 0)
    return lambda name: expression.fullmatch(name) is not None
