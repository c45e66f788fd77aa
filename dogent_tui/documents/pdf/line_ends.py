"""Whether a word continues on the next line: decided by the other words of the document where
neither script nor hyphen tells.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise

from msgspec.structs import replace

from dogent_tui.documents.pdf.model import (
    NOTHING,
    WIDE,
    Line,
    Lines,
    Nodes,
    Part,
    Table,
    TextBlock,
    exchanged,
    lines_in,
)

SOFT = "\xad"
"""The end of a line whose last word continues on the next one."""

_WORD = re.compile(r"\w+(?:-\w+)*")
_LAST = re.compile(r"(\w[\w-]*)([-\u2010])\s*$")
_UNBROKEN = re.compile(r"[!-~]{40,}$")
"""A word at the end of a line that probably did not fit: an address, for example."""
_MIXED = re.compile(rf"{WIDE.pattern} ?(?=[a-zA-Z\d])|[a-zA-Z\d] ?(?={WIDE.pattern})")
"""A Chinese or Japanese character beside a letter or digit, with the blank between them."""
_HANGUL_END = re.compile(r"(\d|[\uac00-\ud7a3])+$")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_HANGUL_START = re.compile(r"[\uac00-\ud7a3]+")
_PARTICLES = frozenset("은는을를의에이가로과와도고며서다만")
"""Syllables that most Korean words end with."""
_END, _WEIGHT = 0.85, 2
"""The share of these that are at the end of a word, worth this many syllables of the document."""

_ROOM = 1.5
"""The free space at the end of a line, in text sizes, from which its last word was not split."""

_BLANK = 0.25
"""The width of a blank or a full stop in text sizes."""

_LETTER = 0.8
"""The free space in text sizes that is less than a letter and its tolerance."""

_WHOLE = frozenset({"Document", "DocumentFragment", "Part", "Art", "Sect", "Div", "L", "LI"}) | {
    "Table", "THead", "TBody", "TFoot", "TR", "Aside", "TOC", "Index", "BlockQuote",
}  # fmt: skip
"""Elements whose children have separate texts."""


class LineEnds:
    """Determines from the lines of some `pages` of a document how its words are split."""

    def __init__(self, pages: Iterable[Lines]) -> None:
        self._words: Counter[str] = Counter()
        # syllables: at the beginning and the end of words, and in all
        self._begins, self._ends, self._syllables = (Counter[str]() for _ in range(3))
        blanks = korean = 0
        mixed: Counter[bool] = Counter()
        rooms: list[float] = []
        for lines in pages:
            for line, below in pairwise([*lines, NOTHING]):
                if line.box.beside(below.box):
                    continue
                text = line.text.casefold()
                mixed.update(" " in found[0] for found in _MIXED.finditer(text))
                last = _LAST.search(text)
                found = [word[0] for word in _WORD.finditer(text[: last.start()] if last else text)]
                if _HANGUL_START.search(text):
                    blanks += text.endswith(" ")
                    korean += 1
                    found = found[1:-1]
                    self._begins.update(word[0] for word in found)
                    self._ends.update(word[-1] for word in found)
                    self._syllables.update("".join(found))
                self._words.update(found)
            rooms += _rooms(lines)
        self._firsts = {word.partition("-")[0] for word in self._words}
        self._mixes = mixed[False] > mixed[True]
        self._keeps_blanks = 10 * blanks > korean
        self._parts_korean = 6 * sum(room > _ROOM for room in rooms) < len(rooms)

    def applied(self, nodes: Nodes) -> Nodes:
        """Return `nodes` with `SOFT` at the end of each line whose last word continues on the next
        one.
        """
        ends: dict[Line, Line] = {}
        right = max((line.box.x1 for line in lines_in(nodes)), default=0.0)
        for lines in _texts(nodes):
            for line, below in pairwise(lines):
                if not line.mono and not line.box.beside(below.box):
                    is_full = right - line.box.x1 < _LETTER * line.size
                    ends[line] = self._ended(line, below, is_full=is_full)
        return exchanged(nodes, ends)

    def _ended(self, line: Line, below: Line, *, is_full: bool) -> Line:
        text = line.text
        start = "".join(run.text for run in below.runs if not run.markdown).lstrip()
        if (found := _LAST.search(text)) and start[:1].isalpha() and found[1][-1].isalpha():
            soft = found[2] != "-" or (start[0].islower() and self._parts(found[1], start))
            return _with_end(line, SOFT) if soft else line
        last, first = line.runs[-1], below.runs[0]
        is_address = last.uri and last.text.strip() + first.text.strip() in last.uri
        is_cut = is_full and last.uri == first.uri and _UNBROKEN.search(text) is not None
        is_mixed = self._mixes and text[-1:] > " " and _MIXED.match(text[-1:] + start[:1])
        tail, head = _HANGUL_END.search(text.rstrip()), _HANGUL_START.match(start)
        is_korean = tail and head and self._joins(tail[0], head[0], text.endswith(" "))
        if is_address or (is_cut and start[:1].isascii()) or is_mixed or is_korean:
            return _with_end(line, text.rstrip()[-1] + SOFT)
        return line

    def _parts(self, before: str, after: str) -> bool:
        """Return whether a hyphen was inserted to split a word."""
        before, after = before.casefold(), _WORD.findall(after.casefold())[0]
        if any(f"{before}-{after}" in word for word in self._words if "-" in word):
            return False
        first = before.rpartition("-")[2]
        whole = first + after.partition("-")[0]
        return whole in self._words or first not in self._firsts

    def _joins(self, tail: str, head: str, blank: bool) -> bool:
        """Return whether two parts of a Korean text are one word."""
        if self._keeps_blanks or not self._parts_korean:
            return self._keeps_blanks and not blank
        usual = (self._begins.total() + 1) / (self._syllables.total() + 3)
        first, last = self._syllables[head[0]] + _WEIGHT, self._syllables[tail[-1]] + _WEIGHT
        begins = (self._begins[head[0]] + _WEIGHT * usual) / first
        expected = _END if tail[-1] in _PARTICLES else usual
        ends = (self._ends[tail[-1]] + _WEIGHT * expected) / last
        are_apart = begins * ends * (1 - usual) > (1 - begins) * (1 - ends) * usual
        return tail + head in self._words or not are_apart


def _rooms(lines: Lines) -> Iterator[float]:
    """Yield the free space at the ends of Korean lines that continue on the next one, in text
    sizes, disregarding justification.
    """
    columns: dict[tuple[float, int], list[tuple[Line, int]]] = defaultdict(list)
    for line, below in pairwise(lines):
        wide = len(_HANGUL.findall(line.text))
        if wide > 4 and line.text.rstrip()[-1].isalpha() and below.base > line.base + 1:
            columns[line.size, round(line.box.x0 / 4)].append((line, wide))
    for (size, _), found in columns.items():
        right = max(line.box.x1 for line, _ in found)
        narrow = {
            line: line.box.width / size - _BLANK * (len(line.text.strip()) - wide)
            for line, wide in found
        }
        signs = min(narrow[line] / wide for line, wide in found)
        for line, wide in found:
            yield narrow[line] - signs * wide + (right - line.box.x1) / size


def _texts(nodes: Iterable[Part]) -> Iterator[Lines]:
    """Yield the lines of each text in `nodes`."""
    for node in nodes:
        if isinstance(node, TextBlock):
            yield node.lines
        elif isinstance(node, Table):
            yield from (cell.lines for row in node.rows for cell in row)
        else:
            if node.kind in _WHOLE:
                yield from _texts(node.kids)
            else:
                yield lines_in([node])


def _with_end(line: Line, end: str) -> Line:
    """Return `line` with another last character."""
    *runs, last = line.runs
    return replace(line, runs=(*runs, replace(last, text=last.text.rstrip()[:-1] + end)))
