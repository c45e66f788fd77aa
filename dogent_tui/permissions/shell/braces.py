"""Brace expansion (bash manual 3.5.1) over the tokens of a word."""

from itertools import pairwise
from typing import NamedTuple


class Token(NamedTuple):
    """A piece of a word.

    `kind`: "c" one unquoted character, "q" quoted text, "v" the value of an unquoted expansion, "b" the border between two
    fields that a quoted `$@` makes.
    """

    kind: str
    text: str


_MOST = 512
"""Words that one brace expansion may make; more is not expanded but refused."""


class TooManyWordsError(Exception):
    """A brace expansion makes more words than are worth looking at."""


def expand_braces(tokens: list[Token]) -> list[list[Token]]:
    """Return the words that the braces in one word make, in order.

    Raises:
        TooManyWordsError: there would be more than 512.
    """
    if not any(token == ("c", "{") for token in tokens):
        return [tokens]
    for start, token in enumerate(tokens):
        if token != ("c", "{"):
            continue
        end, commas = _closing(tokens, start)
        choices = None if end is None else _choices(tokens, start, end, commas)
        if end is None or choices is None:
            continue
        tails = expand_braces(tokens[end + 1 :])
        words = [tokens[:start] + middle + tail for choice in choices for middle in expand_braces(choice) for tail in tails]
        if len(words) > _MOST:
            raise TooManyWordsError
        return words
    return [tokens]


def _closing(tokens: list[Token], start: int) -> tuple[int | None, list[int]]:
    depth = 0
    commas: list[int] = []
    for index in range(start, len(tokens)):
        kind, text = tokens[index]
        if kind != "c":
            continue
        if text == "{":
            depth += 1
        elif text == "}":
            depth -= 1
            if depth == 0:
                return index, commas
        elif text == "," and depth == 1:
            commas.append(index)
    return None, commas


def _choices(tokens: list[Token], start: int, end: int, commas: list[int]) -> list[list[Token]] | None:
    if commas:
        borders = [start, *commas, end]
        return [tokens[a + 1 : b] for a, b in pairwise(borders)]
    inner = tokens[start + 1 : end]
    if any(token.kind != "c" for token in inner):
        return None
    values = _sequence("".join(token.text for token in inner).split(".."))
    return None if values is None else [[Token("q", value)] for value in values]


def _sequence(parts: list[str]) -> list[str] | None:
    if len(parts) not in {2, 3} or not all(parts):
        return None
    letters = all(len(part) == 1 and part.isalpha() and part.isascii() for part in parts[:2])
    try:
        step = (abs(int(parts[2])) or 1) if len(parts) == 3 else 1
        first, last = (ord(part) if letters else int(part) for part in parts[:2])
    except ValueError:
        return None
    if abs(last - first) // step > _MOST:
        raise TooManyWordsError
    numbers = range(first, last + 1, step) if first <= last else range(first, last - 1, -step)
    padded = any(part.lstrip("-").startswith("0") and len(part) > 1 for part in parts[:2])
    width = max(map(len, parts[:2])) if padded else 0
    return [chr(number) if letters else f"{number:0{width}d}" for number in numbers]
