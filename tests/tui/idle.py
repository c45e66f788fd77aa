"""When an application has nothing left to do: told by its event loop.

Textual's own `wait_for_idle`, which the pilot calls twice for every key, takes an application for
idle that used little processor time within 20 ms. On a busy machine that is also one which did not
get any: a test went on before its key was dealt with. And where the machine is quiet, the tests of
the screens spent half of their time in these waits.

Nor is the next picture waited for, 50 ms for each key: where nothing else is left to do, the clock
of the event loop, which Textual's timers then go by, is put forward to it. Longer timers, and what
works in threads, take the time that they take. That was half of what these tests took.
"""

import asyncio
from asyncio.base_events import BaseEventLoop
from collections import Counter
from collections.abc import Callable
from time import monotonic, process_time
from typing import Any
from weakref import WeakKeyDictionary

import pytest
from textual.pilot import Pilot

PICTURES_PER_S = 20
"""As in `tests.e2e.prepared`: nobody looks at those in between."""

_NEVER_S = 200.0
"""Before a test says that it never came: a busy machine is no failure."""
_SOON_S = 1.1 / PICTURES_PER_S
"""A timer that is due so soon belongs to what is under way: the next picture is drawn by one."""
_BY_ITSELF_S = 0.6
"""How long what comes by itself may take; limits of time are longer."""
_THREAD_ROUNDS = 100
"""Of a millisecond or, on a busy machine, as many more as threads have to wait there; no more: some
threads wait for something that only comes later.
"""
_QUIET_ROUNDS = 3

_ahead: WeakKeyDictionary[BaseEventLoop, float] = WeakKeyDictionary()
"""By how many seconds the clock of a loop is ahead: those that nobody waited for."""
_in_threads: WeakKeyDictionary[BaseEventLoop, Counter[str]] = WeakKeyDictionary()


def watch_for_idle(patch: pytest.MonkeyPatch) -> None:
    """Have Textual's pilot wait as described above."""
    run = BaseEventLoop.run_in_executor

    def counted(
        self: BaseEventLoop, executor: Any, function: Callable[..., Any], *arguments: Any
    ) -> asyncio.Future[Any]:
        future, running = (
            run(self, executor, function, *arguments),
            _in_threads.setdefault(self, Counter()),
        )
        running["jobs"] += 1
        future.add_done_callback(lambda _: running.subtract(["jobs"]))
        return future

    patch.setattr(BaseEventLoop, "run_in_executor", counted)
    patch.setattr(BaseEventLoop, "time", lambda self: monotonic() + _ahead.get(self, 0.0))
    patch.setattr("textual._time.get_time", _clock)
    patch.setattr("textual.screen.UPDATE_PERIOD", 1 / PICTURES_PER_S)
    for module in ("app", "pilot"):
        patch.setattr(f"textual.{module}.wait_for_idle", wait_for_idle)
    press = Pilot.press

    async def pressed(self: Pilot[Any], *keys: str) -> None:
        await press(self, *keys)
        acting = getattr(self.app, "_acting", None)  # it waits for what a command opens
        if acting is not None:
            await asyncio.wait({acting})
            await self._wait_for_screen()

    patch.setattr(Pilot, "press", pressed)


def _clock() -> float:
    """Return the time of the loop that runs here, if any."""
    try:
        return asyncio.get_running_loop().time()
    except RuntimeError:
        return monotonic()


async def until(pilot: Pilot[Any], seen: Callable[[], object]) -> None:
    """Let the application work until `seen` is true. Fails after as long as nothing honest needs.

    What comes by itself half a second later is not waited for: the clock is put forward to it.
    """
    loop, end, ahead = asyncio.get_running_loop(), monotonic() + _NEVER_S, 0.0
    while not seen():
        if monotonic() > end:
            shown = "\n".join(
                "".join(part.text for part in strip).rstrip()
                for strip in pilot.app.screen._compositor.render_strips()
            )
            where = f"{pilot.app.screen}, {pilot.app.focused}"
            raise AssertionError(f"It never came. {where}:\n{shown}")
        await pilot.pause(0.01)
        ahead += _put_forward(loop, _BY_ITSELF_S - ahead)


def _put_forward(loop: Any, most: float) -> float:
    """Put the clock forward to the next timer, if nothing else is left to do and it is due within
    `most` seconds. Returns by how much.
    """
    is_busy = loop._ready or _in_threads.get(loop, Counter())["jobs"]
    due = [timer.when() - loop.time() for timer in loop._scheduled if not timer.cancelled()]
    if is_busy or not due or not 0 < min(due) <= most:
        return 0.0
    _ahead[loop] = _ahead.get(loop, 0.0) + min(due)
    return min(due)


async def wait_for_idle(min_sleep: float = 0, max_sleep: float = 1) -> None:
    """Return once nothing is ready to run, no thread is at work and no timer is due soon, or
    after `max_sleep` seconds: of the processor's time, which other programs do not take, and of
    those by which the clock was put forward.
    """
    loop: Any = asyncio.get_running_loop()

    def spent() -> float:
        return process_time() + _ahead.get(loop, 0.0)

    ends, quiet, waited = spent() + max_sleep, 0, 0
    while quiet < _QUIET_ROUNDS and spent() < ends:
        await asyncio.sleep(0)
        now = loop.time()
        due = min(
            (timer.when() for timer in loop._scheduled if not timer.cancelled()),
            default=now + max_sleep,
        )
        if loop._ready:
            quiet = 0
        elif _in_threads.get(loop, Counter())["jobs"] and waited < _THREAD_ROUNDS:
            quiet, waited = 0, waited + 1
            await asyncio.sleep(0.001)
        elif due < now + _SOON_S:
            quiet = 0
            _ahead[loop] = _ahead.get(loop, 0.0) + max(0.0, due - now)
        else:
            quiet += 1
