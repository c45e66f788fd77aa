"""A callback after a while comes however busy the machine is."""

import asyncio
import itertools

from textual import _time
from textual.app import App

from dogent_tui.tui.textual_fixes.timers import after


async def test_it_comes_where_a_timer_of_textual_is_lost(monkeypatch):
    app, called = App(), []
    async with app.run_test() as pilot:
        clock = itertools.count()
        # between any two looks at it, a second has passed
        monkeypatch.setattr(_time, "get_time", lambda: next(clock))
        app.set_timer(0.001, lambda: called.append("timer"))
        after(app, 0.001, lambda: called.append("after"))
        while "after" not in called:
            await pilot.pause(0.002)
    assert called == ["after"]  # where this fails Textual has mended its timers, and `after` can go


async def test_it_is_not_called_once_the_widget_has_ended():
    app, called = App(), []
    async with app.run_test():
        pass
    timer = after(app, 0.001, lambda: called.append("late"))
    async with App().run_test() as other:
        while timer.when() > asyncio.get_running_loop().time():
            await other.pause(0.001)
        await other.pause()
    assert called == []
