"""Escapes text typed by a user so that it is parsed as what it was meant to be: a note, or a
title.
"""

import re

from dogent_tui.outline.blocks import heading_lines, open_fence
from dogent_tui.outline.heading_numbers import markers
from dogent_tui.plain import newlines

_UNDERLINE = re.compile(r"\s*(?:=+|-+)\s*$")
_CLOSING = re.compile(r"(?<!\S)(#+)$")
_ESCAPED_CLOSING = re.compile(r"(?<!\S)\\(#+)$")


def as_note(text: str, *, is_list: bool) -> str:
    """Return `text` as the note of a heading: lines that would be headings escaped, an open code
    fence closed.

    In a list, lines that begin like its headings are escaped too, and there are no empty lines
    around the note.
    """
    lines = [line.rstrip() for line in newlines(text).split("\n")]
    note = "\n".join(lines).strip("\n")
    if is_list:
        return "\n".join(_escaped_item(line) for line in note.split("\n"))
    for _ in range(len(lines)):
        found = next(heading_lines(f"\n{note}"), None)
        if found is None:
            break
        rows = note.split("\n")
        row = (
            found.end - 2
            # the line that makes it a heading: with the signs, or the underline; the note begins at
            # the second
        )
        rows[row] = _backslashed(rows[row])
        note = "\n".join(rows)
    fence = open_fence(note)
    return f"{note}\n{fence}" if fence else note


def as_title(title: str) -> str:
    """Escape `title` so that trailing signs are kept: ``C #`` would lose them in a heading."""
    return _CLOSING.sub(r"\\\1", title)


def from_title(title: str) -> str:
    """Return the title that `as_title` escaped."""
    return _ESCAPED_CLOSING.sub(r"\1", title)


def _escaped_item(line: str) -> str:
    text = line.lstrip()
    if text.startswith(("#", "```", "~~~")) or _UNDERLINE.match(line) or next(markers(text), None):
        return _backslashed(line)
    return line


def _backslashed(line: str) -> str:
    text = line.lstrip()
    return f"{line[: len(line) - len(text)]}\\{text}"
