"""The keys of the outline editor."""

from textual.binding import Binding

from dogent_tui.language import tr
from dogent_tui.tui.screens.withdrawable import LEAVING_KEYS

EDITOR_KEYS: tuple[Binding, ...] = (
    Binding("ctrl+s", "send", tr("Send"), key_display="^S"),
    Binding("ctrl+s", "save", tr("Save"), key_display="^S"),
    Binding("a", "accept", tr("Accept")),
    Binding("c", "ask('comment')", tr("Comment")),
    Binding("ctrl+z,ctrl+underscore", "undo", tr("Undo"), key_display="^Z"),
    Binding("ctrl+y,ctrl+shift+z", "redo", tr("Redo"), key_display="^Y"),
    Binding("n", "note", tr("Note")),
    Binding("w", "ask('length')", tr("Length")),
    Binding("slash,ctrl+f", "ask('find')", tr("Find"), key_display="/"),
    Binding("ctrl+t", "raw", tr("Markdown"), key_display="^T"),
    Binding("s", "ask('save')", tr("Save as")),
    Binding("x", "abandon", tr("Abandon")),
    *LEAVING_KEYS,
)
"""What the editor does; what its tree does, `OutlineView` knows. The first key of each is one
that every terminal can send.
"""
