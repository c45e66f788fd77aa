"""What rules can set right in a Markdown text without knowing what it means: spaces, quotes, doubled words, heading levels.

Code, front matter, HTML, formulas and addresses stay as they are.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Repair: TypeAlias = Literal["spaces", "lines", "words", "quotes", "headings"]

_FENCE = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})")
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_INDENTED = re.compile(r"(?: {4}|\t)")
_HEADING = re.compile(r"(?P<marks>#{1,6})(?=[ \t])")
_KEPT = re.compile(
    r"^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+"  # the mark of a list item
    r"|(`+)(?!`).*?(?<!`)\1(?!`)"  # code
    r"|\$\$.*?\$\$|\$(?=\S)[^$\n]*(?<=\S)\$"  # formulas
    r"|<[^>\n]*>"  # HTML and addresses in angle brackets
    r"|\]\([^)\n]*\)|^ {0,3}\[[^\]\n]+\]:.*"  # where links lead, with their titles
    r"|\b(?:https?|mailto):\S+"
)
"""What within a line is no prose."""
_FEW = "a an and are as at be by for from in into is it of on or the their they this to was we were will with you your"
_DOUBLED = re.compile(rf"\b(?P<word>{_FEW.replace(' ', '|')}) +(?P=word)\b(?![-'’.])|的的(?!确)", re.IGNORECASE)
"""A word twice that no sentence wants twice."""
_WIDE = re.compile(r"(?<=[^\s|])  +(?=[^\s|])")
_BEFORE_COMMA = re.compile(r"(?<=[^\W\d_]) +(?=[,.](?:\s|$))")
_QUOTED = re.compile(r"(?<![\w\"])\"(?P<text>[^\"“”\n]*[^\"“”\s])\"(?!\w)")
_APOSTROPHE = re.compile(r"(?<=[^\W\d_])'(?=[^\W\d_])")
_NO_CASE = re.compile(r"[\u3400-\u9fff]\"|\"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Tidied:
    """A text that was set right, and how often each kind of thing was."""

    text: str
    repairs: Counter[Repair]


def tidied(text: str) -> Tidied:
    """Return `text` with all that can be set right; the same text where nothing can."""
    repairs: Counter[Repair] = Counter()
    head = found.group() if (found := _FRONT_MATTER.match(text)) else ""
    lines = text[len(head) :].split("\n")
    prose = _prose(lines)
    depths: list[int] = []
    made: list[str] = []
    for line, is_prose, below in zip(lines, prose, [*lines[1:], ""], strict=True):
        if not is_prose:
            made.append(line)
        elif not line.strip() and len(made) > 1 and not made[-1].strip() and not made[-2].strip():
            repairs["lines"] += 1
        else:
            made.append(_line(_leveled(line, depths, repairs), below, repairs))
    return Tidied(head + "\n".join(made), repairs)


def _prose(lines: Sequence[str]) -> list[bool]:
    """Tell of each line whether it is none of a code block, of a block of HTML, or of a table."""
    found: list[bool] = []
    fence = ""
    html = False
    for line in lines:
        mark = opened["mark"] if (opened := _FENCE.match(line)) else ""
        html = bool(line.strip()) and (html or re.match(r" {0,3}<[a-zA-Z!/?]", line) is not None)
        plain = not fence and not mark and not html and not _INDENTED.match(line) and not line.lstrip().startswith("|")
        found.append(plain)
        if not fence:
            fence = mark
        elif mark.startswith(fence) and not line.strip(" `~"):
            fence = ""
    return found


def _leveled(line: str, depths: list[int], repairs: Counter[Repair]) -> str:
    """Return a heading one level below the one that it belongs to, where it skips levels; any other line as it is.

    `depths` are the levels, as they were written, of the headings that are open above it.
    """
    heading = _HEADING.match(line)
    if heading is None:
        return line
    level = len(heading["marks"])
    while depths and depths[-1] >= level:
        depths.pop()
    first = depths[0] if depths else level
    depths.append(level)
    wanted = min(level, first + len(depths) - 1)
    repairs["headings"] += wanted != level
    return "#" * wanted + line[level:]


def _line(line: str, below: str, repairs: Counter[Repair]) -> str:
    bare = line.rstrip(" \t")
    end = "  " if line.endswith("  ") and bare.strip() and below.strip() and not bare.startswith("#") else ""  # a line break
    repairs["spaces"] += bare + end != line
    pieces: list[str] = []
    place = 0
    for kept in _KEPT.finditer(bare):
        pieces += [_words(bare[place : kept.start()], repairs), kept.group()]
        place = kept.end()
    return "".join([*pieces, _words(bare[place:], repairs)]) + end


def _words(text: str, repairs: Counter[Repair]) -> str:
    quotes: Callable[[re.Match[str]], str] = lambda found: f"“{found['text']}”"  # noqa: E731
    once: Callable[[re.Match[str]], str] = lambda found: found["word"] or "的"  # noqa: E731
    text = _replaced("words", _DOUBLED, once, text, repairs)
    text = _replaced("spaces", _WIDE, " ", text, repairs)
    text = _replaced("spaces", _BEFORE_COMMA, "", text, repairs)
    text = _replaced("quotes", _APOSTROPHE, "’", text, repairs)
    if _NO_CASE.search(text) and text.count('"') % 2 == 0:  # no space tells where a quotation opens: they take turns
        halves = text.split('"')
        repairs["quotes"] += len(halves) - 1
        return "".join(half + mark for half, mark in zip(halves, [*"“”" * (len(halves) // 2), ""], strict=True))
    return _replaced("quotes", _QUOTED, quotes, text, repairs)


def _replaced(
    kind: Repair, pattern: re.Pattern[str], by: str | Callable[[re.Match[str]], str], text: str, repairs: Counter[Repair]
) -> str:
    text, count = pattern.subn(by, text)
    repairs[kind] += count
    return text
