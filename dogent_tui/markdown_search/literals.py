"""The words that every match of a regular expression holds: a file without them need not be looked
through with it.

An expression takes seconds for a hundred megabytes, a search for words hundredths of one.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

_TURKIC = re.compile("[iIİı]")
"""Letters that `re` takes for each other whatever their case, and Unicode's folding, by which
words are searched, does not.
"""
_LEAST = 2
_FLAGS = re.IGNORECASE | re.MULTILINE


def needed_literal(pattern: str) -> str:
    """Return the longest text that stands, in some capitals, in all that `pattern` matches;
    empty where none is known.
    """
    try:
        from re import _parser  # type: ignore[attr-defined]  # Python's own; what it yields is checked for

        runs = list(_runs(_parser.parse(pattern, _FLAGS)))
    except (
        ImportError,
        AttributeError,
        TypeError,
        ValueError,
        re.error,
        RecursionError,
        OverflowError,
    ):
        return ""
    pieces = [piece for run in runs for piece in _TURKIC.split(run)]
    longest = max(pieces, key=len, default="")
    return longest if len(longest) >= _LEAST else ""


def _runs(parsed: Sequence[tuple[Any, Any]]) -> Iterator[str]:
    """Yield the texts that a parsed expression demands."""
    run = ""
    for operation, argument in parsed:
        name = str(operation)
        if name == "LITERAL":
            run += chr(argument)
        elif name != "AT":  # a place, which takes no characters
            yield run
            run = ""
            yield from _inner(name, argument)
    yield run


def _inner(name: str, argument: Any) -> Iterator[str]:
    if name == "SUBPATTERN":
        yield from _runs(argument[-1])
    elif name in {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"} and argument[0] > 0:
        yield from _runs(argument[2])
    elif name == "ATOMIC_GROUP":
        yield from _runs(argument)
