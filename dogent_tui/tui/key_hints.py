"""The keys that work now, in the last line of a screen or dialog.

Textual's Footer makes a widget of each key, and all of them again whenever the focus moves: a sixth
of the first paint, and most of what a change of focus costs. This draws a line.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec
from textual import events
from textual.app import RenderResult
from textual.content import Content
from textual.keys import format_key
from textual.screen import Screen
from textual.style import Style
from textual.widget import Widget

from dogent_tui.tui.stylesheets import styles

if TYPE_CHECKING:
    from textual.binding import Binding

_STYLES = ("key", "words")
_GAP = "  "
"""What is between two keys."""

_KEY_NAMES: Mapping[str, str] = {
    "alt": "Alt",
    "backspace": "Backspace",
    "ctrl": "Ctrl",
    "delete": "Delete",
    "down": "↓",
    "end": "End",
    "enter": "Enter",
    "escape": "Esc",
    "home": "Home",
    "left": "←",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "right": "→",
    "shift": "Shift",
    "space": "Space",
    "super": "Cmd",
    "tab": "Tab",
    "up": "↑",
}
"""What is printed on the keyboard, by Textual's names of keys."""
_SHORT: Mapping[str, str] = {
    "Ctrl+": "^",
    "Shift+": "⇧",
    "Enter": "⏎",
    "Tab": "⇥",
    "Delete": "Del",
}
"""What is written shorter in a line of keys."""


def key_name(key: str) -> str:
    """Return what is printed on the keyboard for Textual's name of a key: ``ctrl+pageup`` gives
    ``Ctrl+PgUp``.
    """
    parts = key.split("+")
    if parts == [key] and len(key) == 1:
        return key  # n is not N
    return "+".join(
        _KEY_NAMES.get(part) or (format_key(part) if len(part) > 1 else part).upper()
        for part in parts
    )


def key_names(keys: str) -> str:
    """Return the names of several keys, which have commas between them."""
    return ", ".join(map(key_name, keys.split(",")))


class ShownKey(msgspec.Struct, frozen=True):
    """A key in the line: what it is called, what it does, and the key that a click presses.
    `stays` finds room before others.
    """

    key: str
    display: str
    words: str
    stays: bool = False

    @property
    def cells(self) -> int:
        """The cells of the key with what it does, and of the gap after it."""
        return Content(f"{self.display} {self.words}{_GAP}").cell_length


class KeyLine(Widget):
    """Keys and what they do, in one line. A click presses one. What finds no room is left out by
    whole keys.
    """

    DEFAULT_CSS = styles("keys.tcss")
    ALLOW_SELECT = False
    COMPONENT_CLASSES = {"hints--key", "hints--words"}

    def __init__(
        self,
        keys: Mapping[str, str] = MappingProxyType({}),
        *,
        id: str | None = None,  # noqa: A002
    ) -> None:
        """Show `keys`: see `show`."""
        super().__init__(id=id)
        self._shown: list[ShownKey] = []
        self.show(keys)

    def show(self, keys: Mapping[str, str]) -> None:
        """Show other keys: Textual's names, with commas between several, and what they do. The
        last one always finds room.
        """
        *_, last = "", *keys
        self._show([ShownKey(key, _short(key), words, key == last) for key, words in keys.items()])

    def _show(self, shown: list[ShownKey]) -> None:
        if shown != self._shown:
            self._shown = shown
            self.refresh()

    def _line(self) -> list[ShownKey]:
        """Return the keys that find room."""
        kept = [each for each in self._shown if each.stays]
        room = self.size.width + len(_GAP) - sum(each.cells for each in kept)
        others = [each for each in self._shown if not each.stays]
        ends = accumulate(each.cells for each in others)
        return [each for each, end in zip(others, ends, strict=True) if end <= room] + kept

    def render(self) -> RenderResult:
        """Draw the line."""
        key, words = (self.get_visual_style(f"hints--{part}", partial=True) for part in _STYLES)
        return Content(_GAP).join(
            Content.assemble((each.display, key), (f" {each.words}", words)).stylize(
                Style.from_meta({"key": each.key.partition(",")[0]})
            )
            for each in self._line()
        )

    def on_click(self, event: events.Click) -> None:
        """Press the key under the mouse."""
        if key := event.style.meta.get("key"):
            self.app.simulate_key(key)


class KeyHints(KeyLine):
    """The keys of the bindings in force that want to be shown."""

    def __init__(
        self,
        id: str | None = None,  # noqa: A002
        *,
        first: Sequence[str] = (),
        last: Sequence[str] = (),
    ) -> None:
        """Show the actions `first` before all others, and `last` at the end, which find room
        whatever else does not.
        """
        super().__init__(id=id)
        self._first, self._last = [*first], [*last]

    def on_mount(self) -> None:
        """Follow the bindings of the screen."""
        self.screen.bindings_updated_signal.subscribe(self, self._look_again)
        self._look_again(self.screen)

    def _look_again(self, screen: Screen[object]) -> None:
        if not self.app.app_focus:
            return  # nothing is focused while another window is: the keys would flicker
        first: dict[str, Binding] = {}
        for active in screen.active_bindings.values():
            if active.binding.show and active.enabled:
                first.setdefault(active.binding.action, active.binding)
        shown = []
        for action in sorted(first, key=self._rank):
            binding = first[action]
            display = binding.key_display or _short(binding.key.partition(",")[0])
            stays = action in self._last
            shown.append(ShownKey(binding.key, display, binding.description, stays))
        self._show(shown)

    def _rank(self, action: str) -> int:
        if action in self._first:
            return self._first.index(action) - len(self._first)
        return int(action in self._last)


def _short(keys: str) -> str:
    """Return how `keys`, Textual's names of one or several with commas between them, are called in
    a line of keys: ``up,down`` gives ``↑↓``, ``ctrl+s`` gives ``^S``.
    """
    names = [*map(key_name, keys.split(","))]
    short = ("" if all(len(name) == 1 for name in names) else " ").join(names)
    for whole, sign in _SHORT.items():
        short = short.replace(whole, sign)
    return short
