"""Where the user types in the review: another text for a hunk, and a comment on it."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input

from dogent_tui.language import tr
from dogent_tui.tui.prompt.citing_area import CitingArea
from dogent_tui.tui.textual_fixes.immediate_keys import ImmediateKeys


class HunkArea(CitingArea):
    """The text of a hunk, to be written instead of what was proposed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+s", "screen.keep_edit", tr("Keep and accept"), key_display="Esc"),
        Binding("ctrl+x", "screen.drop_edit", tr("Revert"), key_display="^X"),
    ]


class CommentInput(ImmediateKeys, Input):
    """What the agent should know about a hunk."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "screen.keep_comment", tr("Keep"), key_display="⏎"),
        Binding("escape", "screen.leave_comment", tr("Back"), key_display="Esc"),
    ]
