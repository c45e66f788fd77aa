"""What the strips above the prompt share: one item is selected."""

from textual.message import Message
from textual.widget import Widget


class PromptStrip(Widget, can_focus=True):
    """A strip of items that belong to the prompt or wait behind it; visible if it has any.

    `_selected` is the index of the selected item; subclasses define the items and draw them.
    """

    class Left(Message):
        """The user returns to the prompt."""

    def __init__(self, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._selected = self._count = 0
        self.display = False

    def _show(self, count: int, selected: int) -> None:
        """Show `count` items with `selected` selected; without any, the strip is hidden."""
        self._count = count
        self._select(selected)
        if not count and self.has_focus:
            self.post_message(self.Left())
        self.display = bool(count)

    def _select(self, place: int) -> None:
        self._selected = max(0, min(place, self._count - 1))
        self.refresh()

    def action_move(self, step: int) -> None:
        """Select the previous or next item."""
        self._select(self._selected + step)

    def action_leave(self) -> None:
        """Return to the prompt."""
        self.post_message(self.Left())
