"""Which sentences answer a request: overlap of terms weighted by their rarity, how central a sentence is, and where it stands."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dogent_tui.offline.sentences import CJK, Sentence

_TOKEN = re.compile(rf"[{CJK}]+|[^\W_{CJK}]+")
_CJK_START = re.compile(f"[{CJK}]")

_STOPWORDS_TEXT = (
    "a about above after again all also am an and any are as at be because been before being below between both but by"
    " can could did do does doing down during each few for from further had has have having he her here hers him his how"
    " i if in into is it its itself just let me more most much many my no nor not now of off on once only or other our"
    " out over own please same she should so some such than that the their them then there these they this those through"
    " to too under until up us use using very was we were what when where which while who whom why will with would you"
    " your"
)
_STOPWORDS = frozenset(_STOPWORDS_TEXT.split())
_STOPCHARACTERS = frozenset("的了是着吗呢吧啊呀嘛我你他她它们这那哪请就都也什么")
"""Characters that join words rather than make them: a pair that holds one says nothing about the subject."""

_QUERY, _SECTION, _CENTRAL, _POSITION = 3.0, 0.8, 1.0, 0.4
"""What a full overlap with the request, an overlap of the heading, full centrality and the first place in a section weigh."""
_ROW = 0.3
"""What the row of a table counts beside a sentence, where the request does not ask for it."""
_ALIKE = 0.8
"""Share of common terms from which two sentences say the same."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A sentence with its score.

    `overlap` is the share, 0 to 1, of the request's weight that it contains; `on_topic`: it or its heading holds a term of it.
    """

    sentence: Sentence
    score: float
    overlap: float
    on_topic: bool
    terms: frozenset[str]


def terms(text: str) -> list[str]:
    """Return the terms of `text`: words in lower case without plural endings and stop words, and pairs of Chinese characters."""
    found: list[str] = []
    for token in _TOKEN.findall(text):
        if _CJK_START.match(token):
            found.extend(_pairs(token))
        else:
            word = token.lower()
            if word not in _STOPWORDS and (len(word) > 1 or word.isdigit()):
                found.append(_singular(word))
    return found


def rank(sentences: Sequence[Sentence], request: Iterable[str]) -> list[Ranked]:
    """Return `sentences`, best first, for the terms of a request."""
    bags = [frozenset(terms(sentence.text)) for sentence in sentences]
    frequency = Counter(term for bag in bags for term in bag)
    rarity = {term: math.log(1 + len(bags) / count) for term, count in frequency.items()}
    absent = math.log(1 + len(bags))
    wanted = {term: rarity.get(term, absent) for term in request}
    weight = sum(wanted.values()) or 1.0
    sections = {section: frozenset(terms(section)) & wanted.keys() for section in {s.section for s in sentences}}
    busiest = math.log(1 + max(frequency.values(), default=1))
    ranked = []
    for sentence, bag in zip(sentences, bags, strict=True):
        overlap = sum(wanted[term] for term in bag & wanted.keys()) / weight
        central = sum(math.log(frequency[term]) for term in bag) / busiest / max(8, len(bag))
        score = _QUERY * overlap + _CENTRAL * central + _POSITION / (1 + sentence.position)
        headed = bool(sections[sentence.section])
        score = (score + _SECTION * headed) * min(1.0, 0.4 + 0.15 * len(bag)) / (1 + max(0, len(bag) - 30) / 60)
        if sentence.is_row and not overlap:  # what makes it central are the names of columns, which every row has
            score *= _ROW
        ranked.append(Ranked(sentence, score, overlap, headed or overlap > 0, bag))
    return sorted(ranked, key=lambda item: -item.score)


def pick(ranked: Iterable[Ranked], count: int, *, besides: Iterable[str] = ()) -> list[Ranked]:
    """Return the first `count` of `ranked` that say something new, among themselves and `besides` the texts given."""
    known = {_squeezed(text) for text in besides}
    bags: list[frozenset[str]] = []
    picked: list[Ranked] = []
    for item in ranked:
        if len(picked) >= count:
            break
        text = _squeezed(item.sentence.text)
        if text not in known and not any(_alike(item.terms, bag) for bag in bags):
            known.add(text)
            bags.append(item.terms)
            picked.append(item)
    return picked


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one) and len(one & other) >= _ALIKE * len(one | other)


def _squeezed(text: str) -> str:
    return "".join(text.split()).lower()


def _pairs(run: str) -> list[str]:
    if len(run) == 1:
        return [run] if run not in _STOPCHARACTERS else []
    pairs = (run[i : i + 2] for i in range(len(run) - 1))
    return [pair for pair in pairs if _STOPCHARACTERS.isdisjoint(pair)]


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
