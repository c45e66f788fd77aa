"""The searchable index of one source: its words as the characters of one text, their positions, and
the places in the document.

Python and its libraries can then do with words what they do with characters (find, match a pattern,
align). The index is built once from the document's Markdown and stored; little has to be computed
when it is loaded.
"""

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple

import msgspec

from dogent_tui.documents.model import Source
from dogent_tui.records import JsonDict, Record
from dogent_tui.sources.quotes.numbers import SENTENCE_END
from dogent_tui.sources.quotes.tokens import is_han, words_of

GAP = "\ue000"
"""The character that is not a word: no quotation spans it."""
UNKNOWN = "\0"
"""The character of a word that is not in the source."""
_MOST_WORDS = 0x10FFFF - ord(GAP)
"""The number of distinct words of a source, limited by the available characters; further ones are
gaps.
"""
_GAPS = [-1] * 4
_COMMON = 100
"""A word that is more frequent, and at least one in fifty, does not tell where to look."""
_SEAM_WORDS = 60
_SEAM_BLOCKS = 8
_NOTE = re.compile(r"\[\^[^\]\s]+\]:")
_PAGE = re.compile(r"<!-- page (\d+) -->")
_NO_PROSE = re.compile(r"\s*(?:#|\||```|<|!\[|[-*+] |\[\^)")
_ITEM = re.compile(r"(?:^|[.:;!?。；：]|\n)[ \t>]*\n[ \t>]*\(?(?:\d{1,3}[.)]|[a-z]{1,4}\))$")
_UNFINISHED = re.compile(r"[^\s.!?。！？…”\"»*_]$")
_LOWER = re.compile(r"[a-zß-öø-ÿ\u0430-\u045f]")
_SENTENCE = re.compile(rf"{SENTENCE_END.pattern}|\n\s*\n|\n(?=\s*(?:[-*+|>#] ?|\d+[.)] ))")


class Block(Record, array_like=True):
    """A paragraph, heading or part of a table, starting at character `start` of the Markdown."""

    start: int
    source: Source


class Passage(NamedTuple):
    """Words `start` to `end` of a source."""

    start: int
    end: int


class SourceIndex(msgspec.Struct, array_like=True, dict=True):
    """Searches one source. `reason` is a code if it cannot be read, otherwise empty."""

    reason: str = ""
    pages: int = 0
    text: str = ""
    blocks: list[Block] = []
    vocabulary: list[str] = []
    coded: str = ""
    """One character per word, numbered from `GAP` like the vocabulary."""
    starts: list[int] = []
    ends: list[int] = []
    sentences: list[int] = []
    """The characters at which sentences and rows begin."""
    marks: dict[int, str] = {}

    @cached_property
    def codes(self) -> dict[str, str]:
        """Word → its character."""
        first = ord(GAP) + 1
        return {word: chr(code) for code, word in enumerate(self.vocabulary, first)}

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for place, code in enumerate(self.coded):
            found.setdefault(code, []).append(place)
        return found

    def encoded(self, words: Iterable[str]) -> str:
        """Return words as characters."""
        find = self.codes.get
        return "".join([find(word, UNKNOWN) for word in words])

    def word(self, place: int) -> str:
        """Return the normalized word at `place`, empty for a gap or outside."""
        code = ord(self.coded[place]) - ord(GAP) if 0 <= place < len(self.coded) else 0
        return self.vocabulary[code - 1] if code else ""

    def words(self, start: int, end: int) -> list[str]:
        """Return normalized words."""
        return [self.word(place) for place in range(max(0, start), min(end, len(self.coded)))]

    def places(self, code: str) -> Sequence[int]:
        """Return the positions of a word, in order."""
        return self._places.get(code, ())

    def exact(self, run: str) -> Iterator[int]:
        """Yield the positions of a run of words, in order."""
        at = self.coded.find(run) if run and UNKNOWN not in run else -1
        while at >= 0:
            yield at
            at = self.coded.find(run, at + 1)

    def is_numbering(self, place: int) -> bool:
        """Return whether the word at `place` is the number of an item of a list."""
        start, end = self.starts[place], self.ends[place]
        return _ITEM.search(self.text[max(0, start - 12) : end + 1]) is not None

    def block_at(self, character: int) -> Block:
        """Return the block that contains a character of the Markdown."""
        return self.blocks[self._block_number(character)]

    def _block_number(self, character: int) -> int:
        return max(0, bisect_right(self.blocks, character, key=lambda block: block.start) - 1)

    @cached_property
    def _turns(self) -> list[tuple[int, int]]:
        """Where pages begin, and which."""
        return [(found.start(), int(found[1])) for found in _PAGE.finditer(self.text)]

    def _page_at(self, character: int, block: Block) -> int:
        """Return the page of a character of a block, which may go on over the end of a page."""
        at = bisect_right(self._turns, character, key=itemgetter(0)) - 1
        is_inside = block.source.page and at >= 0 and self._turns[at][0] > block.start
        return self._turns[at][1] if is_inside else block.source.page

    def pages_of(self, passage: Passage) -> set[int]:
        """Return the pages of a passage; empty if there are none."""
        starts = self.starts[slice(*passage)]
        return {self._page_at(start, self.block_at(start)) for start in starts} - {0}

    def place(self, character: int) -> JsonDict:
        """Return the place in the document of a character of its Markdown, without inapplicable
        fields. `line` is the first one of a paragraph, otherwise the character's own.
        """
        block = self.block_at(character)
        told = msgspec.to_builtins(block.source)
        told["page"] = self._page_at(character, block)
        found = {name: value for name, value in told.items() if value}
        if block.source.line and _NO_PROSE.match(self.text, block.start):
            found["line"] += self.text.count("\n", block.start, character)
        return found

    def nearest(self, words: Iterable[str], most: int) -> list[tuple[int, float]]:
        """Return the blocks that best match these words, each as its first character and its score:
        BM25 with the usual constants.
        """
        scores: dict[int, float] = {}
        usual = len(self.text) / (len(self.blocks) or 1)
        for places in map(self.places, {*self.encoded(words)}):
            if len(places) > _COMMON + len(self.coded) // 50:
                continue
            counts = Counter(self._block_number(self.starts[at]) for at in places)
            rarity = math.log(1 + (len(self.blocks) - len(counts) + 0.5) / (len(counts) + 0.5))
            for block, count in counts.items():
                begin, *behind = (each.start for each in self.blocks[block : block + 2])
                length = (behind[0] if behind else len(self.text)) - begin
                room = 1.2 * (0.25 + 0.75 * length / usual)
                score = rarity * count * 2.2 / (count + room)
                scores[begin] = scores.get(begin, 0.0) + score
        return sorted(scores.items(), key=lambda scored: -scored[1])[:most]

    def sentence_at(self, character: int) -> tuple[int, int]:
        """Return the start and end of the sentence or row that contains a character."""
        line = self.text.rfind("\n", 0, character) + 1
        if self.text.startswith("|", line):
            return line, self.text.find("\n", line) + 1 or len(self.text)
        bounds = self.sentences
        index = bisect_right(bounds, character)
        return bounds[index - 1], bounds[index] if index < len(bounds) else len(self.text)


