"""Where no wall can stand: the few commands that run unasked, known and literal in every word."""

import re

from dogent_tui.permissions.paths import PathRule, Place
from dogent_tui.permissions.shell.words import Command, Reader, State, UnclosedError, Word
from dogent_tui.permissions.text import deceptive_character, names

_OPTIONS = r"""
ls -[aAlhtrSRF1dis]+|--color(=\w+)?
cat -[nAbETsv]+
head -\d+|-[qv]|-[nc]\d*
tail -\d+|-[qv]|-[nc]\+?\d*
wc -[lwcmL]+
grep -[inlLcvwxEFohHsq]+|-[ABCm]\d*
diff -[uqwbBN]+
du -[shac]+
echo -[ne]+
"""
_READERS = {
    **dict.fromkeys(names("stat md5sum sha256sum pwd true basename dirname cd"), ""),
    **dict(line.split(" ", maxsplit=1) for line in _OPTIONS.strip().splitlines()),
}
_TEXT = {"echo", "basename", "dirname"}


def only_reads(text: str, rule: PathRule, cwd: str) -> bool:
    """Return whether a command does nothing but read in the workspace, by programs that are known, whatever they meet."""
    verdicts: list[bool] = []

    def judge(command: Command, state: State) -> None:
        verdicts.append(_reads(command, state, rule))

    reader = Reader(text, State(cwd, {}), judge)
    try:
        reader.read()
    except (UnclosedError, RecursionError):
        return False
    return not reader.odd and bool(verdicts) and all(verdicts) and not deceptive_character(text)


def _reads(command: Command, state: State, rule: PathRule) -> bool:
    if not command.words or any(not word.literal or word.wildcard for word in command.words):
        return False
    for sign, target in command.redirections:
        streams = sign in {">", ">>", "&>"} and target.text == "/dev/null"
        joined = sign == ">&" and target.text in {"1", "2"}
        if not (streams or joined or (sign == "<" and _inside(target, state, rule))):
            return False
    name, args = command.words[0].text, list(command.words[1:])
    if name not in _READERS:
        return False
    options = [arg.text for arg in args if arg.text.startswith("-") and arg.text != "-"]
    operands = [arg for arg in args if not arg.text.startswith("-")]
    if not all(re.fullmatch(_READERS[name], option) for option in options):
        return False
    if name == "grep":
        operands = operands[1:]
    inside = name in _TEXT or all(_inside(operand, state, rule) for operand in operands)
    if name == "cd" and inside and operands:
        state.cwd = str(rule.resolve(f"{state.cwd}/{operands[0].text}"))
    return inside and (name != "cd" or len(operands) == 1) and (bool(operands) or _inside(Word(".", (0, 0)), state, rule))


def _inside(word: Word, state: State, rule: PathRule) -> bool:
    text = word.text
    if not text or "\0" in text or state.cwd is None:
        return False
    path = rule.resolve(text if text.startswith("/") else f"{state.cwd}/{text}")
    return rule.place(path) is Place.INSIDE and not rule.holds_private(path)
