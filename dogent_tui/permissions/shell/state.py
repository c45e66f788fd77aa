"""What a shell knows at one point of a command: where it stands and what its variables hold."""

from dataclasses import dataclass, field, replace
from typing import TypeAlias

from dogent_tui.permissions.shell.parser import Node
from dogent_tui.permissions.shell.text import DYNAMIC

Value: TypeAlias = str | tuple[str, ...]
"""A variable's text (with the stand-ins of `text`), or the elements of an array."""
Lines: TypeAlias = tuple[str, ...] | None
"""What a command may print: each line is one of these; `None` if that cannot be known."""


@dataclass
class State:
    """One possible state of the shell.

    `cwd` is `None` once it cannot be known. `stdin`: the lines that may come in; `script`: exactly what comes in, where the
    command itself spells it out. `status` is the last exit's success. Option "foreign": variables may hold anything;
    "child": a shell of its own, which may or may not know the functions; "export X", "readonly X", "cased X", "integer X": what
    was declared of a variable; the rest are those of `shopt`.
    """

    cwd: str | None
    variables: dict[str, Value] = field(default_factory=dict)
    functions: dict[str, Node] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    options: frozenset[str] = frozenset()
    folders: tuple[str | None, ...] = ()
    stdin: Lines = None
    script: str | None = None
    status: bool | None = None

    def put(self, name: str, value: Value) -> None:
        """Give a variable a value; one that is read-only, or changes the case of its text, holds something unknown then."""
        kept = self.options & {f"readonly {name}", f"cased {name}"}
        self.variables[name] = DYNAMIC if kept else value

    def outside(self) -> "State":
        """Return the state for a program that this shell starts: it may or may not know the functions, and has no aliases."""
        return replace(self.copy(), aliases={}, options=self.options | {"child"})

    def copy(self) -> "State":
        """Return a state that changes on its own."""
        return replace(self, variables=dict(self.variables), functions=dict(self.functions), aliases=dict(self.aliases))


def merge(states: list[State], most: int) -> list[State]:
    """Return the distinct states; beyond `most` they become one, in which all that differs is unknown."""
    distinct: list[State] = []
    for state in states:
        if state not in distinct:
            distinct.append(state)
    return distinct if len(distinct) <= most else [blur(distinct)]


def changed(before: list[State], after: list[State]) -> bool:
    """Return whether any of `after` is a state that was not possible before, exit status apart."""
    known = [replace(state, status=None) for state in before]
    return any(replace(state, status=None) not in known for state in after)


def blur(states: list[State]) -> State:
    """Return one state in which all that differs between `states` is unknown."""
    first = states[0].copy()
    for other in states[1:]:
        if other.cwd != first.cwd:
            first.cwd = None
        for name in {*first.variables, *other.variables}:
            if first.variables.get(name) != other.variables.get(name):
                first.variables[name] = DYNAMIC
        for name, body in other.functions.items():
            if first.functions.setdefault(name, body) != body:
                first.functions[name] = {"Type": "one of several functions"}
        first.aliases = {**other.aliases, **first.aliases}
        if other.arguments != first.arguments:
            first.arguments = (DYNAMIC,)
        first.options |= other.options
    first.status = None
    return first
