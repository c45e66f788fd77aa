"""The outcome of a proposal, hunk by hunk, worded for the model."""

from collections.abc import Iterator
from itertools import groupby

from dogent_tui.changes.hunks import Hunk
from dogent_tui.changes.model import Decision, DocumentChange

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


def outcome_text(change: DocumentChange, *, written: bool) -> str:
    """Return the outcome as the result of the model's call. `written`: whether the file was
    changed.
    """
    hunks, taken = len(change.hunks), change.count("accepted")
    did = f"nothing was written to {change.name}"
    if written:
        did = f"{taken} of {hunks} hunk{'' if hunks == 1 else 's'} written to {change.name}"
    lines = [f"The user reviewed your change: {did}."]
    said = [line for hunk in change.hunks for line in _lines(change, hunk, _QUOTED)]
    lines += said if sum(map(len, said)) <= _MOST else _in_short(change)
    if taken < hunks:
        lines.append(
            "Do not propose again what was rejected, unless it is changed as the comments ask."
        )
    if written:
        lines.append(
            "The file holds what was accepted, and not more: read it before you change it again."
        )
    return "\n".join(lines)


def _lines(change: DocumentChange, hunk: Hunk, quoted: int) -> Iterator[str]:
    """Yield the outcome of a hunk; `quoted` characters of it are repeated unless it was accepted
    unchanged.
    """
    decision = change.decision(hunk.number)
    status = _status(decision)
    yield f"Hunk {hunk.number} ({hunk.kind}, under {_where(hunk)}): {status}."
    if status != "accepted":
        label = "The deletion of" if hunk.kind == "deleted" else "You proposed"
        yield _indented(label, "\n".join(hunk.new or hunk.old), quoted)
    if decision.is_edited:
        yield _indented("Written instead", "\n".join(decision.edited or ()) or "(nothing)", _EDITED)
    if decision.comment:
        yield _indented("Comment", decision.comment, len(decision.comment))


def _in_short(change: DocumentChange) -> Iterator[str]:
    """Yield the outcome of many hunks: equal outcomes grouped, hunks with a comment
    individually.
    """

    def has_words(hunk: Hunk) -> bool:
        decision = change.decision(hunk.number)
        return bool(decision.comment) or decision.is_edited

    def alike(hunk: Hunk) -> object:
        status = _status(change.decision(hunk.number))
        return hunk.number if has_words(hunk) else (status, hunk.heading)

    for _, group in groupby(change.hunks, alike):
        first, *others = group
        if others:
            numbers = f"Hunks {first.number} to {others[-1].number}"
            yield f"{numbers} (under {_where(first)}): {_status(change.decision(first.number))}."
        else:
            yield from _lines(change, first, _QUOTED if has_words(first) else _IN_SHORT)


def _where(hunk: Hunk) -> str:
    return " > ".join(hunk.heading) or "the beginning"


def _status(decision: Decision) -> str:
    if decision.is_edited:
        return "accepted, edited by the user"
    return "left undecided, not written" if decision.verdict == "open" else decision.verdict


def _indented(label: str, text: str, most: int) -> str:
    if len(text) > most:
        text = f"{text[:most]}… ({len(text) - most} more characters)"
    return f"  {label}: " + text.replace("\n", "\n    ")
