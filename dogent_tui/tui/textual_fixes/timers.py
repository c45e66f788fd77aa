"""A callback after a while, which is never lost.

Textual's own one-shot timers are: where more than their time passes between two lines of
`textual.timer.Timer._run`, as on a busy machine with a timer of a millisecond, they take themselves
for late, skip their only tick and end.
"""

import asyncio
from collections.abc import Callable

from textual.message_pump import MessagePump


def after(pump: MessagePump, delay_s: float, callback: Callable[[], object]) -> asyncio.TimerHandle:
    """Have `pump` call `callback` in `delay_s` seconds, between two of its messages; not at all
    once it has ended.
    """
    return asyncio.get_running_loop().call_later(delay_s, pump.call_next, callback)
