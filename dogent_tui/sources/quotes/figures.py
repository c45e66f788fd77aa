"""Whether a number of a draft occurs in a source in its context: the same sentence, or the same row
and column.
"""

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from rapidfuzz.distance import Postfix, Prefix

from dogent_tui.permissions.text import names
from dogent_tui.sources.quotes.index import SourceIndex
from dogent_tui.sources.quotes.numbers import (
    FUNCTION_WORDS,
    MONTHS,
    Number,
    language_of,
    numbers_in,
    readings,
)
from dogent_tui.sources.quotes.tokens import is_han, read_text, words_of

_COMMON = 400
"""More frequent words do not tell where to look."""
_CANDIDATES = 8
_LACKED = 0.2
"""The weight of a word that is in the source's context but not in the draft's."""
_NEAREST, _TELLING = 5, 2
"""The number of adjacent words on each side that identify a number, and how many of them must be
significant. A Chinese character is half a word.
"""
_BESIDE = 0.5
"""The additional weight of a word adjacent to the number in both."""
_CAPTION = re.compile(r"(?<=\n\n)[^\n]{1,150}(?<!\.)\n{1,2}$")
"""What is above a table and may tell its unit."""
_ENOUGH = 0.35
"""The share of the weight of the draft's words from which on a context matches."""

_FUNCTION_WORDS = frozenset().union(*FUNCTION_WORDS.values())


_FALLING = names(
    "fell fall falls fallen drop dropped decline declined decrease decreased down lower less"
    " minus negative loss losses deficit shrank reduced reduction sank sanken sinkt gesunken fiel"
    " fielen rückgang rückläufig verringerte verringerten verlust verluste fehlbetrag weniger"
    " baisse baissé recul reculé diminué diminution perte pertes 降 跌 减 減 亏 損"
)
_YEAR = re.compile(r"(?:19|20)\d\d")


def _pairs(numbers: Sequence[Number]) -> dict[int, frozenset[str]]:
    """Return the start of each number → the value of the year that it is for, and of each year →
    the values for it: all of them if there is one year, or if there are as many years as other
    numbers, that in the same order.
    """
    years = [each for each in numbers if not each.unit and _YEAR.fullmatch(each.spelled)]
    others = [each for each in numbers if each not in years]
    same = [*zip(years, others, strict=False)] if len(years) == len(others) else []
    same = same or [(year, other) for year in years for other in others if len(years) == 1]
    found: dict[int, frozenset[str]] = {}
    for pair in same:
        for one, other in (pair, pair[::-1]):
            found[one.start] = found.get(one.start, frozenset()) | {other.value}
    return found


class Figure(NamedTuple):
    """A number of the draft in its context: the words before it, its own, those after it, and the
    year that it is for, or the values for it if it is a year.
    """

    number: Number
    before: list[str]
    own: list[str]
    behind: list[str]
    language: str
    pair: frozenset[str] = frozenset()

    @classmethod
    def of(cls, context: str, at: int, spelled: str, language: str) -> "Figure":
        """Take the number at character `at` of `context`."""
        numbers = [*numbers_in(context, language)]
        found = next(
            number
            for number in numbers
            if number.start <= at < number.end or number.spelled == spelled
        )
        words = words_of(context)
        begin = bisect_right(words.ends, found.start)
        end = max(begin, bisect_left(words.starts, found.end))
        before, own, behind = words.words[:begin], words.words[begin:end], words.words[end:]
        return cls(
            found, before, own, behind, language, _pairs(numbers).get(found.start, frozenset())
        )


class Place(NamedTuple):
    """A number of a source that may be meant, and how well its context matches."""

    number: Number
    character: int
    score: float
    shared: float
    is_label: bool = False
    """Whether it names a row or column: it identifies what is there and is never meant instead of
    another number.
    """


