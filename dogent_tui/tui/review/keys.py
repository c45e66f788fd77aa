"""The keys of the review, group by group."""

from textual.binding import Binding

from dogent_tui.tui.screens.withdrawable import LEAVING_KEYS

_DECIDING = (
    Binding("enter", "apply", "Write", key_display="⏎"),
    Binding("a", "decide('accepted')", "Accept"),
    Binding("r", "decide('rejected')", "Reject"),
    Binding("A", "decide_all('accepted')", "Accept all", key_display="A"),
    Binding("R", "decide_all('rejected')", "Reject all", key_display="R"),
)
_SAYING = (
    Binding("e", "edit", "Edit"),
    Binding("c", "comment", "Comment"),
)
_LOOKING = (
    Binding("v", "sides", "Sides"),
    Binding("p", "preview", "Preview"),
    Binding("pagedown,space", "scroll(1)", "Scroll down", show=False),
    Binding("pageup,b", "scroll(-1)", "Scroll up", show=False),
)
_GOING = (
    Binding("j,down", "go(1)", "Next", key_display="j k"),
    Binding("k,up", "go(-1)", "The one above", show=False),
    Binding("n", "next_open", "Undecided"),
    Binding("home,g", "go(-1000000)", "First", show=False),
    Binding("end,G", "go(1000000)", "Last", show=False),
)

REVIEW_KEYS: tuple[Binding, ...] = (*_DECIDING, *_SAYING, *_LOOKING, *_GOING, *LEAVING_KEYS)
"""All of them act on the hunk under the cursor, or on all."""
