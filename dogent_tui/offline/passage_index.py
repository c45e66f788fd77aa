"""Finds the passages a question is about: BM25 over stems, with weighted fields, quoted with their
neighbors.
"""

import difflib
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from dogent_tui.offline.passages import Passage, runs
from dogent_tui.offline.words import Language, language_of, related, terms, words

_SATURATION, _LENGTH = 1.2, 0.65
_RELATED, _ACROSS, _MISSPELT, _SIGN = 0.45, 0.2, 0.8, 0.3
"""The weights of a synonym, one in the other language, a similar spelling, and a single Chinese
character, which finds words segmented differently.
"""
_NAME, _TITLE, _HEADING, _QUESTION = 0.6, 0.4, 2.0, 1.5
_ROW, _NAMED, _README, _ELSEWHERE = 0.6, 2.0, 0.6, 0.8
"""The weights of a table row, a passage whose heading contains everything, one of a README, which
is about the other files, and a word missing from a passage in the other language.
"""
_SURE, _WINDOW = 0.9, 900
"""The coverage up to which a passage is quoted with its neighbors, and the maximum length of that
quote in characters, a Chinese one counting as two.
"""
_ABSENT = 1.5
"""The additional weight against all passages of a name that none contains."""
_NAME_LIKE = re.compile(r"(?<=[\w,;] )[A-Z][\w-]+|\b\d{4}\b")
Asked: TypeAlias = Sequence[tuple[float, Mapping[str, float]]]
"""Term of a question → its weight and its variants."""
_HAN = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Hit:
    """A match. `coverage`: the share of the question's words it contains, weighted by rarity, 0 to
    1; `at`: the position of the passage in its index.
    """

    passage: Passage
    score: float
    coverage: float
    at: int


def good(hits: Sequence[Hit], least: float) -> list[Hit]:
    """Return the hits with sufficient coverage that are not far behind the best."""
    return [hit for hit in hits if hit.coverage >= least and hit.score >= 0.35 * hits[0].score]


class Index:
    """A searchable set of passages, those of a file being consecutive."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        self._passages = list(passages)
        self._bags = [_bag(passage) for passage in self._passages]
        self._lengths = [sum(bag.values()) for bag in self._bags]
        self._average = sum(self._lengths) / max(1, len(self._lengths)) or 1.0
        holders = Counter(term for bag in self._bags for term in bag)
        self._rarity = {term: self._rare(holders) for term, holders in holders.items()}
        near = runs(self._passages, _WINDOW, lambda last, one: last.path == one.path)
        self._windows = [run for run in near for _ in run]

    def search(self, question: str) -> list[Hit]:
        """Return what to quote, best first: passages with words of `question` and their neighbors,
        without duplicates.
        """
        hits, shown = list[Hit](), set[Passage]()
        for hit in self.rank(question):
            if hit.passage not in shown:
                around = self._windows[hit.at] if hit.coverage < _SURE else [hit.passage]
                shown |= set(around)
                hits.append(replace(hit, passage=_joined(hit.passage, around)))
        return hits

    def rank(self, question: str) -> list[Hit]:
        """Return the passages with words of `question`, best first."""
        asked = [(weight, self._ways(term)) for term, weight in dict(_weighed(question)).items()]
        # If a name or number occurs nowhere here, the answer probably does not either.
        names = (terms(name) for name in _NAME_LIKE.findall(question))
        absent = sum(self._rarity.keys().isdisjoint(self._ways(one[0])) for one in names if one)
        beyond = _ABSENT * absent * self._rare(1)
        language = language_of(question)
        hits = (self._score(at, asked, language, beyond) for at in range(len(self._bags)))
        found = (hit for hit in hits if hit.score)
        return sorted(found, key=lambda hit: (-hit.score, hit.passage.path, hit.at))

    def _score(self, at: int, asked: Asked, language: Language, beyond: float) -> Hit:
        passage, bag = self._passages[at], self._bags[at]
        norm = _SATURATION * (1 - _LENGTH + _LENGTH * self._lengths[at] / self._average)
        heading = set(terms(passage.heading if passage.heading != passage.title else ""))
        score, covered, whole = 0.0, 0.0, beyond
        for weight, ways in asked:
            rare = weight * min(self._rarity.get(way, self._rare(1)) for way in ways)
            held = [(value, way) for way, value in ways.items() if way in bag]
            worth = (value * self._rarity[way] / (1 + norm / bag[way]) for value, way in held)
            score += weight * max(worth, default=0.0)
            covered += rare * min(1.0, 0.2 + max(held)[0]) if held else 0.0
            whole += rare if held or language_of(passage.text) == language else rare * _ELSEWHERE
        share = covered / (whole or 1.0)
        is_named = all(ways.keys() & heading for weight, ways in asked if weight == 1)
        is_readme = passage.path.rpartition("/")[2].lower().startswith("readme.")
        score *= _ROW ** bool(passage.table) * _NAMED**is_named * _README**is_readme
        return Hit(passage, score * (0.5 + share), share, at)

    def _ways(self, term: str) -> Mapping[str, float]:
        """Return the variants to look for of `term`, with their weights."""
        alike = related().get(term, ())
        ways = {one: _RELATED if one.isascii() == term.isascii() else _ACROSS for one in alike}
        if term not in self._rarity and term.isalpha() and len(term) > 4:
            close = [] if ways else difflib.get_close_matches(term, self._rarity, 1, 0.84)
            ways |= dict.fromkeys(close, _MISSPELT)
        return ways | {term: 1.0}

    def _rare(self, holders: int) -> float:
        return math.log(1 + (len(self._bags) - holders + 0.5) / (holders + 0.5))


def _joined(core: Passage, parts: Sequence[Passage]) -> Passage:
    """Return `core` with the text of all `parts`, each under its heading and its question."""
    if len(parts) == 1:
        return core
    texts, heading = list[str](), core.title
    for part in parts:
        texts += [f"**{part.heading}**"] if part.heading not in ("", heading) else []
        texts += [f"*{part.question}*"] if part.question else []
        texts.append(part.text)
        heading = part.heading
    return replace(core, text="\n\n".join(texts), question="")


def _bag(passage: Passage) -> dict[str, float]:
    """Return the weight of each term in a passage: higher in a heading or in the question."""
    bag: dict[str, float] = defaultdict(float)
    above = " ".join((passage.title, *passage.headings[:-1]))
    fields = [(1.0, passage.text), (_QUESTION, passage.question), (_TITLE, above)]
    fields += [(_HEADING, passage.heading), (_NAME, f"{passage.path} {passage.place}")]
    for factor, text in fields:
        for term, weight in _weighed(text):
            bag[term] += factor * weight
    return dict(bag)


def _weighed(text: str) -> Iterator[tuple[str, float]]:
    """Yield the terms of a text, and its Chinese characters, with their weights."""
    yield from ((term, 1.0) for term in terms(text))
    yield from ((f"#{sign}", _SIGN) for sign in _HAN.findall(text) if sign not in words()["stop"])
