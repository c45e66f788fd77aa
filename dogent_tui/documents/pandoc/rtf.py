"""Prepares what pandoc would silently skip or misplace in an rtf."""

import re
from pathlib import Path

from dogent_tui.documents.model import ReadOptions
from dogent_tui.documents.pandoc.prepared import LONGEST, Prepared
from dogent_tui.documents.pandoc.tree import HIDDEN
from dogent_tui.documents.pandoc.word_styles import is_unseen

_HIDDEN_NOTE = re.compile(rb"\{\\\*\s*\\footnote(?![a-z])")
r"""A footnote marked as optional for readers without footnotes, as LibreOffice writes it. Pandoc
only reads ``{\footnote``.
"""
_TABLE_WORD = re.compile(rb"\\(trowd|row|cell)(?![a-z])")
_TOKEN = re.compile(rb"\\([a-z]+)(-?\d+)? ?|\\'[0-9a-fA-F]{2}|\\[^a-z]|[{}]|[^\\{}]+")
_COLOR = re.compile(rb"\\red(\d+)\s*\\green(\d+)\s*\\blue(\d+)")
_APART = {b"fonttbl", b"colortbl", b"stylesheet", b"info", b"pict", b"fldinst", b"listtext"}
_LOOK = {
    b"v": "hidden", b"deleted": "deleted", b"cf": "color", b"fs": "size", b"cb": "behind",
    b"chcbpat": "behind", b"highlight": "behind",
}  # fmt: skip
_LINK = b'{\\field{\\*\\fldinst{HYPERLINK "%s"}}{\\fldrslt{' % HIDDEN.encode()


def prepared_rtf(path: Path, _: ReadOptions) -> Prepared:
    """Return the rtf at `path` prepared for pandoc: with footnotes recognized, lists in place,
    invisible text in links, and without deleted text.
    """
    if path.stat().st_size > LONGEST:
        return Prepared([path])
    data = _tables_behind_lists(_HIDDEN_NOTE.sub(rb"{\\footnote", path.read_bytes()))
    return Prepared([data if b"\\bin" in data else _with_hidden_marked(data)])


def _with_hidden_marked(data: bytes) -> bytes:
    table = re.search(rb"\{\\colortbl([^{}]*)\}", data)
    entries = map(_COLOR.search, table[1].split(b";")) if table else iter(())
    colors = [
        bytes(int(part) % 256 for part in one.groups()).hex() if one else "" for one in entries
    ]
    out: list[bytes] = []
    state: dict[str, int] = {}
    groups: list[dict[str, int]] = []
    is_open = False
    for token in _TOKEN.finditer(data):
        text, word = token[0], token[1]
        is_said = word == b"u" or (word is None and text not in (b"{", b"}", b"\\*"))
        is_said = is_said and bool(text.strip()) and "apart" not in state
        unseen = is_said and _is_unseen(state, colors)
        if is_open and not unseen:
            out.append(b"}}}")
        elif unseen and not is_open:
            out.append(_LINK)
        is_open = unseen
        if word != b"v" and not (is_said and state.get("deleted")):  # pandoc drops hidden text
            out.append(text)
        if text == b"{":
            groups.append(dict(state))
        elif text == b"}":
            state = groups.pop() if groups else {}
        elif text == b"\\*" or word in _APART:
            state["apart"] = 1
        elif word == b"plain":
            state = {}
        elif word in _LOOK:
            state[_LOOK[word]] = int(token[2] or 1)
    return b"".join(out)


def _is_unseen(state: dict[str, int], colors: list[str]) -> bool:
    def color(name: str) -> str:
        at = state.get(name, 0)
        return colors[at] if 0 < at < len(colors) else ""

    if state.get("hidden"):
        return True
    return is_unseen(color("color"), color("behind") or "auto", str(state.get("size", "")))


def _tables_behind_lists(data: bytes) -> bytes:
    """Insert an empty paragraph between a list and a table: otherwise pandoc misplaces the list."""
    out, last, start = [], 0, 0
    before = b"row"
    for word in _TABLE_WORD.finditer(data):
        if word[1] == b"trowd" and before == b"row" and b"\\listtext" in data[last : word.start()]:
            out += [data[start : word.start()], rb"\pard\plain { }\par "]
            start = word.start()
        before, last = word[1], word.end()
    return b"".join([*out, data[start:]])
