"""The text of a cell as Markdown that shows the same text, within a row of a table or as a
paragraph.
"""

import re

from dogent_tui.plain import visible

_TOUCHED = re.compile(
    r"[\\|*`<&\[_~\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_MARKUP = re.compile(
    r"\\(?=[!-/:-@\[-`{-~])"  # a backslash that would escape what follows
    r"|[*`]"
    r"|(?<![^\W_])_|_(?![^\W_])"  # within a word an underline is one
    r"|~(?=~)"
    r"|<(?=[A-Za-z/!?])"  # a tag
    r"|&(?=#?\w+;)"  # an entity
    r"|\[(?=[^\]]*\]\()"  # a link
)
_BLOCK = re.compile(
    r"(?:#{1,6}(?:\s|$)|[-+>](?:\s|$)|>|(?:[-_=]\s*){3,}$|~~~|\|)|\d{1,9}(?=[.)](?:\s|$))"
)
_BREAK = re.compile(r"[ \t]*\n[ \t]*")


def cell(text: str) -> str:
    """Return `text` for a cell of a table: on one line, line breaks as ``<br>``, ``|`` and what
    looks like markup escaped.
    """
    if not _TOUCHED.search(text):
        return text.strip()
    text = _MARKUP.sub(lambda match: "\\" + match[0], visible(text).strip())
    # `\|` is a bar within a table for every parser; what they make of `\\|` differs
    return _BREAK.sub("<br>", text.replace("\\\\|", "\\\\&#124;").replace("|", "\\|"))


def code(text: str) -> str:
    """Return `text`, a formula, as code in a cell of a table."""
    text = " ".join(visible(text).split()).replace("|", "\\|")
    return f"`{text}`" if "`" not in text else f"`` {text} ``"


def paragraph(text: str) -> str:
    """Return `text` as a paragraph, whatever it begins with."""
    lines = cell(text).replace("\\|", "|").replace("&#124;", "|").split("<br>")
    return "\\\n".join(_escaped_start(line) for line in lines)


def _escaped_start(line: str) -> str:
    match = _BLOCK.match(line)
    if match is None:
        return line
    number = match[0] if match[0].isdigit() else ""
    return f"{number}\\{line[len(number) :]}"


def line(text: str) -> str:
    """Return `text` on one line, with what looks like markup escaped."""
    return cell(" ".join(text.split())).replace("\\|", "|").replace("&#124;", "|")
