"""The literal text common to all matches of a regular expression; files without it need not be
searched.

A regular expression takes seconds for a hundred megabytes, a literal search hundredths of a second.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

_TURKIC = re.compile("[iIİı]")
"""Letters that `re` considers equal ignoring case, unlike Unicode case folding, which the literal
search uses.
"""
_LEAST = 2
_FLAGS = re.IGNORECASE | re.MULTILINE


def needed_literal(pattern: str) -> str:
    """Return the longest text contained, in any case, in every match of `pattern`; empty if
    unknown.
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
    """Yield the texts that a parsed expression requires."""
    run = ""
    for operation, argument in parsed:
        name = str(operation)
        if name == "LITERAL":
            run += chr(argument)
        elif name != "AT":  # an assertion, which consumes no characters
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
