"""Outlines from Markdown and back: with headings (`document`) or as a list (`lists`).

`render(parse(text)) == text` for every text with headings, including complete documents. For a list
that holds after writing it once: `lists` says what is normalized. A changed heading is written with
``#`` signs, however it was written before.
"""

from collections.abc import Iterator
from itertools import accumulate

from msgspec.structs import replace

from dogent_tui.outline.blocks import front_matter, heading_lines
from dogent_tui.outline.document import document_pieces, numbers, parse_document
from dogent_tui.outline.escapes import as_title
from dogent_tui.outline.heading_numbers import BULLETS
from dogent_tui.outline.lists import complete, has_list, list_pieces, parse_list
from dogent_tui.outline.model import Frame, Heading, Headings, Outline


def parse(text: str) -> Outline:
    """Parse an outline: headings or, if there are none or only a title, a list."""
    headings, frame = _read(text)
    return Outline(headings, frame, parse)


def parse_file(text: str) -> Outline:
    """Parse a complete document: its sections, with their text. A list in it is text."""
    headings, frame = parse_document(text)
    return Outline(headings, frame, parse_file)


def render(outline: Outline) -> str:
    """Write `outline` as Markdown."""
    return render_parts(outline.headings, outline.frame)


def render_parts(headings: Headings, frame: Frame) -> str:
    """Write some headings."""
    if not headings:
        return frame.preamble
    text = "".join(_pieces(headings, frame)).removesuffix(headings[-1].gap) + frame.end
    return text.removesuffix("\n") if frame.is_open else text


def first_lines(outline: Outline) -> list[int]:
    """Return the line, from 0, on which each heading begins in the text of `outline`."""
    pieces = _pieces(outline.headings, outline.frame)
    return list(accumulate(piece.count("\n") for piece in pieces))[:-1]


def _pieces(headings: Headings, frame: Frame) -> Iterator[str]:
    """Yield what precedes the headings, and then each with its text."""
    return (list_pieces if frame.is_list else document_pieces)(headings, frame)


def titles(outline: Outline) -> list[str]:
    """Return the number of each heading followed by a space, empty if it has none; bullets do not
    count.
    """
    frame = outline.frame
    if frame.is_list:
        frame = complete(frame, outline.headings)
    return [
        number if number.strip() not in BULLETS else ""
        for number in numbers(outline.headings, frame)
    ]


def _read(text: str) -> tuple[Headings, Frame]:
    found = list(heading_lines(text))
    lines = text.split("\n")
    has_title = bool(found) and not "\n".join(lines[: found[0].start])[front_matter(text) :].strip()
    # a heading of a list over a rule, or over an empty bullet
    if has_title and has_list(lines[found[0].start]):
        has_title = False
    title_lines = found[0].end if has_title else 0
    # An underlined text may be a note and a rule: it does not make headings in a list.
    signed = any(lines[place.start].lstrip().startswith("#") for place in found[has_title:])
    after = "\n".join(lines[title_lines:])
    if not signed and has_list(after) and (listed := parse_list(after)):
        headings, frame = listed
        return headings, replace(frame, preamble=text[: len(text) - len(after)] + frame.preamble)
    return parse_document(text)


def same_sections(headings: tuple[Heading, ...], text: str) -> bool:
    """Return whether `text` is parsed as `headings`: an unclosed code fence, moved up, would
    swallow what follows.
    """
    read, frame = parse_document(text)
    found = zip(read, numbers(read, frame), strict=True)
    return len(read) == len(headings) and all(
        there.level == heading.level
        and as_title(f"{number}{_title(there)}").endswith(as_title(_title(heading)))
        for (there, number), heading in zip(found, headings, strict=True)
    )


def _title(heading: Heading) -> str:
    return f"{heading.text}{heading.length}"
