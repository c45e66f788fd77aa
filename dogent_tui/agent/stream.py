"""The stream of events: stamped once, delivered to every subscriber in order."""

import asyncio
import time
from collections.abc import AsyncIterator

from msgspec.structs import replace

from dogent_tui.agent.events import Event

_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""A clock that no one can set, preferably one that also runs while the machine sleeps."""


class EventStream:
    """Numbers events and delivers each to all subscribers, each with its own queue, so that a slow
    one delays no one.
    """

    def __init__(self) -> None:
        self._seq = 0
        self._run_id = ""
        self._run_began = 0.0
        self._subscribers: list[asyncio.Queue[Event | None]] = []

    def publish(self, event: Event, run_id: str) -> Event:
        """Stamp `event` with its number, time and run, deliver it, and return the stamped event."""
        self._seq += 1
        stamped = replace(event, seq=self._seq, time=self._time(run_id), run_id=run_id)
        for subscriber in self._subscribers:
            subscriber.put_nowait(stamped)
        return stamped

    def subscribe(self) -> AsyncIterator[Event]:
        """Yield every event from this call on, until the stream is closed."""
        subscriber: asyncio.Queue[Event | None] = asyncio.Queue()
        self._subscribers.append(subscriber)
        return self._deliver(subscriber)

    def close(self) -> None:
        """End every subscription after the events published so far."""
        for subscriber in self._subscribers:
            subscriber.put_nowait(None)

    def _time(self, run_id: str) -> float:
        """Return the time, in seconds since the epoch. The clock is read once per run: setting it
        does not change durations.
        """
        now = time.clock_gettime(_CLOCK)
        if not run_id or run_id != self._run_id:
            self._run_id, self._run_began = run_id, time.time() - now
        return self._run_began + now

    async def _deliver(self, subscriber: asyncio.Queue[Event | None]) -> AsyncIterator[Event]:
        try:
            while (event := await subscriber.get()) is not None:
                yield event
        finally:
            self._subscribers.remove(subscriber)
