"""What the review is opened for."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from dogent_tui.changes.reviewed import Reviewed
from dogent_tui.sources.quotes.marks import Checked
from dogent_tui.tui.prompt.completion import Completions
from dogent_tui.undo.undo_log import UndoLog


class ReviewTask(msgspec.Struct, frozen=True):
    """What the review is opened for.

    `copies` keeps what `/undo` brings back. `on_draft` is called with the decisions soon after each
    change. `checked` is what was found in the document the last time;
    `completions` what may be cited in it.
    """

    reviewed: Reviewed
    copies: UndoLog | None = None
    notice: str = ""
    on_draft: Callable[[Mapping[str, Any]], object] | None = None
    checked: Checked | None = None
    completions: Completions | None = None
