"""The numbers of headings: ``1.``, ``1.1``, ``1)``, ``一、``, ``（一）``, ``第一章``, ``I.``,
``A.`` and bullets.

A template is the number of the first heading of a kind (``1.1``, ``（一）``); `write` continues
from there.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

import roman

from dogent_tui.records import Record

_DIGITS = "一二三四五六七八九"
_MOST_ROMAN = 4_999
BULLETS = frozenset("-*+•")

_NUMBER = r"\d{1,3}(?:\.\d{1,3})*|[一二三四五六七八九十]{1,3}|[A-Z]{1,6}|[a-z]"
_MARKER = re.compile(
    rf"(?P<open>第|[（(]|)(?P<number>{_NUMBER})(?P<close>部分|[章节節部篇条]|[)）]|[.、．]|)"
    r"(?P<space>[ \t\u3000]*)(?=(?P<rest>.?))"
)
_BULLET = re.compile(r"(?P<bullet>[-*+•])(?P<space>[ \t]+|$)")


class Marker(Record):
    """A number or bullet as written: its `template`, the values of its parts, and its length
    including `space`.
    """

    template: str
    values: tuple[int, ...]
    space: str
    length: int


def markers(line: str) -> Iterator[Marker]:
    """Yield the possible interpretations of the beginning of `line`: ``I.`` is a Roman number, or a
    letter after ``H.``.
    """
    if bullet := _BULLET.match(line):
        yield Marker(bullet["bullet"], (), bullet["space"], bullet.end())
        return
    found = _MARKER.match(line)
    if found is None or not _is_marker(found):
        return
    opening, number, close = found["open"], found["number"], found["close"]
    for first, values in _readings(number):
        yield Marker(f"{opening}{first}{close}", values, found["space"], found.end())


def _is_marker(found: re.Match[str]) -> bool:
    opening, number, close = found["open"], found["number"], found["close"]
    if opening in ("(", "（"):
        return close in (")", "）")
    if opening == "第":
        return close in ("部分", *"章节節部篇条")
    if not close:  # 1.1 Background; a plain number begins a sentence
        return "." in number and (bool(found["space"]) or not found["rest"])
    if close in ("、", "．"):
        return True
    return close in (".", ")", "）") and (bool(found["space"]) or not found["rest"])


def _readings(number: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the first number of its kind, and the values, for each possible kind of `number`."""
    if number[0].isascii() and number[0].isdigit():
        values = tuple(int(part) for part in number.split("."))
        yield ".".join("1" * len(values)), values
    elif number[0] in "一二三四五六七八九十":
        value = _from_chinese(number)
        if value:
            yield "一", (value,)
    else:
        if value := _from_roman(number):
            yield "I", (value,)
        if len(number) == 1:
            yield ("A" if number.isupper() else "a"), (ord(number.upper()) - 64,)


def certain(template: str) -> bool:
    """Return whether what looks like `template` certainly is a number: letters only if they count
    from the first.
    """
    return not any(letter in template for letter in "IAa")


def kind(template: str) -> str:
    """Return what the headings of one level have in common: all bullets are one kind."""
    return "-" if template in BULLETS else template


def parts(template: str) -> int:
    """Return how many numbers `template` contains: 2 for ``1.1``, 0 for a bullet."""
    return 0 if template in BULLETS else template.count("1") or 1


def write(template: str, path: tuple[int, ...]) -> str:
    """Return `template` for the heading at `path`: its ordinal among its siblings, preceded by
    those of its ancestors.
    """
    if template in BULLETS or not template:
        return template
    ordinals = ((1,) * (count := parts(template)) + path)[-count:]
    return _spelled(template, ordinals)


@lru_cache(8192)
def _spelled(template: str, ordinals: tuple[int, ...]) -> str:
    if "1" in template:
        numbers = iter(ordinals)
        return re.sub("1", lambda _: str(max(1, next(numbers))), template)
    last = max(1, ordinals[-1])
    for first, spelled in (
        ("一", _chinese),
        ("I", lambda value: roman.toRoman(min(value, _MOST_ROMAN))),
        ("A", _letter),
        ("a", lambda value: _letter(value).lower()),
    ):
        if first in template:
            return template.replace(first, spelled(last), 1)
    return template


def is_listed(template: str) -> bool:
    """Return whether Markdown itself takes `template` for a list marker, to which the text is
    indented.
    """
    return template in ("-", "*", "+", "1.", "1)")


def _chinese(value: int) -> str:
    tens, ones = divmod(min(value, 99), 10)
    return ("" if tens == 0 else "十" if tens == 1 else f"{_DIGITS[tens - 1]}十") + (
        _DIGITS[ones - 1] if ones else ""
    )


def _from_chinese(number: str) -> int:
    return next((value for value in range(1, 100) if _chinese(value) == number), 0)


def _from_roman(number: str) -> int:
    if not set(number) <= set("IVXLC"):
        return 0
    try:
        return roman.fromRoman(number)
    except roman.RomanError:
        return 0


def _letter(value: int) -> str:
    return chr(64 + min(value, 26))
