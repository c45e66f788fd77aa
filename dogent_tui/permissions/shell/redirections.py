"""Redirections: what a command reads from and writes to besides its arguments."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dogent_tui.permissions.model import EffectKind
from dogent_tui.permissions.paths import Place
from dogent_tui.permissions.shell.parser import Node
from dogent_tui.permissions.shell.state import Lines, State
from dogent_tui.permissions.shell.text import DYNAMIC
from dogent_tui.permissions.shell.words import Field

if TYPE_CHECKING:
    from dogent_tui.permissions.shell.walk import Walk

_REPLACES = {">", ">|", "&>", "&>|", ">&"}
_APPENDS = {">>", "&>>", ">>|", "&>>|"}
_DESCRIPTOR = re.compile(r"[0-9]+-?|-")


@dataclass
class Plan:
    """What the redirections of a command set up. `targets`: where its output goes, with whether it is added."""

    targets: list[tuple[Path, bool]] = field(default_factory=list)
    stdin: Lines = None
    stdin_known: bool = False
    may_fail: bool = False


def plan(walk: "Walk", redirects: list[Node], state: State) -> Plan:
    """Note what redirections read and write, in order."""
    found = Plan()
    for node in redirects:
        _one(walk, node, state, found)
    return found


def _one(walk: "Walk", node: Node, state: State, found: Plan) -> None:
    operator = str(node.get("Op"))
    number = str((node.get("N") or {}).get("Value", ""))
    if number.startswith("{"):
        state.put(number.strip("{}"), DYNAMIC)
    if operator.startswith("<<"):
        _inline(walk, node, operator, state, found)
    elif operator == "<" and (statements := _substituted(node)) is not None:
        found.stdin, found.stdin_known, state.script = walk.substitute(statements, state), True, None
    elif operator not in {"<&", ">&"} or not _is_descriptor(walk, node, state):
        _file(walk, node, (operator, number), state, found)


def _file(walk: "Walk", node: Node, kind: tuple[str, str], state: State, found: Plan) -> None:
    operator, number = kind
    for target in walk.expander.fields(node.get("Word") or {}, state):
        if operator in _REPLACES or operator in _APPENDS:
            found.may_fail = found.may_fail or not _opens(walk, target, state)
            path = walk.recorder.output(target, state, operator, append=operator in _APPENDS)
            if path is not None and number in {"", "1"}:
                found.targets.append((path, operator in _APPENDS))
        elif operator == "<>":
            walk.recorder.output(target, state, operator)
        else:
            found.may_fail = True
            walk.recorder.touch(EffectKind.READ, target, state, operator)
            found.stdin, found.stdin_known, state.script = (() if target.text == "/dev/null" else None), True, None


def _opens(walk: "Walk", target: Field, state: State) -> bool:
    """Return whether a file can surely be opened for writing: else the command does not run."""
    path = walk.recorder.resolve(target, state, ">")
    if path is None:
        return False
    if walk.recorder.rule.place(path) is Place.STREAM:
        return True
    folder, there = walk.disk.entry(str(path.parent)), walk.disk.entry(str(path))
    return folder is not None and folder.kind == "folder" and (there is None or there.kind == "file")


def again(walk: "Walk", redirects: list[Node], state: State) -> None:
    """Note once more what redirections do whose words hold variables, after the command has given them values."""
    changing = [node for node in redirects if not str(node.get("Op")).startswith("<<") and "ParamExp" in str(node.get("Word"))]
    plan(walk, changing, state.copy())


def _substituted(node: Node) -> list[Node] | None:
    parts = (node.get("Word") or {}).get("Parts") or []
    if len(parts) == 1 and parts[0].get("Type") == "ProcSubst":
        return parts[0].get("Stmts") or []
    return None


def _inline(walk: "Walk", node: Node, operator: str, state: State, found: Plan) -> None:
    word = node.get("Word") or {}
    if operator == "<<<":
        text = walk.expander.text(word, state)
    else:
        quoted = any(part.get("Type") != "Lit" or "\\" in str(part.get("Value")) for part in word.get("Parts") or [])
        text = walk.expander.here_document(node.get("Hdoc") or {}, quoted, state)
        if operator == "<<-":
            text = re.sub(r"(?m)^\t+", "", text)
    known = DYNAMIC not in text
    found.stdin, found.stdin_known = (tuple(text.splitlines()) if known else None), True
    state.script = text if known else None


def _is_descriptor(walk: "Walk", node: Node, state: State) -> bool:
    return _DESCRIPTOR.fullmatch(walk.expander.text(node.get("Word"), state)) is not None


def finish(walk: "Walk", found: Plan, lines: Lines) -> None:
    """Pass on what the command printed: into the files it was sent to, else to the command's own output."""
    if not found.targets:
        walk.prints(lines)
        return
    text = None if lines is None or any(DYNAMIC in line for line in lines) else "".join(line + "\n" for line in lines)
    for path, append in found.targets:
        walk.recorder.disk.add_file(str(path), None if append else text)
    walk.prints(())
