"""Which passages a question is about: BM25 over stems, with the fields of a passage weighted."""

import difflib
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dogent_tui.offline.passages import Passage
from dogent_tui.offline.words import pattern, related, terms

_SATURATION, _LENGTH = 1.2, 0.5
_RELATED, _ACROSS, _MISSPELT, _PREFIX = 0.5, 0.25, 0.8, 0.6
"""What a word counts that means nearly the same, in this language or the other; that is spelled nearly so; that begins so."""
_NAME, _TITLE, _HEADING, _QUESTION, _BOLD = 0.6, 0.4, 2.0, 1.5, 1.0
_ROW, _FIGURE, _NAMED, _README = 0.6, 1.2, 2.0, 0.6
"""What a row of a table counts, a passage with a figure where one is asked for, one whose heading says it all, and one of a
README, which tells about the other files."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that was found. `coverage`: the share of the question's words it holds, by rarity, 0 to 1."""

    passage: Passage
    score: float
    coverage: float


def good(hits: Sequence[Hit], least: float) -> list[Hit]:
    """Return the hits that hold enough of what was asked, and are not far behind the best."""
    return [hit for hit in hits if hit.coverage >= least and hit.score >= 0.35 * hits[0].score]


class Index:
    """Some passages, to be asked."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        self._passages = list(passages)
        self._bags = [_bag(passage) for passage in self._passages]
        self._lengths = [sum(bag.values()) for bag in self._bags]
        self._average = sum(self._lengths) / max(1, len(self._lengths)) or 1.0
        self._holders: dict[str, int] = defaultdict(int)
        for term in (term for bag in self._bags for term in bag):
            self._holders[term] += 1

    def search(self, question: str) -> list[Hit]:
        """Return what holds words of `question`, best first."""
        asked = [self._ways(term) for term in dict.fromkeys(terms(question))]
        holders = [max(1, *(self._holders.get(way, 0) for way in ways)) for ways in asked]
        rarity = list(map(self._rarity, holders))
        wants_figure = pattern("how_much").search(question) is not None
        found = []
        for passage, bag, length in zip(self._passages, self._bags, self._lengths, strict=True):
            heading = set(terms(passage.heading if passage.heading != passage.title else ""))
            norm = _SATURATION * (1 - _LENGTH + _LENGTH * length / self._average)
            score = covered = 0.0
            for ways, rare in zip(asked, rarity, strict=True):
                held = [(weight, way) for way, weight in ways.items() if way in bag]
                scores = [weight * self._rarity(self._holders[way]) * bag[way] / (bag[way] + norm) for weight, way in held]
                score += max(scores, default=0.0)
                covered += rare * min(1.0, 0.2 + max(held)[0]) if held else 0.0
            share = covered / sum(rarity) if score else 0.0
            is_named = all(ways.keys() & heading for ways in asked)
            has_figure = wants_figure and any(sign.isdigit() for sign in passage.text)
            is_readme = passage.path.rpartition("/")[2].lower().startswith("readme.")
            score *= (0.5 + share) * _ROW**passage.is_row * _NAMED**is_named * _FIGURE**has_figure * _README**is_readme
            found += [Hit(passage, score, share)] if score else []
        return sorted(found, key=lambda hit: (-hit.score, hit.passage.path, hit.passage.order))

    def _ways(self, term: str) -> dict[str, float]:
        """Return the terms that `term` is looked for as, with what each counts."""
        near = related().get(term, ())
        ways = {way: _RELATED if way.isascii() == term.isascii() else _ACROSS for way in near}
        if term not in self._holders and term.isalpha() and len(term) > 3:
            ways |= {way: _PREFIX for way in self._holders if way.startswith(term)}
            close = [] if ways else difflib.get_close_matches(term, self._holders, 1, 0.84)
            ways |= dict.fromkeys(close, _MISSPELT)
        return ways | {term: 1.0}

    def _rarity(self, holders: int) -> float:
        return math.log(1 + (len(self._bags) - holders + 0.5) / (holders + 0.5))


def _bag(passage: Passage) -> dict[str, float]:
    """Return how much of each term a passage holds: more in a heading, in the question, or bold."""
    bag: dict[str, float] = defaultdict(float)
    above = " ".join((passage.title, *passage.headings[:-1]))
    bold = " ".join(passage.text.split("**")[1::2])
    fields = [(1.0, passage.text), (_BOLD, bold), (_QUESTION, passage.question), (_TITLE, above)]
    fields += [(_HEADING, passage.heading), (_NAME, f"{passage.path} {passage.place}")]
    for weight, text in fields:
        for term in terms(text):
            bag[term] += weight
    return dict(bag)
