"""An action that waits for a pause in typing."""

from collections.abc import Callable
from math import inf
from time import monotonic

from textual.message_pump import MessagePump

from dogent_tui.tui.textual_fixes.timers import after


class Debounce:
    """Runs `action` once `delay` seconds have passed since the last `poke`. A poke costs a clock
    reading, not a timer.
    """

    def __init__(
        self, owner: MessagePump, delay: float, action: Callable[[], object], *, most: float = inf
    ) -> None:
        """Run `action` on the loop of `owner`, which must be running when `poke` is called.

        It waits `most` seconds at the most, also where there is no pause.
        """
        self._owner = owner
        self._delay = delay
        self._most = most
        self._action = action
        self._due = 0.0
        self._latest = 0.0
        self._ticking = False

    def poke(self) -> None:
        """Wait (again) for a pause."""
        now = monotonic()
        if not self._due:
            self._latest = now + self._most
        self._due = min(now + self._delay, self._latest)
        if not self._ticking:
            self._ticking = True
            after(self._owner, self._due - now, self._tick)

    def flush(self) -> None:
        """Run the action now when it is waiting."""
        if self._due:
            self._due = 0.0
            self._action()

    def _tick(self) -> None:
        remaining = self._due - monotonic()
        if self._due and remaining > 0:
            after(self._owner, remaining, self._tick)
            return
        self._ticking = False
        self.flush()
