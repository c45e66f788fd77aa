"""An outline written as a list: bullets, numbers, or 一、（一）. Each level is written like its
first heading.

Writing normalizes the indent and kind of all headings of a level, numbers by counting, the indent
of notes, and trailing white space.
"""

import re
from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from dogent_tui.outline.blocks import fenced_lines
from dogent_tui.outline.document import numbers
from dogent_tui.outline.heading_numbers import Marker, certain, is_listed, kind, markers
from dogent_tui.outline.model import Frame, Heading, Mark, split_length


class _Item(msgspec.Struct):
    """A heading being parsed."""

    level: int
    text: str
    indent: int
    marker: Marker
    lines: list[str]


def parse_list(text: str) -> tuple[tuple[Heading, ...], Frame] | None:
    """Return the headings of a list, and how it is written; None if `text` does not contain any."""
    is_open = not text.endswith("\n")
    preamble: list[str] = []
    items: list[_Item] = []
    levels: list[tuple[int, str]] = []
    lines = text.removesuffix("\n").split("\n")
    fenced = set(fenced_lines(map(str.strip, lines)))
    for number, line in enumerate(lines):
        found = None if number in fenced else _marker(line, levels)
        if found is None:
            (items[-1].lines if items else preamble).append(line.rstrip())
            continue
        indent, marker = found
        levels = _deepened(levels, indent, kind(marker.template))
        items.append(_Item(len(levels), line.strip()[marker.length :].strip(), indent, marker, []))
    if not items:
        return None
    frame = Frame(
        "".join(f"{line}\n" for line in preamble),
        "",
        "",
        "",
        is_open,
        is_list=True,
        marks=_marks(items),
    )
    headings = [_heading(number, item) for number, item in enumerate(items, 1)]
    end = headings[-1].gap
    gap = headings[0].gap if len(headings) > 1 else ""
    headings[-1] = replace(headings[-1], gap=gap)
    return tuple(headings), replace(frame, end=end, gap=gap)


def has_list(text: str) -> bool:
    """Return whether the first line with words is a heading of a list."""
    first = next((line for line in text.split("\n") if line.strip()), "")
    return _marker(first, []) is not None


def _marker(line: str, levels: Sequence[tuple[int, str]]) -> tuple[int, Marker] | None:
    """Return the indent and marker of `line`: of a kind in use, or a new one that counts from the
    first.
    """
    text = line.expandtabs(4).strip()
    indent = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip(" "))
    readings = list(markers(text))
    for marker in readings:
        if (indent, kind(marker.template)) in levels:
            return indent, marker
    for marker in readings:
        if certain(marker.template) or marker.values == (1,):
            return indent, marker
    return None


def _deepened(levels: list[tuple[int, str]], indent: int, kind_: str) -> list[tuple[int, str]]:
    """Return the levels down to a heading with this indent and kind, after one with `levels` above
    it.
    """
    while levels and levels[-1][0] > indent:
        levels = levels[:-1]
    if (indent, kind_) in levels:
        return levels[: levels.index((indent, kind_)) + 1]
    return [*levels, (indent, kind_)]


def _marks(items: Sequence[_Item]) -> tuple[Mark, ...]:
    """Return how each level is written, based on its first heading, if the levels above allow
    it.
    """
    marks: list[Mark] = []
    for item in items:
        if item.level == len(marks) + 1:
            space = item.marker.space or (
                ""
                if not is_listed(item.marker.template) and "." not in item.marker.template
                else " "
            )
            marks.append(
                _told_apart(Mark(item.marker.template, space.expandtabs(4)[:4], item.indent), marks)
            )
    return tuple(marks)


def _told_apart(mark: Mark, above: Sequence[Mark]) -> Mark:
    if not above:
        return mark
    same = {kind(other.template) for other in above if other.indent == mark.indent}
    if mark.indent < above[-1].indent or kind(mark.template) in same:
        return replace(
            mark,
            indent=text_indent(above[-1])
            if is_listed(above[-1].template)
            else above[-1].indent + 2,
        )
    return mark


def text_indent(mark: Mark) -> int:
    """Return the column of the text below a heading: that of its title in a Markdown list,
    otherwise of the number.
    """
    return (
        mark.indent + len(mark.template) + len(mark.space)
        if is_listed(mark.template)
        else mark.indent
    )


def complete(frame: Frame, headings: Sequence[Heading]) -> Frame:
    """Return `frame` with marks for all levels of `headings`, by default like the level above."""
    marks = list(frame.marks) or [Mark("-")]
    while len(marks) < max((heading.level for heading in headings), default=0):
        last = marks[-1]
        template = (
            f"{last.template}.1"
            if re.fullmatch(r"1(\.1)+", last.template)
            else "-"
            if not is_listed(last.template)
            else last.template
        )
        marks.append(_told_apart(Mark(template, " ", last.indent), marks))
    return replace(frame, marks=tuple(marks))


def _heading(number: int, item: _Item) -> Heading:
    lines = list(item.lines)
    last = next((row for row in range(len(lines), 0, -1) if lines[row - 1]), 0)
    text, length = split_length(item.text)
    kept = lines[:last]
    indent = min((len(line) - len(line.lstrip(" ")) for line in kept if line), default=0)
    # A line of signs that was code because of the indent would be a heading without it.
    body = "".join("\\" * line.startswith("#", indent) + f"{line[indent:]}\n" for line in kept)
    return Heading(number, item.level, text, length, body, "\n" * (len(lines) - last))


def list_pieces(headings: Sequence[Heading], frame: Frame) -> Iterator[str]:
    """Yield what precedes the headings, and then each with its text."""
    yield frame.preamble
    frame = complete(frame, headings)
    for heading, number in zip(headings, numbers(headings, frame), strict=True):
        mark = frame.mark(heading.level)
        line = f"{' ' * mark.indent}{number}{heading.text}{heading.length}".rstrip()
        below = " " * text_indent(mark)
        body = (
            "".join(
                f"{below}{row}".rstrip() + "\n"
                for row in heading.body.removesuffix("\n").split("\n")
            )
            if heading.body
            else ""
        )
        yield f"{line}\n{body}{heading.gap}"
