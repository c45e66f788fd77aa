"""Where a quotation is in a source: word for word, with what it leaves out and puts in, or
nearly.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from dogent_tui.sources.quotes.index import Passage, SourceIndex
from dogent_tui.sources.quotes.tokens import (
    Words,
    is_han,
    negates,
    readable,
    run_together,
    words_of,
)

if TYPE_CHECKING:
    from array import array

_OMISSION = re.compile(
    r"[\[(（［【]\s*(?:…+|⋯+|\.\s?\.\s?\.(?:\s?\.)?)\s*[\])）］】]|(?:…|⋯)+|(?<!\.)\.\s?\.\s?\.(?:\s?\.)?"
)
_BRACKET = re.compile(r"(?<!!)[\[［](?!\^)([^\[\]［］]{1,300})[\]］](?!\()")
_LETTER = r"[^\W\d_\u2e80-\u9fff]"
_PART_OF_WORD = re.compile(
    rf"(?<={_LETTER})\[({_LETTER}{{1,20}})\]|\[({_LETTER}{{1,20}})\](?={_LETTER})"
)
_WITHIN_WORD = re.compile(rf"(?<={_LETTER})\[[^\[\]]*[\u3400-\u9fff][^\[\]]*\](?={_LETTER})")
_FARTHEST = 400
"""Words that an omission may leave out."""
_REPLACED = 3
"""Words of the source that an insertion may stand for."""
_HIDING = 5
"""An omission of no more words that leaves out a negation hides it; a longer one does where the
negation is next to it.
"""
_NEAR = 0.55
"""Share of a quotation's words in runs that a passage has too, from which on the passage is
near.
"""
_MOST_CELLS = 60_000
_MORE, _SAME, _OTHER, _LESS = range(4)
"""Steps of an alignment: a word of the quotation alone, of both, another one, a word of the
source alone.
"""
_CHANGED, _INSERTED = 1000, 1001
"""What steps cost: of the fewest changes those with the most equal words, and rather another
word than one more.
"""
_MOST_PLACES = 400
_BUCKET = 8
_CANDIDATES = 4
_MOVED_RUN = 4
_ROOM = 11
"""Words on both sides of where a passage may be."""


class Near(NamedTuple):
    """A passage that comes near. `ops` are difflib's: of the passage's words against the
    quotation's.
    """

    passage: Passage
    share: float
    ops: list[tuple[str, int, int, int, int]]
    is_same: bool
    """Whether only white space differs."""


class _Cut(NamedTuple):
    """An omission or insertion, and what it says of the source."""

    start: int
    end: int
    farthest: int
    inserted: tuple[str, ...]


class _Part(NamedTuple):
    words: list[str]
    behind: int
    """How many words of the source may come between the part before and this one."""
    inserted: tuple[str, ...]


class Quotation:
    """The words between a quotation's marks."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words: Words = words_of(text)

    @cached_property
    def parts(self) -> list[_Part]:
        """The parts between omissions and insertions; one where there are none of either."""
        text = _PART_OF_WORD.sub(lambda found: f"\u2060{found[1] or found[2]}\u2060", self.text)
        text = _WITHIN_WORD.sub(lambda found: "\u2060" * len(found[0]), text)
        cuts = [
            _Cut(found.start(), found.end(), _FARTHEST, ()) for found in _OMISSION.finditer(text)
        ]
        for found in _BRACKET.finditer(text):
            if not any(cut.start < found.end() and found.start() < cut.end for cut in cuts):
                cuts.append(
                    _Cut(found.start(), found.end(), _REPLACED, tuple(words_of(found[1]).words))
                )
        parts: list[_Part] = []
        at, behind, inserted = 0, 0, tuple[str, ...]()
        for cut in [*sorted(cuts), _Cut(len(text), len(text), 0, ())]:
            if words := words_of(text, at, cut.start).words:
                parts.append(_Part(words, behind, inserted))
                behind, inserted = cut.farthest, cut.inserted
            else:
                behind, inserted = max(behind, cut.farthest), (*inserted, *cut.inserted)
            at = cut.end
        if inserted and parts:  # what is put in at the end
            parts.append(_Part([], 0, inserted))
        return parts

    def exact(self, index: SourceIndex) -> list[Passage]:
        """Return every passage that has these words, in order; none that it cuts off at a
        negation.
        """
        found = self._runs(index, self.words.words)
        found = (
            [passage for passage in found if self._has_same_marks(index, passage)]
            if found
            else self._in_parts(index)
        )
        return [passage for passage in found if not self._cut_off(index, passage)]

    def _runs(self, index: SourceIndex, words: list[str]) -> list[Passage]:
        """Return where a run of words is. In Chinese, which counts characters, a cut may go
        through a foreign word.
        """
        found = [Passage(start, start + len(words)) for start in index.exact(index.encoded(words))]
        return found or ([*self._cut(index, words)] if self._is_chinese else [])

    def _cut(self, index: SourceIndex, words: list[str]) -> Iterator[Passage]:
        """Yield where a run of words is whose first or last one may be a piece of a foreign
        word.
        """
        first, last = _is_cut(words[:1]), _is_cut(words[-1:])
        inner = words[first : len(words) - last]
        if not inner or not (first or last):
            return
        for start in index.exact(index.encoded(inner), _MOST_PLACES):
            end = start + len(inner)
            if (not first or index.word(start - 1).endswith(words[0])) and (
                not last or index.word(end).startswith(words[-1])
            ):
                yield Passage(start - first, end + last)

    @cached_property
    def _is_chinese(self) -> bool:
        return sum(map(is_han, self.words.words)) > len(self.words.words) / 2

    def _has_same_marks(self, index: SourceIndex, passage: Passage) -> bool:
        """Tell whether no mark of a note differs from the one at its place in the source; either
        may lack it.
        """
        for before, mark in self.words.marks:
            place = passage.start + before
            there = index.marks.get(place, index.word(place) if place == passage.end else "")
            if there != mark and (place in index.marks or there[:1].isdigit()):
                return False
        return True

    def _cut_off(self, index: SourceIndex, passage: Passage) -> list[int]:
        """Return the places of negations that a whole sentence lacks which is none in the
        source: “not all” is not “all”.
        """
        found = []
        if self.text.lstrip("*_").rstrip("*_")[:1].isupper() and passage.start > 0:
            found = [(passage.start - 1, passage.start - 1, passage.start)]
        if self.text.rstrip("*_ ")[-1:] in {".", "!", "?"}:
            found.append((passage.end, passage.end - 1, passage.end))
        between = [
            (place, readable(index.text[index.ends[one] : index.starts[other]]))
            for place, one, other in found
        ]
        return [
            place
            for place, text in between
            if negates(index.word(place)) and not is_han(index.word(place)) and not text.strip()
        ]

    def _in_parts(self, index: SourceIndex) -> list[Passage]:
        parts = [part for part in self.parts if part.words]
        weights = [_weight(part.words) for part in parts]
        if (
            not parts
            or (len(self.parts) == 1 and parts[0].words == self.words.words)
            or max(weights) < 2
            or sum(weights) < 3
        ):
            return []
        if any(
            negates(word) or word[:1].isdigit() for part in self.parts for word in part.inserted
        ):
            return []
        anchor = weights.index(max(weights))
        found = [
            chain
            for run in self._runs(index, parts[anchor].words)
            if (chain := self._chain(index, parts, anchor, run))
        ]
        if not found or min(found, key=lambda chain: chain[0].end - chain[0].start)[1]:
            return []
        return [passage for passage, is_misleading in found if not is_misleading]

    def _chain(
        self, index: SourceIndex, parts: list[_Part], anchor: int, run: Passage
    ) -> tuple[Passage, bool] | None:
        """Return the passage from the first part to the last around one of them, and whether
        what is left out misleads.
        """
        start, end, is_misleading = *run, False
        for part in parts[anchor + 1 :]:
            found = self._beside(index, part.words, _reach(part, part.words), end, end)
            if found is None:
                return None
            is_misleading |= _misleads(index, part, end, found.start) or self._is_nearer(
                index, part, found.start - end, start
            )
            end = found.end
        for before, part in reversed([*pairwise(parts[: anchor + 1])]):
            found = self._beside(index, before.words, _reach(part, before.words), start, None)
            if found is None:
                return None
            is_misleading |= _misleads(index, part, found.end, start)
            start = found.start
        return Passage(start, end), is_misleading

    def _beside(
        self, index: SourceIndex, words: list[str], reach: int, place: int, behind: int | None
    ) -> Passage | None:
        """Return the nearest run of words that begins at most `reach` words after `behind`, else
        ends as near before `place`.
        """
        begin, end = (
            (place - reach - len(words), place - len(words))
            if behind is None
            else (behind, behind + reach)
        )
        start = index.exact_within(index.encoded(words), begin, end, is_last=behind is None)
        if start is not None:
            return Passage(start, start + len(words))
        runs = (
            [run for run in self._cut(index, words) if begin <= run.start <= end]
            if self._is_chinese
            else []
        )
        return runs[-1 if behind is None else 0] if runs else None

    def _is_nearer(self, index: SourceIndex, part: _Part, gap: int, start: int) -> bool:
        """Tell whether a part is nearer before what it should come behind: its order was
        changed.
        """
        length = len(part.words)
        before = index.exact_within(index.encoded(part.words), start - gap - length, start - length)
        return gap > _REPLACED and before is not None

    # ── What comes near
    # ────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def plain_words(self) -> Words:
        """The words without insertions: what is compared where the quotation is not in the
        source.
        """
        text = self.text
        for found in _BRACKET.finditer(text):
            inside = words_of(found[1]).words
            if not any(
                negates(word) or word[:1].isdigit() for word in inside
            ) and not _PART_OF_WORD.match(text, found.start()):
                text = text[: found.start()] + " " * len(found[0]) + text[found.end() :]
        return words_of(text)

    def near(self, index: SourceIndex) -> Near | None:
        """Return the nearest passage of a source, None where none comes near."""
        words = self.plain_words.words
        numbers = index.encoded(words)
        found: Near | None = None
        for place in self._candidates(index, numbers):
            near = self._aligned(index, numbers, place)
            if found is None or near.share > found.share or near.is_same:
                found = near
            if found.is_same:
                break
        if found is None or (found.share < _NEAR and not self._is_moved(index, numbers, found)):
            return None
        return found

    def _candidates(self, index: SourceIndex, numbers: "array[int]") -> list[int]:
        """Return where the quotation may begin: pairs of words vote for it, rare ones with more
        weight.
        """
        votes: Counter[int] = Counter()
        tokens = index.tokens
        counts = [index.count(number) for number in numbers]
        for offset in range(len(numbers) - 1):
            one, two = counts[offset], counts[offset + 1]
            if not one or not two:
                continue
            shift = 0 if one <= two else 1
            if min(one, two) > 10 * _MOST_PLACES:
                continue
            other, side = numbers[offset + 1 - shift], 1 - 2 * shift
            places = [
                place
                for place in index.places(numbers[offset + shift])
                if place + side >= 0 and tokens[place + side] == other
            ]
            if not places or len(places) > _MOST_PLACES:
                continue
            weight = (1 + len(places)) ** -0.3
            for place in places:
                votes[(place - shift - offset) // _BUCKET] += weight
        best = sorted(votes, key=lambda bucket: -(votes[bucket] + votes.get(bucket + 1, 0)))[
            :_CANDIDATES
        ]
        return [bucket * _BUCKET for bucket in best]

    def _aligned(self, index: SourceIndex, numbers: "array[int]", place: int) -> Near:
        begin = max(0, place - _ROOM)
        end = min(len(index.tokens), place + len(numbers) + _ROOM + _BUCKET)
        middle = max(begin, min(place + len(numbers) // 2, end - 1))
        begin, end = _between_gaps(index, begin, end, middle)
        if same := self._run_together(index, begin, end):
            return Near(same, 1.0, [], is_same=True)
        ops = _alignment(index.tokens[begin:end], numbers)
        equal = sum(
            i2 - i1
            for kind, i1, i2, *_ in ops
            if kind == "equal" and (i2 - i1 >= 2 or len(numbers) < 5)
        )
        moved = [(kind, begin + i1, begin + i2, j1, j2) for kind, i1, i2, j1, j2 in ops]
        start, stop = (moved[0][1], moved[-1][2]) if moved else (begin, end)
        for place in self._cut_off(index, Passage(start, stop)):
            at = 0 if place < start else len(numbers)
            moved.insert(0 if place < start else len(moved), ("delete", place, place + 1, at, at))
        return Near(
            Passage(start, max(stop, start + 1)), equal / max(1, len(numbers)), moved, is_same=False
        )

    def _run_together(self, index: SourceIndex, begin: int, end: int) -> Passage | None:
        """Return the passage whose letters are those of the quotation, wherever its words are
        cut.
        """
        wanted, _ = run_together(self.plain_words.words)
        text, begins = run_together(index.words(begin, end))
        at = text.find(wanted)
        starts = set(begins)
        stops = {
            *begins,
            *(start - 1 for start in begins if text[start - 1 : start] == "\x1f"),
            len(text),
        }
        while at >= 0:
            if at in starts and at + len(wanted) in stops:
                first = bisect_right(begins, at) - 1
                last = bisect_right(begins, at + len(wanted) - 1)
                passage = Passage(begin + first, begin + last)
                is_whole = self._marks_within(index, passage) and not self._cut_off(index, passage)
                return passage if is_whole else None
            at = text.find(wanted, at + 1)
        return None

    def _marks_within(self, index: SourceIndex, passage: Passage) -> bool:
        if (
            any(before == len(self.words.words) for before, _ in self.words.marks)
            and index.word(passage.end)[:1].isdigit()
        ):
            return self._has_same_marks(index, passage)
        places = range(passage.start, passage.end + 1)
        there = {index.marks[place] for place in places if place in index.marks}
        return not there or all(mark in there for _, mark in self.words.marks)

    def _is_moved(self, index: SourceIndex, numbers: "array[int]", near: Near) -> bool:
        """Tell whether clauses of the quotation are in the passage's surroundings, in whatever
        order.
        """
        begin, end = max(0, near.passage.start - _FARTHEST // 2), near.passage.end + _FARTHEST // 2
        is_chinese = sum(map(is_han, self.plain_words.words)) > len(numbers) / 2
        shortest = _MOVED_RUN * (2 if is_chinese else 1)
        covered, at = 0, 0
        while at + shortest <= len(numbers):
            run = shortest
            if index.exact_within(numbers[at : at + run], begin, end) is None:
                at += 1
                continue
            while (
                at + run < len(numbers)
                and index.exact_within(numbers[at : at + run + 1], begin, end) is not None
            ):
                run += 1
            covered, at = covered + run, at + run
        return covered >= _NEAR * len(numbers)


def _alignment(window: "array[int]", numbers: "array[int]") -> list[tuple[str, int, int, int, int]]:
    """Return the fewest changes that make a part of `window` the quotation, as difflib's
    opcodes.
    """
    if len(window) * len(numbers) > _MOST_CELLS:
        found = SequenceMatcher(None, window, numbers, autojunk=False).get_opcodes()
        ops: list[tuple[str, int, int, int, int]] = [(op[0], *op[1:]) for op in found]
        return ops[ops[0][0] == "delete" : len(ops) - (len(ops) > 1 and ops[-1][0] == "delete")]
    width = len(window) + 1
    costs = [0] * width
    back: list[bytearray] = []
    for number in numbers:
        steps, before, diagonal = bytearray(width), costs, costs[0]
        left = diagonal + _INSERTED
        costs = [left]
        for column, token in enumerate(window, 1):
            above = before[column]
            best, step = (diagonal - 1, _SAME) if token == number else (diagonal + _CHANGED, _OTHER)
            if left + _CHANGED < best:
                best, step = left + _CHANGED, _LESS
            if above + _INSERTED < best:
                best, step = above + _INSERTED, _MORE
            left, steps[column] = best, step
            costs.append(left)
            diagonal = above
        back.append(steps)
    column = min(range(width), key=lambda end: costs[end])
    row = len(numbers)
    steps_taken: list[tuple[bool, int, int, int, int]] = []
    while row:
        step = back[row - 1][column] if column else _MORE
        i1, j1 = column - (step != _MORE), row - (step != _LESS)
        steps_taken.append((step == _SAME, i1, column, j1, row))
        row, column = j1, i1
    ops = []
    for is_same, i1, i2, j1, j2 in reversed(steps_taken):
        if ops and (ops[-1][0] == "equal") == is_same:
            i1, j1 = ops[-1][1], ops[-1][3]
            ops.pop()
        kind = "delete" if j1 == j2 else "insert" if i1 == i2 else "replace"
        ops.append(("equal" if is_same else kind, i1, i2, j1, j2))
    return ops


def _between_gaps(index: SourceIndex, begin: int, end: int, middle: int) -> tuple[int, int]:
    """Return the part of a window that is one text, the part around `middle`."""
    gaps = [place for place in range(begin, end) if index.tokens[place] == 0]
    before = [place for place in gaps if place < middle]
    after = [place for place in gaps if place >= middle]
    return (before[-1] + 1 if before else begin), (after[0] if after else end)


def _reach(part: _Part, words: list[str]) -> int:
    """Return how far a part may be from the one before it: a single word says little."""
    return part.behind if part.behind == _REPLACED or _weight(words) > 1.5 else _FARTHEST // 10


def _misleads(index: SourceIndex, part: _Part, begin: int, end: int) -> bool:
    """Tell whether what a quotation leaves out between two parts hides a negation or a number,
    or reaches into another text.
    """
    left_out = index.words(begin, end)
    if part.behind == _REPLACED:
        return any(negates(word) or word[:1].isdigit() for word in left_out)
    seen = left_out if len(left_out) <= _HIDING else [left_out[0], left_out[-1]]
    return "" in left_out or any(map(negates, seen))


def _is_cut(word: list[str]) -> int:
    """Return 1 for a foreign word of letters, which may be a piece of one."""
    return int(bool(word) and word[0].isalpha() and not is_han(word[0]))


def _weight(words: list[str]) -> float:
    """Return how many words these are: two characters of Chinese are one."""
    return sum(0.5 if is_han(word) else 1 for word in words)
