"""What the strips above the prompt have in common: one thing is selected, and whoever types is
back at the prompt.
"""

from textual import events
from textual.message import Message
from textual.widget import Widget

from dogent_tui.tui.widgets import told


class PromptStrip(Widget, can_focus=True):
    """A strip of things that go with the prompt or wait behind it. It is there when there is
    something to show.

    `_selected` is the place of the selected one; what the things are, and how they are drawn, a
    subclass says.
    """

    @told
    class Left(Message):
        """The user goes back to the prompt; `typed` is what they typed to get there."""

        typed: str = ""

    def __init__(self, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._selected = self._count = 0
        self.display = False

    def _show(self, count: int, selected: int) -> None:
        """Have `count` things to show, `selected` among them; the strip goes away with the last
        of them.
        """
        self._count = count
        self._select(selected)
        if not count and self.has_focus:
            self.post_message(self.Left())
        self.display = bool(count)

    def _select(self, place: int) -> None:
        self._selected = max(0, min(place, self._count - 1))
        self.refresh()

    def action_move(self, step: int) -> None:
        """Select the one before or after."""
        self._select(self._selected + step)

    def action_leave(self) -> None:
        """Go back to the prompt."""
        self.post_message(self.Left())

    def on_key(self, event: events.Key) -> None:
        """Typing goes to the prompt, wherever the focus is."""
        if event.is_printable and event.character:
            event.stop()
            self.post_message(self.Left(event.character))

    def on_paste(self, event: events.Paste) -> None:
        """So does what is pasted."""
        event.stop()
        self.post_message(self.Left(event.text))

    def on_focus(self) -> None:
        """Show the selection."""
        self.refresh()

    def on_blur(self) -> None:
        """Show no selection."""
        self.refresh()
