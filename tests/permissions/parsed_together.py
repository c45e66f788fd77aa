"""Thousands of shell commands parsed in a hundred runs of shfmt: to start it for each is most of what the corpus of calls costs.

The commands of a batch stand below each other in one program, each followed by a statement of ours. Where each of ours is parsed
as the statement that it is, at the place where we wrote it, what stands between two of them was parsed for itself. A batch of
which that is not true is parsed in halves, and a command that does not parse is left to whoever wants it.
"""

from collections.abc import Sequence
from typing import Any

from dogent_tui.permissions.shell.parser import Node, ShellSyntaxError, parse

_OURS = ": what ends a command"
_MOST = 64
"""Commands of a batch: of more than that, one that does not parse costs too many others."""

Parsed = dict[str, list[Node]]


def parsed_together(commands: Sequence[str]) -> Parsed:
    """Return the statements of the commands, of almost all of them.

    Those that the parser rewrites before it parses them are left out: it looks at the whole program for that.
    """
    plain = [each for each in dict.fromkeys(commands) if each.isascii() or "<<" not in each]
    batches = [plain[first : first + _MOST] for first in range(0, len(plain), _MOST)]
    return {command: nodes for batch in batches for command, nodes in _batch(batch).items()}


def _batch(commands: list[str]) -> Parsed:
    if len(commands) < 2:
        return {}
    try:
        nodes = parse("".join(f"{each}\n{_OURS}\n" for each in commands))
    except ShellSyntaxError:
        return _halves(commands)
    found: Parsed = {}
    begin = line = 0
    for command in commands:
        end = begin + len(command.encode()) + 1
        own = [node for node in nodes if node["Pos"]["Offset"] < end]
        ours = nodes[len(own) : len(own) + 1]
        if [(node["Pos"]["Offset"], node["End"]["Offset"]) for node in ours] != [(end, end + len(_OURS))]:
            return _halves(commands)
        found[command] = [_moved(node, begin, line) for node in own]
        nodes = nodes[len(own) + 1 :]
        begin = end + len(_OURS) + 1
        line += command.count("\n") + 2
    return _halves(commands) if nodes else found


def _halves(commands: list[str]) -> Parsed:
    half = len(commands) // 2
    return _batch(commands[:half]) | _batch(commands[half:])


def _moved(value: Any, offset: int, line: int) -> Any:
    """Return a part of a tree with its places counted from `offset` and `line`."""
    if isinstance(value, list):
        return [_moved(each, offset, line) for each in value]
    if not isinstance(value, dict):
        return value
    if {"Offset", "Line", "Col"} <= value.keys():
        return {**value, "Offset": value["Offset"] - offset, "Line": value["Line"] - line}
    return {key: _moved(each, offset, line) for key, each in value.items()}
