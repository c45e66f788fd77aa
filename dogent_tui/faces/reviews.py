"""The review of a proposed change without a screen: its hunks, and the decisions that come back."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from dogent_tui.agent.change_requests import ChangeRequest
from dogent_tui.agent.events import UiAnswer
from dogent_tui.agent.reviewing import review_of
from dogent_tui.agent.session import OpenedSession
from dogent_tui.agent.ui_requests import RequestError
from dogent_tui.changes.applying import Reviewed
from dogent_tui.changes.outcome import outcome_text
from dogent_tui.errors import DogentError
from dogent_tui.language import tr

Verdict: TypeAlias = Literal["accepted", "rejected"]


class Decision(msgspec.Struct):
    """What the user decided about a hunk. `text` is written in place of what was proposed."""

    verdict: Verdict
    text: str | None = None
    comment: str = ""


def open_review(opened: OpenedSession, asked: ChangeRequest) -> Reviewed:
    """Return the review of a change over what the file holds now. Blocks. Raises DogentError."""
    path = opened.workspace.absolute(asked.path).resolve()
    reviewed = review_of(opened.workspace, asked, opened.libraries.unsaved.get(path))
    reviewed.refresh()
    return reviewed


def decide(reviewed: Reviewed, given: Any) -> None:
    """Take over decisions: number of a hunk → ``accepted`` or ``rejected``, or a `Decision`.

    Raises RequestError, which names what is wrong.
    """
    change, kind = reviewed.change, Mapping[int, Verdict | Decision]
    try:
        decisions = msgspec.convert(given, kind, str_keys=True)
    except msgspec.ValidationError as error:
        raise RequestError("hunks", f"{error}.") from None
    for number, each in decisions.items():
        decision = each if isinstance(each, Decision) else Decision(each)
        if not 1 <= number <= len(change.hunks):
            raise RequestError(f"hunks.{number}", tr("is no hunk of this change."))
        change.decide(number, decision.verdict)
        if decision.text is not None and decision.verdict == "accepted":
            change.edit(number, decision.text)
        change.comment(number, decision.comment)


def written(opened: OpenedSession, reviewed: Reviewed) -> tuple[UiAnswer, bool]:
    """Write what is accepted. Returns the answer, and whether the file was changed. Blocks.
    Raises DogentError.
    """
    if not reviewed.apply(opened.copies()):
        remedy = tr("Nothing was written. Look at the change again.")
        raise DogentError(tr("The file changed meanwhile."), remedy)
    is_written = bool(reviewed.change.count("accepted"))
    opened.libraries.unsaved.pop(reviewed.path, None)
    return UiAnswer(review=outcome_text(reviewed.change, written=is_written)), is_written
