"""Input that acts in the order in which it came.

Textual 8.2 gives a key to the widget that has the focus while the key before it is still on its way
up to the application, where its binding would have moved the focus or opened a screen. Over a slow
connection several keys arrive at once: what was typed after Ctrl+F went into the prompt, and in the
transcript the letters of a word were its keys.
"""

import asyncio

from textual import events
from textual.app import App
from textual.message_pump import MessagePump


class KeysInTurn(App[None]):
    """An application in which input waits until the key before it has acted."""

    _acting: asyncio.Task[None] | None = None

    async def on_event(self, event: events.Event) -> None:
        """Have what the terminal sends wait; deal with what widgets left over."""
        is_input = isinstance(event, events.InputEvent | events.Paste) and not event.is_forwarded
        if is_input and self._screen_stack:
            self._acting = asyncio.create_task(self._act_on(event, self._acting))
        else:
            await super().on_event(event)

    async def _act_on(self, event: events.Event, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await before
        try:
            await _handled(self)
            if self.focused is None:  # the screen may just have opened
                await _handled(self.screen)
            pump: MessagePump | None = self.focused or self.screen
            await super().on_event(event)
            while isinstance(event, events.Key) and event.is_forwarded and pump is not None:
                await _handled(pump)
                pump = None if event._stop_propagation else pump._parent  # noqa: SLF001  (no other way)
        except Exception as error:  # as Textual does where a message is handled
            self._handle_exception(error)


async def _handled(pump: MessagePump) -> None:
    """Wait until `pump` has handled what it was sent before."""
    done = asyncio.Event()
    if pump.call_later(done.set):
        await done.wait()
