"""The keys available now, in the last line of a screen or dialog.

Textual's Footer creates a widget for each key, and creates all of them again whenever the focus
moves: a sixth of the first paint, and most of the cost of moving the focus. This widget draws one
line.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType
from typing import TYPE_CHECKING

from textual import events
from textual.app import RenderResult
from textual.content import Content
from textual.keys import format_key
from textual.screen import Screen
from textual.style import Style
from textual.widget import Widget

from dogent_tui.records import Record
from dogent_tui.tui.stylesheets import styles

if TYPE_CHECKING:
    from textual.binding import Binding

_STYLES = ("key", "words")
_GAP = "  "
"""The separator between two keys."""

_KEY_NAMES = {
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
"""The labels printed on the keyboard, by Textual's key names."""
_SHORT = {
    "Ctrl+": "^",
    "Shift+": "⇧",
    "Enter": "⏎",
    "Tab": "⇥",
    "Delete": "Del",
}
"""Shorter labels used in a line of keys."""


def key_name(key: str) -> str:
    """Return the keyboard label of one of Textual's key names: ``ctrl+pageup`` gives
    ``Ctrl+PgUp``.
    """
    parts = key.split("+")
    if parts == [key] and len(key) == 1:
        return key  # n and N differ
    return "+".join(
        _KEY_NAMES.get(part) or (format_key(part) if len(part) > 1 else part).upper()
        for part in parts
    )


def key_names(keys: str) -> str:
    """Return the labels of several keys separated by commas."""
    return ", ".join(map(key_name, keys.split(",")))


class ShownKey(Record):
    """A key in the line: its label, its effect, and the key that a click presses. Keys with `stays`
    are given space first.
    """

    key: str
    display: str
    words: str
    stays: bool = False

    @property
    def cells(self) -> int:
        """The width in cells of the key, its effect and the gap after it."""
        return Content(f"{self.display} {self.words}{_GAP}").cell_length


class KeyLine(Widget):
    """Keys and their effects in one line. A click presses a key. Keys that do not fit are left out
    whole.
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
        """Show other keys: Textual's names, separated by commas, with their effects. The last one
        always fits.
        """
        *_, last = "", *keys
        self._show([ShownKey(key, _short(key), words, key == last) for key, words in keys.items()])

    def _show(self, shown: list[ShownKey]) -> None:
        if shown != self._shown:
            self._shown = shown
            self.refresh()

    def _line(self) -> list[ShownKey]:
        """Return the keys that fit."""
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
    """The visible bindings currently in force."""

    def __init__(
        self,
        id: str,  # noqa: A002
        *,
        first: Sequence[str] = (),
        last: Sequence[str] = (),
    ) -> None:
        """Show the actions `first` before all others, and `last` at the end; both always fit."""
        super().__init__(id=id)
        self._first, self._last = [*first], [*last]

    def on_mount(self) -> None:
        """Follow changes of the screen's bindings."""
        self.screen.bindings_updated_signal.subscribe(self, self._look_again)
        self._look_again(self.screen)

    def _look_again(self, screen: Screen[object]) -> None:
        if not self.app.app_focus:
            return  # nothing has the focus while another window is active: the keys would flicker
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
    """Return the labels of `keys`, one or several of Textual's names separated by commas, for a
    line of keys: ``up,down`` gives ``↑↓``, ``ctrl+s`` gives ``^S``.
    """
    names = [*map(key_name, keys.split(","))]
    short = ("" if all(len(name) == 1 for name in names) else " ").join(names)
    for whole, sign in _SHORT.items():
        short = short.replace(whole, sign)
    return short
