"""The content of a review: a row for each hunk, and a hunk with its context. Plain lines,
independent of the screen.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, chain, groupby, zip_longest

from dogent_tui.changes.hunks import Hunk
from dogent_tui.changes.model import DocumentChange
from dogent_tui.changes.prose import InlineDiff, inline_diff
from dogent_tui.changes.prose import Span as Part
from dogent_tui.language import tr
from dogent_tui.plain import one_line, revealed
from dogent_tui.tui.pane.reading import opener_of
from dogent_tui.tui.transcript import palette
from dogent_tui.tui.transcript.lines import BLANK, Line, Lines, Span, crop, prefixed, styled, wrap

LOOKS = {
    **palette.LOOKS,
    "removed-part": "bold underline $text-error on $error 25%",
    "added-part": "bold underline $text-success on $success 25%",
    "pointer": "bold $text-primary",
    "cursor": "on $primary 30%",
    "idle": "on $boost",
}
"""The appearance of each style, in Textual's notation; see `transcript.palette`."""

CONTEXT = 3
"""Context lines above and below a hunk, and the rows shown of them, because a line may be a long
paragraph.
"""
_MOST_LINES = 600
"""The number of lines laid out of one side of a hunk."""
_MOST_CHARACTERS = 60_000
_PREVIEWED = 80
"""The number of lines of the result in the preview, starting slightly above the hunk."""

_AROUND = 1
"""Rows kept above and below a changed one."""
_SHORT = 8
"""The length in rows up to which a paragraph is shown whole, and the fewest rows worth leaving
out.
"""
_FOLD = Line((Span("⋯", "muted"),))

_TOLD = 200
"""Characters of a hunk shown in its row of the list."""
_SAME, _BEFORE, _COMPARED = 24, 8, 2_000
"""The number of characters shared with the old line after which the row starts later, how far
before the change it then starts, and the most characters compared.
"""
_GOES_ON = Span("… ", "muted")

_STATES = {
    "open": (" ", "muted", tr("undecided")),
    "accepted": ("✓", "success", tr("accepted")),
    "rejected": ("✗", "error", tr("rejected")),
    "edited": ("✎", "success", tr("accepted, edited")),
}
"""Each decision: its mark, its style and its description."""
_KINDS = {
    "changed": ("~", "muted", tr("changed")),
    "added": ("+", "success", tr("added")),
    "deleted": ("-", "error", tr("deleted")),
    "conflict": ("!", "warning", tr("conflict")),
}
"""The kinds of hunks, likewise."""


def state(change: DocumentChange, hunk: Hunk) -> str:
    """Return the decision about a hunk: ``open``, ``accepted``, ``rejected``, ``edited``."""
    decision = change.decision(hunk.number)
    return "edited" if decision.is_edited else decision.verdict


def list_row(
    change: DocumentChange, hunk: Hunk, width: int, *, is_cursor: bool, loses_quote: bool = False
) -> tuple[Span, ...]:
    """Return the row of a hunk in the list: decision, heading and first words."""
    mark, style, _ = _STATES[state(change, hunk)]
    sign, sign_style, _ = _KINDS[hunk.kind]
    words = _telling(hunk.old, change.lines_of(hunk)) or tr("(blank lines)")
    heading = one_line(hunk.heading[-1]) if hunk.heading else ""
    spans = [
        Span("❯" if is_cursor else " ", "pointer"),
        Span(f"{mark} ", style),
        Span(sign, sign_style),
        Span("“" if change.decision(hunk.number).comment else " ", "accent"),
    ]
    if loses_quote:
        spans.append(Span("≠” ", "warning"))
    if heading and heading not in words:
        spans.append(Span(f"{heading} ", "heading3"))
    return crop([*spans, Span(words)], width)


def _telling(old: Sequence[str], new: Sequence[str]) -> str:
    """Return the first changed words, starting slightly before them if much of the line is
    unchanged.
    """
    before, after = ([line for line in lines if line.strip()] for lines in (old, new))
    was, line = next(
        (pair for pair in zip(before, after, strict=False) if pair[0] != pair[1]), ("", "")
    )
    line = line or next(iter(after or before), "")
    pairs = enumerate(zip(was[:_COMPARED], line, strict=False))
    same = next(
        (place for place, (mine, other) in pairs if mine != other),
        min(len(was), len(line), _COMPARED),
    )
    if same <= _SAME:
        return one_line(line[:_TOLD])
    start = max(line.rfind(" ", 0, same - _BEFORE) + 1, same - 2 * _BEFORE)
    return f"…{one_line(line[start : start + _TOLD])}"


