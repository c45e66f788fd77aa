"""Syntax highlighting: Pygments tokens mapped to a handful of style names.

Pygments is imported with the first code block that names its language.
"""

from functools import lru_cache
from math import log
from typing import TYPE_CHECKING

from dogent_tui.tui.transcript.lines import Span

if TYPE_CHECKING:
    from pygments.lexer import Lexer

_LARGEST = 10_000
"""The number of characters from which a block is drawn plain: Pygments processes some 50,000 a
second, and the loop waits for it.
"""

_REREAD = 1.25
"""What was read of a growing text is read again as a whole when the text has grown by this factor;
until then only what is new.
"""

# Pygments' token types by path; the longest match wins.
_STYLES = {
    "Token.Keyword": "code-keyword",
    "Token.Operator.Word": "code-keyword",
    "Token.Name.Tag": "code-keyword",
    "Token.Name.Function": "code-name",
    "Token.Name.Class": "code-name",
    "Token.Name.Builtin": "code-name",
    "Token.Name.Decorator": "code-name",
    "Token.Name.Attribute": "code-name",
    "Token.Literal.String": "code-string",
    "Token.Literal.Number": "code-number",
    "Token.Comment": "code-comment",
    "Token.Generic.Deleted": "removed",
    "Token.Generic.Inserted": "added",
    "Token.Generic.Heading": "strong",
    "Token.Generic.Subheading": "strong",
}

CodeLine = tuple[Span, ...]


def highlight(code: str, language: str) -> list[CodeLine]:
    """Return the lines of `code`, highlighted if Pygments knows `language`."""
    lexer = _lexer(language) if language and len(code) <= _LARGEST else None
    if lexer is None:
        return [(Span(line, "code"),) if line else () for line in code.split("\n")]
    lines: list[list[Span]] = [[]]
    for token, text in lexer.get_tokens(code):
        style = _style(str(token))
        first, *others = text.split("\n")
        if first:
            lines[-1].append(Span(first, style))
        lines.extend([Span(other, style)] if other else [] for other in others)
    wanted = code.count("\n") + 1
    return [tuple(line) for line in (lines + [[]] * wanted)[:wanted]]


def highlight_growing(code: str, language: str) -> list[CodeLine]:
    """Do what `highlight` does for a block that is still being written, at a cost linear in its
    length rather than quadratic: a construct over several lines may be highlighted late.
    """
    kept = int(_REREAD ** int(log(max(1, len(code)), _REREAD)))
    read = code.rfind("\n", 0, kept) + 1
    return [*_highlight_read(code[:read], language)[:-1], *highlight(code[read:], language)]


@lru_cache(maxsize=16)
def _highlight_read(code: str, language: str) -> list[CodeLine]:
    return highlight(code, language)


@lru_cache(maxsize=32)
def _lexer(language: str) -> "Lexer | None":
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False)
    except (ClassNotFound, ImportError):
        return None


@lru_cache(maxsize=256)
def _style(token: str) -> str:
    while token:
        if token in _STYLES:
            return f"code {_STYLES[token]}"
        token = token.rpartition(".")[0]
    return "code"
