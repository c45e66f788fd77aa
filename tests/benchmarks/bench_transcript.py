"""The transcript alone: streaming, typing, and what makes everything look different.

A real application draws to a driver that throws the bytes away, so that what is measured is
everything up to the terminal.
"""

import asyncio
import gc
import os
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable

from textual import events
from textual.app import App, ComposeResult
from textual.drivers.headless_driver import HeadlessDriver
from textual.geometry import Size
from textual.widgets import Input

from dogent_tui.agent import events as ev
from dogent_tui.tui.transcript.view import Transcript
from tests.benchmarks.table import Row

SIZE = (120, 40)
SIZES = (0, 200, 2_000)
PARAGRAPH = (
    "The second quarter was calmer than the first, with **two** contracts ended and `one` renewed;"
    " see the report for what that means in detail, and for the people who worked on it over the"
    " summer. "
)
SECTION = (
    f"## A heading\n\n{PARAGRAPH * 2}\n\n- {PARAGRAPH}\n- an item\n- another"
    " [link](https://example.org)\n\n```python\ndef total(costs):\n    return sum(costs)\n```\n\n|"
    " a | b |\n|---|---|\n| one | two words |\n\n"
)
REPLY = SECTION * 18
"""About 12,000 characters: a long reply."""


class Throwaway(HeadlessDriver):
    """A driver whose terminal is as wide as told, and never slow."""

    written = 0

    @property
    def is_headless(self) -> bool:
        """Otherwise nothing would be turned into escape sequences."""
        return False

    def write(self, data: str) -> None:
        Throwaway.written += len(data)


class BenchApp(App[None]):
    def __init__(self, messages: int) -> None:
        super().__init__(driver_class=Throwaway)
        self.transcript = Transcript()
        self.messages = messages
        self.results: dict[str, float] = {}

    def compose(self) -> ComposeResult:
        yield self.transcript
        yield Input()

    async def on_mount(self) -> None:
        self.transcript.replay(history(self.messages))
        self.run_worker(self.measure())

    async def measure(self) -> None:
        self.query_one(Input).cursor_blink = False
        self.query_one(Input).focus()
        await settled(self)
        await self.stream()
        if self.messages != 200:
            await self.changes()
        self.exit()

    async def stream(self) -> None:
        """Stream one long reply in chunks of 40 characters, 100 a second, and type in the
        meantime.
        """
        self.results["echo"] = 0.0
        echoes: list[float] = []
        typing = asyncio.create_task(self.type(echoes))
        cpu, wall = time.process_time(), time.monotonic()
        for number, start in enumerate(range(0, len(REPLY), 40)):
            self.transcript.apply(
                ev.TextDelta(message_id="new", block=0, text=REPLY[start : start + 40])
            )
            await asyncio.sleep(max(0.0, wall + (number + 1) * 0.01 - time.monotonic()))
        self.transcript.apply(ev.TextFinished(message_id="new", block=0, text=REPLY))
        await asyncio.sleep(0.2)
        self.results["stream"] = time.process_time() - cpu
        typing.cancel()
        self.results["echo"] = statistics.median(echoes) * 1000

    async def type(self, echoes: list[float]) -> None:
        line = self.query_one(Input)
        while True:
            await asyncio.sleep(0.05)
            began = time.monotonic()
            before = Throwaway.written
            text = line.value
            self.simulate_key("x")
            while line.value == text or Throwaway.written == before:
                await asyncio.sleep(0.0005)
            echoes.append(time.monotonic() - began)

    async def changes(self) -> None:
        """What makes everything look different, at once."""
        width, height = SIZE
        dark = self.transcript.rich_style
        self.results["resize"] = await self.timed(
            lambda: self.resize(width - 30, height), lambda: self.size.width == width - 30
        )
        await settled(self)
        self.results["resize back"] = await self.timed(
            lambda: self.resize(width, height), lambda: self.size.width == width
        )
        await settled(self)
        self.results["theme"] = await self.timed(
            lambda: setattr(self, "theme", "textual-light"),
            lambda: self.transcript.rich_style != dark,
        )
        self.results["blur"] = await self.busy(False)
        self.results["focus"] = await self.busy(True)
        if self.messages:
            self.results["page up"] = await self.timed(lambda: self.transcript.action_page(-1))
            self.results["home"] = await self.timed(lambda: self.transcript.action_end(-1))
            began = time.monotonic()
            self.transcript.search("contracts")
            self.results["search"] = (time.monotonic() - began) * 1000
        await settled(self)
        cpu = time.process_time()
        await asyncio.sleep(2)  # what is measured is what it costs while nothing happens
        self.results["idle %"] = (time.process_time() - cpu) / 2 * 100

    async def busy(self, focused: bool) -> float:
        """Milliseconds in which the loop is busy after the terminal gained or lost the focus.
        Nothing need be drawn for it.
        """
        await asyncio.sleep(0.3)
        cpu = time.process_time()
        self.app_focus = focused
        await asyncio.sleep(0.15)
        return (time.process_time() - cpu) * 1000

    def resize(self, width: int, height: int) -> None:
        self.post_message(events.Resize(Size(width, height), Size(width, height)))

    async def timed(
        self, change: Callable[[], object], done: Callable[[], bool] = lambda: True
    ) -> float:
        """Milliseconds until the change has been made and written to the terminal."""
        await asyncio.sleep(0.3)
        written = Throwaway.written
        began = time.monotonic()
        change()
        while not done():
            await asyncio.sleep(0)
        while Throwaway.written < written + 500:  # more than the cursor
            await asyncio.sleep(0)
        return (time.monotonic() - began) * 1000


