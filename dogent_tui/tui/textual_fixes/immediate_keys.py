"""Keys that act when they arrive, rather than after bubbling up to the application as Textual's
bindings do.

What is typed after a key that opens an input line belongs to that line; with a binding it would
overtake the key.
"""

from typing import TYPE_CHECKING

from textual import events

if TYPE_CHECKING:
    from textual.widget import Widget as _Widget
else:
    _Widget = object


class PressesKeys(_Widget):
    """A widget or screen that can run the command of a key. Must precede the widget among the
    bases.
    """

    async def press(self, key: str) -> bool:
        """Run the command bound to `key` here, and return whether there is one."""
        # merged the way Textual merges the bindings of all bases
        bindings = self._bindings.key_to_bindings.get(key, ())
        for binding in bindings:
            await self.run_action(binding.action)
        return bool(bindings)


class ImmediateKeys(PressesKeys):
    """A widget whose keys act immediately. Must precede the widget among the bases."""

    async def _on_key(self, event: events.Key) -> None:
        focused = self.screen.focused
        if focused is not self and focused is not None:  # the previous key went there
            focused.post_message(events.Key(event.key, event.character))
        elif not await self.press(event.key):
            return
        event.stop()
        event.prevent_default()