def headline(change: DocumentChange, hunk: Hunk, width: int, *, loses_quote: bool) -> Line:
    """Return the line above a hunk: number, location, decision."""
    place = change.hunks.index(hunk) + 1
    where = " › ".join(one_line(title) for title in hunk.heading) or tr("the beginning")
    _, style, decided = _STATES[state(change, hunk)]
    kind = _KINDS[hunk.kind][2]
    spans = [
        Span(tr("{place} of {hunks} · ", place=place, hunks=len(change.hunks)), "accent"),
        Span(decided, style),
    ]
    if loses_quote:
        spans.append(Span(tr(" · changes a verbatim quote"), "warning"))
    facts = tr(" · {kind} · line {line} · {where}", kind=kind, line=hunk.start + 1, where=where)
    return Line(crop([*spans, Span(facts, "muted")], width))


def hunk_lines(
    change: DocumentChange, hunk: Hunk, width: int, *, by_side: bool, loses_quote: bool = False
) -> Lines:
    """Return a hunk with its context, laid out for `width` cells. `loses_quote`: it changes a
    verbatim quotation.
    """
    lines = [headline(change, hunk, width, loses_quote=loses_quote)]
    comment = change.decision(hunk.number).comment
    if comment:
        lines += prefixed(
            wrap([Span(revealed(comment), "emphasis")], width - 2), Span("“ ", "accent"), Span("  ")
        )
    lines.append(BLANK)
    base = change.base.lines
    lines += _above(base[max(0, hunk.start - CONTEXT) : hunk.start], width)
    if hunk.is_conflict:
        said = tr("The file is gone. Accepting creates it again.")
        if hunk.old:
            said = tr(
                "Someone else changed these lines in the meantime (o shows the original). Accepting"
                " replaces what is there now."
            )
        lines += wrap([Span(said, "warning")], width)
        lines += prefixed(_told(hunk.ours, width - 2), Span("o ", "muted"))
    sides = _sides(_cut(hunk.old), _cut(change.lines_of(hunk)))
    lines += _beside(sides, width) if by_side and sides.old and sides.new else _below(sides, width)
    lines += _under(base[hunk.end : hunk.end + CONTEXT], width)
    return lines


def preview_text(change: DocumentChange, hunk: Hunk) -> str:
    """Return the document with all accepted changes, around a hunk."""
    place = hunk.start
    for other in change.hunks:
        if other.start >= hunk.start:
            break
        if change.decision(other.number).verdict == "accepted":
            place += len(change.lines_of(other)) - (other.end - other.start)
    lines, start = change.result.lines, max(0, place - 6)
    opener = opener_of("\n".join([*lines[:start], ""]), "".join(lines[start : start + 1]))
    return "\n".join([*opener, *lines[start : place + _PREVIEWED]])[:_MOST_CHARACTERS]


@lru_cache(64)
def _sides(old: str, new: str) -> InlineDiff:
    return inline_diff(old, new)


def _cut(lines: Sequence[str]) -> str:
    """Return the lines up to the maximum that is shown."""
    text = "\n".join(lines[:_MOST_LINES])
    if len(text) <= _MOST_CHARACTERS and len(lines) <= _MOST_LINES:
        return text + "\n" if lines else ""
    return tr(
        "{text}\n… {more} more lines\n",
        text=text[:_MOST_CHARACTERS],
        more=max(0, len(lines) - _MOST_LINES),
    )


def _above(lines: Sequence[str], width: int) -> Iterator[Line]:
    rows = _told(lines, width - 2)
    return prefixed(rows[-CONTEXT:], _GOES_ON if len(rows) > CONTEXT else Span("  "), Span("  "))


def _under(lines: Sequence[str], width: int) -> Iterator[Line]:
    rows = _told(lines, width - 2)
    yield from prefixed(rows[: CONTEXT - 1], Span("  "))
    yield from prefixed(
        rows[CONTEXT - 1 : CONTEXT], _GOES_ON if len(rows) > CONTEXT else Span("  ")
    )


