"""The line in which something short is typed: a search, a title, a setting."""

from typing import Any

from textual import events
from textual.widgets import Input

from dogent_tui.language import tr

_LONGEST = 4_000
"""The number of characters that are pasted at once. With a megabyte in a line, each further key
took a second.
"""


class TextLine(Input):
    """An `Input` into which several lines are pasted as one, and not more than fits a line."""

    def __init__(self, value: str = "", **options: Any) -> None:
        super().__init__(value, compact=True, **options)
        self.cursor_blink = False  # the cursor alone shows where one types

    def on_paste(self, event: events.Paste) -> None:
        """Change what `Input` then inserts: of several lines it would keep the first."""
        text = " ".join(event.text.split())
        event.text = text[:_LONGEST]
        if text != event.text:
            said = tr("Only the first {count:,} characters were pasted.", count=_LONGEST)
            self.notify(said, severity="warning")

    def action_paste(self) -> None:
        """Paste what was copied here, like what the terminal pastes."""
        self.post_message(events.Paste(self.app.clipboard))
