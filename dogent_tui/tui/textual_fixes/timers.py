"""A delayed callback that is never lost.

Textual's one-shot timers can be lost: if more than their delay passes between two lines of
`textual.timer.Timer._run`, as on a busy machine with a timer of a millisecond, they consider
themselves late, skip their only tick and end.
"""

import asyncio
from collections.abc import Callable

from textual.message_pump import MessagePump


def after(pump: MessagePump, delay_s: float, callback: Callable[[], object]) -> asyncio.TimerHandle:
    """Have `pump` call `callback` in `delay_s` seconds, between two of its messages; not at all if
    it has ended by then.
    """
    return asyncio.get_running_loop().call_later(delay_s, pump.call_next, callback)
