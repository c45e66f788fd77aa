"""Whether a number of a draft is in a source in its context: the same sentence, or the same row
and column.
"""

import itertools
import math
from collections import Counter
from functools import cached_property
from typing import NamedTuple

from dogent_tui.permissions.text import names
from dogent_tui.sources.quotes.index import SourceIndex
from dogent_tui.sources.quotes.numbers import NUMBER, Number, language_of, number_at, numbers_in
from dogent_tui.sources.quotes.tokens import is_han, words_of

_COMMON = 400
"""A word that occurs more often says nothing about where to look."""
_CANDIDATES = 8
_LACKED = 0.2
"""What a word weighs that the place has and the draft lacks."""
_AROUND = 4
"""Words on both sides of a number that tell it from others in its sentence."""
_NEAREST, _NEAR, _TELLING = 4, 10, 2
"""Words on each side of a number that are enough to know it by; where they are next to another
number somewhere; and how many have to tell something. A Chinese character is half a word.
"""
_BESIDE = 0.5
"""What any word weighs more that is next to the number in both."""
_ENOUGH = 0.35
"""Share of the weight of the draft's words from which on a context is found."""

_FUNCTION_WORDS = names(
    "a an the of and or to in on at by for from with as is are was were be been has have had that"
    " this these those it its there than then which who their his her only about over under into"
    " der die das den dem des ein eine einen einem einer eines und oder zu in im an am auf bei von"
    " vom mit für als ist sind war waren wird werden wurde wurden hat haben hatte dass dies diese"
    " dieser dieses es sie er nur nach aus um le la les l un une des du de d et ou à au aux en dans"
    " sur par pour avec est sont était étaient a ont que qui ce cette ces il elle ils elles 的 了"
    " 是 在 和 与 有 为 也 而 及"
)
"""Words that say nothing about what a number counts."""


class Figure(NamedTuple):
    """A number of the draft in its context."""

    number: Number
    words: list[str]
    around: frozenset[str]
    sides: tuple[list[str], list[str]]
    in_order: tuple[list[str], list[str], list[str]]
    """The words before it, its own, and those behind it, all as they are written."""

    @classmethod
    def of(cls, context: str, at: int, spelled: str, language: str) -> "Figure":
        """Take the number at character `at` of `context`."""
        found = next(
            number
            for number in numbers_in(context, language)
            if number.start <= at < number.end or number.spelled == spelled
        )
        sides = _sides(context, found)
        words = words_of(context)
        own = [
            place
            for place, end in enumerate(words.ends)
            if end > found.start and words.starts[place] < found.end
        ]
        begin, end = (own[0], own[-1] + 1) if own else (0, 0)
        in_order = words.words[:begin], words.words[begin:end], words.words[end:]
        return cls(found, [*sides[0], *sides[1]], _around(context, found), sides, in_order)


class Place(NamedTuple):
    """A number of a source that may be the one meant, and how well its context fits."""

    number: Number
    character: int
    score: float
    is_found: bool
    shared: float
    around: float = 0.0
    is_label: bool = False
    """Whether it is the name of a row: what is in the row tells it; it is never meant instead of
    another number.
    """


