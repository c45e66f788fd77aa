"""The review of a proposed change without a screen: its hunks, and the decisions that come back."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dogent_tui.agent.change_requests import ChangeRequest
from dogent_tui.agent.events import UiAnswer
from dogent_tui.agent.session import OpenedSession
from dogent_tui.agent.ui_requests import RequestError
from dogent_tui.changes.applying import Reviewed
from dogent_tui.changes.outcome import outcome_text
from dogent_tui.errors import DogentError
from dogent_tui.language import tr


def open_review(opened: OpenedSession, asked: ChangeRequest) -> Reviewed:
    """Return the review of a change over what the file holds now. Blocks. Raises DogentError."""
    workspace = opened.workspace
    reviewed = Reviewed.open(
        workspace,
        asked.path,
        asked.new_content,
        asked.summary,
        base=None if asked.base is None else asked.base.encode(),
        approved=Path(asked.place) if asked.place else None,
        unsaved=opened.libraries.unsaved.get(workspace.absolute(asked.path).resolve()),
    )
    reviewed.refresh()
    return reviewed


def decide(reviewed: Reviewed, given: Any) -> None:
    """Take over decisions: number of a hunk → ``accepted`` or ``rejected``, or an object with
    ``verdict``, ``text``, ``comment``.

    Raises RequestError, which names what is wrong.
    """
    if not isinstance(given, Mapping):
        raise RequestError(
            "hunks", tr("is missing: an object, number of the hunk → accepted or rejected.")
        )
    change = reviewed.change
    for key, decision in given.items():
        values = decision if isinstance(decision, Mapping) else {"verdict": decision}
        number = int(key) if str(key).isdecimal() and len(str(key)) < 9 else 0
        if not 1 <= number <= len(change.hunks):
            raise RequestError(f"hunks.{key}", tr("is no hunk of this change."))
        if values.get("verdict") not in ("accepted", "rejected"):
            raise RequestError(f"hunks.{key}", tr("must be “accepted” or “rejected”."))
        change.decide(number, values["verdict"])
        if isinstance(values.get("text"), str) and values["verdict"] == "accepted":
            change.edit(number, values["text"])
        if isinstance(values.get("comment"), str):
            change.comment(number, values["comment"])


def written(opened: OpenedSession, reviewed: Reviewed) -> tuple[UiAnswer, bool]:
    """Write what is accepted. Returns the answer, and whether the file was changed. Blocks.
    Raises DogentError.
    """
    if not reviewed.apply(opened.copies()):
        raise DogentError(
            tr("The file changed meanwhile."), tr("Nothing was written. Look at the change again.")
        )
    is_written = bool(reviewed.change.count("accepted"))
    opened.libraries.unsaved.pop(reviewed.path, None)
    return UiAnswer(review=outcome_text(reviewed.change, written=is_written)), is_written
