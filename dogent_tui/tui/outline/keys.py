"""The keys of the outline editor."""

from textual.binding import Binding

from dogent_tui.tui.screens.withdrawable import LEAVING_KEYS

EDITOR_KEYS: tuple[Binding, ...] = (
    Binding("ctrl+s", "send", "Send", key_display="^S"),
    Binding("ctrl+s", "save", "Save", key_display="^S"),
    Binding("a", "accept", "Accept"),
    Binding("c", "ask('comment')", "Comment"),
    Binding("ctrl+z,ctrl+underscore", "undo", "Undo", key_display="^Z"),
    Binding("ctrl+y,ctrl+shift+z", "redo", "Redo", key_display="^Y"),
    Binding("n", "note", "Note"),
    Binding("w", "ask('length')", "Length"),
    Binding("slash,ctrl+f", "ask('find')", "Find", key_display="/"),
    Binding("ctrl+t", "raw", "Markdown", key_display="^T"),
    Binding("s", "ask('save')", "Save as"),
    Binding("x", "abandon", "Abandon"),
    *LEAVING_KEYS,
)
"""What the editor does; what its tree does, `OutlineView` knows. The first key of each is one that every terminal can send."""
