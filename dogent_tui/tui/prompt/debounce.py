"""An action that waits for a pause in typing."""

from collections.abc import Callable
from math import inf
from time import monotonic
from typing import TYPE_CHECKING

from textual.message_pump import MessagePump

from dogent_tui.tui.textual_fixes.timers import after

if TYPE_CHECKING:
    from asyncio import TimerHandle


class Debounce:
    """Runs `action` once `delay` seconds have passed since the last `poke`."""

    def __init__(
        self, owner: MessagePump, delay: float, action: Callable[[], object], *, most: float = inf
    ) -> None:
        """Run `action` on the loop of `owner`, which must be running when `poke` is called.

        It waits `most` seconds at most, even without a pause.
        """
        self._owner = owner
        self.delay = delay
        self.most = most
        self._action = action
        self._latest = 0.0
        self._timer: TimerHandle | None = None

    def poke(self) -> None:
        """Wait (again) for a pause."""
        now = monotonic()
        if self._timer is None:
            self._latest = now + self.most
        else:
            self._timer.cancel()
        self._timer = after(self._owner, min(self.delay, self._latest - now), self.flush)

    def flush(self) -> None:
        """Run the action now if it is pending."""
        if self.stop():
            self._action()

    def stop(self) -> bool:
        """Run no action until the next `poke`. Returns whether one was pending."""
        timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()
        return timer is not None
