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
        self._delay = delay
        self._most = most
        self._action = action
        self._latest = 0.0
        self._timer: TimerHandle | None = None

    def poke(self) -> None:
        """Wait (again) for a pause."""
        now = monotonic()
        if self._timer is None:
            self._latest = now + self._most
        else:
            self._timer.cancel()
        self._timer = after(self._owner, min(self._delay, self._latest - now), self.flush)

    def flush(self) -> None:
        """Run the action now if it is pending."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._action()
