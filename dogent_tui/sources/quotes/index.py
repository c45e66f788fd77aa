"""One source as it is looked through: its words as numbers, where each one stands, and where in the
document that is.

It is made once of the document's Markdown and kept as bytes; nothing of it has to be worked out
when it is loaded.
"""

import math
import re
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import msgspec

from dogent_tui.documents.model import Source
from dogent_tui.sources.quotes.numbers import SENTENCE_END
from dogent_tui.sources.quotes.tokens import is_han, words_of

GAP = 0
"""The number that is no word: nothing is quoted over it."""
_GAP_WORDS = 4
_COMMON = 100
"""A word that occurs more often, and is one of fifty, says nothing about where to look."""
_SEAM_WORDS = 60
_SEAM_BLOCKS = 8
_NOTE = re.compile(r"\[\^[^\]\s]+\]:")
_NO_PROSE = re.compile(r"\s*(?:#|\||```|<|!\[|[-*+] |\[\^)")
_UNFINISHED = re.compile(r"[^\s.!?。！？…”\"»*_]$")
_LOWER = re.compile(r"[a-zß-öø-ÿ\u0430-\u045f]")
_SENTENCE = re.compile(rf"{SENTENCE_END.pattern}|\n\s*\n|\n(?=\s*(?:[-*+|>#] ?|\d+[.)] ))")


class Block(msgspec.Struct, frozen=True, array_like=True):
    """A paragraph, heading or rows of a table, from character `start` of the Markdown on.
    `table`: where that begins.
    """

    start: int
    source: Source
    table: int


class Kept(msgspec.Struct, frozen=True, array_like=True):
    """A source as it is kept: arrays of 32-bit numbers as bytes. `reason` is the code of why it
    cannot be read, else empty.
    """

    reason: str = ""
    pages: int = 0
    text: str = ""
    blocks: list[Block] = []
    vocabulary: list[str] = []
    tokens: bytes = b""
    starts: bytes = b""
    ends: bytes = b""
    first: bytes = b""
    """Where in `postings` the places of each word begin; one more than there are words."""
    postings: bytes = b""
    sentences: bytes = b""
    """Characters at which sentences and rows begin."""
    marks: list[tuple[int, str]] = []


class Passage(NamedTuple):
    """Words `start` to `end` of a source."""

    start: int
    end: int


