"""The content of a row of the outline, as spans in named styles."""

from collections.abc import Mapping, Sequence

from rich.cells import cell_len

from dogent_tui.outline.changes import Change
from dogent_tui.outline.edit_session import NAMES
from dogent_tui.outline.model import Heading
from dogent_tui.plain import one_line
from dogent_tui.records import Record
from dogent_tui.tui.transcript.lines import Line, Span, crop
from dogent_tui.tui.transcript.markdown import markdown_lines
from dogent_tui.tui.transcript.palette import restyled

LOOKS = {
    "muted": "auto 60%",
    "title1": "bold $text-primary",
    "title2": "$foreground",
    "title3": "$foreground 85%",
    "number": "$text-secondary",
    "fold": "$text-accent",
    "leaf": "$foreground 30%",
    "length": "$text-secondary",
    "added": "bold $text-success",
    "edited": "bold $text-warning",
    "moved": "bold $text-accent",
    "pointer": "bold $text-primary",
    "cursor": "on $primary 30%",
    "idle": "on $boost",
    "selected": "on $primary 15%",
    "match": "underline auto 87% on $warning 40%",
    "drop": "underline",
}
"""The appearance of each style, in Textual's notation; see `transcript.palette`."""

CHANGE_MARKS: Mapping[Change, str] = {change: mark for change, mark, _ in NAMES}

GUTTER = 3
"""Cells before the outline: the cursor, and the change mark."""
INDENT = 2
"""Indentation of a level in cells."""
GLYPH = 2
"""Width of the fold mark in cells."""
_DEEPEST_INDENT = 24
"""The number of indented levels; deeper ones are aligned."""
_LEAST_EXCERPT = 12
"""Free cells required to show the beginning of a note."""
_EXCERPT = 200
"""The characters of a note that are laid out for that."""


class RowLook(Record):
    """The state of a row besides its heading."""

    is_cursor: bool = False
    is_selected: bool = False
    is_folded: bool = False
    has_children: bool = False
    hidden: int = 0
    changes: tuple[Change, ...] = ()
    number: str = ""
    base: int = 1
    found: str = ""
    written: int = 0


def title_column(level: int, number: str, base: int) -> int:
    """Return the cell where the title starts; `base` is the lowest level of the outline."""
    return glyph_column(level, base) + GLYPH + cell_len(one_line_kept(number))


def glyph_column(level: int, base: int) -> int:
    """Return the cell of the fold mark."""
    return GUTTER + INDENT * min(_DEEPEST_INDENT, max(0, level - base))


def one_line_kept(number: str) -> str:
    """Return the heading's number followed by a space, if it has one."""
    return f"{one_line(number)} " if number.endswith((" ", "\t")) else one_line(number)


def row_spans(heading: Heading, look: RowLook, width: int) -> list[Span]:
    """Return the spans of a row of `width` cells: marks, title, the beginning of the note, and the
    words of the section and its target length on the right.
    """
    changed = [
        Span(CHANGE_MARKS[change].ljust(3 - len(look.changes)), change) for change in look.changes
    ] or [Span("  ")]
    pointer = "❯" if look.is_cursor else "┃" if look.is_selected else " "
    glyph = ("▸ " if look.is_folded else "▾ ") if look.has_children else "· "
    marks = [
        Span(pointer, "pointer"),
        *changed,
        Span(" " * (glyph_column(heading.level, look.base) - GUTTER)),
        Span(glyph, "fold" if look.has_children else "leaf"),
    ]
    level = min(3, heading.level - look.base + 1)
    title = (
        _marked(one_line(heading.text), f"title{level}", look.found)
        if heading.text
        else [Span("untitled", "muted")]
    )
    spans = [*marks, Span(one_line_kept(look.number), "number"), *title]
    if look.is_folded:
        spans.append(Span(f"  +{look.hidden}", "muted"))
    written = f"{look.written:,}" if look.written else ""
    length = " / ".join(filter(None, (written, one_line(heading.target))))
    room = width - (cell_len(length) + 2 if length else 1)
    spans = list(crop([span for span in spans if span.text], room))
    used = sum(cell_len(span.text) for span in spans)
    if heading.note and room - used >= _LEAST_EXCERPT + 3:
        lines = markdown_lines(heading.note[:_EXCERPT], _EXCERPT)
        note = " ".join(filter(None, (line.text[line.decoration :] for line in lines)))
        spans += crop([Span(f"  — {note}", "muted")], room - used)
        used = sum(cell_len(span.text) for span in spans)
    if length:
        gap = " " * (width - used - cell_len(length) - 1)
        spans += [Span(gap), Span(length, "length"), Span(" ")]
    return spans


def _marked(title: str, style: str, found: str) -> list[Span]:
    place = title.casefold().find(found.casefold()) if found else -1
    if place < 0 or len(title.casefold()) != len(title):
        return [Span(title, style)]
    found_at = (place, place + len(found), "match")
    return [*restyled(Line((Span(title, style),)), [found_at]).spans]


def lowest_level(headings: Sequence[Heading]) -> int:
    """Return the level without indentation."""
    return min((heading.level for heading in headings), default=1)
