"""/rewind: the prompts of the conversation, to go back to one of them."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import OptionList

from dogent_tui.language import tr
from dogent_tui.tui.dialog import ChoiceList, Dialog, DialogScreen
from dogent_tui.tui.rewinding.model import RewindPoint


class RewindScreen(DialogScreen[RewindPoint]):
    """Dismissed with the prompt that was chosen, or with nothing."""

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
        self._points = points
        self._root = root
        self._first = chosen
        self._now = now or (lambda: datetime.now().astimezone())
        self._list = ChoiceList[RewindPoint](id="rewind-list")
        keys = {"enter": tr("Preview"), "up,down": tr("Choose"), "escape": tr("Close")}
        title = tr("Rewind to before which prompt?")
        super().__init__(Dialog(title, keys, self._list, id="rewind", classes="-wide"))

    def on_mount(self) -> None:
        """Begin with the latest prompt, or where one was before."""
        now = self._now()
        rows = (
            Content.assemble(point.title, (f"\n  {point.facts(now, self._root)}", "dim"))
            for point in self._points
        )
        self._list.show(self._points, rows, self._first)

    @on(OptionList.OptionSelected)
    def _picked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.leave(self._list.chosen)
