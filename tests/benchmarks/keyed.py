"""A screen of the application on its own: the time from a key until what it changed has been
written.
"""

import asyncio
import gc
import os
import statistics
import sys
import time
from collections.abc import Mapping, Sequence

from textual import events
from textual.screen import Screen

from dogent_tui.tui.app import DogentApp
from dogent_tui.tui.textual_fixes.keys_in_turn import KeysInTurn
from dogent_tui.tui.themes import THEMES
from tests.benchmarks.bench_transcript import Throwaway

SIZE = (160, 50)
KEY_MS = 30.0
ROUNDS = 20
_CHARACTERS = {"space": " "}


class KeyedApp(KeysInTurn):
    """Opens the screen that `made` makes, presses `keys`, and keeps the median of each kind, in
    milliseconds, in `results`.
    """

    CSS_PATH = DogentApp.CSS_PATH
    check_action = DogentApp.check_action

    def __init__(self, keys: Mapping[str, Sequence[str]]) -> None:
        super().__init__(driver_class=Throwaway)
        self._keys = keys
        self.results: dict[str, float] = {}

    def made(self) -> Screen[object]:
        """Return the screen; what this takes counts as opening it."""
        raise NotImplementedError

    def on_mount(self) -> None:
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = THEMES[0].name
        self.run_worker(self._measure())

    async def _measure(self) -> None:
        await asyncio.sleep(0.5)  # what is opened is opened in an application that runs
        began = time.perf_counter()
        await self.push_screen(self.made())
        before = Throwaway.written
        while Throwaway.written == before and time.perf_counter() - began < 2:
            await asyncio.sleep(0)
        self.results["open"] = (time.perf_counter() - began) * 1000
        await asyncio.sleep(1.0)
        gc.collect()
        for _ in range(30):
            await self._key("down")
        for name, keys in self._keys.items():
            taken = [await self._key(key) for _ in range(ROUNDS) for key in keys]
            self.results[name] = statistics.median(taken)
        self.exit()

    async def _key(self, key: str) -> float:
        await asyncio.sleep(0.02)
        before, began = Throwaway.written, time.perf_counter()
        self.post_message(events.Key(key, _CHARACTERS.get(key, key if len(key) == 1 else None)))
        while Throwaway.written == before and time.perf_counter() - began < 2:
            await asyncio.sleep(0)
        return (time.perf_counter() - began) * 1000


def run(app: KeyedApp) -> Mapping[str, float]:
    """Run `app` to its end, and return its results."""
    os.environ["COLUMNS"], os.environ["LINES"] = map(str, SIZE)
    app.run(size=SIZE)
    del os.environ["COLUMNS"], os.environ["LINES"]
    if len(app.results) < 2:
        sys.exit("The application ended before it was measured.")
    return app.results
