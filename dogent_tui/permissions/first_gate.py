"""The first gate: what runs unasked in a workspace. Everything else is put to the person."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

_READS = {"Read": "file_path", "Glob": "path", "Grep": "path", "LS": "path"}
_WRITES = {"Write": "file_path", "Edit": "file_path", "MultiEdit": "file_path"}
_HARMLESS = frozenset({"TodoWrite"})
_RIGHTS = frozenset({".dogent", ".claude", ".git", ".mcp.json"})
"""Folders and files that hold settings or rights of the agent, at any depth: writing there is always asked."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call as the model made it. `cwd` is the folder that relative paths start from."""

    tool: str
    input: Mapping[str, Any]
    cwd: Path


@dataclass(frozen=True, slots=True)
class Decision:
    """What the policy says of a call: the reasons are sentences, the targets real paths."""

    verdict: Literal["allow", "ask", "deny"]
    reasons: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()


def decide(call: ToolCall, root: Path, private: Sequence[Path] = ()) -> Decision:
    """Judge `call` in the workspace `root` (a real path). Raises nothing: what cannot be judged is asked.

    `private` are folders of the application itself, with keys and conversations: they are outside even where they lie inside.
    """
    try:
        inner = [real for real in map(Path, map(os.path.realpath, private)) if real.is_relative_to(root)]
        return _judge(call, root, inner)
    except Exception as error:
        return Decision("ask", (f"This call could not be judged ({type(error).__name__}).",))


def _judge(call: ToolCall, root: Path, private: Sequence[Path]) -> Decision:
    if call.tool in _HARMLESS:
        return Decision("allow")
    argument = _READS.get(call.tool) or _WRITES.get(call.tool)
    if argument is None:
        return Decision("ask", (f"{call.tool} can do more than read and write files of the workspace.",))
    named = call.input.get(argument)
    real = Path(os.path.realpath(call.cwd / Path(str(named)).expanduser())) if named else Path(os.path.realpath(call.cwd))
    if not real.is_relative_to(root):
        return Decision("ask", (f"{real} lies outside the workspace.",), (str(real),))
    if any(real.is_relative_to(folder) or (call.tool == "Grep" and folder.is_relative_to(real)) for folder in private):
        return Decision("ask", (f"{real} holds keys or conversations of dogent-tui.",), (str(real),))
    if call.tool == "Glob" and _climbs(str(call.input.get("pattern", ""))):
        return Decision("ask", ("The pattern may lead outside the workspace.",), (str(call.input["pattern"]),))
    if call.tool in _WRITES and not _RIGHTS.isdisjoint(part.casefold() for part in real.relative_to(root).parts):
        return Decision("ask", (f"{real} holds settings that steer the agent itself.",), (str(real),))
    return Decision("allow", targets=(str(real),))


def _climbs(pattern: str) -> bool:
    return pattern.startswith(("/", "~")) or ".." in Path(pattern).parts
