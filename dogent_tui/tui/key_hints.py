"""The keys that work now, in the last lines of the screen.

Textual's Footer makes a widget of each key, and all of them anew whenever the focus moves: a sixth of the first paint, and most
of what a change of focus costs. This draws lines.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import RenderResult
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget

if TYPE_CHECKING:
    from textual.binding import Binding

_LETTER = re.compile(r"\^[a-z]|f\d{1,2}")
"""A key that Textual writes small."""


class KeyHints(Widget):
    """Keys and what they do, of the bindings in force that want to be shown, in as many lines as it has. A click presses one."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"hints--key", "hints--words"}

    def __init__(self, first: Sequence[str] = (), id: str | None = None) -> None:  # noqa: A002
        """Show the keys of the actions `first` before all others."""
        super().__init__(id=id)
        self._first = first
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
        ahead = [first.pop(action) for action in self._first if action in first]
        shown = [(binding, self._named(binding)) for binding in (*ahead, *first.values())]
        if shown != self._shown:
            self._shown = shown
            self.refresh()

    def _named(self, binding: "Binding") -> str:
        """Return a key as it stands on the keyboard: ^F and F1, where Textual has ^f and f1."""
        display = self.app.get_key_display(binding)
        return display.upper() if _LETTER.fullmatch(display) else display

    def _lines(self) -> Iterator[list[tuple["Binding", str]]]:
        """Yield the keys of each line: whole keys only, those that find no room are in the help."""
        waiting = list(self._shown)
        for _ in range(self.size.height):
            room, line = self.size.width, []
            while waiting and (room := room - Content(_words(*waiting[0])).cell_length) >= 0:
                line.append(waiting.pop(0))
                room -= 1
            yield line

    def render(self) -> RenderResult:
        """Draw the lines."""
        key, words = self.get_visual_style("hints--key", partial=True), self.get_visual_style("hints--words", partial=True)
        return Content("\n").join(
            Content(" ").join(Content.assemble((display, key), (f" {binding.description}", words)) for binding, display in line)
            for line in self._lines()
        )

    def on_click(self, event: events.Click) -> None:
        """Press the key under the mouse."""
        x, y = event.get_content_offset_capture(self)
        end = -1
        for binding, display in dict(enumerate(self._lines())).get(y, []):
            start, end = end + 1, end + 1 + Content(_words(binding, display)).cell_length
            if start <= x < end:
                self.app.simulate_key(binding.key.partition(",")[0])
                return


def _words(binding: "Binding", display: str) -> str:
    return f"{display} {binding.description}"
