"""The text that the file tools would leave in a file, and the diff by which the user judges a Write
or an Edit.
"""

import difflib
from collections.abc import Mapping
from typing import Any

from dogent_tui.language import tr
from dogent_tui.permissions.disk import Disk

LARGEST = 2_000_000
"""The largest file to diff, in bytes."""
_MOST_LINES = 500
"""The longest diff, in lines: no one reads more, and the call contains everything."""
_COMPARED = 3_000
"""The largest number of differing lines to match one by one: difflib takes quadratic time."""
_CONTEXT = 3


def edit_diff(tool: str, tool_input: Mapping[str, Any], path: str) -> str:
    """Return the unified diff between the file `path` and what the call would leave there; "" if
    there is nothing to show.
    """
    disk = Disk()
    old = disk.text(path, LARGEST)
    if old is None and disk.entry(path) is not None:
        return ""  # too large, or not text
    old = (old or "").replace("\r\n", "\n")
    new = text_after(tool, tool_input, old)
    return "" if new is None or new == old else unified_diff(old, new, path.rpartition("/")[2])


def unified_diff(old: str, new: str, name: str) -> str:
    """Return a unified diff of two texts, truncated to a readable length."""
    a, b = old.split("\n") if old else [], new.split("\n") if new else []
    most = min(len(a), len(b))
    start = next((at for at in range(most) if a[at] != b[at]), most)
    end = next((at for at in range(most - start) if a[-1 - at] != b[-1 - at]), most - start)
    if len(a) + len(b) - 2 * (start + end) <= _COMPARED:
        lines = list(difflib.unified_diff(a, b, name, name, lineterm="", n=_CONTEXT))
    else:  # too much to match line by line: all removed lines, then all added lines
        gone, came = a[start : len(a) - end], b[start : len(b) - end]
        place = f"@@ -{start + 1},{len(gone)} +{start + 1},{len(came)} @@"
        lines = [f"--- {name}", f"+++ {name}", place, *(f"-{line}" for line in gone)]
        lines += [f"+{line}" for line in came]
    return shortened("\n".join(lines))


def shortened(diff: str) -> str:
    """Return a diff truncated to a readable length."""
    lines = diff.split("\n")
    if (more := len(lines) - _MOST_LINES) > 1:
        lines[_MOST_LINES:] = [tr("… {more} more lines", more=more)]
    return "\n".join(lines)


def text_after(tool: str, values: Mapping[str, Any], old: str) -> str | None:
    r"""Return the text after a Write, Edit or MultiEdit of a file that contains `old`; None if the
    call would fail.

    Follows the CLI (2.1.330, read from its code and measured): lines end with ``\n``, one
    occurrence is replaced unless all are requested, straight quotes match curly ones and are
    converted to them, and removing a line also removes its line break.
    """
    old = old.replace("\r\n", "\n")
    if tool == "Write":
        content = values.get("content")
        return content if isinstance(content, str) else None
    edits = values.get("edits") if tool == "MultiEdit" else [values]
    if tool not in {"Edit", "MultiEdit"} or not isinstance(edits, list):
        return None
    text: str | None = old
    for edit in edits:
        text = None if text is None else _replaced(text, edit)
    return text


def _replaced(text: str, edit: Any) -> str | None:
    edit = edit if isinstance(edit, Mapping) else {}
    before, after = edit.get("old_string"), edit.get("new_string")
    if not isinstance(before, str) or not isinstance(after, str):
        return None
    if not before:
        return after if not text.strip() else None  # a new file
    found = _as_written(text, before)
    if not found or (not edit.get("replace_all") and text.count(found) > 1):
        return None
    after = _curled(after, found) if found != before else after
    if not after and not found.endswith("\n") and f"{found}\n" in text:
        found += "\n"
    return text.replace(found, after, -1 if edit.get("replace_all") else 1)


_STRAIGHT = str.maketrans("‘’“”", "''\"\"")
_BEFORE_OPENING = frozenset(" \t\n\r([{—–")


def _as_written(text: str, wanted: str) -> str:
    """Return `wanted` as it appears in `text`, whichever quotes it uses; "" if it does not."""
    if wanted in text:
        return wanted
    place = text.translate(_STRAIGHT).find(wanted.translate(_STRAIGHT))
    return text[place : place + len(wanted)] if place >= 0 else ""


def _curled(text: str, like: str) -> str:
    """Return `text` with the kinds of curly quotes used in `like`."""
    made = list(text)
    for place, character in enumerate(text):
        opens = place == 0 or text[place - 1] in _BEFORE_OPENING
        if character == '"' and ("“" in like or "”" in like):
            made[place] = "“" if opens else "”"
        elif character == "'" and ("‘" in like or "’" in like):
            within = text[place - 1 : place].isalpha() and text[place + 1 : place + 2].isalpha()
            made[place] = "‘" if opens and not within else "’"
    return "".join(made)
