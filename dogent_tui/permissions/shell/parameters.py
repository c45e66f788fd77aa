"""The values of `$x`, `${x}` and the operators on them (bash manual 3.5.3), as far as they can be known."""

import re
from collections.abc import Callable

from dogent_tui.permissions.shell.parser import Node
from dogent_tui.permissions.shell.state import State, Value
from dogent_tui.permissions.shell.text import ANY, DYNAMIC

_NUMBERS = set("#?$!-") | {"RANDOM", "LINENO", "SECONDS", "EPOCHSECONDS", "SRANDOM", "UID", "EUID", "PPID", "BASHPID", "COLUMNS"}


def lookup(name: str, state: State, home: str) -> Value:
    """Return what a variable holds. One that nothing set is empty if its name is lower-case, else the environment's."""
    if name == "_" or (name == "0" and "BASH_ARGV0" in state.variables):
        return DYNAMIC
    if name in state.variables:
        return state.variables[name]
    if name in {"@", "*"}:
        return state.arguments
    if name in _NUMBERS:
        return ANY
    if name.isdigit():
        return _argument(int(name), state)
    known = {"HOME": home, "PWD": DYNAMIC if state.cwd is None else state.cwd, "IFS": " \t\n"}
    if name in known:
        return known[name]
    return "" if name.islower() and "foreign" not in state.options else DYNAMIC


def _argument(number: int, state: State) -> str:
    if number == 0:
        return "bash"
    if len(state.arguments) >= number:
        return state.arguments[number - 1]
    return DYNAMIC if "foreign" in state.options or any(DYNAMIC in argument for argument in state.arguments) else ""


def element(value: Value, index: str | None) -> Value:
    """Return the part of an array that an index names: all of it for `@` and `*`, the first without one."""
    if isinstance(value, str):
        return value if index in {None, "0", "@", "*"} else DYNAMIC
    if index in {"@", "*"}:
        return value
    if index is None:
        return value[0] if value else ""
    if index.isdigit():
        return value[int(index)] if int(index) < len(value) else ("" if DYNAMIC not in value else DYNAMIC)
    return DYNAMIC


def each(value: Value, change: Callable[[str], str]) -> Value:
    """Return `value` with every element changed; what is dynamic stays so."""
    if isinstance(value, str):
        return DYNAMIC if DYNAMIC in value else change(value)
    return tuple(DYNAMIC if DYNAMIC in part else change(part) for part in value)


def operate(operator: str, value: Value, word: str, is_set: bool = False, quoted: bool = False) -> Value:
    """Return `value` after `${x OPERATOR word}`; the word is already expanded, and was (partly) `quoted`."""
    if value == "" and word and is_set and operator in {"-", "=", "+"}:
        return word if operator == "+" else DYNAMIC  # `unset` leaves "" here as well
    if operator in {":-", "-", ":=", "="}:
        return DYNAMIC if value == DYNAMIC else value or word
    if operator in {":+", "+"}:
        return DYNAMIC if value == DYNAMIC else (word if value else "")
    if operator in {":?", "?"}:
        return value
    if operator in {"%", "%%", "#", "##"}:
        unclear = DYNAMIC in word or any(char in word for char in "[(\\") or (quoted and any(char in word for char in "*?"))
        return DYNAMIC if unclear else each(value, lambda text: _strip(operator, text, word))
    if word and operator[0] in "^,":
        return DYNAMIC
    if operator in {"^^", ",,"}:
        return each(value, str.upper if operator == "^^" else str.lower)
    if operator in {"^", ","}:
        return each(value, lambda text: (text[:1].upper() if operator == "^" else text[:1].lower()) + text[1:])
    return DYNAMIC


def _strip(operator: str, text: str, pattern: str) -> str:
    """Remove a prefix (`#`) or suffix (`%`), the shortest or (doubled) the longest that matches."""
    expression = re.compile(_regex(pattern), re.DOTALL)
    lengths = range(len(text) + 1) if len(operator) == 1 else range(len(text), -1, -1)
    for length in lengths:
        part = text[:length] if operator[0] == "#" else text[len(text) - length :]
        if expression.fullmatch(part):
            return text[length:] if operator[0] == "#" else text[: len(text) - length]
    return text


def _regex(pattern: str) -> str:
    return "".join(".*" if char == "*" else "." if char == "?" else re.escape(char) for char in pattern)


def substitute(value: Value, old: str, new: str, every: bool) -> Value:
    """Return `value` after `${x/old/new}`; a pattern that is not plain text makes it unknown."""
    if DYNAMIC in old + new or "&" in new or any(char in old for char in "*?[#%(\\") or not old:
        return DYNAMIC
    return each(value, lambda text: text.replace(old, new, -1 if every else 1))


def cut(value: Value, offset: str, length: str | None, first: int = 0) -> Value:
    """Return `value` after `${x:offset:length}`, an array's elements counted from `first`; by other numbers it is unknown."""
    if not offset.isdigit() or not (length is None or length.isdigit()) or int(offset) < first:
        return DYNAMIC
    start = int(offset) - first
    if isinstance(value, tuple):
        return value[start:] if length is None else value[start : start + int(length)]
    return each(value, lambda text: text[start:] if length is None else text[start : start + int(length)])


def plain_name(node: Node) -> str:
    """Return the name in a ParamExp node."""
    return str((node.get("Param") or {}).get("Value", ""))