def make(text: str, blocks: Sequence[Block], pages: int) -> SourceIndex:
    """Return the index of a document's Markdown, whose `blocks` are in order."""
    words, starts, ends, marks = words_of(text)
    bounds = [*(bisect_left(starts, block.start) for block in blocks), len(starts)]
    order: list[int] = []  # words in reading order: notes after the text that they interrupt
    notes: list[int] = []
    for index, block in enumerate(blocks):
        span = range(bounds[index], bounds[index + 1])
        (notes if _NOTE.match(text, block.start) else order).extend(span)
    order += [*_GAPS, *notes]
    for left, right in _seams(text, blocks, bounds):
        order += [*_GAPS, *left, *right]
    order += _GAPS
    vocabulary = [*dict.fromkeys(words)][:_MOST_WORDS]
    codes = {word: chr(code) for code, word in enumerate(vocabulary, ord(GAP) + 1)}
    coded = [*(codes.get(word, GAP) for word in words), GAP]  # the last one for position -1
    starts, ends = [*starts, 0], [*ends, 0]
    where = {place: at for at, place in reversed([*enumerate(order)])} if marks else {}
    return SourceIndex(
        pages=pages,
        text=text,
        blocks=list(blocks),
        vocabulary=vocabulary,
        coded="".join([coded[place] for place in order]),
        starts=[starts[place] for place in order],
        ends=[ends[place] for place in order],
        sentences=[0, *(found.end() for found in _SENTENCE.finditer(text))],
        marks={where[before - 1] + 1: mark for before, mark in marks if before},
    )


def _seams(
    text: str, blocks: Sequence[Block], bounds: Sequence[int]
) -> Iterator[tuple[range, range]]:
    """Yield the words on both sides of a point where a sentence continues in a block other than the
    next.

    In between there is a footnote, a table, a figure, or a column read in another order.
    """
    prose = [
        index
        for index, block in enumerate(blocks)
        if bounds[index + 1] - bounds[index] >= 3 and not _NO_PROSE.match(text, block.start)
    ]
    for at, index in enumerate(prose):
        end = blocks[index + 1].start if index + 1 < len(blocks) else len(text)
        last = text[max(blocks[index].start, end - 60) : end].split("<!--")[0].rstrip()
        if not _UNFINISHED.search(last):
            continue
        left = range(max(bounds[index], bounds[index + 1] - _SEAM_WORDS), bounds[index + 1])
        near = [*prose[at + 1 : at + _SEAM_BLOCKS], *prose[max(0, at - 4) : at]]
        for other in near:
            begins = text[blocks[other].start : blocks[other].start + 1]
            continues = _LOWER.match(begins) or is_han(begins)
            if bounds[other] != bounds[index + 1] and continues:
                stop = min(bounds[other + 1], bounds[other] + _SEAM_WORDS)
                yield left, range(bounds[other], stop)
