"""The keys of the review."""

from textual.binding import Binding

REVIEW_KEYS: tuple[Binding, ...] = (
    Binding("enter", "apply", "Write", key_display="⏎"),
    Binding("a", "decide('accepted')", "Accept"),
    Binding("r", "decide('rejected')", "Reject"),
    Binding("A", "decide_all('accepted')", "Accept all", key_display="A"),
    Binding("R", "decide_all('rejected')", "Reject all", key_display="R"),
    Binding("e", "edit", "Edit"),
    Binding("c", "comment", "Comment"),
    Binding("v", "sides", "Sides"),
    Binding("p", "preview", "Preview"),
    Binding("j,down", "go(1)", "Next", key_display="j k"),
    Binding("k,up", "go(-1)", "The one above", show=False),
    Binding("n", "next_open", "Undecided"),
    Binding("home,g", "go(-1000000)", "First", show=False),
    Binding("end,G", "go(1000000)", "Last", show=False),
    Binding("pagedown,space", "scroll(1)", "Scroll down", show=False),
    Binding("pageup,b", "scroll(-1)", "Scroll up", show=False),
    Binding("escape", "leave", "Back", key_display="Esc"),
    Binding("f1", "help", "Help", show=False),
)
"""All of them act on the hunk under the cursor, or on all."""