class Figures:
    """Finds the numbers of one source by their contexts."""

    def __init__(self, index: SourceIndex) -> None:
        self._index = index

    @cached_property
    def language(self) -> str:
        """The language of the source."""
        return language_of(self._index.text[:20_000])

    def same_words(self, figure: Figure) -> list[int]:
        """Return the characters at which the number and the words next to it are, whatever the
        sentences are; none where they say too little.
        """
        before, own, behind = figure.in_order
        for most, is_enough in ((_NEAREST, False), (_NEAR, True)):
            sides = before[-most:], behind[:most]
            found = [*self._index.exact(self._index.encoded([*sides[0], *own, *sides[1]]))]
            telling = (each for side in sides for each in side if self._weight(each))
            says = sum(0.5 if is_han(each) else not each[0].isdigit() for each in telling)
            if not found or says < _TELLING:
                return []
            if is_enough or not self._has_another(sides, own):
                break
        return [self._index.starts[each] for each in found]

    def _has_another(self, sides: tuple[list[str], list[str]], own: list[str]) -> bool:
        """Tell whether the words before a number, or those behind it where there are none, are
        next to another one somewhere.
        """
        index, (before, behind) = self._index, sides
        places = index.exact(index.encoded(before or behind))
        others = {index.word(at + len(before) if before else at - 1) for at in places}
        return any(word[:1].isdigit() for word in others - {own[0 if before else -1]})

    def places(self, figure: Figure) -> list[Place]:
        """Return the numbers whose context fits best; all that fit equally well. Empty where
        there is no context.
        """
        index = self._index
        weights = {word: self._weight(word) for word in set(figure.words)}
        total = sum(weights.values()) or 1.0
        sentences: Counter[tuple[int, int]] = Counter()
        for word in sorted(weights, key=lambda word: -weights[word]):
            places = index.places(index.encoded([word]))
            if len(places) <= _COMMON:
                for place in places:
                    sentences[index.sentence_at(index.starts[place])] += weights[word]  # type: ignore[assignment]
        for spelling in _spellings(figure.number):
            for place in index.places(index.encoded([spelling]))[:_COMMON]:
                sentences[index.sentence_at(index.starts[place])] += 0.0  # type: ignore[assignment]
        best = {span for span, _ in sentences.most_common(_CANDIDATES)}
        best |= (
            {
                span
                for span in sentences
                if sentences[span] and _has_value(index, span, figure, self.language)
            }
            if len(sentences) < 200
            else set()
        )
        scored: list[Place] = []
        for begin, end in best:
            scored += self._places_in(begin, end, figure, weights, total)
        best_shared = max((place.shared for place in scored if not place.is_label), default=0.0)
        labels = [one for one in scored if one.is_label and agrees(figure, one)]
        labels = [one for one in labels if one.shared >= best_shared]
        scored = labels or [place for place in scored if not place.is_label]
        if not scored:
            return []
        top = max(place.score for place in scored)
        tied = [place for place in scored if place.score >= top - 1e-9]
        around = max(place.around for place in tied)
        return [place for place in tied if place.around >= around - 1e-9]

    def _weight(self, word: str) -> float:
        if word in _FUNCTION_WORDS or not (word[0].isalnum()):
            return 0.0
        count = len(self._index.places(self._index.encoded([word])))
        rarity = math.log(1 + len(self._index.coded) / (1 + count))
        return rarity * (0.5 if is_han(word) or not count else 1)

    def _places_in(
        self, begin: int, end: int, figure: Figure, weights: dict[str, float], total: float
    ) -> list[Place]:
        index = self._index
        text = index.text[begin:end]
        if text.lstrip().startswith("|"):
            return self._cells(begin, text, weights, total)
        place_words = set(words_of(text).words)
        places = []
        for number in numbers_in(text, self.language):
            shared, score = self._score(place_words, text, number, figure, weights)
            around = sum(weights.get(word, 0.0) for word in _around(text, number) & figure.around)
            places.append(
                Place(
                    number, begin + number.start, score, shared >= _ENOUGH * total, shared, around
                )
            )
        return places

    def _cells(self, begin: int, text: str, weights: dict[str, float], total: float) -> list[Place]:
        """Score the cells of a row: words of a cell are its row's first cell, its column's head,
        and the heading above.
        """
        index = self._index
        block = index.block_at(begin)
        head_row = index.text[block.table : index.text.find("\n", block.table)]
        heads = head_row.split("|")
        row = text.split("|")
        first = row[1] if len(row) > 1 else ""
        headings = " ".join(block.source.headings[-1:]) + " " + block.source.sheet
        places = []
        at = 0
        for column, cell in enumerate(row):
            head = heads[column] if column < len(heads) else ""
            own = set(words_of(f"{first} {head} ").words)
            known = own | set(words_of(f"{headings} {text}").words)
            if column <= 1:
                known |= set(words_of(head_row).words)
            for found in NUMBER.finditer(text, at, at + len(cell)):
                number = number_at(text, found, self.language)
                unit = number.unit or _unit_in(head, self.language)
                number = number._replace(unit=unit)
                itself = {*words_of(number.spelled).words}
                shared = sum(weights[word] for word in known & weights.keys() - itself)
                lacked = sum(map(self._weight, own - weights.keys() - itself))
                score = shared - _LACKED * lacked
                is_found = shared >= _ENOUGH * total
                places.append(
                    Place(
                        number, begin + found.start(), score, is_found, shared, is_label=column <= 1
                    )
                )
            at += len(cell) + 1
        return places

    def _score(
        self, words: set[str], text: str, number: Number, figure: Figure, weights: dict[str, float]
    ) -> tuple[float, float]:
        """Return the weight of the words that a place shares with the draft, and how well it fits:
        best where the words next to the number are the same, and all the words of the draft are.
        """
        own = {*words_of(number.spelled).words, *words_of(figure.number.spelled).words}
        shared = sum(weights[word] for word in words & weights.keys())
        lacked = sum(map(self._weight, words - weights.keys() - own))
        ours, theirs = figure.sides, _sides(text, number)
        beside = [
            word
            for mine, other in zip(ours, theirs, strict=True)
            for word in _common_start(mine, other)
        ]
        apart = 1 - len(beside) / (len(ours[0]) + len(ours[1]) or 1)
        near = sum(weights.get(word, 0.0) + _BESIDE for word in beside)
        return shared, shared + near - _LACKED * lacked * apart


def agrees(figure: Figure, place: Place) -> bool:
    """Tell whether value and unit are the same; a unit that is not told on one side may be any."""
    ours, theirs = figure.number, place.number
    return bool(ours.values & theirs.values) and (
        ours.unit == theirs.unit or not ours.unit or not theirs.unit
    )


def _sides(text: str, number: Number) -> tuple[list[str], list[str]]:
    """Return the words before a number, the nearest first, and those behind it."""
    return words_of(text, 0, number.start).words[::-1], words_of(text, number.end).words


def _common_start(one: list[str], other: list[str]) -> list[str]:
    pairs = zip(one, other, strict=False)
    return [mine for mine, _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)]


def _around(text: str, number: Number) -> frozenset[str]:
    before = words_of(text[max(0, number.start - 80) : number.start]).words[-_AROUND:]
    after = words_of(text[number.end : number.end + 80]).words[:_AROUND]
    return frozenset([*before, *after])


def _unit_in(head: str, language: str) -> str:
    words = head.replace("(", " ").replace(")", " ").replace("[", " ").replace("]", " ").split()
    units = (next(numbers_in(f"1 {word}", language), None) for word in words)
    return next((found.unit for found in units if found is not None and found.unit), "")


def _spellings(number: Number) -> set[str]:
    found = {*words_of(number.spelled).words} if len(words_of(number.spelled).words) == 1 else set()
    for value in number.values:
        whole, _, part = value.lstrip("-").partition(".")
        groups = f"{int(whole):,}" if whole.isdigit() else whole
        for grouped, point in (
            (whole, "."),
            (whole, ","),
            (groups, "."),
            (groups.replace(",", "."), ","),
        ):
            found.add(grouped + (point + part if part else ""))
    return found


def _has_value(index: SourceIndex, span: tuple[int, int], figure: Figure, language: str) -> bool:
    return any(
        number.values & figure.number.values
        for number in numbers_in(index.text[span[0] : span[1]], language)
    )
