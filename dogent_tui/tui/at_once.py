"""Keys that act when they come, not when they have bubbled up to the application as Textual's bindings do.

What is typed behind a key that opens a line belongs into that line; a binding would let it overtake the key.
"""

from typing import TYPE_CHECKING

from textual import events
from textual.binding import Binding

if TYPE_CHECKING:
    from textual.widget import Widget as _Widget
else:
    _Widget = object


async def press(node: "_Widget", key: str) -> bool:
    """Do what `key` is bound to by `node` itself. Returns whether it is bound."""
    bindings = (binding for binding in node.BINDINGS if isinstance(binding, Binding))
    action = next((binding.action for binding in bindings if key in binding.key.split(",")), None)
    if action is not None:
        await node.run_action(action)
    return action is not None


class KeysAtOnce(_Widget):
    """A widget whose keys act at once. Put it before the widget among the bases."""

    async def press(self, key: str) -> bool:
        """Do what `key` means here, and say whether it means anything."""
        return await press(self, key)

    async def _on_key(self, event: events.Key) -> None:
        focused = self.screen.focused
        if focused is not self and focused is not None:  # the key before this one went there
            focused.post_message(events.Key(event.key, event.character))
        elif not await self.press(event.key):
            return
        event.stop()
        event.prevent_default()
