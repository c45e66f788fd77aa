"""Lists: the marks of their items, how deep these are, and how they are written in Markdown."""

import re
from collections.abc import Sequence

import msgspec

from dogent_tui.documents.pdf.model import Line

BULLETS = "\ufffd•◦▪▫‣⁃∙●○■□◆◇➢➤►▶✓✔✗✘☐☑☒❑❖\uf0b7\uf0a7\uf0d8\uf0fc\uf076\uf02d"
_BULLET = re.compile(rf"[{BULLETS}]|[-–—*·o](?=\s)")
_ORDERED = re.compile(
    r"(\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)](?=\s)|\((\d{1,3}|[a-zA-Z]|[ivx]{1,5})\)(?=\s)"
)
_MARK_ALONE = re.compile(
    rf"[{BULLETS}]|[-–—*·o]|(?:\d{{1,3}}|[a-zA-Z]|[ivx]{{1,5}})[.)]|\((?:\d{{1,3}}|[a-zA-Z])\)"
)
_BOXES = {"☐": "[ ] ", "☑": "[x] ", "☒": "[x] "}
_DEEPER = 0.9
"""Sizes of the text by which an item is further in than the one that it belongs to."""


_MOST_SKIPPED = 8
"""Letters from one item to the next: others may be on another page, or within another list."""


class Mark(msgspec.Struct, frozen=True):
    """The mark of an item: its signs, how many characters they are, the number or letter in
    them, and where it is.
    """

    sign: str
    label: str
    x0: float
    size: float

    @property
    def length(self) -> int:
        """Characters of the signs."""
        return len(self.sign)


class Item(msgspec.Struct):
    """An item with its mark, how deep it is from 0, and its text in Markdown, of several
    paragraphs perhaps.
    """

    mark: Mark
    depth: int
    texts: list[str]


def is_mark(text: str) -> bool:
    """Tell whether `text` is the mark of an item and nothing else."""
    return _MARK_ALONE.fullmatch(text.strip()) is not None


def mark_of(row: Sequence[Line]) -> Mark | None:
    """Return the mark with which the row begins, if it does."""
    if not row:
        return None
    text = " ".join(line.text.strip() for line in row)
    x0 = -row[0].box.x1 if row[0].right_to_left else row[0].box.x0
    if match := _BULLET.match(text):
        if match[0] == "o" and len(row[0].runs) > 1 and row[0].runs[0].text.strip() != "o":
            return None
        return Mark(match[0], "", x0, row[0].size)
    if match := _ORDERED.match(text):
        return Mark(match[0], match[1] or match[2], x0, row[0].size)
    return None


class List:
    """A list as it grows: each item is as deep as its mark is further in than those above it."""

    def __init__(self) -> None:
        self.items: list[Item] = []

    def takes(self, mark: Mark) -> bool:
        """Tell whether `mark` may be one of this list: a letter comes after the one before it,
        or begins an enumeration.
        """
        if not mark.label.isalpha():
            return True
        before = next(
            (
                item.mark.label
                for item in reversed(self.items)
                if abs(item.mark.x0 - mark.x0) < mark.size
            ),
            "",
        )
        return mark.label.lower() in {"a", "i"} or (
            before.isalpha() and _order(before) < _order(mark.label) <= _order(before) + 8
        )

    def add(self, mark: Mark, text: str) -> None:
        """Put an item at the end."""
        above = [item for item in self._open() if item.mark.x0 < mark.x0 - _DEEPER * mark.size]
        self.items.append(Item(mark, len(above), [text]))

    def _open(self) -> list[Item]:
        """Return the last item and those that it is within, the outermost first."""
        found: list[Item] = []
        for item in reversed(self.items):
            if not found or item.depth < found[-1].depth:
                found.append(item)
        return found[::-1]


def _order(label: str) -> int:
    return sum(ord(char) for char in label.lower()) if len(label) == 1 else ord("i")


def list_markdown(items: Sequence[Item]) -> str:
    """Return the items as a list of Markdown: what is within an item is indented as far as its
    text.
    """
    widths: list[int] = []
    counts: dict[int, int] = {}
    lines = []
    for item in items:
        depth = min(item.depth, len(widths))
        counts = {at: count for at, count in counts.items() if at <= depth}
        counts[depth] = counts.get(depth, 0) + 1
        del widths[depth:]
        sign, first = _written(item, counts[depth])
        indent = " " * sum(widths)
        widths.append(len(sign))
        inner = indent + " " * len(sign)
        lines.append(f"{indent}{sign}{_indented(first, inner)}")
        for text in item.texts[1:]:
            lines += ["", inner + _indented(text, inner)]
    return "\n".join(lines)


def _written(item: Item, count: int) -> tuple[str, str]:
    """Return the mark as Markdown has it, and the first paragraph: with its letter, as Markdown
    counts by numbers alone.
    """
    text = item.texts[0]
    if not item.mark.label:
        return "- ", f"{_BOXES.get(item.mark.sign, '')}{text}"
    if item.mark.label.isdigit():
        closing = (
            ")" if item.mark.sign.endswith(")") and not item.mark.sign.startswith("(") else "."
        )
        return f"{item.mark.label}{closing} ", text
    return f"{count}. ", f"{item.mark.sign} {text}"


def _indented(text: str, indent: str) -> str:
    return text.replace("\n", "\n" + indent)
