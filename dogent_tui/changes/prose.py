"""What changed within prose: sentences that belong together first, then their words, without spaces
their characters.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from dogent_tui.changes.sequence_match import Pair, filled, gaps, matched

SIMILAR = 0.4
"""The share of words in common (Dice's coefficient) from which two texts count as the same one,
rewritten.
"""
_COMPARED = 10_000
"""Pairs of texts that are compared with each other at the most."""
_SURELY = 0.5
"""The part of a text that, where it begins and ends another, makes it that one rewritten."""
_TELLING = 4_000
"""Characters at the start of a text by which it is known again."""
_LONGEST = 200_000
"""Characters in which changes are looked for; what is longer counts as changed as a whole."""
_ISLAND = 2
"""Letters up to which something unchanged between two changes says nothing."""

# Scripts without spaces between words: kana, Han, Thai, Lao, Myanmar, Khmer.
_ALONE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
# What belongs to the character before it: accents, vowel signs, joiners and variations.
_MARKS = (
    "[\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd"
    "\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]"
)
_PIECE = re.compile(
    rf"\s+|[{_ALONE}]{_MARKS}*|(?:[^\W{_ALONE}]{_MARKS}*)+(?:['’](?:[^\W{_ALONE}]{_MARKS}*)+)*|.{_MARKS}*",
    re.DOTALL,
)
_END = re.compile(
    # a full stop counts where white space follows: not in 3.5
    "(?<![.!?…])[.!?…]++[\"'”’»)\\]*_]*+(?=\\s)\\s*+"
    "|(?<![。！？])[。！？]++[」』”’）》]*+\\s*+"
    "|\\n[ \\t]*\\n\\s*+"
)
_WORD = re.compile(r"\w")


class Span(NamedTuple):
    """A part of a text that is the same in the other one, or is not."""

    text: str
    changed: bool


class Refined(NamedTuple):
    """Two texts in spans. Those of each, put together, are the whole text."""

    old: tuple[Span, ...]
    new: tuple[Span, ...]


def pieces(text: str) -> list[str]:
    """Return the words of `text`, the marks and the white space between them: together they are the
    text.
    """
    return _PIECE.findall(text)


def sentences(text: str) -> list[str]:
    """Return the sentences of `text`, each with the white space behind it: together they are the
    text.
    """
    found: list[str] = []
    start = 0
    for end in _END.finditer(text):
        found.append(text[start : end.end()])
        start = end.end()
    if start < len(text):
        found.append(text[start:])
    return found


def aligned(a: Sequence[str], b: Sequence[str]) -> tuple[list[Pair], list[Pair]]:
    """Return the places of the texts in `a` and `b` that are the same, and of those that are the
    same ones, rewritten.

    The empty text (a blank line) matches beside others only.
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
            pairs = list(
                zip(here, there, strict=True)
            )  # other words, and paragraph by paragraph in their place
        similar += pairs
    if similar:
        weak = dict.fromkeys(similar)
        # What stands beside two that belong together is matched by them: the blank lines between
        # paragraphs.
        both = sorted([*(pair for pair in same if a[pair[0]]), *similar])
        same = [pair for pair in filled(a, b, both) if pair not in weak]
    return same, similar


def _in_place(a: Sequence[str], b: Sequence[str], here: list[int], there: list[int]) -> list[Pair]:
    """Return the texts in their order where each was rewritten and none came or went."""
    if len(here) != len(there):
        return []
    pairs = list(zip(here, there, strict=True))
    return pairs if all(_is_similar(a[i], b[j]) for i, j in pairs) else []


def _is_similar(a: str, b: str) -> bool:
    """Tell whether one is the other rewritten. What both begin and end with is found without taking
    them apart into words.
    """
    shortest, longest = sorted((len(a), len(b)))
    begun = _shared(shortest, lambda size: a[:size] == b[:size])
    ended = _shared(shortest - begun, lambda size: a[len(a) - size :] == b[len(b) - size :])
    return begun + ended >= _SURELY * longest or _likeness(_words(a), _words(b)) >= SIMILAR


def _shared(most: int, is_same: Callable[[int], bool]) -> int:
    """Return the largest size up to `most` that is the same, by halves."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if is_same(middle) else (low, middle - 1)
    return low


def _rewritten(a: Sequence[str], b: Sequence[str], here: list[int], there: list[int]) -> list[Pair]:
    """Return the pairs, rising, whose likeness is greatest in sum."""
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


def refined(old: str, new: str) -> Refined:
    """Say what changed from `old` to `new`. Where lines break again, only that is no change, unless
    it is all there is.
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
    return Refined(_joined(parts_old), _joined(parts_new))


def _both(old: str, new: str, changed: bool) -> Refined:
    return Refined((Span(old, changed),), (Span(new, changed),))


def _by_words(old: str, new: str) -> Refined:
    a, b = pieces(old), pieces(new)
    pairs = matched([_seen(piece) for piece in a], [_seen(piece) for piece in b], " ")
    pairs = _without_islands(a, b, pairs)
    kept_a, kept_b = {i for i, _ in pairs}, {j for _, j in pairs}
    return Refined(
        tuple(Span(piece, place not in kept_a) for place, piece in enumerate(a)),
        tuple(Span(piece, place not in kept_b) for place, piece in enumerate(b)),
    )


def _without_islands(a: list[str], b: list[str], pairs: list[Pair]) -> list[Pair]:
    """Drop what is the same by chance: a letter or two, a space, a comma, with changes at both
    sides.
    """
    runs: list[list[Pair]] = []
    for pair in pairs:
        if runs and runs[-1][-1] == (pair[0] - 1, pair[1] - 1):
            runs[-1].append(pair)
        else:
            runs.append([pair])
    kept: list[Pair] = []
    for run in runs:
        at_an_end = run[0] == (0, 0) or run[-1] == (len(a) - 1, len(b) - 1)
        letters = sum(len(_WORD.findall(a[i])) for i, _ in run)
        if at_an_end or letters > _ISLAND:
            kept += run
    return kept


def _flat(text: str) -> str:
    """Return `text` with every run of white space as one space and none at its ends: how its lines
    break makes no difference.
    """
    return " ".join(text.split())


def _seen(piece: str) -> str:
    """Return `piece` as it counts beside others: a line that breaks is a space, but two spaces are
    not one.
    """
    if not piece.isspace():
        return piece
    before = piece.partition("\n")[0]
    return before or " "


def _joined(spans: Iterable[Span]) -> tuple[Span, ...]:
    joined: list[Span] = []
    for span in spans:
        if joined and joined[-1].changed == span.changed:
            joined[-1] = Span(joined[-1].text + span.text, span.changed)
        elif span.text:
            joined.append(span)
    return tuple(joined)
