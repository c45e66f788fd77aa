"""Words → fields: every expansion of the shell, with stand-ins for what only running the command could tell."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from dogent_tui.language import tr
from dogent_tui.permissions.disk import Disk
from dogent_tui.permissions.shell import parameters
from dogent_tui.permissions.shell.ansi_c import decode
from dogent_tui.permissions.shell.braces import Token, TooManyWordsError, expand_braces
from dogent_tui.permissions.shell.globs import Char, expand_glob, has_magic
from dogent_tui.permissions.shell.parser import Node
from dogent_tui.permissions.shell.state import Lines, State, Value
from dogent_tui.permissions.shell.text import ANY, DYNAMIC, deceptive_word

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Field:
    """One argument of a command after expansion. `wildcard`: it came out of a pattern on the disk."""

    text: str
    span: tuple[int, int] | None = None
    wildcard: bool = False

    @property
    def dynamic(self) -> bool:
        """Return whether some of it only running the command could tell."""
        return DYNAMIC in self.text


class Surroundings(Protocol):
    """What an expansion needs from the walk it is part of."""

    @property
    def disk(self) -> Disk:
        """The disk that patterns are matched on."""
        ...

    @property
    def home(self) -> str:
        """The home folder, for `~` and `$HOME`."""
        ...

    def substitute(self, statements: list[Node], state: State) -> Lines:
        """Walk a command substitution and return what it may print."""
        ...

    def doubt(self, note: str, node: Node) -> None:
        """Report something that cannot be judged."""
        ...

    def searched(self, folder: Field, state: State) -> None:
        """Report that a pattern looks for names in a folder."""
        ...

    def span(self, node: Node) -> tuple[int, int] | None:
        """Return the character offsets of a node in the command that the person sees."""
        ...


class Expander:
    """Expands words in a state; substitutions are walked on the way."""

    def __init__(self, walk: Surroundings) -> None:
        self._walk = walk

    def fields(self, word: Node, state: State) -> list[Field]:
        """Return the fields that one word of a command becomes."""
        span = self._walk.span(word)
        tokens = self._tokens(word.get("Parts") or [], state)
        loose = "".join(token.text for token in tokens if token.kind == "c")
        if warning := deceptive_word(loose):
            self._walk.doubt(warning, word)
        try:
            variants = expand_braces(tokens)
        except TooManyWordsError:
            self._walk.doubt(tr("It makes too many words to look at."), word)
            return [Field(DYNAMIC, span)]
        return [field for variant in variants for field in self._finish(variant, state, span)]

    def text(self, word: Node | None, state: State, tilde: bool = True) -> str:
        """Return a word as one text, without splitting or patterns: an assignment, a here-document, a case pattern."""
        if not word:
            return ""
        tokens = self._tokens(word.get("Parts") or [], state)
        if tilde:
            tokens = self._after_colons(tokens, state)
        return " ".join("".join(token.text for token in group) for group in _borders(tokens))

    def here_document(self, word: Node, quoted: bool, state: State) -> str:
        """Return the text of a here-document; a quoted delimiter keeps it from being expanded."""
        parts = word.get("Parts") or []
        if quoted:
            return "".join(str(part.get("Value", "")) for part in parts)
        return "".join(token.text for token in self._tokens(parts, state, quoted="$`\\\n"))

    def arithmetic(self, node: object, state: State) -> None:
        """Walk the substitutions in an arithmetic expression, and doubt values that would run when evaluated."""
        if isinstance(node, list):
            for part in node:
                self.arithmetic(part, state)
        elif isinstance(node, dict):
            if node.get("Type") == "Word" or "Parts" in node:
                self._number(node, state)
            else:
                self.arithmetic(list(node.values()), state)

    def _number(self, word: Node, state: State) -> None:
        self.evaluate(self.text(word, state), word, state)

    def evaluate(self, expression: str, word: Node, state: State) -> None:
        """Doubt text that would run something as arithmetic: names in it are evaluated, and so are the names in their values."""
        texts = [expression]
        seen: set[str] = set()
        while texts:
            text = texts.pop()
            if "$(" in text or "`" in text:
                self._walk.doubt(tr("An arithmetic expression would run the text in a variable."), word)
                return
            names = set(re.findall(r"[A-Za-z_]\w*", text)) - seen
            seen |= names
            texts += ["".join(state.variables.get(name, "")) for name in names]

    # ── Parts of a word ─────────────────────────────────────────────────────────────────────────────

    def _tokens(self, parts: list[Node], state: State, quoted: str | None = None) -> list[Token]:
        """`quoted`: the characters that a backslash may escape here, `None` outside quotes."""
        tokens: list[Token] = []
        for part in parts:
            kind = str(part.get("Type"))
            handler: Callable[[Node, State, str | None], list[Token]] | None = getattr(self, f"_part_{kind.lower()}", None)
            if handler is None:
                self._walk.doubt(tr("The shell construct {kind} is not known.").format(kind=kind), part)
                tokens.append(Token("q", DYNAMIC))
            else:
                tokens += handler(part, state, quoted)
        return tokens

    def _part_lit(self, part: Node, _state: State, quoted: str | None) -> list[Token]:
        text = str(part.get("Value", ""))
        if quoted is not None:
            pattern = re.compile(r"\\([" + re.escape(quoted) + r"])", re.DOTALL)
            return [Token("q", pattern.sub(lambda m: "" if m[1] == "\n" else m[1], text))]
        tokens: list[Token] = []
        index = 0
        while index < len(text):
            if text[index] == "\\" and index + 1 < len(text):
                index += 1
                tokens.append(Token("q", text[index] if text[index] != "\n" else ""))
            else:
                tokens.append(Token("c", text[index]))
            index += 1
        return tokens

    def _part_sglquoted(self, part: Node, _state: State, _quoted: str | None) -> list[Token]:
        text = str(part.get("Value", ""))
        return [Token("q", decode(text) if part.get("Dollar") else text)]

    def _part_dblquoted(self, part: Node, state: State, _quoted: str | None) -> list[Token]:
        inner = part.get("Parts") or []
        tokens = self._tokens(inner, state, quoted='$`"\\\n')
        only_arguments = len(inner) == 1 and all(token.kind == "b" for token in tokens)
        return tokens if only_arguments and tokens else [Token("q", ""), *tokens]

    def _part_cmdsubst(self, part: Node, state: State, quoted: str | None) -> list[Token]:
        lines = self._walk.substitute(part.get("Stmts") or [], state)
        if quoted is None:
            return [Token("v", DYNAMIC if lines is None else "\n".join(lines))]
        return [Token("q", DYNAMIC if lines is None or len(lines) > 1 else "".join(lines))]

    def _part_procsubst(self, part: Node, state: State, _quoted: str | None) -> list[Token]:
        self._walk.substitute(part.get("Stmts") or [], state)
        return [Token("q", "/dev/fd/63")]

    def _part_arithmexp(self, part: Node, state: State, _quoted: str | None) -> list[Token]:
        self.arithmetic(part.get("X"), state)
        return [Token("q", ANY)]

    def _part_extglob(self, part: Node, _state: State, quoted: str | None) -> list[Token]:
        """`@(a|b)` and its like count as `*`: what is found may be more than bash finds, never less."""
        pattern = str((part.get("Pattern") or {}).get("Value", ""))
        plain = quoted is None and not re.search(r"(^|\|)\.|[$`/(]", pattern)
        return [Token("c", "*") if plain else Token("q", DYNAMIC)]

    def _part_paramexp(self, part: Node, state: State, quoted: str | None) -> list[Token]:
        value = self._parameter(part, state)
        if isinstance(value, str):
            return [Token("v" if quoted is None else "q", value)]
        together = parameters.plain_name(part) == "*" or self._index(part, state) == "*"
        if together and len(value) > 1 and "IFS" in state.variables:
            return [Token("v" if quoted is None else "q", DYNAMIC)]  # joined with the first character of IFS
        if quoted is None:
            return _with_borders(value, "v")
        if together:
            return [Token("q", " ".join(value))]
        return _with_borders(value, "q") if value else [Token("b", "")]

    def _index(self, part: Node, state: State) -> str | None:
        index = part.get("Index")
        if not index:
            return None
        self.arithmetic(index, state)
        return self.text(index, state) if index.get("Type") == "Word" else DYNAMIC

    def _parameter(self, part: Node, state: State) -> Value:
        name = parameters.plain_name(part)
        index = self._index(part, state)
        if part.get("Names"):
            return DYNAMIC
        if part.get("NestedParam") or part.get("Flags"):
            self._walk.doubt(tr("The parameter expansion is not one of bash."), part)
            return DYNAMIC
        value = parameters.lookup(name, state, self._walk.home)
        if name not in {"@", "*"}:
            value = parameters.element(value, index)
        if part.get("Excl"):
            value = self._indirect(value, state)
        value = self._operated(part, name, value, state)
        return ANY if part.get("Length") or part.get("Width") else value

    def _indirect(self, value: Value, state: State) -> Value:
        if not isinstance(value, str) or not re.fullmatch(r"\w+", value):
            return DYNAMIC
        return parameters.lookup(value, state, self._walk.home)

    def _operated(self, part: Node, name: str, value: Value, state: State) -> Value:
        if expression := part.get("Exp"):
            operator = str(expression.get("Op"))
            word = self.text(expression.get("Word"), state)
            if operator == "@":
                return self._transformed(part, word, value)
            quoted = any(piece.get("Type") != "Lit" for piece in (expression.get("Word") or {}).get("Parts") or [])
            result = parameters.operate(operator, value, word, name in state.variables, quoted)
            if operator in {":=", "="}:
                state.put(name, result)
            return result
        if replacement := part.get("Repl"):
            old, new = (self.text(replacement.get(key), state) for key in ("Orig", "With"))
            if "nocasematch" in state.options:
                return DYNAMIC
            return parameters.substitute(value, old, new, bool(replacement.get("All")))
        first = 1 if name in {"@", "*"} else 0
        return self._slice(part["Slice"], value, state, first) if part.get("Slice") else value

    def _slice(self, piece: Node, value: Value, state: State, first: int) -> Value:
        offset, length = piece.get("Offset") or {}, piece.get("Length")
        self.arithmetic([offset, length], state)
        start = self.text(offset, state) if offset.get("Type") == "Word" else DYNAMIC
        return parameters.cut(value, start, self.text(length, state) if length else None, first)

    def _transformed(self, part: Node, operator: str, value: Value) -> Value:
        text = "".join(value)
        if operator == "P" and ("$(" in text or "`" in text or DYNAMIC in text):
            self._walk.doubt(tr("It would run the text in a variable."), part)
        return value if operator == "Q" else DYNAMIC

    # ── From tokens to fields ───────────────────────────────────────────────────────────────────────

    def _tildes(self, tokens: list[Token], state: State) -> list[Token]:
        """Expand tildes at the start and, in what looks like an assignment, after `=` and `:`, as bash does in any argument."""
        text = "".join(token.text if token.kind == "c" else "\0" * len(token.text) for token in tokens)
        if "~" not in text or not re.match(r"[A-Za-z_]\w*\+?=", text):
            return self._tilde(tokens, state)
        start = next(index for index, token in enumerate(tokens) if token == ("c", "=")) + 1
        return [*tokens[:start], *self._after_colons(tokens[start:], state)]

    def _after_colons(self, tokens: list[Token], state: State) -> list[Token]:
        cut = next((index for index, token in enumerate(tokens) if token == ("c", ":")), None)
        if cut is None:
            return self._tilde(tokens, state)
        return [*self._tilde(tokens[:cut], state), tokens[cut], *self._after_colons(tokens[cut + 1 :], state)]

    def _tilde(self, tokens: list[Token], state: State) -> list[Token]:
        if not tokens or tokens[0] != ("c", "~"):
            return tokens
        end = 1
        while end < len(tokens) and tokens[end].kind == "c" and tokens[end].text != "/":
            end += 1
        user = "".join(token.text for token in tokens[1:end])
        if end < len(tokens) and tokens[end].text[:1] != "/":
            return tokens
        home = parameters.lookup("HOME", state, self._walk.home)
        folders = {"": home, "+": state.cwd or DYNAMIC, "-": state.variables.get("OLDPWD", DYNAMIC)}
        return [Token("q", "".join(folders.get(user, f"/home/{user}"))), *tokens[end:]]

    def _finish(self, tokens: list[Token], state: State, span: tuple[int, int] | None) -> list[Field]:
        tokens = self._tildes(tokens, state)
        found: list[Field] = []
        for group in _borders(tokens):
            for chars in _split(group, state):
                found += self._matched(chars, state, span)
        return found

    def _matched(self, chars: list[Char], state: State, span: tuple[int, int] | None) -> list[Field]:
        text = "".join(char for char, _ in chars)
        if not has_magic(chars):
            return [Field(text, span)]
        if DYNAMIC in text or (state.cwd is None and not text.startswith("/")):
            return [Field(DYNAMIC, span, wildcard=True)]
        fixed = text[: next(index for index, char in enumerate(chars) if char[1] and char[0] in "*?[")].rpartition("/")
        if fixed[1]:
            self._walk.searched(Field(fixed[0] or "/", span), state)
        paths = expand_glob(self._walk.disk, chars, state.cwd or "/", state.options)
        if paths is None:
            return [Field(DYNAMIC, span, wildcard=True)]
        if not paths and "nullglob" in state.options:
            return []
        return [Field(path, span, wildcard=True) for path in paths] or [Field(text, span, wildcard=True)]


def _with_borders(values: tuple[str, ...], kind: str) -> list[Token]:
    tokens: list[Token] = []
    for index, value in enumerate(values):
        tokens += [Token("b", "")] if index else []
        tokens.append(Token(kind, value))
    return tokens


def _borders(tokens: list[Token]) -> list[list[Token]]:
    groups: list[list[Token]] = [[]]
    for token in tokens:
        if token.kind == "b":
            groups.append([])
        else:
            groups[-1].append(token)
    return [group for group in groups if group]


def _split(tokens: list[Token], state: State) -> list[list[Char]]:
    """Split the values of unquoted expansions at the characters of IFS; what is quoted or literal stays together."""
    separators = state.variables.get("IFS", " \t\n")
    cuts = separators if isinstance(separators, str) and DYNAMIC not in separators else " \t\n"
    fields: list[list[Char]] = []
    current: list[Char] | None = None
    for kind, text in tokens:
        if kind != "v":
            current = [*(current or []), *((char, kind == "c") for char in text)]
            continue
        for char in text:
            if char in cuts:
                if current is not None:
                    fields.append(current)
                current = None
            else:
                current = [*(current or []), (char, True)]
    return fields if current is None else [*fields, current]
