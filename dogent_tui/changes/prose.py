"""Changes within prose: first matching sentences, then words, or characters in scripts without
spaces.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby, pairwise
from operator import attrgetter
from typing import NamedTuple

from dogent_tui.changes.sequence_match import Pair, filled, gaps, matched

SIMILAR = 0.4
"""The share of common words (Dice's coefficient) from which a text counts as a rewritten version of
another.
"""
_COMPARED = 10_000
"""The maximum number of text pairs compared."""
_SURELY = 0.5
"""The share of a text that must be a common beginning and end for it to count as rewritten."""
_TELLING = 4_000
"""Characters at the start of a text that identify it."""
_LONGEST = 200_000
"""The length in characters up to which a text is compared in detail; a longer one counts as changed
entirely.
"""
_ISLAND = 2
"""The number of letters up to which unchanged text between two changes is meaningless."""

# Scripts without spaces between words: kana, Han, Thai, Lao, Myanmar, Khmer.
_ALONE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
# What belongs to the preceding character: accents, vowel signs, joiners and variation selectors.
_MARKS = (
    "[\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd"
    "\u200c\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]"
)
_PIECE = re.compile(
    rf"\s+|[{_ALONE}]{_MARKS}*|(?:[^\W{_ALONE}]{_MARKS}*)+(?:['’](?:[^\W{_ALONE}]{_MARKS}*)+)*|.{_MARKS}*",
    re.DOTALL,
)
_END = re.compile(
    # a full stop counts if whitespace follows: not in 3.5
    "(?<![.!?…])[.!?…]++[\"'”’»)\\]*_]*+(?=\\s)\\s*+"
    "|(?<![。！？])[。！？]++[」』”’）》]*+\\s*+"
    "|\\n[ \\t]*\\n\\s*+"
)
_WORD = re.compile(r"\w")


class Span(NamedTuple):
    """A part of a text, and whether the other text contains it."""

    text: str
    changed: bool


class InlineDiff(NamedTuple):
    """Two texts as spans; the spans of each, joined, give the text."""

    old: tuple[Span, ...]
    new: tuple[Span, ...]


def pieces(text: str) -> list[str]:
    """Return the words of `text` and the punctuation and whitespace between them; joined, they give
    the text.
    """
    return _PIECE.findall(text)


def sentences(text: str) -> list[str]:
    """Return the sentences of `text`, each with the whitespace after it; joined, they give the
    text.
    """
    bounds = [0, *(end.end() for end in _END.finditer(text)), len(text)]
    return [text[start:end] for start, end in pairwise(bounds) if start < end]


def aligned(a: Sequence[str], b: Sequence[str]) -> tuple[list[Pair], list[Pair]]:
    """Return the index pairs of texts in `a` and `b` that are equal, and of those that are
    rewritten versions of each other.

    The empty text (a blank line) matches only next to others.
    """
    same = matched(a, b, "")
    similar: list[Pair] = []
    left = _COMPARED
    for i, j, to_i, to_j in gaps(same, len(a), len(b)):
        if i == to_i or j == to_j:
            continue
        here = [place for place in range(i, to_i) if a[place]]
        there = [place for place in range(j, to_j) if b[place]]
        pairs = _in_place(a, b, here, there)
        if not pairs and 0 < len(here) * len(there) <= left:
            left -= len(here) * len(there)
            pairs = _rewritten(a, b, here, there)
        if (
            not pairs
            and "" in a[i:to_i]
            and [not text for text in a[i:to_i]] == [not text for text in b[j:to_j]]
        ):
            # new words, paragraph by paragraph in the same place
            pairs = list(zip(here, there, strict=True))
        similar += pairs
    if similar:
        weak = dict.fromkeys(similar)
        # Texts next to a matched pair are matched through it: the blank lines between paragraphs.
        both = sorted([*(pair for pair in same if a[pair[0]]), *similar])
        same = [pair for pair in filled(a, b, both) if pair not in weak]
    return same, similar


def _in_place(a: Sequence[str], b: Sequence[str], here: list[int], there: list[int]) -> list[Pair]:
    """Pair the texts in order if each was rewritten and none was added or removed."""
    if len(here) != len(there):
        return []
    pairs = list(zip(here, there, strict=True))
    return pairs if all(_is_similar(a[i], b[j]) for i, j in pairs) else []


def _is_similar(a: str, b: str) -> bool:
    """Return whether one is a rewritten version of the other. Their common beginning and end are
    found without splitting them into words.
    """
    shortest, longest = sorted((len(a), len(b)))
    begun = _shared(shortest, lambda size: a[:size] == b[:size])
    ended = _shared(shortest - begun, lambda size: a[len(a) - size :] == b[len(b) - size :])
    return begun + ended >= _SURELY * longest or _likeness(_words(a), _words(b)) >= SIMILAR


def _shared(most: int, is_same: Callable[[int], bool]) -> int:
    """Return the largest size up to `most` for which both agree, by bisection."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if is_same(middle) else (low, middle - 1)
    return low


def _rewritten(a: Sequence[str], b: Sequence[str], here: list[int], there: list[int]) -> list[Pair]:
    """Return the ascending pairs with the greatest total similarity."""
    first = [_words(a[place]) for place in here]
    second = [_words(b[place]) for place in there]
    width = len(there) + 1
    sums = [[0.0] * width for _ in range(len(here) + 1)]
    for i in range(len(here) - 1, -1, -1):
        row, below = sums[i], sums[i + 1]
        for j in range(len(there) - 1, -1, -1):
            like = _likeness(first[i], second[j])
            row[j] = max(below[j], row[j + 1], below[j + 1] + like if like >= SIMILAR else 0.0)
    pairs: list[Pair] = []
    i = j = 0
    while i < len(here) and j < len(there):
        if sums[i][j] == sums[i + 1][j]:
            i += 1
        elif sums[i][j] == sums[i][j + 1]:
            j += 1
        else:
            pairs.append((here[i], there[j]))
            i, j = i + 1, j + 1
    return pairs


def _words(text: str) -> frozenset[str]:
    text = text[:_TELLING]
    return frozenset(
        text.split() if text.isascii() else (piece for piece in pieces(text) if not piece.isspace())
    )


def _likeness(a: frozenset[str], b: frozenset[str]) -> float:
    return 2 * len(a & b) / (len(a) + len(b)) if a or b else 1.0


def inline_diff(old: str, new: str) -> InlineDiff:
    """Describe the change from `old` to `new`. A different line wrapping alone is no change, unless
    it is the only one.
    """
    if len(old) + len(new) > _LONGEST:
        return _both(old, new, old != new)
    before, after = sentences(old), sentences(new)
    same, similar = aligned([_flat(text) for text in before], [_flat(text) for text in after])
    parts_old: list[Span] = []
    parts_new: list[Span] = []
    kinds = dict.fromkeys(same, False) | dict.fromkeys(similar, True)
    i = j = 0
    for (to_i, to_j), rewritten in sorted(kinds.items()):
        parts_old += [Span(text, True) for text in before[i:to_i]]
        parts_new += [Span(text, True) for text in after[j:to_j]]
        is_same = not rewritten and before[to_i] == after[to_j]
        pair = (
            _both(before[to_i], after[to_j], False)
            if is_same
            else _by_words(before[to_i], after[to_j])
        )
        parts_old += pair.old
        parts_new += pair.new
        i, j = to_i + 1, to_j + 1
    parts_old += [Span(text, True) for text in before[i:]]
    parts_new += [Span(text, True) for text in after[j:]]
    if old != new and not any(span.changed for span in (*parts_old, *parts_new)):
        return _both(old, new, True)
    return InlineDiff(_joined(parts_old), _joined(parts_new))


def _both(old: str, new: str, changed: bool) -> InlineDiff:
    return InlineDiff((Span(old, changed),), (Span(new, changed),))


def _by_words(old: str, new: str) -> InlineDiff:
    a, b = pieces(old), pieces(new)
    pairs = matched([_seen(piece) for piece in a], [_seen(piece) for piece in b], " ")
    pairs = _without_islands(a, b, pairs)
    kept_a, kept_b = {i for i, _ in pairs}, {j for _, j in pairs}
    return InlineDiff(
        tuple(Span(piece, place not in kept_a) for place, piece in enumerate(a)),
        tuple(Span(piece, place not in kept_b) for place, piece in enumerate(b)),
    )


def _without_islands(a: list[str], b: list[str], pairs: list[Pair]) -> list[Pair]:
    """Drop accidental matches: a letter or two, a space, a comma, with changes on both sides."""
    numbered = groupby(
        enumerate(pairs), key=lambda found: (found[1][0] - found[0], found[1][1] - found[0])
    )
    kept: list[Pair] = []
    for _, found in numbered:
        run = [pair for _, pair in found]
        at_an_end = run[0] == (0, 0) or run[-1] == (len(a) - 1, len(b) - 1)
        letters = sum(len(_WORD.findall(a[i])) for i, _ in run)
        if at_an_end or letters > _ISLAND:
            kept += run
    return kept


def _flat(text: str) -> str:
    """Return `text` with every run of whitespace as one space and none at its ends, so that line
    wrapping makes no difference.
    """
    return " ".join(text.split())


def _seen(piece: str) -> str:
    """Return `piece` for comparison: a line break equals a space, but two spaces do not equal
    one.
    """
    if not piece.isspace():
        return piece
    before = piece.partition("\n")[0]
    return before or " "


def _joined(spans: Iterable[Span]) -> tuple[Span, ...]:
    runs = groupby((span for span in spans if span.text), key=attrgetter("changed"))
    return tuple(Span("".join(span.text for span in run), changed) for changed, run in runs)
