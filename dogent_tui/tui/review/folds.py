"""What is left out of a long paragraph: the rows in which, and around which, nothing changed.
`v` and `e` show them.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby

from dogent_tui.changes.prose import Span as Part
from dogent_tui.tui.transcript.lines import Line, Span

_AROUND = 1
"""Rows that are kept above and below one that changed."""
_SHORT = 8
"""Rows of a paragraph that is shown whole, and of which none are worth leaving out."""
_FOLD = Line((Span("⋯", "muted"),))


def seams(parts: Sequence[Part]) -> tuple[int, ...]:
    """Return how much unchanged text stands before each part that changed: where the other side
    lacks it, or has other words.
    """
    lengths = accumulate((0 if part.changed else len(part.text) for part in parts), initial=0)
    return tuple(before for before, part in zip(lengths, parts, strict=False) if part.changed)


def folded(rows: Sequence[Line], style: str, seams_: Sequence[int]) -> Sequence[Line]:
    """Return `rows` with one ⋯ for many that are far from what changed, which is drawn in `style`.

    Where nothing of this side changed, it is told by the `seams_` of the other side.
    """
    if len(rows) <= _SHORT:
        return rows
    places = [
        place for place, row in enumerate(rows) if any(span.style == style for span in row.spans)
    ]
    if not places:
        begins = list(accumulate((len(row.text) + len(row.glue) for row in rows[:-1]), initial=0))
        places = [bisect_right(begins, seam) - 1 for seam in seams_]
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
