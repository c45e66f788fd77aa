"""The line number of a key in a JSON file, for a user who has to correct it there."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import msgspec

KeyPath: TypeAlias = tuple[str, ...]
"""The keys that lead to a value, from the outside in."""


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


def line_of(file: Path, path: KeyPath) -> int:
    """Return the line of the key at `path` in the JSON `file`, counted from 1; 0 if it is not
    found. Never raises.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, ValueError):
        return 0
    found = 0
    for at, place in _keys(text):
        if place == path:
            found = text.count("\n", 0, at) + 1  # of a duplicate key the last one counts
    return found


def _keys(text: str) -> Iterator[tuple[int, KeyPath]]:
    """Yield the position of each key in a JSON `text`, and the keys that lead to it."""
    around: list[str | None] = []  # the key of each open bracket; None in a list
    last: tuple[int, str] = (0, "")
    key: str | None = None
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in "{[":
            around.append(key)
            key = None
        elif sign in "}]" and around:
            around.pop()
            key = None
        elif sign == ":":
            key = _unquoted(last[1])
            yield last[0], (*(name for name in around[1:] if name is not None), key)
        elif sign == ",":
            key = None
        else:
            last = token.start(), sign


def _unquoted(token: str) -> str:
    try:
        return str(msgspec.json.decode(token))
    except msgspec.DecodeError:
        return token
