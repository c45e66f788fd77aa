"""What became of a proposal, hunk by hunk, in words that the model can do better by."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from dogent_tui.changes.hunks import Hunk
from dogent_tui.changes.model import DocumentChange

Status: TypeAlias = Literal["accepted", "edited", "rejected", "undecided"]

_QUOTED = 240
"""Characters by which a hunk is known again."""
_EDITED = 4_000
"""Characters of what the person wrote instead."""


class HunkOutcome(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of a hunk. `proposed` is the start of it; `written` what the person wrote instead, where they did."""

    number: int
    heading: tuple[str, ...]
    kind: str
    status: Status
    proposed: str
    comment: str = ""
    written: str = ""


def outcomes(change: DocumentChange) -> tuple[HunkOutcome, ...]:
    """Return what became of each hunk."""
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
    return HunkOutcome(hunk.number, hunk.heading, hunk.kind, status, proposed, decision.comment, written)


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most} more characters)"


def outcome_text(change: DocumentChange, *, written: bool) -> str:
    """Return the outcome as the result of the model's call. `written`: whether the file was changed."""
    found = outcomes(change)
    taken = sum(outcome.status in ("accepted", "edited") for outcome in found)
    did = f"{taken} of {_hunks(len(found))} written to {change.name}" if written else f"nothing was written to {change.name}"
    lines = [f"The person reviewed your change: {did}."]
    for outcome in found:
        lines += _lines(outcome)
    if taken < len(found):
        lines.append("Do not propose again what was rejected, unless it is changed as the comments ask.")
    if written:
        lines.append("The file holds what was accepted, and not more: read it before you change it again.")
    return "\n".join(lines)


def _lines(outcome: HunkOutcome) -> Sequence[str]:
    where = " > ".join(outcome.heading) or "the beginning"
    status = {"edited": "accepted, edited by the person", "undecided": "left undecided, not written"}.get(
        outcome.status, outcome.status
    )
    lines = [f"Hunk {outcome.number} ({outcome.kind}, under {where}): {status}."]
    if outcome.status != "accepted":
        lines.append(_indented("The deletion of" if outcome.kind == "deleted" else "You proposed", outcome.proposed))
    if outcome.status == "edited":
        lines.append(_indented("Written instead", outcome.written or "(nothing)"))
    if outcome.comment:
        lines.append(_indented("Comment", outcome.comment))
    return lines


def _indented(label: str, text: str) -> str:
    return f"  {label}: " + text.replace("\n", "\n    ")


def _hunks(count: int) -> str:
    return f"{count} hunk{'' if count == 1 else 's'}"