class SourceIndex:
    """Looks through one source. `number` is a word's number, counted from 1 (`GAP` is 0)."""

    def __init__(self, kept: Kept) -> None:
        """Take what was kept."""
        self.text = kept.text
        self.pages = kept.pages
        self.blocks = kept.blocks
        self._vocabulary = kept.vocabulary
        self.tokens, self.starts, self.ends = (
            _numbers(data) for data in (kept.tokens, kept.starts, kept.ends)
        )
        self._first, self._postings, self.sentences = (
            _numbers(data) for data in (kept.first, kept.postings, kept.sentences)
        )
        self.marks = dict(kept.marks)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each word."""
        return {word: number for number, word in enumerate(self._vocabulary, 1)}

    def encoded(self, words: Iterable[str]) -> "array[int]":
        """Return words as numbers; what does not occur here gets one that occurs nowhere."""
        find = self.numbers.get
        return array("I", [find(word, 0xFFFFFFFF) for word in words])

    def word(self, place: int) -> str:
        """Return the levelled word at `place`."""
        number = self.tokens[place]
        return self._vocabulary[number - 1] if number else ""

    def words(self, start: int, end: int) -> list[str]:
        """Return levelled words."""
        return [self.word(place) for place in range(max(0, start), min(end, len(self.tokens)))]

    def count(self, number: int) -> int:
        """Return how often a word occurs."""
        return self._first[number] - self._first[number - 1] if 0 < number < len(self._first) else 0

    def places(self, number: int) -> "array[int]":
        """Return where a word occurs, in order."""
        return (
            self._postings[self._first[number - 1] : self._first[number]]
            if self.count(number)
            else array("I")
        )

    def exact(self, numbers: "array[int]", most: int = 50) -> list[int]:
        """Return where this run of words begins, in order, at most so many places."""
        counts = [self.count(number) for number in numbers]
        if not counts or min(counts) == 0:
            return []
        offset = counts.index(min(counts))
        found = []
        for place in self.places(numbers[offset]):
            start = place - offset
            if start >= 0 and self.tokens[start : start + len(numbers)] == numbers:
                found.append(start)
                if len(found) >= most:
                    break
        return found

    def exact_within(
        self, numbers: "array[int]", begin: int, end: int, *, is_last: bool = False
    ) -> int | None:
        """Return the first place from `begin` up to `end` at which this run of words begins, or
        the last; None for none.
        """
        counts = [self.count(number) for number in numbers]
        if min(counts) == 0:
            return None
        offset = counts.index(min(counts))
        places = self.places(numbers[offset])
        near = places[
            bisect_left(places, max(0, begin) + offset) : bisect_right(places, max(0, end + offset))
        ]
        for place in reversed(near) if is_last else near:
            start = place - offset
            if self.tokens[start : start + len(numbers)] == numbers:
                return start
        return None

    def block(self, place: int) -> Block:
        """Return the block that the word at `place` is in."""
        return self.block_at(self.starts[place])

    def block_at(self, character: int) -> Block:
        """Return the block that a character of the Markdown is in."""
        return self.blocks[self._block_number(character)]

    def _block_number(self, character: int) -> int:
        return max(0, bisect_right(self.blocks, character, key=lambda block: block.start) - 1)

    def pages_of(self, passage: Passage) -> set[int]:
        """Return the pages that a passage is on; empty where there are none."""
        places = [*range(passage.start, passage.end, 8), passage.end - 1]
        return {page for page in (self.block(place).source.page for place in places) if page}

    def source_of(self, character: int) -> Source:
        """Return where in the document a character of its Markdown is. `line` is the first one
        of a paragraph, else its own.
        """
        block = self.block_at(character)
        if not block.source.line or not _NO_PROSE.match(self.text, block.start):
            return block.source
        below = self.text.count("\n", block.start, character)
        return msgspec.structs.replace(block.source, line=block.source.line + below)

    def nearest(self, words: Iterable[str], most: int) -> list[tuple[int, float]]:
        """Return the blocks that have most of these words, best first, each as the character it
        begins at and its score: BM25 with its usual constants.
        """
        scores: dict[int, float] = {}
        usual = len(self.text) / (len(self.blocks) or 1)
        for number in {self.numbers.get(word, 0) for word in words} - {GAP}:
            if self.count(number) > _COMMON + len(self.tokens) // 50:
                continue
            counts = Counter(self._block_number(self.starts[at]) for at in self.places(number))
            rarity = math.log(1 + (len(self.blocks) - len(counts) + 0.5) / (len(counts) + 0.5))
            for block, count in counts.items():
                begin, *behind = (each.start for each in self.blocks[block : block + 2])
                length = (behind[0] if behind else len(self.text)) - begin
                room = 1.2 * (0.25 + 0.75 * length / usual)
                score = rarity * count * 2.2 / (count + room)
                scores[begin] = scores.get(begin, 0.0) + score
        return sorted(scores.items(), key=lambda scored: -scored[1])[:most]

    def sentence_at(self, character: int) -> tuple[int, int]:
        """Return where the sentence or row of a character begins and ends."""
        index = bisect_right(self.sentences, character)
        begin = self.sentences[index - 1] if index else 0
        return begin, self.sentences[index] if index < len(self.sentences) else len(self.text)


def _numbers(data: bytes) -> "array[int]":
    numbers = array("I")
    numbers.frombytes(data)
    return numbers


def make(text: str, blocks: Sequence[Block], pages: int) -> Kept:
    """Return the index of a document's Markdown, whose `blocks` are in order."""
    words, starts, ends, marks = words_of(text)
    bounds = [*(bisect_left(starts, block.start) for block in blocks), len(starts)]
    order: list[int] = []  # the words as they are read: notes after the text that they interrupt
    notes: list[int] = []
    for index, block in enumerate(blocks):
        span = range(bounds[index], bounds[index + 1])
        (notes if _NOTE.match(text, block.start) else order).extend(span)
    gap = [-1] * _GAP_WORDS
    order = [*order, *gap, *notes]
    for left, right in _seams(text, blocks, bounds):
        order += [*gap, *left, *right]
    order += gap
    vocabulary: dict[str, int] = {}
    number = [vocabulary.setdefault(word, len(vocabulary) + 1) for word in words]
    tokens = array("I", [number[place] if place >= 0 else GAP for place in order])
    lists: list[list[int]] = [[] for _ in range(len(vocabulary) + 1)]
    for place, token in enumerate(tokens):
        lists[token].append(place)
    first, postings = array("I", [0]), array("I")
    for places in lists[1:]:
        postings.extend(places)
        first.append(len(postings))
    where = (
        {place: at for at, place in reversed([*enumerate(order)]) if place >= 0} if marks else {}
    )
    return Kept(
        pages=pages,
        text=text,
        blocks=list(blocks),
        vocabulary=list(vocabulary),
        tokens=tokens.tobytes(),
        starts=array("I", [starts[place] if place >= 0 else 0 for place in order]).tobytes(),
        ends=array("I", [ends[place] if place >= 0 else 0 for place in order]).tobytes(),
        first=first.tobytes(),
        postings=postings.tobytes(),
        sentences=array("I", [0, *(found.end() for found in _SENTENCE.finditer(text))]).tobytes(),
        marks=[(where[before - 1] + 1, mark) for before, mark in marks if before - 1 in where],
    )


def _seams(
    text: str, blocks: Sequence[Block], bounds: Sequence[int]
) -> Iterator[tuple[range, range]]:
    """Yield the words on both sides of where a sentence is continued in another block than the next
    one.

    What comes between is a note at a page's foot, a table, a figure, or a column that was read in
    another order.
    """
    prose = [
        index
        for index, block in enumerate(blocks)
        if bounds[index + 1] - bounds[index] >= 3 and not _NO_PROSE.match(text, block.start)
    ]
    for at, index in enumerate(prose):
        end = blocks[index + 1].start if index + 1 < len(blocks) else len(text)
        if not _UNFINISHED.search(
            text[max(blocks[index].start, end - 60) : end].split("<!--")[0].rstrip()
        ):
            continue
        left = range(max(bounds[index], bounds[index + 1] - _SEAM_WORDS), bounds[index + 1])
        near = [*prose[at + 1 : at + _SEAM_BLOCKS], *prose[max(0, at - 4) : at]]
        for other in near:
            is_next = bounds[other] == bounds[index + 1]
            begins = text[blocks[other].start : blocks[other].start + 1]
            if not is_next and (_LOWER.match(begins) or is_han(begins)):
                yield (
                    left,
                    range(bounds[other], min(bounds[other + 1], bounds[other] + _SEAM_WORDS)),
                )
