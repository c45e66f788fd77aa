"""The review of a change proposed by the agent, the same for every face: how it begins, and what is
written at the end. Without the SDK, which the rest of reviewing needs.
"""

from pathlib import Path

from dogent_tui.agent.events import UiAnswer
from dogent_tui.agent.ui_requests import ChangeRequest
from dogent_tui.changes.outcome import outcome_text
from dogent_tui.changes.reviewed import Reviewed
from dogent_tui.storage.paths import Workspace
from dogent_tui.undo.undo_log import UndoLog


def review_of(workspace: Workspace, asked: ChangeRequest, unsaved: str | None = None) -> Reviewed:
    """Return the review of a change proposed by the agent, relative to the file's content at that
    time. Blocks. Raises DogentError.
    """
    return Reviewed.open(
        workspace,
        asked.path,
        asked.new_content,
        asked.summary,
        base=None if asked.base is None else asked.base.encode(),
        approved=Path(asked.place) if asked.place else None,
        unsaved=unsaved,
    )


def written(reviewed: Reviewed, copies: UndoLog | None) -> UiAnswer | None:
    """Write what is accepted, and return the answer; None if the file has changed, in which case
    nothing is written. Blocks. Raises DogentError.
    """
    change = reviewed.change
    if not reviewed.apply(copies):
        return None
    outcome = outcome_text(change, written=bool(change.count("accepted")))
    return UiAnswer(review=outcome, over=change.fingerprint)