def _told(lines: Sequence[str], width: int) -> Lines:
    return [line for text in lines for line in _wrapped(text[:_MOST_CHARACTERS], width)]


@lru_cache(64)
def _wrapped(text: str, width: int) -> Sequence[Line]:
    """Return a paragraph as lines. Cached, because the context of a hunk is drawn again on every
    key.
    """
    return tuple(wrap([Span(revealed(text), "muted")], width))


@lru_cache(32)
def _side(
    parts: tuple[Part, ...], others: tuple[Part, ...], style: str, width: int
) -> Sequence[Line]:
    """Return one side of a hunk, with the changed parts highlighted and without what is far from
    the changes of both sides, unless everything changed.
    """
    some = any(not part.changed and part.text.strip() for part in parts)
    text = [
        Span(revealed(part.text), f"{style}-part" if part.changed and some else style)
        for part in parts
    ]
    # every text ends with a newline, which is not followed by a line
    rows = wrap(text, width)[:-1] if parts else []
    return folded(rows, f"{style}-part", seams(others)) if some else rows


def _below(sides: InlineDiff, width: int) -> Iterator[Line]:
    """Yield deleted, then inserted lines."""
    for rows, style, mark in zip(
        _both(sides, width), ("removed", "added"), ("- ", "+ "), strict=True
    ):
        for line in prefixed(rows, Span(mark, style)):
            yield line._replace(fill=style)


def _both(sides: InlineDiff, width: int) -> tuple[Sequence[Line], Sequence[Line]]:
    """Return the deleted and the inserted text as rows for `width` cells, with their mark."""
    return (
        _side(sides.old, sides.new, "removed", width - 2),
        _side(sides.new, sides.old, "added", width - 2),
    )


def _beside(sides: InlineDiff, width: int) -> Iterator[Line]:
    """Yield deleted lines to the left of inserted ones, what is left out of both on one row."""
    half = (width - 3) // 2
    before, after = map(_between_folds, _both(sides, half))
    if len(before) != len(after):  # what is near on one side may be far on the other
        before, after = [[*chain(*before)]], [[*chain(*after)]]
    for old, new in chain.from_iterable(map(zip_longest, before, after)):
        yield Line(
            (
                *_column(old, "removed", "- ", half),
                Span(" │ ", "rule"),
                *_column(new, "added", "+ ", half),
            )
        )


def _between_folds(rows: Sequence[Line]) -> list[list[Line]]:
    """Return the rows between those left out, which are groups of their own."""
    return [[*group] for _, group in groupby(rows, _FOLD.__eq__)]


def _column(line: Line | None, style: str, mark: str, width: int) -> tuple[Span, ...]:
    if line is None:
        return (Span(" " * width),)
    return (
        Span(mark, style),
        *styled(line, style).spans,
        Span(" " * max(0, width - 2 - line.width), style),
    )


# ── What is left out of a long paragraph: rows in and around which nothing changed ────────


def seams(parts: Sequence[Part]) -> tuple[int, ...]:
    """Return the amount of unchanged text before each changed part, whether missing on the other
    side or different there.
    """
    lengths = accumulate((0 if part.changed else len(part.text) for part in parts), initial=0)
    return tuple(before for before, part in zip(lengths, parts, strict=False) if part.changed)


def folded(rows: Sequence[Line], style: str, seams_: Sequence[int]) -> Sequence[Line]:
    """Return `rows`, replacing runs far from any change with one ⋯.

    The changes of this side are drawn in `style`; the `seams_` of the other side tell where its
    changes are.
    """
    if len(rows) <= _SHORT:
        return rows
    same = [
        sum(len(span.text) for span in row.spans if span.style != style) + len(row.glue)
        for row in rows
    ]
    places = {
        place for place, row in enumerate(rows) if any(span.style == style for span in row.spans)
    }
    begins = [*accumulate(same[:-1], initial=0)]
    places |= {bisect_right(begins, seam) - 1 for seam in seams_}
    if not places:
        return rows
    kept = {place for found in places for place in range(found - _AROUND, found + _AROUND + 1)}
    return list(_with_folds(rows, kept))


def _with_folds(rows: Sequence[Line], kept: set[int]) -> Iterator[Line]:
    for is_kept, group in groupby(range(len(rows)), kept.__contains__):
        run = [rows[place] for place in group]
        if is_kept or len(run) == 1:
            yield from run
        else:
            yield _FOLD
