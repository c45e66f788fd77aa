"""Shell text → simple commands: words without their quotes, and redirections. Nothing is evaluated.

Of expansions only `~` and variables that were given a literal text are filled in; a word with any other is not literal.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

_OPERATOR = re.compile(r"&&|\|\||\|&|;;&|;;|;&|[;&|\n]")
_REDIRECTION = re.compile(r"(?:\d*|\{\w+\})(<<<|<<-?|<>|<&|>>|>\||>&|<(?!\()|>(?!\())|(&>>?)")
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|([A-Za-z_]\w*)|[0-9@*#?$!-])")
_ANSI_C = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_BACKTICKS = re.compile(r"`((?:[^`\\]|\\.)*)`", re.DOTALL)
_TILDE = re.compile(r"~([\w.-]*|[+])(?=[/\s;&|<>():]|$)")
_BRACES = re.compile(r"\{[^\s{}]*(?:,|\.\.)[^\s{}]*\}")
_BLANK = re.compile(r"(?:[ \t]|\\\n)*(?:#[^\n]*)?")
_CONDITION = re.compile(r"\[\[\s(?:'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|[^'\"\\\]]|\](?!\]))*\]\]", re.DOTALL)
_PART = re.compile(r"\\.|'[^']*'|.", re.DOTALL)
_BREAKS = frozenset(" \t\n;&|<>()")
_KEYWORDS = frozenset(["if", "then", "elif", "else", "fi", "while", "until", "do", "done", "{", "}", "!", "esac", "function"])


class UnclosedError(ValueError):
    """A quote or a parenthesis has no end: no shell would run this."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a command. `span` is where it is spelled; not `literal`: only running the command tells what it says."""

    text: str
    span: tuple[int, int]
    literal: bool = True
    wildcard: bool = False
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """A simple command. `plain`: nothing before it decides whether it runs, but that all went well."""

    words: tuple[Word, ...]
    redirections: tuple[tuple[str, Word], ...]
    plain: bool


@dataclass
class State:
    """Where the shell is (None: not known) and what its variables hold, as far as the command says it literally."""

    cwd: str | None
    variables: dict[str, str]

    def copy(self) -> "State":
        """Return a state that changes on its own."""
        return State(self.cwd, dict(self.variables))


@dataclass
class _Text:
    """A word as far as it has been read."""

    text: str = ""
    literal: bool = True
    wildcard: bool = False
    quoted: bool = False
    double: bool = False


