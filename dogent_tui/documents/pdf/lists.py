"""Lists: the marks of items, and their nesting."""

import re
from collections.abc import Sequence
from itertools import islice

import msgspec

from dogent_tui.documents.pandoc.tree import Node, plain
from dogent_tui.documents.pdf.model import Lines, text_of, words_of

BULLETS = "\ufffd•◦▪▫‣⁃∙●○■□◆◇➢➤►▶»›→✓✔✗✘☐☑☒❑❖\uf0b7\uf0a7\uf0d8\uf0fc\uf076\uf02d"
_BULLET = re.compile(rf"[{BULLETS}]|[-–—*·+o](?=\s)")
_ORDERED = re.compile(
    r"(?:(\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)]|\((\d{1,3}|[a-zA-Z]|[ivx]{1,5})\))"
    "(?=\\s|[\u3040-\ud7a3])"  # Chinese, Japanese and Korean need no blank
)
_MARK_ALONE = re.compile(
    rf"[{BULLETS}]|[-–—*·+o]|(?:\d{{1,3}}|[a-zA-Z]|[ivx]{{1,5}})[.)]|\((?:\d{{1,3}}|[a-zA-Z])\)"
)
_BOXES = "☐☑☒"
_DEEPER = 0.9
"""The indentation of a nested item from the mark around it in text sizes."""


class Mark(msgspec.Struct, frozen=True):
    """The mark of an item: its characters, the number or letter in them, its position, and that of
    the text of the item.
    """

    sign: str
    label: str
    x0: float
    size: float
    text: float = float("inf")

    def holds(self, other: "Mark") -> bool:
        """Return whether the item of `other` is nested in that of this mark: it is indented, or
        starts where the text of this one does.
        """
        apart = other.x0 - self.x0
        return other.x0 > self.text - 0.1 * other.size or apart > _DEEPER * other.size

    def is_beside(self, other: "Mark") -> bool:
        """Return whether both belong to one list: the same bullet, letters, or consecutive
        numbers.
        """
        if self.label.isdecimal() and other.label.isdecimal():
            return abs(int(self.label) - int(other.label)) == 1
        are_letters = self.label.isalpha() and other.label.isalpha()
        return self is not other and (are_letters or self.sign == other.sign)


class Item(msgspec.Struct):
    """An item with its mark, its depth from 0, and its content."""

    mark: Mark
    depth: int
    blocks: list[Node]


def is_mark(text: str) -> bool:
    """Return whether `text` consists of an item mark."""
    return _MARK_ALONE.fullmatch(text.strip()) is not None


def mark_of(row: Lines) -> Mark | None:
    """Return the mark at the beginning of the row, if there is one."""
    text = text_of(row)
    x0 = row[0].start
    words = (word for line in row for word in words_of(line))
    inner = next((word.start for word in islice(words, 1, None)), float("inf"))
    signs = text.split()
    if len(signs) > 1 and len(set(signs)) == 1:  # stars between two texts
        return None
    match = _BULLET.match(text) or _ORDERED.match(text)
    if match is None:
        return None
    return Mark(match[0], match[match.lastindex] if match.lastindex else "", x0, row[0].size, inner)


def list_nodes(items: Sequence[Item]) -> list[Node]:
    """Return the items as nested lists."""
    nodes: list[Node] = []
    at = 0
    while at < len(items):
        item, start = items[at], at + 1
        at = next((n for n in range(start, len(items)) if items[n].depth <= item.depth), len(items))
        _append(nodes, item.mark, [*item.blocks, *list_nodes(items[start:at])])
    return nodes


def _append(nodes: list[Node], mark: Mark, blocks: list[Node]) -> None:
    """Append an item to the last list, or to a new one if its number is not the next. Letters are
    kept in the text, because Markdown only counts in numbers.
    """
    if mark.sign in _BOXES or mark.label.isalpha():
        blocks = _begun_with(mark.sign, blocks)
    last: Node = nodes[-1] if nodes else {"t": ""}
    if not mark.label:
        if last["t"] != "BulletList":
            nodes.append(last := {"t": "BulletList", "c": []})
        last["c"].append(blocks)
        return
    following = last["c"][0][0] + len(last["c"][1]) if last["t"] == "OrderedList" else -1
    number = int(mark.label) if mark.label.isdecimal() else max(following, 1)
    if number != following:
        style = [number, {"t": "Decimal"}, {"t": "Period"}]
        nodes.append(last := {"t": "OrderedList", "c": [style, []]})
    last["c"][1].append(blocks)


def _begun_with(sign: str, blocks: list[Node]) -> list[Node]:
    begin = [plain(sign), {"t": "Space"}]
    if blocks and blocks[0]["t"] == "Para":
        return [{"t": "Para", "c": [*begin, *blocks[0]["c"]]}, *blocks[1:]]
    return [{"t": "Para", "c": begin}, *blocks]
