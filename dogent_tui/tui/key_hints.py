"""The keys that work now, in the last line of the screen.

Textual's Footer makes a widget of each key, and all of them anew whenever the focus moves: a sixth of the first paint, and most
of what a change of focus costs. This draws a line.
"""

import re
from collections.abc import Sequence
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
    """Keys and what they do, of the bindings in force that want to be shown, in one line. A click presses one."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"hints--key", "hints--words"}

    def __init__(self, id: str | None = None, *, first: Sequence[str] = (), last: Sequence[str] = ()) -> None:  # noqa: A002
        """Show the actions `first` before all others, and `last` at the end, which find room whatever else does not."""
        super().__init__(id=id)
        self._first, self._last = [*first], [*last]
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
        shown = [(binding, self._named(binding)) for binding in sorted(first.values(), key=self._rank)]
        if shown != self._shown:
            self._shown = shown
            self.refresh()

    def _named(self, binding: "Binding") -> str:
        """Return a key as it stands on the keyboard: ^F and F1, where Textual has ^f and f1."""
        display = self.app.get_key_display(binding)
        return display.upper() if _LETTER.fullmatch(display) else display

    def _rank(self, binding: "Binding") -> int:
        action = binding.action
        return self._first.index(action) - len(self._first) if action in self._first else int(action in self._last)

    def _line(self) -> list[tuple["Binding", str]]:
        """Return the keys that find room: whole keys only, the others are in the help."""
        kept = [each for each in self._shown if each[0].action in self._last]
        room = self.size.width + 1 - sum(_cells(*each) for each in kept)
        line = []
        for each in self._shown[: len(self._shown) - len(kept)]:
            room -= _cells(*each)
            if room < 0:
                break
            line.append(each)
        return [*line, *kept]

    def render(self) -> RenderResult:
        """Draw the line."""
        key, words = self.get_visual_style("hints--key", partial=True), self.get_visual_style("hints--words", partial=True)
        return Content(" ").join(
            Content.assemble((display, key), (f" {binding.description}", words)) for binding, display in self._line()
        )

    def on_click(self, event: events.Click) -> None:
        """Press the key under the mouse."""
        x = event.get_content_offset_capture(self).x
        end = 0
        for binding, display in self._line():
            start, end = end, end + _cells(binding, display)
            if start <= x < end - 1:
                self.app.simulate_key(binding.key.partition(",")[0])
                return


def _cells(binding: "Binding", display: str) -> int:
    """Return the cells of a key with what it does, and of the space after it."""
    return Content(f"{display} {binding.description} ").cell_length
