"""A text with Markdown headings, a document or an outline: its sections, and the text of changed
ones.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from dogent_tui.outline.blocks import HeadingLines, heading_lines
from dogent_tui.outline.escapes import as_title, from_title
from dogent_tui.outline.heading_numbers import Marker, markers, parts, write
from dogent_tui.outline.model import DEEPEST, Frame, Heading, Mark, split_length

_BLANK = re.compile(r"[ \t\r]*$")


def parse_document(text: str) -> tuple[tuple[Heading, ...], Frame]:
    """Return the headings of `text`, and what is around them, without losing anything:
    `markdown.render_parts` reproduces it.
    """
    is_open = not text.endswith("\n")
    lines = (text if not is_open else f"{text}\n").split("\n")[:-1]
    found = list(heading_lines(text))
    if not found:
        return (), Frame(preamble=text)
    ends = [following.start for following in found[1:]] + [len(lines)]
    headings = [
        _heading(number, lines, place, end)
        for number, (place, end) in enumerate(zip(found, ends, strict=True), 1)
    ]
    end = headings[-1].gap
    gap = _usual([heading.gap for heading in headings[:-1]], "\n")
    headings[-1] = replace(headings[-1], gap=gap or ("\n" if headings[-1].body else ""))
    lead = (
        "\n"
        if _usual([heading.body[:1] for heading in headings if heading.body], "\n") == "\n"
        else ""
    )
    preamble = "".join(f"{line}\n" for line in lines[: found[0].start])
    frame = Frame(preamble, end, gap, lead, is_open)
    return numbered(headings, frame)


def _usual(values: Sequence[str], default: str) -> str:
    return Counter(values).most_common(1)[0][0] if values else default


def _heading(number: int, lines: Sequence[str], place: HeadingLines, end: int) -> Heading:
    content = list(lines[place.end : end])
    last = next(
        (row for row in range(len(content), 0, -1) if not _BLANK.match(content[row - 1])), 0
    )
    text, length = split_length(from_title(place.title))
    heading = Heading(
        number, place.level, text, length, _joined(content[:last]), _joined(content[last:])
    )
    raw = _joined(lines[place.start : place.end])
    return heading if raw == _line(heading) else replace(heading, raw=raw)


def _joined(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _line(heading: Heading, number: str = "") -> str:
    title = f"{number}{heading.text}{heading.length}"
    return f"{'#' * heading.level} {as_title(title)}".rstrip(" ") + "\n"


# ── Numbers ───────────────────────────────────────────────────────────────────────────────────────


def numbered(headings: Sequence[Heading], frame: Frame) -> tuple[tuple[Heading, ...], Frame]:
    """Remove the numbers from the titles at levels where counting reproduces every one of them;
    otherwise they are words.
    """
    marks: list[Mark] = []
    headings = tuple(headings)
    for level in range(1, DEEPEST + 1):
        mark = _counted(headings, level)
        marks.append(mark or Mark())
        if mark is not None:
            without = tuple(
                _without_number(heading, mark) if heading.level == level else heading
                for heading in headings
            )
            counts = ordinals(without, tuple(marks))
            right = all(
                f"{write(mark.template, path)}{mark.space}{new.text}" == old.text
                for old, new, path in zip(headings, without, counts, strict=True)
                if new.level == level and new.numbered
            )
            if right:
                headings = without
            else:
                marks[-1] = Mark()
    return headings, replace(frame, marks=tuple(marks))


def _counted(headings: Sequence[Heading], level: int) -> Mark | None:
    """Return how the first numbered heading of `level` writes its number."""
    for heading in headings:
        if heading.level == level and not heading.raw:
            for marker in markers(heading.text):
                if parts(marker.template) and (all(value == 1 for value in marker.values[-1:])):
                    return Mark(marker.template, marker.space)
    return None


def _without_number(heading: Heading, mark: Mark) -> Heading:
    marker = None if heading.raw else marker_of(heading.text, mark)
    if marker is None:
        return replace(heading, numbered=False)
    return replace(heading, text=heading.text[marker.length :])


def marker_of(text: str, mark: Mark) -> Marker | None:
    """Return the number that `text` begins with, if it is of this kind."""
    return next(
        (
            marker
            for marker in markers(text)
            if (marker.template, marker.space) == (mark.template, mark.space)
        ),
        None,
    )


def ordinals(headings: Sequence[Heading], marks: Sequence[Mark]) -> Iterator[tuple[int, ...]]:
    """Yield the path of each heading: its ordinal among its siblings, preceded by those of its
    ancestors.
    """
    counting = [bool(mark.template) for mark in marks]
    # For each possible parent: its level, its path, and the number of headings of each level below
    # it so far.
    above: list[tuple[int, tuple[int, ...], dict[int, int]]] = [(0, (), {})]
    for heading in headings:
        level = heading.level
        while above[-1][0] >= level:
            above.pop()
        _, path, counts = above[-1]
        is_counted = heading.numbered or level > len(counting) or not counting[level - 1]
        counts[level] = ordinal = counts.get(level, 0) + is_counted
        path = (*path, ordinal)
        above.append((level, path, {}))
        yield path


def numbers(headings: Sequence[Heading], frame: Frame) -> Iterator[str]:
    """Yield what precedes the title of each heading: its number, if any, followed by a space."""
    if not any(mark.template for mark in frame.marks):
        yield from ("" for _ in headings)
        return
    for heading, path in zip(headings, ordinals(headings, frame.marks), strict=True):
        mark = frame.mark(heading.level)
        yield (
            f"{write(mark.template, path)}{mark.space}"
            if mark.template and heading.numbered
            else ""
        )


# ── Text again ────────────────────────────────────────────────────────────────────────────────────


def document_pieces(headings: Sequence[Heading], frame: Frame) -> Iterator[str]:
    """Yield what precedes the headings, and then each with its text."""
    yield frame.preamble
    for heading, number in zip(headings, numbers(headings, frame), strict=True):
        yield f"{heading.raw or _line(heading, number)}{heading.body}{heading.gap}"
