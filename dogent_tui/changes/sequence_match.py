"""What two sequences have in common, in order: anchors that are unique in both first, then the
shortest way between them.

Patience diff finds what a user would call the same passages; where nothing is unique, Myers' greedy
algorithm (https://doi.org/10.1007/BF01840446) looks for the longest common subsequence. A budget of
steps bounds the whole of it, so that no input takes quadratic time: what it does not reach counts
as different.
"""

from bisect import bisect_left
from collections.abc import Hashable, Iterator, Sequence
from typing import TypeAlias

Pair: TypeAlias = tuple[int, int]
"""A place in the first sequence and the same item's place in the second."""

STEPS = 60_000
"""Steps of one comparison that Myers' algorithm may take; some 50 ms."""
_MOST_DIFFERENCES = 256
"""Differences in a row after which the way that came furthest is taken: the next ones are looked
for from there.
"""
_DEEPEST = 24


def matched(a: Sequence[Hashable], b: Sequence[Hashable], weak: Hashable = None) -> list[Pair]:
    """Return the pairs of places at which `a` and `b` are the same, rising in both.

    The item `weak` (a blank line, a space) says nothing about what belongs together: it matches
    beside others only.
    """
    names: dict[Hashable, int] = {weak: 0}
    first = [names.setdefault(item, len(names)) for item in a]
    second = [names.setdefault(item, len(names)) for item in b]
    pairs = _Matching(first, second).pairs()
    return filled(first, second, pairs)


def filled(a: Sequence[Hashable], b: Sequence[Hashable], pairs: Sequence[Pair]) -> list[Pair]:
    """Return `pairs` with those beside them that are the same too, down from the upper and up
    from the lower.
    """
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
    """Yield what lies before, between and behind `pairs`: from and from, to and to (exclusive).
    Many are empty.
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
        self._left = STEPS

    def pairs(self) -> list[Pair]:
        """Return the pairs, rising."""
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
        """Match what is the same at both ends."""
        a, b = self._a, self._b
        while i < end_i and j < end_j and a[i] == b[j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        while i < end_i and j < end_j and a[end_i - 1] == b[end_j - 1]:
            end_i, end_j = end_i - 1, end_j - 1
            found.append((end_i, end_j))
        return i, j, end_i, end_j

    def _anchors(self, i: int, j: int, end_i: int, end_j: int) -> list[Pair]:
        """Return a longest rising row of the items that are there once in both."""
        there = _once(self._b, j, end_j)
        here = _once(self._a, i, end_i)
        common = [
            (place, there[item])
            for item, place in here.items()
            if place >= 0 and item and there.get(item, -1) >= 0
        ]
        return _rising(common)

    def _shortest(self, i: int, j: int, end_i: int, end_j: int, found: list[Pair]) -> None:
        """Match what is not weak by the shortest way from one to the other, as far as the budget
        reaches.
        """
        here = [place for place in range(i, end_i) if self._a[place]]
        there = [place for place in range(j, end_j) if self._b[place]]
        common = {self._a[place] for place in here} & {self._b[place] for place in there}
        here = [place for place in here if self._a[place] in common]
        there = [place for place in there if self._b[place] in common]
        a, b = [self._a[place] for place in here], [self._b[place] for place in there]
        x = y = 0
        while x < len(a) and y < len(b) and self._left > 0:
            moves, to_x, to_y = self._way(a, b, x, y)
            found += [(here[one], there[other]) for one, other in moves]
            x, y = to_x, to_y

    def _way(self, a: list[int], b: list[int], x0: int, y0: int) -> tuple[list[Pair], int, int]:
        """Return the matches on the way of fewest differences from (x0, y0), and how far it
        goes.
        """
        n, m = len(a) - x0, len(b) - y0
        zero = _MOST_DIFFERENCES + 1
        furthest = [-1] * (2 * zero + 1)  # by the diagonal k = x - y, counted from `zero`
        furthest[zero + 1] = 0
        trace: list[list[int]] = []
        best = (0, 0, 0)
        for differences in range(min(n + m, _MOST_DIFFERENCES) + 1):
            trace.append(furthest[:])
            for k in range(-differences, differences + 1, 2):
                right, down = furthest[zero + k - 1], furthest[zero + k + 1]
                x = start = down if k == -differences or right < down else right + 1
                y = x - k
                while x < n and y < m and a[x0 + x] == b[y0 + y]:
                    x, y = x + 1, y + 1
                furthest[zero + k] = x
                self._left -= 1 + (x - start) // 4
                if x + y > best[0] and x <= n and y <= m:
                    best = x + y, k, differences
            if self._left <= 0 or best[0] == n + m:
                break
        total, k, differences = best
        x = (total + k) // 2
        return _walked(trace[: differences + 1], x, k, x0, y0), x0 + x, y0 + x - k


def _walked(trace: list[list[int]], x: int, k: int, x0: int, y0: int) -> list[Pair]:
    """Return the matches on the way that ends at `x` on the diagonal `k`. `trace` is what was
    reached before each step.
    """
    pairs: list[Pair] = []
    zero = _MOST_DIFFERENCES + 1
    for differences in range(len(trace) - 1, -1, -1):
        right, down = trace[differences][zero + k - 1], trace[differences][zero + k + 1]
        is_down = k == -differences or right < down
        start = down if is_down else right + 1
        pairs += [(x0 + place, y0 + place - k) for place in range(x - 1, start - 1, -1)]
        k, x = (k + 1, start) if is_down else (k - 1, start - 1)
    return pairs


def _once(items: list[int], start: int, end: int) -> dict[int, int]:
    """Return the place of each item, -1 of those that are there more than once."""
    places: dict[int, int] = {}
    for place in range(start, end):
        item = items[place]
        places[item] = -1 if item in places else place
    return places


def _rising(pairs: list[Pair]) -> list[Pair]:
    """Return a longest row of `pairs`, which rise in the first place, that rises in the second
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
