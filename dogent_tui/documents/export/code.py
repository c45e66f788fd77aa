"""Code blocks, colored by Pygments."""

from functools import cache
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pygments.formatters.html import HtmlFormatter

_LONGEST = 200_000
"""Characters of a block that is colored. Some lexers take long over long texts, and nobody reads colors on fifty pages."""

_PALETTE = {
    "k kc kd kn kr kt ow": "color: #8a1f6a",
    "s sa sb sc dl s2 se sh si sx sr s1 ss": "color: #2d6a3a",
    "sd c ch cm c1 cs": "color: #6b7280; font-style: italic",
    "cp cpf": "color: #8a5a00",
    "nf fm nc nn nd": "color: #1d4f91",
    "nt na": "color: #1d4f91",
    "m mb mf mh mi il mo": "color: #9a4a00",
    "nb bp no": "color: #0b6b74",
    "gd": "color: #a12622",
    "gi": "color: #2d6a3a",
    "gh gu": "font-weight: bold",
    "err": "",
}
"""Pygments' short names of token types → how they are drawn: dark enough for a gray printer (contrast of 4.5 at least)."""

STYLES = "\n".join(
    f"{', '.join(f'pre .{name}' for name in names.split())} {{ {look} }}" for names, look in _PALETTE.items() if look
)


def highlighted(code: str, language: str) -> str:
    """Return the HTML of a code block in `language`, colored where Pygments knows that. Blocks."""
    return f"<pre><code>{_colored(code, language) or escape(code, quote=False)}</code></pre>\n"


def plain(code: str, language: str) -> str:
    """Return the HTML of a code block that another program will color: in `language`, if that is a plain word."""
    named = f' class="{language}"' if language.isalnum() and language.isascii() else ""
    return f"<pre{named}><code>{escape(code, quote=False)}</code></pre>\n"


def _colored(code: str, language: str) -> str:
    if not language or len(code) > _LONGEST:
        return ""
    from pygments import highlight
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return ""
    return str(highlight(code, lexer, _formatter()))


@cache
def _formatter() -> "HtmlFormatter[str]":
    """Return the writer of colored code. Making one takes longer than a short block."""
    from pygments.formatters.html import HtmlFormatter

    return HtmlFormatter(nowrap=True)
