"""The stream of events: stamped once, delivered to every subscriber in order."""

import asyncio
import time
from collections.abc import AsyncIterator

from msgspec.structs import replace

from dogent_tui.agent.events import Event

_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Nobody sets it; where there is one that counts on while the machine sleeps, that."""


class EventStream:
    """Numbers events and hands each to all subscribers, each with a queue of its own, so that a
    slow one delays nobody.
    """

    def __init__(self) -> None:
        self._seq = 0
        self._run_id = ""
        self._run_began = 0.0
        self._subscribers: list[asyncio.Queue[Event | None]] = []

    def publish(self, event: Event, run_id: str) -> Event:
        """Stamp `event` with its number, the time and its run, deliver it, and return what was
        delivered.
        """
        self._seq += 1
        stamped = replace(event, seq=self._seq, time=self._time(run_id), run_id=run_id)
        for subscriber in self._subscribers:
            subscriber.put_nowait(stamped)
        return stamped

    def subscribe(self) -> AsyncIterator[Event]:
        """Return every event from this call on, until the stream is closed."""
        subscriber: asyncio.Queue[Event | None] = asyncio.Queue()
        self._subscribers.append(subscriber)
        return self._deliver(subscriber)

    def close(self) -> None:
        """End every subscription, after what was published before."""
        for subscriber in self._subscribers:
            subscriber.put_nowait(None)

    def _time(self, run_id: str) -> float:
        """Return the time, in seconds since the epoch. Within a run the clock is looked at once:
        one that is set meanwhile changes no duration.
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
