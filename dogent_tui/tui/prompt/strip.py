"""What the strips above the prompt share: one item is selected."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from dogent_tui.tui.widgets import ActionRequested

Item = TypeVar("Item")


class PromptStrip(Widget, Generic[Item], can_focus=True):
    """A strip of `items` that belong to the prompt or wait behind it; visible if it has any."""

    COMPONENT_CLASSES = {"strip--selected"}

    class Left(Message):
        """The user returns to the prompt."""

    def __init__(self, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self.items: Sequence[Item] = ()
        self._selected = 0
        self.display = False

    def show(self, items: Sequence[Item]) -> None:
        """Show `items`; without any, the strip is hidden."""
        self.items = items
        self._select(self._selected)
        if not items and self.has_focus:
            self.post_message(self.Left())
        self.display = bool(items)

    def _select(self, place: int) -> None:
        self._selected = max(0, min(place, len(self.items) - 1))
        self.refresh()

    def _marked(self, at: int, drawn: Content) -> Content:
        """Return item `at` as `drawn`, marked if it is selected."""
        if not self.has_focus or at != self._selected:
            return drawn
        return drawn.stylize_before(self.get_visual_style("strip--selected", partial=True))

    def action_move(self, step: int) -> None:
        """Select the previous or next item."""
        self._select(self._selected + step)

    def action_want(self, what: str) -> None:
        """Request an action on the selected item."""
        self.post_message(ActionRequested(what, self.items[self._selected]))

    def action_leave(self) -> None:
        """Return to the prompt."""
        self.post_message(self.Left())