async def settled(app: BenchApp) -> None:
    """Wait until every height is known."""
    await asyncio.sleep(0.3)
    while not app.transcript.measured:
        await asyncio.sleep(0.05)
    await asyncio.sleep(0.2)


def history(messages: int) -> list[ev.Event]:
    """A conversation of so many messages: prompts, replies and tool calls in turn."""
    log: list[ev.Event] = []
    for number in range(messages // 4):
        log += [
            ev.RunStarted(
                prompt=ev.Prompt(f"Prompt number {number} about the report"), run_id=str(number)
            ),
            ev.ToolUse(
                tool_use_id=f"t{number}",
                name="Read",
                input={"file_path": f"notes/{number}.md"},
                run_id=str(number),
            ),
            ev.ToolResult(
                tool_use_id=f"t{number}", content=f"{number}: {PARAGRAPH}\n" * 3, run_id=str(number)
            ),
            ev.TextFinished(
                message_id=f"m{number}",
                block=0,
                text=f"Reply {number}\n\n{SECTION}",
                run_id=str(number),
            ),
            ev.RunFinished(status="completed", duration_ms=1000, run_id=str(number)),
        ]
    return log


def memory() -> float:
    """Bytes per message, the text that the events hold included, after every height has been
    measured.
    """

    async def live() -> float:
        app = BenchApp(0)
        app.measure = lambda: asyncio.sleep(0)  # type: ignore[method-assign]
        async with app.run_test(size=SIZE):
            gc.collect()
            tracemalloc.start()
            before = tracemalloc.get_traced_memory()[0]
            log = history(2_000)
            app.transcript.replay(log)
            await settled(app)
            del log
            gc.collect()
            used = tracemalloc.get_traced_memory()[0] - before
            tracemalloc.stop()
        return used / 2_000

    return asyncio.run(live())


TARGETS = {
    "echo": 25.0,
    "resize": 100.0,
    "resize back": 100.0,
    "theme": 100.0,
    "blur": 100.0,
    "focus": 100.0,
    "idle %": 1.0,
}
NAMES = {
    "stream": ("stream CPU", "s"),
    "echo": ("key echo while streaming, median", "ms"),
    "idle %": ("CPU when idle", "%"),
}


def measure() -> list[Row]:
    """Measure with each number of messages."""
    os.environ["COLUMNS"], os.environ["LINES"] = map(str, SIZE)
    rows: list[Row] = []
    streams: list[float] = []
    for messages in SIZES:
        app = BenchApp(messages)
        app.run(size=SIZE)
        if not app.results:
            sys.exit("The application ended before it was measured.")
        streams.append(app.results["stream"])
        for key, value in app.results.items():
            name, unit = NAMES.get(key, (key, "ms"))
            rows.append(Row(f"{name}, {messages:,} messages", value, unit, TARGETS.get(key)))
    del os.environ["COLUMNS"], os.environ["LINES"]
    rows.append(Row("stream CPU, worst over empty", max(streams) / streams[0], "×", 1.3))
    rows.append(Row("memory a message", memory() / 1_000, "KB", 10))
    return rows
