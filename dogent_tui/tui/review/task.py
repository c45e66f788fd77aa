"""What the review is opened for, and what comes of it."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec

from dogent_tui.changes.applying import Reviewed
from dogent_tui.undo.undo_log import UndoLog


class ReviewResult(msgspec.Struct, frozen=True):
    """How the user left the review. `applied`: `text` is for the model. `left`: the draft stands.

    `over` is the fingerprint of what the file held before.
    """

    outcome: Literal["applied", "left"]
    text: str = ""
    over: str = ""


class ReviewTask(msgspec.Struct, frozen=True):
    """What the review is opened for.

    `copies` keeps what `/undo` brings back. `on_draft` is called with the decisions soon after each
    change.
    """

    reviewed: Reviewed
    copies: UndoLog | None = None
    notice: str = ""
    on_draft: Callable[[Mapping[str, Any]], object] | None = None
