"""Shell text → simple commands: words without their quotes, and redirections. Nothing is evaluated.

Only `~`, `$HOME` and `$PWD` are expanded; a word with any other expansion is not literal.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from dogent_tui.permissions.text import names

_OPERATOR = re.compile(r"&&|\|\||\|&|;;&|;;|;&|[;&|\n]")
_REDIRECTION = re.compile(r"(?:\d*|\{\w+\})(<<<|<<-?|<>|<&|>>|>\||>&|<(?!\()|>(?!\()|&>>?)")
_TILDE = re.compile(r"~([\w.-]*|[+])(?=[/\s;&|<>():]|$)")
_BRACES = re.compile(r"\{[^\s{}]*(?:,|\.\.)[^\s{}]*\}")
_BLANK = re.compile(r"(?:[ \t]|\\\n)*(?:#[^\n]*)?")
_FUNCTION = re.compile(r"\(\s*\)")
_CONDITION = re.compile(
    r"""\[\[\s(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^'"\\\]]|\](?!\]))*\]\]""", re.DOTALL
)
_EXPANSIONS = r"""
    | `(?P<backticks>(?:[^`\\]|\\.)*)`
    | \$(?:\{(?P<braced>\w+)\}|(?P<name>[A-Za-z_]\w*)|(?P<special>[0-9@*#?$!-]))
    | \$(?P<balanced>(?=\{|\(\())
    | \$(?P<command>\()
    | (?P<dollar>\$)
"""
_UNQUOTED = re.compile(
    r"""\\(?P<escaped>.?) | '(?P<single>[^']*)' | \$'(?P<ansi>(?:[^'\\]|\\.)*)'
    | \$?(?P<double>") | (?<=[=?*+@!])(?P<array>(?=\()) | (?P<text>[^ \t\n;&|<>()'"\\`$]+)"""
    + _EXPANSIONS,
    re.DOTALL | re.VERBOSE,
)
_QUOTED = re.compile(
    r"""(?P<double>") | \\(?P<escaped>[$`"\\\n]) | (?P<text>[^"\\`$]+|\\)""" + _EXPANSIONS,
    re.DOTALL | re.VERBOSE,
)
_PART = re.compile(r"\\.|'[^']*'|.", re.DOTALL)
_BREAKS = frozenset(" \t\n;&|<>()")
_KEYWORDS = names("if then elif else fi while until do done { } ! esac function")


class UnclosedError(ValueError):
    """A quote or a parenthesis is not closed: no shell would run this."""


@dataclass(slots=True)
class Word:
    """A word of a command. `span` is its position in the text; not `literal`: its value is known
    only when the command runs.
    """

    text: str
    span: tuple[int, int]
    literal: bool = True
    wildcard: bool = False
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """A simple command. `plain`: it runs unless something before it fails."""

    words: tuple[Word, ...]
    redirections: tuple[tuple[str, Word], ...]
    plain: bool


Take: TypeAlias = Callable[[Command, "Reader"], None]


class Reader:
    """Reads a text and passes each simple command to `take`, in order. `odd`: it contains anything
    else than such commands.

    `cwd` is the shell's working directory (None: unknown), for `take` to change. `shift` is the
    position of `text` in the whole command.
    """

    def __init__(
        self, text: str, cwd: str | None, home: str, take: Take, shift: int = 0, odd: bool = False
    ) -> None:
        self.cwd = cwd
        self.odd = odd
        self._text = text
        self._home = home
        self._take = take
        self._shift = shift
        self._at = 0
        self._bodies: list[tuple[str, str]] = []

    def read(self, end: str = "") -> None:
        """Read to the end, or to the closing parenthesis `end`. Raises UnclosedError,
        RecursionError.
        """
        words: list[Word] = []
        redirections: list[tuple[str, Word]] = []
        while True:
            self._step(_BLANK)
            char = self._text[self._at : self._at + 1]
            if match := _REDIRECTION.match(self._text, self._at):
                self._redirection(match, redirections)
            elif char == "(" or self._text.startswith(("<(", ">("), self._at):
                self._parenthesis(char, words)
            elif not char or char == ")" or _OPERATOR.match(self._text, self._at):
                pattern = char == ")" and not end  # of `case`
                if (words or redirections) and not pattern:
                    command = Command(tuple(words), tuple(redirections), not self.odd)
                    self._take(command, self)
                words, redirections = [], []
                if self._separated(char, end):
                    return
            else:
                self._add(words)

    def _step(self, pattern: re.Pattern[str]) -> re.Match[str]:
        match = pattern.match(self._text, self._at)
        if match is None:
            raise UnclosedError(self._text[self._at : self._at + 1])
        self._at = match.end()
        return match

    def _separated(self, char: str, end: str) -> bool:
        """Skip what ends a command. Return whether it ends the whole text."""
        if not char and end:
            raise UnclosedError(end)
        if not char or char == ")":
            self._at += 1
            return not char or bool(end)
        operator = self._step(_OPERATOR)[0]
        self.odd = self.odd or operator in {"||", "&"} or operator.startswith(";;")
        while operator == "\n" and self._bodies:
            delimiter, tabs = self._bodies.pop(0)
            last = re.compile(rf"^{tabs}{re.escape(delimiter)}(?:\n|\Z)", re.MULTILINE)
            found = last.search(self._text, self._at)
            self._at = found.end() if found else len(self._text)
        return False

    def _redirection(self, match: re.Match[str], redirections: list[tuple[str, Word]]) -> None:
        self._at = match.end()
        self._step(_BLANK)
        sign, word = match[1], self._word()
        redirections.append((sign, word))
        if sign in {"<<", "<<-"}:
            self._bodies.append((word.text, r"\t*" if sign == "<<-" else ""))

    def _parenthesis(self, char: str, words: list[Word]) -> None:
        if words and (match := _FUNCTION.match(self._text, self._at)):
            self.odd, self._at = True, match.end()  # a function: its body follows
            words.clear()
        elif self._text.startswith("((", self._at):
            self._balanced()
        else:
            if char != "(":  # a process substitution
                words.append(Word("", (self._at, self._at), literal=False))
            self._at += 1 if char == "(" else 2
            self._inner(plain=char == "(")

    def _inner(self, plain: bool = False) -> None:
        """Read what runs in a subshell."""
        cwd, odd = self.cwd, self.odd
        self.odd = odd or not plain
        self.read(")")
        self.cwd, self.odd = cwd, odd or self.odd

    def _add(self, words: list[Word]) -> None:
        if not words and _CONDITION.match(self._text, self._at):
            self._step(_CONDITION)
            self.odd = True
            return
        word = self._word()
        if words or word.quoted or word.text not in _KEYWORDS:
            words.append(word)
        self.odd = self.odd or not words or words[0].text in {"for", "case", "select", "coproc"}

    def _word(self) -> Word:
        start = self._at
        word, double = Word("", (start, start)), False
        if match := _TILDE.match(self._text, start):
            self._at, word.literal = match.end(), match[1] != "+"
            word.text = f"/home/{match[1]}" if match[1] else self._home
        while self._at < len(self._text) or double:
            breaks = not double and self._text[self._at] in _BREAKS
            if breaks and not _UNQUOTED.match(self._text, self._at):
                break
            double ^= self._piece(word, self._step(_QUOTED if double else _UNQUOTED), double)
        self._at = max(self._at, start + 1)  # not a word
        word.literal = word.literal and (word.quoted or not _BRACES.search(word.text))
        word.span = (start + self._shift, self._at + self._shift)
        return word

    def _piece(self, word: Word, found: re.Match[str], double: bool) -> bool:
        """Read one piece of a word. Return whether it is a double quote."""
        kind, text = found.lastgroup or "", found[found.lastgroup or 0]
        word.quoted = word.quoted or kind in {"escaped", "single", "ansi", "double"}
        if kind in {"braced", "name"}:
            value = {"HOME": self._home, "PWD": self.cwd}.get(text)
            word.literal, word.text = word.literal and value is not None, word.text + (value or "")
        elif kind in {"backticks", "command", "balanced", "array", "special"}:
            word.literal = False
            self._expansion(kind, found, double)
        elif kind != "double":
            word.literal = word.literal and not (kind == "ansi" and "\\" in text)
            pattern = kind == "text" and not double and bool(set("*?[") & set(text))
            word.wildcard = word.wildcard or pattern
            word.text += "" if kind == "escaped" and text == "\n" else text
        return kind == "double"

    def _expansion(self, kind: str, found: re.Match[str], double: bool) -> None:
        if kind == "backticks":
            text = re.sub(r"\\([`\\$])", r"\1", found[kind])
            self.odd = True
            shift = found.start(kind) + self._shift
            Reader(text, self.cwd, self._home, self._take, shift, odd=True).read()
        elif kind == "command":
            self._inner()
        elif kind != "special":
            self._balanced(quotes=not double)

    def _balanced(self, quotes: bool = True) -> None:
        """Skip from an opening bracket to just after its closing one."""
        self.odd = True
        opening, depth = self._text[self._at], 0
        closing = {"(": ")", "{": "}"}[opening]
        while self._at < len(self._text):
            part = self._step(_PART)[0]
            if not quotes and part[0] == "'":
                self._at += 1 - len(part)
            depth += (part == opening) - (part == closing)
            if not depth:
                return
        raise UnclosedError(closing)