class Reader:
    """Reads one text and hands each simple command to `take`, in order. `odd`: there is more in it than such commands.

    `shift` is where the text begins in the whole command.
    """

    def __init__(self, text: str, state: State, take: Callable[[Command, State], None], shift: int = 0) -> None:
        self.state = state
        self.odd = False
        self._text = text
        self._take = take
        self._shift = shift
        self._at = 0
        self._bodies: list[tuple[str, bool]] = []

    def read(self, end: str = "") -> None:
        """Read to the end, or to the parenthesis `end`. Raises UnclosedError, RecursionError."""
        words: list[Word] = []
        redirections: list[tuple[str, Word]] = []
        while True:
            self._at = self._match(_BLANK).end()
            char = self._text[self._at : self._at + 1]
            if match := _REDIRECTION.match(self._text, self._at):
                self._redirection(match, redirections)
            elif char == "(" or self._text.startswith(("<(", ">("), self._at):
                self._parenthesis(words)
            elif not char or char == ")" or _OPERATOR.match(self._text, self._at):
                pattern = char == ")" and not end  # of `case`
                if (words or redirections) and not pattern:
                    self._take(Command(tuple(words), tuple(redirections), not self.odd), self.state)
                words, redirections = [], []
                if self._separated(char, end):
                    return
            else:
                self._add(words)

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str]:
        match = pattern.match(self._text, self._at)
        if match is None:
            raise UnclosedError(self._text[self._at : self._at + 1])
        return match

    def _separated(self, char: str, end: str) -> bool:
        """Step over what ends a command. Returns whether it ends what is read."""
        if not char and end:
            raise UnclosedError(end)
        if not char or char == ")":
            self._at += 1
            return not char or bool(end)
        operator = self._match(_OPERATOR)[0]
        self._at += len(operator)
        self.odd = self.odd or operator in {"||", "&"} or operator.startswith(";;")
        while operator == "\n" and self._bodies:
            self._skip_body(*self._bodies.pop(0))
        return False

    def _skip_body(self, delimiter: str, tabs: bool) -> None:
        while self._at < len(self._text):
            line, _, _ = self._text[self._at :].partition("\n")
            self._at += len(line) + 1
            if (line.lstrip("\t") if tabs else line) == delimiter:
                return

    def _redirection(self, match: re.Match[str], redirections: list[tuple[str, Word]]) -> None:
        self._at = match.end()
        self._at = self._match(_BLANK).end()
        sign, word = match[1] or match[2], self._word()
        redirections.append((sign, word))
        if sign in {"<<", "<<-"}:
            self._bodies.append((word.text, sign == "<<-"))

    def _parenthesis(self, words: list[Word]) -> None:
        if words and (match := re.compile(r"\(\s*\)").match(self._text, self._at)):
            self.odd = True
            self._at = match.end()  # a function: its body comes next
            words.clear()
        elif self._text.startswith("((", self._at):
            self._balanced()
        else:
            plain = self._text[self._at] == "("
            if not plain:  # a process substitution
                words.append(Word("", (self._at, self._at), literal=False))
            self._at += 1 if plain else 2
            self._inner(plain)

    def _inner(self, plain: bool) -> None:
        """Read what runs in a shell of its own."""
        before, odd = self.state.copy(), self.odd
        self.odd = odd or not plain
        self.read(")")
        self.odd = odd or self.odd
        self.state.cwd, self.state.variables = before.cwd, before.variables

    def _add(self, words: list[Word]) -> None:
        if not words and (match := _CONDITION.match(self._text, self._at)):
            self._at = match.end()
            self.odd = True
            return
        word = self._word()
        if words or word.quoted or word.text not in _KEYWORDS:
            words.append(word)
        self.odd = self.odd or not words or words[0].text in {"for", "case", "select", "coproc"}

    def _word(self) -> Word:
        start, found = self._at, _Text()
        while self._at < len(self._text) and self._piece(found, start):
            pass
        if found.double:
            raise UnclosedError('"')
        self._at = max(self._at, start + 1)  # what stands there is no word
        literal = found.literal and (found.quoted or not _BRACES.search(found.text))
        span = (start + self._shift, self._at + self._shift)
        return Word(found.text, span, literal, found.wildcard, found.quoted)

    def _piece(self, found: _Text, start: int) -> bool:
        """Read one character, one quoted part or one expansion of a word. Returns whether the word may go on."""
        char = self._text[self._at]
        if char in "$`":
            self._expansion(found)
            return True
        if not found.double and char in _BREAKS:
            if char == "(" and found.text[-1:] in set("=?*+@!"):  # an array or a pattern
                found.literal = False
                self._balanced()
                return True
            return False
        if not found.double and char == "'":
            found.quoted = True
            part = self._match(re.compile(r"'([^']*)'"))
            found.text += part[1]
            self._at = part.end()
        elif char == "~" and self._at == start and (match := _TILDE.match(self._text, self._at)):
            found.literal = match[1] != "+"
            found.text = f"/home/{match[1]}" if match[1] else self.state.variables.get("HOME", "~")
            self._at = match.end()
        else:
            self._character(found, char)
        return True

    def _character(self, found: _Text, char: str) -> None:
        self._at += 1
        if char == '"':
            found.double, found.quoted = not found.double, True
        elif char == "\\":
            following = self._text[self._at : self._at + 1]
            found.text += "\\" if found.double and following not in set('$`"\\\n') else ""
            found.text += "" if following == "\n" else following
            found.quoted = True
            self._at += 1
        else:
            found.wildcard = found.wildcard or (char in "*?[" and not found.double)
            found.text += char

    def _expansion(self, found: _Text) -> None:
        following = self._text[self._at + 1 : self._at + 2]
        if self._text[self._at] == "`":
            inner = self._match(_BACKTICKS)
            self.odd, found.literal, self._at = True, False, inner.end()
            reader = Reader(re.sub(r"\\([`\\$])", r"\1", inner[1]), self.state.copy(), self._take, inner.start(1))
            reader.odd = True
            reader.read()
        elif self._text.startswith("((", self._at + 1) or (following == "{" and not _VARIABLE.match(self._text, self._at)):
            found.literal = False
            self._at += 1
            self._balanced(quotes=not found.double)
        elif following == "(":
            found.literal = False
            self._at += 2
            self._inner(plain=False)
        elif not found.double and following == "'":
            part = self._match(_ANSI_C)
            found.quoted, found.literal, self._at = True, found.literal and "\\" not in part[1], part.end()
            found.text += part[1]
        elif match := _VARIABLE.match(self._text, self._at):
            value = self.state.variables.get(match[1] or match[2] or "")
            found.literal, self._at = found.literal and value is not None, match.end()
            found.text += value or ""
        else:
            found.text += "" if following == '"' else "$"
            self._at += 1

    def _balanced(self, quotes: bool = True) -> None:
        """Skip from an opening bracket to behind the one that closes it."""
        self.odd = True
        opening, depth = self._text[self._at], 0
        closing = {"(": ")", "{": "}"}[opening]
        while self._at < len(self._text):
            part = self._match(_PART)[0]
            self._at += len(part) if quotes or part[0] != "'" else 1
            depth += (part == opening) - (part == closing)
            if not depth:
                return
        raise UnclosedError(closing)
