"""The text of a cell as Markdown, within a row of a table or as a paragraph."""

import re

from dogent_tui.documents.pandoc.escapes import code_span, escaped, lines_escaped
from dogent_tui.plain import visible

_TOUCHED = re.compile(
    r"[\\|*`<&\[_~\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_BREAK = re.compile(r"[ \t]*\n[ \t]*")


def is_plain(text: str) -> bool:
    """Return whether `text` can be used in a table unchanged."""
    return _TOUCHED.search(text) is None


def cell(text: str) -> str:
    """Return `text` for a table cell: on one line, with ``<br>`` for line breaks and markup
    escaped.
    """
    text = escaped(visible(text).strip())
    # every parser reads `\|` as a bar within a table; they differ on `\\|`
    return _BREAK.sub("<br>", text.replace("\\\\|", "\\\\&#124;").replace("|", "\\|"))


def code(text: str) -> str:
    """Return a formula as code in a table cell."""
    return code_span(" ".join(visible(text).split())).replace("|", "\\|")


def paragraph(text: str) -> str:
    """Return `text` as a paragraph, whatever it begins with."""
    return _BREAK.sub("\\\\\n", lines_escaped(_BREAK.sub("\n", escaped(visible(text).strip()))))


def line(text: str) -> str:
    """Return `text` on one line with markup escaped."""
    return escaped(" ".join(visible(text).split()))
