"""The common items of two sequences, in order: first those unique in both, then the shortest edit
script between them.

Patience diff finds what a user would call the same passages; where nothing is unique, rapidfuzz
finds the longest common subsequence, bit-parallel. A budget limits the total effort, so that no
input takes quadratic time: what it does not cover counts as different.
"""

from bisect import bisect_left
from collections.abc import Hashable, Iterator, Sequence
from typing import TypeAlias

Pair: TypeAlias = tuple[int, int]
"""The index of an item in the first sequence and in the second."""

MOST_PAIRS = 1_000_000_000
"""The number of index pairs that one comparison may examine for longest common subsequences: about
0.1 s, and one bit of memory each.
"""
_DEEPEST = 24


def matched(a: Sequence[Hashable], b: Sequence[Hashable], weak: Hashable = None) -> list[Pair]:
    """Return the index pairs at which `a` and `b` are equal, ascending in both.

    The item `weak` (a blank line, a space) is no evidence of a match: it matches only next to
    others.
    """
    names: dict[Hashable, int] = {weak: 0}
    first = [names.setdefault(item, len(names)) for item in a]
    second = [names.setdefault(item, len(names)) for item in b]
    pairs = _Matching(first, second).pairs()
    return filled(first, second, pairs)


def filled(a: Sequence[Hashable], b: Sequence[Hashable], pairs: Sequence[Pair]) -> list[Pair]:
    """Extend `pairs` to equal neighbors, downwards and upwards."""
    full: list[Pair] = []
    for i, j, to_i, to_j in gaps(pairs, len(a), len(b)):
        end_i, end_j = to_i, to_j
        while i < end_i and j < end_j and a[i] == b[j]:
            full.append((i, j))
            i, j = i + 1, j + 1
        while i < end_i and j < end_j and a[end_i - 1] == b[end_j - 1]:
            end_i, end_j = end_i - 1, end_j - 1
        if end_i < to_i:
            full += zip(range(end_i, to_i), range(end_j, to_j), strict=True)
        if to_i < len(a) and to_j < len(b):
            full.append((to_i, to_j))
    return full


def gaps(pairs: Sequence[Pair], size_a: int, size_b: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield the gaps before, between and after `pairs`: both starts, both ends (exclusive). Many
    are empty.
    """
    i = j = 0
    for to_i, to_j in pairs:
        yield i, j, to_i, to_j
        i, j = to_i + 1, to_j + 1
    yield i, j, size_a, size_b


class _Matching:
    """Matches two sequences of numbers, in which 0 is the weak item."""

    def __init__(self, a: list[int], b: list[int]) -> None:
        self._a = a
        self._b = b
        self._left = MOST_PAIRS

    def pairs(self) -> list[Pair]:
        """Return the pairs, ascending."""
        found: list[Pair] = []
        todo = [(0, 0, len(self._a), len(self._b), 0)]
        while todo:
            i, j, end_i, end_j, depth = todo.pop()
            i, j, end_i, end_j = self._trimmed(i, j, end_i, end_j, found)
            if i == end_i or j == end_j:
                continue
            anchors = self._anchors(i, j, end_i, end_j) if depth < _DEEPEST else []
            if not anchors:
                self._shortest(i, j, end_i, end_j, found)
                continue
            found += anchors
            for to_i, to_j in anchors:
                todo.append((i, j, to_i, to_j, depth + 1))
                i, j = to_i + 1, to_j + 1
            todo.append((i, j, end_i, end_j, depth + 1))
        found.sort()
        return found

    def _trimmed(
        self, i: int, j: int, end_i: int, end_j: int, found: list[Pair]
    ) -> tuple[int, int, int, int]:
        """Match what is equal at both ends."""
        a, b = self._a, self._b
        while i < end_i and j < end_j and a[i] == b[j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        while i < end_i and j < end_j and a[end_i - 1] == b[end_j - 1]:
            end_i, end_j = end_i - 1, end_j - 1
            found.append((end_i, end_j))
        return i, j, end_i, end_j

    def _anchors(self, i: int, j: int, end_i: int, end_j: int) -> list[Pair]:
        """Return a longest ascending series of the items that occur once in both."""
        there = _once(self._b, j, end_j)
        here = _once(self._a, i, end_i)
        common = [
            (place, there[item])
            for item, place in here.items()
            if place >= 0 and item and there.get(item, -1) >= 0
        ]
        return _rising(common)

    def _shortest(self, i: int, j: int, end_i: int, end_j: int, found: list[Pair]) -> None:
        """Match non-weak items by the shortest edit script, as far as the budget allows."""
        from rapidfuzz.distance import LCSseq  # imported on use: most texts have only unique lines

        here = [place for place in range(i, end_i) if self._a[place]]
        there = [place for place in range(j, end_j) if self._b[place]]
        common = {self._a[place] for place in here} & {self._b[place] for place in there}
        here = [place for place in here if self._a[place] in common]
        there = [place for place in there if self._b[place] in common]
        self._left -= len(here) * len(there)
        if self._left < 0:
            return
        same = LCSseq.opcodes(
            [self._a[place] for place in here], [self._b[place] for place in there]
        )
        for block in same.as_matching_blocks():
            found += zip(
                here[block.a : block.a + block.size],
                there[block.b : block.b + block.size],
                strict=True,
            )


def _once(items: list[int], start: int, end: int) -> dict[int, int]:
    """Return the index of each item, -1 for those that occur more than once."""
    places: dict[int, int] = {}
    for place in range(start, end):
        item = items[place]
        places[item] = -1 if item in places else place
    return places


def _rising(pairs: list[Pair]) -> list[Pair]:
    """Return a longest series of `pairs`, ascending in the first index, that ascends in the second
    too (patience sorting).
    """
    tops: list[int] = []
    heads: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        pile = bisect_left(tops, place)
        before.append(heads[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(place)
            heads.append(number)
        else:
            tops[pile], heads[pile] = place, number
    row: list[Pair] = []
    number = heads[-1] if heads else -1
    while number >= 0:
        row.append(pairs[number])
        number = before[number]
    return row[::-1]
