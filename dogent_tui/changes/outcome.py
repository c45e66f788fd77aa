"""The outcome of a proposal, hunk by hunk, worded for the model."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Literal, TypeAlias

import msgspec

from dogent_tui.changes.hunks import Hunk
from dogent_tui.changes.model import DocumentChange

Status: TypeAlias = Literal["accepted", "edited", "rejected", "undecided"]

_QUOTED = 240
"""Characters that identify a hunk."""
_IN_SHORT = 60
"""The same when there are many hunks."""
_EDITED = 4_000
"""Characters quoted of the user's own version."""
_MOST = 40_000
"""The length up to which an outcome names each hunk. The CLI puts a result of more than 50,000
characters into a file (measured).
"""


class HunkOutcome(msgspec.Struct, frozen=True, omit_defaults=True):
    """The outcome of a hunk. `proposed` is its beginning; `written` the user's own version, if
    any.
    """

    number: int
    heading: tuple[str, ...]
    kind: str
    status: Status
    proposed: str
    comment: str = ""
    written: str = ""


def outcomes(change: DocumentChange) -> tuple[HunkOutcome, ...]:
    """Return the outcome of each hunk."""
    return tuple(_outcome(change, hunk) for hunk in change.hunks)


def _outcome(change: DocumentChange, hunk: Hunk) -> HunkOutcome:
    decision = change.decision(hunk.number)
    status: Status = "rejected" if decision.verdict == "rejected" else "undecided"
    written = ""
    if decision.verdict == "accepted":
        status = "accepted"
        if decision.edited is not None:
            status, written = "edited", _shortened("\n".join(decision.edited), _EDITED)
    proposed = _shortened("\n".join(hunk.new or hunk.old), _QUOTED)
    return HunkOutcome(
        hunk.number, hunk.heading, hunk.kind, status, proposed, decision.comment, written
    )


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most} more characters)"


def outcome_text(change: DocumentChange, *, written: bool) -> str:
    """Return the outcome as the result of the model's call. `written`: whether the file was
    changed.
    """
    found = outcomes(change)
    taken = sum(outcome.status in ("accepted", "edited") for outcome in found)
    did = (
        f"{taken} of {_hunks(len(found))} written to {change.name}"
        if written
        else f"nothing was written to {change.name}"
    )
    lines = [f"The user reviewed your change: {did}."]
    said = [line for outcome in found for line in _lines(outcome)]
    lines += said if sum(map(len, said)) <= _MOST else _in_short(found)
    if taken < len(found):
        lines.append(
            "Do not propose again what was rejected, unless it is changed as the comments ask."
        )
    if written:
        lines.append(
            "The file holds what was accepted, and not more: read it before you change it again."
        )
    return "\n".join(lines)


def _lines(outcome: HunkOutcome) -> Sequence[str]:
    where = " > ".join(outcome.heading) or "the beginning"
    lines = [f"Hunk {outcome.number} ({outcome.kind}, under {where}): {_status(outcome)}."]
    if outcome.status != "accepted":
        lines.append(
            _indented(
                "The deletion of" if outcome.kind == "deleted" else "You proposed", outcome.proposed
            )
        )
    if outcome.status == "edited":
        lines.append(_indented("Written instead", outcome.written or "(nothing)"))
    if outcome.comment:
        lines.append(_indented("Comment", outcome.comment))
    return lines


def _in_short(found: Sequence[HunkOutcome]) -> Iterator[str]:
    """Yield the outcome of many hunks: equal outcomes grouped, hunks with a comment
    individually.
    """

    def alike(outcome: HunkOutcome) -> object:
        return (
            outcome.number
            if outcome.comment or outcome.status == "edited"
            else (outcome.status, outcome.heading)
        )

    for _, group in groupby(found, alike):
        first, *others = group
        if others:
            where = " > ".join(first.heading) or "the beginning"
            yield f"Hunks {first.number} to {others[-1].number} (under {where}): {_status(first)}."
        elif first.comment or first.status == "edited":
            yield from _lines(first)
        else:
            yield from _lines(
                msgspec.structs.replace(first, proposed=f"{first.proposed[:_IN_SHORT]}…")
            )


def _status(outcome: HunkOutcome) -> str:
    return {
        "edited": "accepted, edited by the user",
        "undecided": "left undecided, not written",
    }.get(outcome.status, outcome.status)


def _indented(label: str, text: str) -> str:
    return f"  {label}: " + text.replace("\n", "\n    ")


def _hunks(count: int) -> str:
    return f"{count} hunk{'' if count == 1 else 's'}"
