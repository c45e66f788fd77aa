"""A document of a megabyte beside the conversation: until it can be seen, and the time from a
key until the screen is drawn.
"""

import asyncio
import gc
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from textual import events
from textual.app import App, ComposeResult

from dogent_tui.tui.app import DogentApp
from dogent_tui.tui.pane.pane import DocumentPane
from dogent_tui.tui.pane.text import Moved, changes, read_markdown_text
from dogent_tui.tui.themes import THEMES
from tests.benchmarks.bench_transcript import Throwaway
from tests.benchmarks.table import Row

SIZE = (160, 50)
KEY_MS = 30.0
ROUNDS = 20
KEYS = {
    "scroll": ("down", "up"),
    "page": ("pagedown", "pagedown", "pageup"),
    "choose": ("shift+down",),
    "next heading": ("right_square_bracket",),
}


def document() -> str:
    """Return a markdown of a megabyte."""
    prose = (
        "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt"
        " ut labore et dolore magna. "
    )
    chapter = f"## Chapter 第{{}}章\n\n{prose * 4}\n\n- one\n- two\n\n{prose * 3}\n\n"
    return "".join(chapter.format(number) for number in range(1_150))


class BenchApp(App[None]):
    CSS_PATH = DogentApp.CSS_PATH

    def __init__(self, path: Path) -> None:
        super().__init__(driver_class=Throwaway)
        self.path = path
        self.pane = DocumentPane()
        self.results: dict[str, float] = {}

    def compose(self) -> ComposeResult:
        yield self.pane

    def on_mount(self) -> None:
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = THEMES[0].name
        self.run_worker(self.measure())

    async def measure(self) -> None:
        await asyncio.sleep(0.5)
        began = time.perf_counter()
        markdown = await asyncio.to_thread(read_markdown_text, self.path)
        before = Throwaway.written
        self.pane.view.show(markdown.parts, markdown.definitions)
        self.pane.view.has_lines = True
        while Throwaway.written == before:
            await asyncio.sleep(0)
        self.results["open"] = (time.perf_counter() - began) * 1000
        now = [*markdown.lines[:500], "new", *markdown.lines[501:]]
        began = time.perf_counter()
        changes(markdown.lines, now), Moved(markdown.lines, now)
        self.results["compare"] = (time.perf_counter() - began) * 1000
        self.pane.view.headings = [heading.line for heading in markdown.headings]
        self.pane.view.focus()
        gc.collect()
        for name, keys in KEYS.items():
            taken = [await self.key(key) for _ in range(ROUNDS) for key in keys]
            self.results[name] = statistics.median(taken)
        self.exit()

    async def key(self, key: str) -> float:
        """Press a key, and return the milliseconds until what it changed has been written."""
        await asyncio.sleep(0.02)
        before, began = Throwaway.written, time.perf_counter()
        self.post_message(events.Key(key, None))
        while Throwaway.written == before and time.perf_counter() - began < 2:
            await asyncio.sleep(0)
        return (time.perf_counter() - began) * 1000


def measure() -> list[Row]:
    """Measure opening, comparing and each kind of key."""
    os.environ["COLUMNS"], os.environ["LINES"] = map(str, SIZE)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "manuscript.md"
        path.write_text(document(), encoding="utf-8")
        app = BenchApp(path)
        app.run(size=SIZE)
    del os.environ["COLUMNS"], os.environ["LINES"]
    if "next heading" not in app.results:
        sys.exit("The application ended before it was measured.")
    rows = [
        Row(f"{name}, median of {ROUNDS} or more", app.results[name], "ms", KEY_MS) for name in KEYS
    ]
    return [
        *rows,
        Row("opening 1 MB", app.results["open"], "ms", 200),
        Row("comparing 1 MB with what it was, in a thread", app.results["compare"]),
    ]