class Figures:
    """Finds the numbers of one source by their contexts."""

    def __init__(self, index: SourceIndex) -> None:
        self._index = index
        self.language = language_of(index.text[:20_000], "")
        """Empty where only numbers and names are: these are read as the draft's are."""
        self._tops: dict[int, int] = {}
        """Maps the start of a block to the start of the first row of its table."""

    @cached_property
    def _by_value(self) -> dict[str, list[str]]:
        """Possible value → the words that are that number."""
        found: dict[str, list[str]] = {}
        for word in self._index.codes:
            for number in numbers_in(word, self.language or "en") if word[0].isdigit() else ():
                found.setdefault(number.value, []).append(word)
        return found

    def same_words(self, figure: Figure) -> list[int]:
        """Return the positions of the number with the same adjacent words, regardless of sentences;
        empty if these are not significant.
        """
        before, behind = figure.before[-_NEAREST:], figure.behind[:_NEAREST]
        telling = [word for word in (*before, *behind) if self._weight(word)]
        says = sum(0.5 if is_han(word) else not word[0].isdigit() for word in telling)
        run = self._index.encoded([*before, *figure.own, *behind])
        found = self._index.exact(run) if says >= _TELLING else ()
        return [self._index.starts[each] for each in found]

    def places(self, figure: Figure) -> list[Place]:
        """Return the numbers whose contexts match best, all if equal. Empty if none matches."""
        index = self._index
        weights = {word: self._weight(word) for word in (*figure.before, *figure.behind)}
        sentences: Counter[tuple[int, int]] = Counter()
        same = self._by_value.get(figure.number.value, [])
        for word in dict.fromkeys((*weights, *figure.own, *same)):
            places = index.places(index.encoded([word]))
            for place in places if len(places) <= _COMMON else ():
                sentences[index.sentence_at(index.starts[place])] += self._weight(word)  # type: ignore[assignment]
        scored = [
            place
            for span, _ in sentences.most_common(_CANDIDATES)
            for place in self._places_in(*span, figure, weights)
        ]
        others = [each for each in scored if not each.is_label]
        best = max((each.shared for each in others), default=0.0)
        rarest = max(weights.values(), default=0.0)  # a cell also knows a word of the other column
        labels = [each for each in scored if each.is_label and agrees(figure, each)]
        fitting = [each for each in labels if each.shared >= best - rarest] or others
        top = max((each.score for each in fitting), default=0.0) - 1e-9
        enough = _ENOUGH * (sum(weights.values()) or 1.0)
        return [one for one in fitting if one.score >= top and max(one.shared, one.score) >= enough]

    def _weight(self, word: str) -> float:
        if word in _FUNCTION_WORDS or not (word[0].isalnum()):
            return 0.0
        count = len(self._index.places(self._index.encoded([word])))
        rarity = math.log(1 + len(self._index.coded) / (1 + count))
        return rarity * (0.5 if is_han(word) or not count else 1)

    def _places_in(
        self, begin: int, end: int, figure: Figure, weights: dict[str, float]
    ) -> Iterator[Place]:
        """Yield the numbers of a sentence or row. A match is best if the adjacent words are the
        same and all words of the draft occur.
        """
        text, characters = read_text(self._index.text, begin, end)
        words = words_of(text)
        is_row = text.lstrip().startswith("|")
        language = self.language or figure.language
        numbers = [*numbers_in(text, language)]
        is_of_year = not is_row or _YEAR.search(text.split("|")[1]) is not None
        pairs = _pairs(numbers) if is_of_year else {}
        is_paired = any(figure.pair & each for each in pairs.values())
        unit, units = figure.number.unit, {each.unit for each in numbers}
        said = {(each.value, each.unit) for each in numbers if each.unit in MONTHS}
        is_date = (figure.number.value, unit) in said
        for number in numbers:
            start, is_equal = number.start, number.value == figure.number.value
            if not is_equal and (is_date or (number.unit != unit and unit in units)):
                continue  # 3.4 % was not the revenue of the year, 5 not the day of 3 to 5 March
            is_other = figure.pair.isdisjoint(pairs.get(start, figure.pair))
            read, labels, valued = [number], list[Number](), numbers
            if is_row:
                column = text.count("|", 0, start)
                is_paired = column > 1
                read, labels, own, known = self._cell(begin, text, column, number, language)
                years = {each.value for each in labels if _YEAR.fullmatch(each.spelled)}
                if years and all(map(_YEAR.fullmatch, figure.pair)):
                    is_other = figure.pair.isdisjoint(years)
                valued = read if column > 1 else numbers
                told = {*figure.before[-2:], *figure.behind[:2]} & own
                apart, near = 1.0, math.fsum(weights[word] for word in told)
            else:
                own = known = {*words.words}
                first = bisect_right(words.ends, number.start)
                last = bisect_left(words.starts, number.end)
                above = Postfix.similarity(figure.before, words.words[:first])
                below = Prefix.similarity(figure.behind, words.words[last:])
                beside = figure.before[len(figure.before) - above :] + figure.behind[:below]
                apart = 1 - len(beside) / (len(figure.before) + len(figure.behind) or 1)
                near = sum(weights[word] + _BESIDE for word in beside)
            if is_paired and is_other and figure.pair:
                continue
            for meant in dict.fromkeys((*read, *labels)):
                itself = {*words_of(meant.spelled).words}
                # The words have no order, and the sum must not depend on it.
                shared = math.fsum(weights[word] for word in weights.keys() & known - itself)
                if meant in labels and figure.pair & {each.value for each in valued}:
                    shared += sum(weights.values())
                lacked = math.fsum(map(self._weight, own - weights.keys() - itself - {*figure.own}))
                less = _LACKED * lacked * apart * (meant.value != figure.number.value)
                score = shared + near - less
                is_label = meant in labels
                if not meant.unit and unit in map(MONTHS.get, known):
                    meant = meant._replace(unit=unit)
                yield Place(meant, characters[start], score, shared, is_label)

    def _cell(
        self, begin: int, text: str, column: int, number: Number, language: str
    ) -> tuple[list[Number], list[Number], set[str], set[str]]:
        """Return the readings of a cell's number in the units of its table; the numbers of the
        column's head, or itself if it is one; the words of its row's first cell and that head; and
        those plus the rest of its row, the table's first cell, and the caption and heading above.
        """
        block, whole = self._index.block_at(begin), self._index.text
        if block.start not in self._tops:  # searching takes long in a long table
            start = whole.rfind("\n\n", 0, begin) + 1  # a caption may be above the first row
            self._tops[block.start] = whole.find("|", start)
        top = self._tops[block.start]
        head_row = whole[top : whole.find("\n", top)]
        cells, heads = text.split("|"), head_row.split("|")
        head = heads[column] if column < len(heads) else ""
        own = {*words_of(f"{cells[1]} {head}").words}
        above = _CAPTION.findall(whole, max(0, top - 200), top)
        around = " ".join([*heads[1:2], *above, *block.source.headings[-1:]])
        known = f"{around} {block.source.sheet} {text} {head_row if column <= 1 else ''}"
        is_label = column <= 1 or top == begin
        labels = [number] if is_label else [*numbers_in(head, language)]
        read = labels if is_label else readings(number, language, (cells[1], head), around)
        return read, labels, own, own | {*words_of(known).words}


def agrees(figure: Figure, place: Place) -> bool:
    """Return whether value and unit are the same; an unknown unit matches any but a month, and what
    falls by 3 is −3.
    """
    ours, theirs = figure.number, place.number
    falls = not _FALLING.isdisjoint((*figure.before, *figure.behind))
    is_known = theirs.unit or ours.unit in MONTHS
    return theirs.value in {ours.value, f"{'-' * falls}{ours.value}"} and (
        ours.unit == theirs.unit or not ours.unit or not is_known
    )
