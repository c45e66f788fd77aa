"""The outline editor at 2,000 headings: the time from a key until the screen is drawn anew."""

import asyncio
import gc
import os
import statistics
import sys
import time

from textual import events
from textual.app import App

from dogent_tui.tui.app import DogentApp
from dogent_tui.tui.outline.task import OutlineTask
from dogent_tui.tui.screens.outline import OutlineScreen
from dogent_tui.tui.themes import THEMES
from tests.benchmarks.bench_transcript import Throwaway
from tests.benchmarks.table import Row

SIZE = (160, 50)
HEADINGS = 2_000
KEY_MS = 30.0
ROUNDS = 20
NOTE = "What this section should say, in a sentence or two, with a figure or a name that the sources hold.\n"

KEYS = {
    "down": ("down",),
    "page": ("pagedown", "pageup"),
    "move": ("alt+down", "alt+up"),
    "demote": ("tab", "shift+tab"),
    "fold": ("space", "space"),
    "duplicate and undo": ("ctrl+d", "ctrl+z"),
    "select": ("shift+down",),
}


def outline() -> str:
    """Return an outline of so many headings, at three levels, numbered, with notes."""
    lines = ["# The whole\n"]
    for number in range(HEADINGS - 1):
        chapter, rest = divmod(number, 20)
        section, part = divmod(rest, 5)
        if rest == 0:
            lines.append(f"\n## {chapter + 1}. A chapter of the book 第{chapter + 1}章\n\n{NOTE}")
        elif part == 0:
            lines.append(f"\n### Section {section}\n\n{NOTE}")
        else:
            lines.append(f"\n#### Part {part} (300 words)\n\n{NOTE}")
    return "".join(lines)


class BenchApp(App[None]):
    CSS_PATH = DogentApp.CSS_PATH
    check_action = DogentApp.check_action

    def __init__(self) -> None:
        super().__init__(driver_class=Throwaway)
        self.results: dict[str, float] = {}

    def on_mount(self) -> None:
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = THEMES[0].name
        self.run_worker(self.measure())

    async def measure(self) -> None:
        text = outline()
        began = time.perf_counter()
        editor = OutlineScreen(OutlineTask("Bench", text))
        await self.push_screen(editor)
        await asyncio.sleep(0)
        self.results["open"] = (time.perf_counter() - began) * 1000
        await asyncio.sleep(1.0)
        gc.collect()
        for _ in range(30):
            await self.key("down")
        for name, keys in KEYS.items():
            taken = [await self.key(key) for _ in range(ROUNDS) for key in keys]
            self.results[name] = statistics.median(taken)
        self.exit()

    async def key(self, key: str) -> float:
        """Press a key, and return the milliseconds until what it changed has been written."""
        await asyncio.sleep(0.02)
        before, began = Throwaway.written, time.perf_counter()
        character = " " if key == "space" else None
        self.post_message(events.Key(key, character))
        while Throwaway.written == before and time.perf_counter() - began < 2:
            await asyncio.sleep(0)
        return (time.perf_counter() - began) * 1000


def measure() -> list[Row]:
    """Measure each kind of key."""
    os.environ["COLUMNS"], os.environ["LINES"] = map(str, SIZE)
    app = BenchApp()
    app.run(size=SIZE)
    del os.environ["COLUMNS"], os.environ["LINES"]
    if "select" not in app.results:
        sys.exit("The application ended before it was measured.")
    rows = [Row(f"{name}, median of {ROUNDS} or more, {HEADINGS:,} headings", app.results[name], "ms", KEY_MS) for name in KEYS]
    return [*rows, Row(f"opening, {HEADINGS:,} headings", app.results["open"], "ms", 1_000)]
