"""Pathname expansion (bash manual 3.5.8) on the disk as the policy sees it."""

import re
from typing import TypeAlias

from dogent_tui.permissions.disk import Disk, real_path, walk

Char: TypeAlias = tuple[str, bool]
"""A character, and whether it is unquoted (and so may be special)."""

_SPECIAL = {"*", "?", "["}
_MOST = 2000


def has_magic(chars: list[Char]) -> bool:
    """Return whether an unquoted `*`, `?` or `[…]` is among the characters."""
    closes = any(char == "]" for char, _ in chars)
    return any(magic and char in _SPECIAL and (char != "[" or closes) for char, magic in chars)


def expand_glob(disk: Disk, chars: list[Char], cwd: str, options: frozenset[str]) -> list[str] | None:
    """Return the paths that a pattern names, as spelled (relative ones stay relative); `None` if there are too many.

    A bracket expression counts as `?`: what is found may be more than bash finds, never less.
    """
    parts = _split(chars)
    absolute = bool(chars) and chars[0][0] == "/"
    found = ["/" if absolute else ""]
    for index, part in enumerate(parts):
        steps = [_step(disk, base, part, cwd, options, index == len(parts) - 1) for base in found]
        found = [path for step in steps for path in step or ()]
        if None in steps or len(found) > _MOST:
            return None
    return found


def _split(chars: list[Char]) -> list[list[Char]]:
    parts: list[list[Char]] = [[]]
    for char in chars:
        if char[0] == "/":
            parts.append([])
        else:
            parts[-1].append(char)
    return [part for part in parts if part]


def _step(disk: Disk, base: str, part: list[Char], cwd: str, options: frozenset[str], last: bool) -> list[str] | None:
    start = base if not base or base.endswith("/") else base + "/"
    literal = "".join(char for char, _ in part)
    if not has_magic(part):
        return [start + literal]
    try:
        folder = real_path(disk, start if start.startswith("/") else f"{cwd}/{start}")
    except ValueError:
        return []
    if literal == "**" and "globstar" in options:
        below = walk(disk, folder, _MOST)
        if below is None:
            return None
        prefix = len(folder.rstrip("/")) + 1
        return [base or ".", *(start + path[prefix:] for path in below if "/." not in path[prefix - 1 :])]
    pattern = re.compile(_regex(part), re.IGNORECASE if "nocaseglob" in options else 0)
    hidden = literal.startswith(".") or "dotglob" in options
    names = [name for name in disk.names(folder) if (hidden or not name.startswith(".")) and pattern.fullmatch(name)]
    if literal.startswith("."):
        names = [*(name for name in (".", "..") if pattern.fullmatch(name)), *names]
    if not last:
        names = [name for name in names if (entry := disk.entry(f"{folder}/{name}")) is None or entry.kind != "file"]
    return [start + name for name in names]


def _regex(part: list[Char]) -> str:
    pieces: list[str] = []
    index = 0
    while index < len(part):
        char, magic = part[index]
        if magic and char == "*":
            pieces.append(".*")
        elif magic and char == "?":
            pieces.append(".")
        elif magic and char == "[" and (end := _bracket_end(part, index)):
            pieces.append(".")
            index = end
        else:
            pieces.append(re.escape(char))
        index += 1
    return "".join(pieces)


def _bracket_end(part: list[Char], start: int) -> int | None:
    index = start + 1
    if index < len(part) and part[index][0] in "!^":
        index += 1
    index += 1
    while index < len(part):
        if part[index][0] == "[" and index + 1 < len(part) and part[index + 1][0] in ":.=":
            index += 2
            while index < len(part) and part[index][0] != "]":
                index += 1
        elif part[index] == ("]", True):
            return index
        index += 1
    return None
