"""Input that acts in the order in which it came.

Textual 8.2 gives a key to the widget that has the focus while the key before it is still on its way
up to the application, where its binding would have moved the focus or opened a screen. Over a slow
connection several keys arrive at once: what was typed after Ctrl+F went into the prompt, and in the
transcript the letters of a word were its keys.
"""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from textual import events
from textual.app import App
from textual.message_pump import MessagePump

_OPENS_WITHIN_S = 0.5
"""How long input waits for the screen that a command may open."""


class KeysInTurn(App[None]):
    """An application in which input waits until the key before it has acted, and a command that it
    ran has opened its screen.
    """

    _acting: asyncio.Task[None] | None = None
    _is_submitted = _is_listening = False
    _opened: asyncio.Event | None = None

    def run_command(self, work: Coroutine[Any, Any, Any]) -> None:
        """Do `work` in the background. What is typed next is for the screen that it opens."""
        opened = self._opened = asyncio.Event()

        async def done() -> None:
            try:
                await work
            finally:
                opened.set()

        if not self._is_listening:
            self._is_listening = True
            self.screen_change_signal.subscribe(self, self._screen_changed, immediate=True)
        self.run_worker(done(), group="command")

    def _screen_changed(self, _: object) -> None:
        if self._opened is not None:
            self._opened.set()

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
            elif self._is_submitted:  # what was typed is on its way up to the screen
                for widget in self.focused.ancestors_with_self:
                    await _handled(widget)
            if self._opened is not None:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._opened.wait(), _OPENS_WITHIN_S)
                self._opened = None
                await _handled(self.screen)
            self._is_submitted = isinstance(event, events.Key) and event.key == "enter"
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
