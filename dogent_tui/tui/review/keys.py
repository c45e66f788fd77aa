"""The keys of the review, group by group."""

from textual.binding import Binding

from dogent_tui.language import tr
from dogent_tui.tui.screens.withdrawable import LEAVING_KEYS

_DECIDING = (
    Binding("enter", "apply", tr("Write"), key_display="⏎"),
    Binding("a", "decide('accepted')", tr("Accept")),
    Binding("r", "decide('rejected')", tr("Reject")),
    Binding("A", "decide_all('accepted')", tr("Accept all"), key_display="A"),
    Binding("R", "decide_all('rejected')", tr("Reject all"), key_display="R"),
)
_SAYING = (
    Binding("e", "edit", tr("Edit")),
    Binding("c", "comment", tr("Comment")),
)
_LOOKING = (
    Binding("v", "sides", tr("Side by side")),
    Binding("p", "preview", tr("Preview")),
    Binding("pagedown,space", "scroll(1)", tr("Scroll down"), show=False),
    Binding("pageup,b", "scroll(-1)", tr("Scroll up"), show=False),
)
_GOING = (
    Binding("j,down", "go(1)", tr("Next"), key_display="j k"),
    Binding("k,up", "go(-1)", tr("Previous"), show=False),
    Binding("n", "next_open", tr("Undecided")),
    Binding("home,g", "go(-1000000)", tr("First"), show=False),
    Binding("end,G", "go(1000000)", tr("Last"), show=False),
)

REVIEW_KEYS: tuple[Binding, ...] = (*_DECIDING, *_SAYING, *_LOOKING, *_GOING, *LEAVING_KEYS)
"""All of them act on the hunk under the cursor, or on all."""
