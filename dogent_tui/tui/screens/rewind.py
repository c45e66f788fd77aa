"""/rewind: the prompts of the conversation, to go back to one of them."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import OptionList

from dogent_tui.language import tr
from dogent_tui.tui.dialog import ChoiceList, Dialog, DialogScreen
from dogent_tui.tui.rewinding.model import RewindPoint
from dogent_tui.tui.screens.withdrawable import Withdrawable


class RewindScreen(Withdrawable[RewindPoint], DialogScreen[RewindPoint]):
    """Dismissed with the prompt that was chosen, or with nothing."""

    AUTO_FOCUS = "#rewind-list"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "back", tr("Close"))]

    def __init__(
        self,
        points: Sequence[RewindPoint],
        root: str,
        *,
        chosen: int = 0,
        now: Callable[[], datetime] | None = None,
    ) -> None:
        """List `points`, of a workspace at `root`; the one at `chosen` is highlighted. `now`
        tells the time, with a time zone.
        """
        super().__init__()
        self._points = points
        self._root = root
        self._first = chosen
        self._now = now or (lambda: datetime.now().astimezone())

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        now = self._now()
        rows = (
            Content.assemble(p.title, (f"\n  {p.facts(now, self._root)}", "dim"))
            for p in self._points
        )
        keys = {"enter": tr("Preview"), "up,down": tr("Choose"), "escape": tr("Close")}
        with Dialog(tr("Rewind to before which prompt?"), keys, id="rewind", classes="-wide"):
            yield ChoiceList(*rows, id="rewind-list", markup=False, compact=True)

    def on_mount(self) -> None:
        """Begin with the latest prompt, or where one was before."""
        self.query_one(OptionList).highlighted = self._first

    @on(OptionList.OptionSelected)
    def _picked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.leave(self._points[event.option_index])

    def action_back(self) -> None:
        """Close the list."""
        self.leave(None)
