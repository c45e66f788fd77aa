"""Finds a quotation in a source: verbatim, with omissions and insertions, or nearly."""

import re
from collections import Counter
from difflib import SequenceMatcher
from functools import cached_property
from itertools import accumulate, groupby, islice
from typing import NamedTuple

from rapidfuzz.distance import LCSseq, Levenshtein
from rapidfuzz.fuzz import partial_ratio_alignment

from dogent_tui.sources.quotes.index import GAP, UNKNOWN, Passage, SourceIndex
from dogent_tui.sources.quotes.tokens import (
    Words,
    is_han,
    negates,
    readable,
    run_together,
    words_of,
)

_OMISSION = re.compile(
    r"[\[(（［【]\s*(?:…+|⋯+|\.\s?\.\s?\.(?:\s?\.)?)\s*[\])）］】]|(?:…|⋯)+|(?<!\.)\.\s?\.\s?\.(?:\s?\.)?"
)
_BRACKET = re.compile(r"(?<!!)[\[［](?!\^)([^\[\]［］]{1,300})[\]］](?!\()")
_CUT = re.compile(rf"(?P<omission>{_OMISSION.pattern})|{_BRACKET.pattern}")
_LETTER = r"[^\W\d_\u2e80-\u9fff]"
_PART_OF_WORD = re.compile(
    rf"(?<={_LETTER})\[({_LETTER}{{1,20}})\]|\[({_LETTER}{{1,20}})\](?=['’]?{_LETTER})"
)
_WITHIN_WORD = re.compile(rf"(?<={_LETTER})\[[^\[\]]*[\u3400-\u9fff][^\[\]]*\](?={_LETTER})")
_INSERTED = re.compile(r"(?<=\s)\[\d{1,3}\](?=\s+\w)")
"""A number in brackets that is rather an insertion than a note mark, unless the source has it."""
_FARTHEST = 400
"""The number of words that an omission may leave out."""
_FARTHEST_ALONE = 40
"""The same next to a single word, which says little."""
_REPLACED = 3
"""The number of words of the source that an insertion may replace."""
_HIDING = 5
"""An omission of at most this many words hides a negation anywhere in it; a longer one only if the
negation is next to it.
"""
_NEAR = 0.55
"""The share of a quotation's words, in runs common to both, from which on a passage is near."""
_MOST_PLACES, _COMMON = 400, 4_000
"""The number of occurrences of a pair of words, and of a word, from which on it no longer tells
where to look.
"""
_MOST_FOUND = 50
_BUCKET = 8
_CANDIDATES = 4
_MOVED_RUN = 4
_ROOM = 11
"""The number of words to add on both sides of a candidate passage."""


class NearMatch(NamedTuple):
    """A near passage. `ops` are difflib's opcodes from the passage's words to the quotation's."""

    passage: Passage
    share: float
    ops: list[tuple[str, int, int, int, int]]
    is_same: bool
    """Whether only white space and the numbers of items differ."""


class _Part(NamedTuple):
    words: list[str]
    is_omission: bool
    """Whether an omission precedes it, and not only an insertion."""


