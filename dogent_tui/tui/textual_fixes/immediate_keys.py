"""Keys that act when they come, not when they have bubbled up to the application as Textual's
bindings do.

What is typed behind a key that opens a line belongs into that line; a binding would let it overtake
the key.
"""

from typing import TYPE_CHECKING

from textual import events

if TYPE_CHECKING:
    from textual.widget import Widget as _Widget
else:
    _Widget = object


class PressesKeys(_Widget):
    """A widget or screen that can do what a key means. Put it before the widget among the bases."""

    async def press(self, key: str) -> bool:
        """Do what `key` means here, and say whether it means anything."""
        # as Textual merges those of all bases
        bindings = self._bindings.key_to_bindings.get(key, ())
        for binding in bindings:
            await self.run_action(binding.action)
        return bool(bindings)


class ImmediateKeys(PressesKeys):
    """A widget whose keys act at once. Put it before the widget among the bases."""

    async def _on_key(self, event: events.Key) -> None:
        focused = self.screen.focused
        if focused is not self and focused is not None:  # the key before this one went there
            focused.post_message(events.Key(event.key, event.character))
        elif not await self.press(event.key):
            return
        event.stop()
        event.prevent_default()
