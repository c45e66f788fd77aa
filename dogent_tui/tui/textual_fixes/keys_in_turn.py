"""Input that acts in the order in which it came.

Textual 8.2 gives a key to the widget that has the focus while the key before it is still on its way
up to the application, where its binding would have moved the focus or opened a screen. Over a slow
connection several keys arrive at once: what was typed after Ctrl+F went into the prompt, and in the
transcript the letters of a word were its keys.
"""

import asyncio
from collections import deque

from textual import events
from textual.app import App
from textual.message_pump import MessagePump


class KeysInTurn(App[None]):
    """An application in which input waits until the key before it has acted."""

    def __init__(self) -> None:
        super().__init__()
        self._arrived: deque[events.Event] = deque()
        self._acting: asyncio.Task[None] | None = None

    async def on_event(self, event: events.Event) -> None:
        """Queue what the terminal sends; what widgets left over is dealt with at once."""
        is_input = isinstance(event, events.InputEvent | events.Paste) and not event.is_forwarded
        if not (is_input and self._screen_stack):
            await super().on_event(event)
            return
        self._arrived.append(event)
        if self._acting is None or self._acting.done():
            self._acting = asyncio.create_task(self._act())

    async def _act(self) -> None:
        try:
            while self._arrived:
                await self._act_on(self._arrived.popleft())
        except Exception as error:  # as Textual does where a message is handled
            self._handle_exception(error)

    async def _act_on(self, event: events.Event) -> None:
        await _handled(self)
        await _handled(self.screen)  # it may just have opened, and have no focus yet
        pump: MessagePump | None = self.focused or self.screen
        await super().on_event(event)
        while isinstance(event, events.Key) and event.is_forwarded and pump is not None:
            await _handled(pump)
            pump = None if event._stop_propagation else pump._parent  # noqa: SLF001  (no other way)


async def _handled(pump: MessagePump) -> None:
    """Wait until `pump` has handled what it was sent before."""
    done = asyncio.Event()
    if pump.call_later(done.set):
        await done.wait()