class Quotation:
    """The words between a quotation's marks."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words: Words = words_of(text)
        self.is_chinese = sum(map(is_han, self.words.words)) > len(self.words.words) / 2

    @cached_property
    def parts(self) -> list[_Part]:
        """The parts between omissions and insertions; empty if an insertion is a negation or a
        number, or if they are too short to be significant.
        """
        text = _PART_OF_WORD.sub(lambda found: f"\u2060{found[1] or found[2]}\u2060", self.text)
        text = _WITHIN_WORD.sub(lambda found: "\u2060" * len(found[0]), text)
        parts = []
        at, is_omission = 0, False
        for cut in [*_CUT.finditer(text), None]:
            if words := words_of(text, at, cut.start() if cut else len(text)).words:
                parts.append(_Part(words, is_omission))
                is_omission = False
            if cut:
                at, is_omission = cut.end(), is_omission or bool(cut["omission"])
                if not cut["omission"] and any(map(_matters, words_of(cut[2]).words)):
                    return []
        weights = [_weight(part.words) for part in parts]
        return parts if max(weights, default=0) >= 2 and sum(weights) >= 3 else []

    def exact(self, index: SourceIndex) -> list[Passage]:
        """Return every passage with these words, in order, except those that cut off a negation."""
        words = self.words.words
        starts = islice(index.exact(index.encoded(words)), _MOST_FOUND)
        found = [Passage(start, start + len(words)) for start in starts]
        if found:
            found = [passage for passage in found if self._has_same_marks(index, passage)]
        else:
            found = self._in_parts(index)
        return [passage for passage in found if not self._cut_off(index, passage)]

    def _has_same_marks(self, index: SourceIndex, passage: Passage) -> bool:
        """Return whether the note marks do not contradict the source's; either may lack them."""
        places = range(passage.start, passage.end + 1)
        there = [index.marks[place] for place in places if place in index.marks]
        ends = any(before == len(self.words.words) for before, _ in self.words.marks)
        if ends and (behind := index.word(passage.end))[:1].isdigit():
            there.append(behind)
        if not there:
            return not _INSERTED.search(self.text)
        return all(mark in there for _, mark in self.words.marks)

    def _cut_off(self, index: SourceIndex, passage: Passage) -> list[int]:
        """Return the positions of negations missing from a full sentence that is not one in the
        source: “not all” is not “all”.
        """
        text = self.text.strip("*_ ")
        sides = [] if text[:1].islower() else [(passage.start - 1, passage.start)]
        sides += [(passage.end, passage.end - 1)] if text[-1:] in {".", "!", "?"} else []
        found = []
        for place, other in sides:
            word = index.word(place)
            if negates(word) and not is_han(word):
                begin, end = index.ends[min(place, other)], index.starts[max(place, other)]
                between, after = index.text[begin:end], index.text[end : end + 1]
                is_apart = readable(between).strip() or ("\n\n" in between and after.isupper())
                found += [] if is_apart else [place]
        return found

    def _in_parts(self, index: SourceIndex) -> list[Passage]:
        """Return the passages with these parts in order, each as close to the previous one as
        possible, that leave out nothing significant; empty if a near passage fits better.
        """
        pattern = before = ""
        weight = 0.0
        for part in self.parts:
            run, last, weight = self._pattern(index, part.words), weight, _weight(part.words)
            if UNKNOWN in run:
                return []
            if pattern:
                farthest = _FARTHEST if min(last, weight) > 1.5 else _FARTHEST_ALONE
                most = farthest if part.is_omission else _REPLACED
                pattern += f"((?:(?!{before})[^{GAP}]){{0,{most}}}?)"
            pattern, before = pattern + run, run
        found = [*re.finditer(pattern, index.coded)] if pattern else []
        nearest = min(found, key=lambda one: one.end() - one.start(), default=None)
        if nearest is None or self._misleads(index, nearest):
            return []
        return [Passage(*one.span()) for one in found if not self._misleads(index, one)]

    def _pattern(self, index: SourceIndex, words: list[str]) -> str:
        """Return the pattern for a run of words. In Chinese, which counts characters, a cut may
        split a foreign word.
        """
        codes = [*index.encoded(words)]
        if self.is_chinese and len(words) > 1:
            for at, is_piece in ((0, str.endswith), (-1, str.startswith)):
                if words[at][0].isalpha() and not is_han(words[at]):
                    whole = [
                        code for word, code in index.codes.items() if is_piece(word, words[at])
                    ]
                    codes[at] = f"[{''.join(whole)}]" if whole else UNKNOWN
        return "".join(codes)

    def _misleads(self, index: SourceIndex, found: re.Match[str]) -> bool:
        """Return whether an omission between two parts hides a negation or a number, or whether the
        later part occurs closer before the earlier one, so that their order was changed.
        """
        for number, part in enumerate(self.parts[1:], 1):
            left_out = index.words(*found.span(number))
            if not part.is_omission and any(map(_matters, left_out)):
                return True
            seen = left_out if len(left_out) <= _HIDING else [left_out[0], left_out[-1]]
            if any(map(negates, seen)):
                return True
            nearer = max(0, found.start() - len(left_out) - len(part.words))
            before = index.coded[nearer : found.start()]
            if len(left_out) > _REPLACED and re.search(self._pattern(index, part.words), before):
                return True
        return False

    # ── What comes near
    # ────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def plain_words(self) -> Words:
        """The words without insertions: what is compared if the quotation is not in the source."""

        def plain(found: re.Match[str]) -> str:
            is_part = _PART_OF_WORD.match(self.text, found.start())
            is_kept = is_part or any(map(_matters, words_of(found[1]).words))
            return found[0] if is_kept else " " * len(found[0])

        return words_of(_BRACKET.sub(plain, self.text))

    def near(self, index: SourceIndex) -> NearMatch | None:
        """Return the nearest passage of a source, None if none is near."""
        run = index.encoded(self.plain_words.words)
        nears = [self._aligned(index, run, place) for place in _candidates(index, run)]
        found = max(nears, key=lambda near: near.share, default=None)
        if found is None or (found.share < _NEAR and not self._is_moved(index, run, found)):
            return None
        return found

    def _aligned(self, index: SourceIndex, run: str, place: int) -> NearMatch:
        middle = max(0, min(place + len(run) // 2, len(index.coded) - 1))
        begin = max(0, place - _ROOM, index.coded.rfind(GAP, 0, middle) + 1)
        end = min(place + len(run) + _ROOM + _BUCKET, index.coded.find(GAP, middle))
        if same := self._run_together(index, begin, end):
            return NearMatch(same, 1.0, [], is_same=True)
        ops = [
            (kind, begin + i1, begin + i2, j1, j2)
            for kind, i1, i2, j1, j2 in _alignment(index.coded[begin:end], run)
        ]
        equal = [i2 - i1 for kind, i1, i2, *_ in ops if kind == "equal"]
        share = sum(length for length in equal if length >= 2 or len(run) < 5) / len(run)
        start, stop = ops[0][1], ops[-1][2]
        less = [at for kind, i1, i2, *_ in ops if kind != "equal" for at in range(i1, i2)]
        is_same = (
            0 < len(less) == stop - start - len(run)
            and all(map(index.is_numbering, less))
            and self._has_same_marks(index, Passage(start, stop))
        )
        for place in self._cut_off(index, Passage(start, stop)):
            at = 0 if place < start else len(run)
            ops.insert(0 if place < start else len(ops), ("delete", place, place + 1, at, at))
            is_same = False
        return NearMatch(Passage(start, max(stop, start + 1)), share, ops, is_same)

    def _run_together(self, index: SourceIndex, begin: int, end: int) -> Passage | None:
        """Return the passage with the same letters as the quotation, whatever the word
        boundaries.
        """
        wanted, words = self.plain_words.words, index.words(begin, end)
        bounds = [*accumulate(map(len, words), initial=0)]
        for found in re.finditer(re.escape("".join(wanted)), "".join(words)):
            if found.start() in bounds and found.end() in bounds:
                first, last = bounds.index(found.start()), bounds.index(found.end())
                passage = Passage(begin + first, begin + last)
                is_same = run_together(words[first:last]) == run_together(wanted)
                # “not able” is not “notable”.
                is_same &= sum(map(negates, words[first:last])) == sum(map(negates, wanted))
                if is_same and self._has_same_marks(index, passage):
                    return None if self._cut_off(index, passage) else passage
        return None

    def _is_moved(self, index: SourceIndex, run: str, near: NearMatch) -> bool:
        """Return whether clauses of the quotation occur around the passage, in any order."""
        around = index.coded[
            max(0, near.passage.start - _FARTHEST // 2) : near.passage.end + _FARTHEST // 2
        ]
        length = _MOVED_RUN * (2 if self.is_chinese else 1)
        found = [at for at in range(len(run) - length + 1) if run[at : at + length] in around]
        covered = {at + more for at in found for more in range(length)}
        return len(covered) >= _NEAR * len(run)


def _candidates(index: SourceIndex, run: str) -> list[int]:
    """Return where a quotation may begin: pairs of words vote, rare ones with more weight."""
    votes: Counter[int] = Counter()
    for offset in range(len(run) - 1):
        pair = run[offset : offset + 2]
        side = min((0, 1), key=lambda side: len(index.places(pair[side])))
        places = index.places(pair[side])
        if len(places) > _COMMON:
            continue
        found = [at - side for at in places if index.coded.startswith(pair, at - side)]
        for place in found if len(found) <= _MOST_PLACES else ():
            votes[(place - offset) // _BUCKET] += (1 + len(found)) ** -0.3
    best = sorted(votes, key=lambda bucket: -(votes[bucket] + votes.get(bucket + 1, 0)))
    return [bucket * _BUCKET for bucket in best[:_CANDIDATES]]


def _alignment(window: str, run: str) -> list[tuple[str, int, int, int, int]]:
    """Return the fewest changes that turn a part of `window` into the quotation, as difflib's
    opcodes.
    """
    like = partial_ratio_alignment(run, window)
    first, last = (like.dest_start, like.dest_end) if like else (0, len(window))
    matcher = SequenceMatcher(None, window, run, autojunk=False)
    start, at, length = matcher.find_longest_match(first, last)
    begin = start - _reach(window[:start][::-1], run[:at][::-1])
    end = start + length + _reach(window[start + length :], run[at + length :])
    found = []
    steps = [*Levenshtein.opcodes(window[begin:end], run)]
    for is_same, some in groupby(steps, key=lambda step: step.tag == "equal"):
        several = [*some]
        i1, j1 = several[0].src_start, several[0].dest_start
        i2, j2 = several[-1].src_end, several[-1].dest_end
        kind = "equal" if is_same else "delete" if j1 == j2 else "insert" if i1 == i2 else "replace"
        found.append((kind, begin + i1, begin + i2, j1, j2))
    return found


def _reach(text: str, words: str) -> int:
    """Return how many words of `text` correspond to `words`: the number with the fewest
    differences, then with the most equal words, then the closest to the same length.
    """
    usual = len(words)
    return min(
        range(max(0, usual - 3 * _ROOM), min(len(text), usual + 3 * _ROOM) + 1),
        key=lambda end: (
            Levenshtein.distance(text[:end], words),
            -LCSseq.similarity(text[:end], words),
            abs(end - usual),
        ),
        default=len(text),
    )


def _matters(word: str) -> bool:
    """Return whether adding or omitting a word, number or sign always changes the meaning."""
    return negates(word) or not word[:1].isalpha()


def _weight(words: list[str]) -> float:
    """Return the number of words: two Chinese characters count as one."""
    return sum(0.5 if is_han(word) else 1 for word in words)
