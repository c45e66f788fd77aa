"""Which lines a proposal changes: hunks as a writer would cut them, each with the headings above
it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import msgspec

from dogent_tui.changes.prose import aligned
from dogent_tui.outline.blocks import heading_lines

_JOINED_OVER = 2
"""The number of unchanged lines within one paragraph across which two changes are joined: a
rewrapped paragraph is one change.
"""
_BLOCK = re.compile(r"\s*\Z|\s*(?:[-+*>#|]|\d+[.)]\s|`{3}|~{3})|\t| {4}")
"""A line that is not running text, or empty."""


_ITEM = re.compile(r"\s*(?:[-+*]|\d+[.)])\s+\S")


class Hunk(msgspec.Struct, frozen=True):
    """The lines `start` to `end` (exclusive) of the base, which contain `old`, become `new`.

    `number` counts from 1. `heading` holds the titles above it, the highest first, including one
    that it adds itself. `is_conflict`: both the proposal and someone else changed these lines;
    `ours` is their original content.
    """

    number: int
    start: int
    end: int
    old: tuple[str, ...]
    new: tuple[str, ...]
    heading: tuple[str, ...] = ()
    is_conflict: bool = False
    ours: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """``added``, ``deleted``, ``changed``, or ``conflict``."""
        if self.is_conflict:
            return "conflict"
        return "changed" if self.old and self.new else "added" if self.new else "deleted"


class Range(NamedTuple):
    """Lines of the base and their replacement in the proposal, both end exclusive."""

    start: int
    end: int
    new_start: int
    new_end: int


def changed_ranges(old: Sequence[str], new: Sequence[str]) -> list[Range]:
    """Return the ranges in which `new` differs from `old`."""
    same, similar = aligned(old, new)
    rewritten = set(similar)
    ranges: list[Range] = []
    i = j = 0
    for to_i, to_j in [*sorted([*same, *similar]), (len(old), len(new))]:
        here = Range(i, to_i, j, to_j)
        i, j = to_i + 1, to_j + 1
        is_rewritten = (to_i, to_j) in rewritten
        last = ranges[-1] if ranges else None
        touches = last is not None and (last.end, last.new_end) == (here.start, here.new_start)
        if here.start < here.end or here.new_start < here.new_end:
            if (
                last is not None
                and touches
                and not (_begins_again(old, new, here) or _begins_items(old, new, here))
            ):
                here = Range(last.start, here.end, last.new_start, here.new_end)
                ranges.pop()
            ranges += _item_by_item(old, new, here)
            touches = True
        item = is_rewritten and _begins_items(old, new, Range(to_i, i, to_j, j))
        if is_rewritten and touches and not item and not _ends_a_paragraph(old, new, ranges[-1]):
            last = ranges.pop()
            ranges.append(Range(last.start, i, last.new_start, j))
        elif is_rewritten:
            ranges.append(Range(to_i, i, to_j, j))
    return ranges


def _begins_again(old: Sequence[str], new: Sequence[str], range_: Range) -> bool:
    """Return whether a blank line separates the changed lines from the paragraph above."""
    return all(not lines[0].strip() for lines in _sides(old, new, range_))


def _begins_items(old: Sequence[str], new: Sequence[str], range_: Range) -> bool:
    """Return whether the changed lines start with a list item: each item is a change of its own."""
    return all(_ITEM.match(lines[0]) for lines in _sides(old, new, range_))


def _item_by_item(old: Sequence[str], new: Sequence[str], range_: Range) -> list[Range]:
    """Return `range_`, split into one range per item if it replaces list items by the same number
    of others.
    """
    starts = [place for place in range(range_.start, range_.end) if _ITEM.match(old[place])]
    new_starts = [
        place for place in range(range_.new_start, range_.new_end) if _ITEM.match(new[place])
    ]
    begin = starts[:1] == [range_.start] and new_starts[:1] == [range_.new_start]
    if not begin or len(starts) != len(new_starts):
        return [range_]
    ends, new_ends = [*starts[1:], range_.end], [*new_starts[1:], range_.new_end]
    return [Range(*places) for places in zip(starts, ends, new_starts, new_ends, strict=True)]


def _ends_a_paragraph(old: Sequence[str], new: Sequence[str], range_: Range) -> bool:
    """Return whether a blank line separates the changed lines from the paragraph below."""
    return all(not lines[-1].strip() for lines in _sides(old, new, range_))


def _sides(old: Sequence[str], new: Sequence[str], range_: Range) -> list[Sequence[str]]:
    sides = old[range_.start : range_.end], new[range_.new_start : range_.new_end]
    return [side for side in sides if side]


def hunks_between(old: Sequence[str], new: Sequence[str]) -> tuple[Hunk, ...]:
    """Return the hunks that turn `old` into `new`."""

    @cache
    def headings(*, of_new: bool) -> Headings:  # up to 0.6 s per MB: most changes need only one
        return Headings(new if of_new else old)

    hunks: list[Hunk] = []
    ranges = _joined(changed_ranges(old, new), old)
    for number, (start, end, new_start, new_end) in enumerate(ranges, 1):
        lines = tuple(new[new_start:new_end])
        heading = (
            headings(of_new=True).path(_first_words(new, new_start, new_end))
            if lines
            else headings(of_new=False).path(_first_words(old, start, end))
        )
        hunks.append(Hunk(number, start, end, tuple(old[start:end]), lines, heading))
    return tuple(hunks)


def _first_words(lines: Sequence[str], start: int, end: int) -> int:
    """Return the first non-blank line of a range."""
    return next((place for place in range(start, end) if lines[place].strip()), start)


def _joined(ranges: Sequence[Range], old: Sequence[str]) -> Iterator[Range]:
    """Yield the ranges, joining those within one paragraph."""
    last: Range | None = None
    for range_ in ranges:
        if last is not None and _in_one_paragraph(old[last.end : range_.start]):
            last = Range(last.start, range_.end, last.new_start, range_.new_end)
            continue
        if last is not None:
            yield last
        last = range_
    if last is not None:
        yield last


def _in_one_paragraph(between: Sequence[str]) -> bool:
    return 0 < len(between) <= _JOINED_OVER and not any(map(_BLOCK.match, between))


class Headings:
    """The headings of a text, by its lines."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._starts: list[int] = []
        self._paths: list[tuple[str, ...]] = []
        above: list[tuple[int, str]] = []
        likely = any(line.lstrip(" ")[:1] in ("#", "=", "-") for line in lines)
        for place, _, level, title in heading_lines("\n".join(lines)) if likely else ():
            while above and above[-1][0] >= level:
                above.pop()
            above.append((level, title))
            self._starts.append(place)
            self._paths.append(tuple(name for _, name in above))

    def path(self, line: int) -> tuple[str, ...]:
        """Return the titles of the headings above `line`, the highest first; for a heading,
        including itself.
        """
        number = bisect_right(self._starts, line)
        return self._paths[number - 1] if number else ()
