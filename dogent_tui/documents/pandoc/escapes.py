"""Escapes text for Markdown with as few backslashes as possible: the result is for reading and
quoting.
"""

import re
import unicodedata

_SPECIAL = re.compile(
    r"""(?P<always>[*`])
      | (?P<underscore>(?<![^\W_])_|_(?![^\W_]))          # within a word it is no emphasis
      | \\(?=[!-/:-@\[-`{-~]|$)  # before punctuation: C:\Users stays as it is
      | <(?=[A-Za-z/!?])
      | &(?=\#\d+;|\#[xX][0-9a-fA-F]+;|[A-Za-z][A-Za-z0-9]*;)
      | \[(?=\^)
      | \](?=[(:\[])
      | ~(?=~)
      | \$(?![\d\s]|$)                                     # a price is no formula
    """,
    re.VERBOSE,
)
_MARK_OPENING = re.compile(r"\{(?=\+\+|--|==|>>|~~)")
_LINE_START = re.compile(
    r"^(?:(#{1,6}|[-+])(?=\s|$)|(\d{1,9})([.)])(?=\s|$)|(>)|(-{3,}|=+)(?=\s*$)|(~~~))", re.MULTILINE
)


def escaped(text: str, *, marks: bool = False) -> str:
    """Escape `text` within a line. `marks`: CriticMarkup has a meaning as well."""
    text = _SPECIAL.sub(lambda found: "\\" + found.group(), text)
    return _MARK_OPENING.sub(r"\\{", text) if marks else text


def lines_escaped(markdown: str) -> str:
    """Escape a paragraph so that no line begins a list, a heading, a block quote or a rule."""
    return _LINE_START.sub(_guarded, markdown)


def _guarded(found: re.Match[str]) -> str:
    number, delimiter = found.group(2), found.group(3)
    return f"{number}\\{delimiter}" if number else "\\" + found.group()


def is_punctuation(char: str) -> bool:
    """As in CommonMark 0.31's rules for emphasis: Unicode's punctuation and symbols."""
    return unicodedata.category(char)[0] in "PS"


def fence(code: str, least: int = 3) -> str:
    """Return a run of backticks that is longer than any in `code`."""
    return "`" * max([least, *(len(run) + 1 for run in re.findall("`+", code))])


def code_span(code: str) -> str:
    """Return `code` as an inline code span."""
    code = code.replace("\n", " ")
    if not code.strip():
        return code
    ticks = fence(code, least=1) if "`" in code else "`"
    padding = " " if code[0] in "` " or code[-1] in "` " else ""
    return f"{ticks}{padding}{code}{padding}{ticks}"


def link_target(target: str) -> str:
    """Return the address of a link or an image for use in parentheses."""
    target = target.replace("\n", "").replace("\r", "")
    if re.search(r"[\s<>()]", target) or not target:
        return "<" + target.replace("<", "%3C").replace(">", "%3E") + ">"
    return target


def hidden_comment(text: str, where: str, what: str = "text") -> str:
    """Return hidden `text` as a comment that says so: it is untrusted and may be malicious."""
    text = " ".join(text.split()).replace("--", "- -")
    return f"<!-- hidden {what}, not visible {where}: {text} -->"
