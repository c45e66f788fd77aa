"""If no wall is available: the few commands that run without asking, known and literal in every
word.
"""

import re

from dogent_tui.permissions.paths import PathRule, Place
from dogent_tui.permissions.shell.words import Command, Reader, UnclosedError, Word
from dogent_tui.permissions.text import deceptive_character, names

_READERS = names("ls cat head tail wc grep diff du echo stat pwd true basename dirname cd")
_OPTION = re.compile(r"-([1AabBcdEFhHilmnNoqsStuvwx]+|[ABCnc]?\d+)")
"""Options with which none of these programs writes, runs or reads anything else."""
_TEXT = {"echo", "basename", "dirname"}


def only_reads(text: str, rule: PathRule, cwd: str) -> bool:
    """Return whether a command only reads in the workspace, using programs known to be harmless
    with any file.
    """
    verdicts: list[bool] = []
    reader = Reader(text, cwd, "", lambda one, at: verdicts.append(_reads(one, at, rule)))
    try:
        reader.read()
    except (UnclosedError, RecursionError):
        return False
    return not reader.odd and bool(verdicts) and all(verdicts) and not deceptive_character(text)


def _reads(command: Command, reader: Reader, rule: PathRule) -> bool:
    words = [*command.words, *(target for _, target in command.redirections)]
    if not command.words or any(not word.literal or word.wildcard for word in words):
        return False
    for sign, target in command.redirections:
        streams = sign in {">", ">>", "&>"} and target.text == "/dev/null"
        joined = sign == ">&" and target.text in {"1", "2"}
        if not (streams or joined or (sign == "<" and _inside(target, reader, rule))):
            return False
    name, args = command.words[0].text, command.words[1:]
    options = [arg.text for arg in args if arg.text.startswith("-") and arg.text != "-"]
    if name not in _READERS or not all(map(_OPTION.fullmatch, options)):
        return False
    operands = [arg for arg in args if not arg.text.startswith("-")][1 if name == "grep" else 0 :]
    places = operands or [Word(".", (0, 0))]
    inside = name in _TEXT or all(_inside(place, reader, rule) for place in places)
    if name == "cd":
        inside = inside and len(operands) == 1
        reader.cwd = str(rule.resolve(f"{reader.cwd}/{operands[0].text}")) if inside else None
    return inside


def _inside(word: Word, reader: Reader, rule: PathRule) -> bool:
    if not word.text or "\0" in word.text or reader.cwd is None:
        return False
    path = rule.resolve(word.text if word.text.startswith("/") else f"{reader.cwd}/{word.text}")
    return rule.place(path) is Place.INSIDE and not rule.holds_private(path)
