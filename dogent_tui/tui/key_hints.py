"""The keys that work now, in the last line of the screen.

Textual's Footer makes a widget of each key, and all of them anew whenever the focus moves: a sixth of the first paint, and most
of what a change of focus costs. This draws one line.
"""

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import RenderResult
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget

if TYPE_CHECKING:
    from textual.binding import Binding


class KeyHints(Widget):
    """One line of keys and what they do, of the bindings in force that want to be shown. A click presses the key."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"hints--key", "hints--words"}

    def __init__(self, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._shown: list[tuple[Binding, str]] = []

    def on_mount(self) -> None:
        """Follow the bindings of the screen."""
        self.screen.bindings_updated_signal.subscribe(self, self._look_again)
        self._look_again(self.screen)

    def _look_again(self, screen: Screen[object]) -> None:
        if not self.app.app_focus:  # nothing is focused while another window is: the keys would flicker
            return
        first: dict[str, Binding] = {}
        for active in screen.active_bindings.values():
            if active.binding.show and active.enabled:
                first.setdefault(active.binding.action, active.binding)
        shown = [(binding, self.app.get_key_display(binding)) for binding in first.values()]
        if shown != self._shown:
            self._shown = shown
            self.refresh()

    def render(self) -> RenderResult:
        """Draw the line."""
        key, words = self.get_visual_style("hints--key", partial=True), self.get_visual_style("hints--words", partial=True)
        line = Content()
        for binding, display in self._shown:  # whole keys only: those that find no room are in the help
            part = Content.assemble((display, key), (f" {binding.description}", words))
            longer = Content(" ").join([line, part]) if line else part
            if longer.cell_length > self.size.width:
                break
            line = longer
        return line

    def on_click(self, event: events.Click) -> None:
        """Press the key under the mouse."""
        end = -1
        for binding, display in self._shown:
            start, end = end + 1, end + 1 + Content(f"{display} {binding.description}").cell_length
            if start <= event.get_content_offset_capture(self).x < end:
                self.app.simulate_key(binding.key.partition(",")[0])
                return
