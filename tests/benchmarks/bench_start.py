"""Starting: the command line, the first paint of a prompt that takes keys, and the event loop
while the SDK loads.
"""

import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import psutil

from tests.benchmarks.stage import PAINTED, READY, Stage, press, settled, written
from tests.benchmarks.table import Row
from tests.e2e.terminal import LIMIT_S, plain_environment

ROUNDS = 7
MOST_READY_S = 1.0
REFERENCE = (sys.executable, "-m", "tests.benchmarks.reference_app")
PROBED = (sys.executable, "-m", "tests.benchmarks.probed_app")


def command_line() -> list[Row]:
    """`--version` and `--help` over bare Python."""
    commands = {
        "bare": ["-c", "pass"],
        "--version": ["-m", "dogent_tui", "--version"],
        "--help": ["-m", "dogent_tui", "--help"],
    }
    took: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(15):
        for name, arguments in commands.items():
            began = time.perf_counter()
            subprocess.run(
                [sys.executable, *arguments],
                env=plain_environment(Path.cwd()),
                capture_output=True,
                check=True,
            )
            took[name].append((time.perf_counter() - began) * 1000)
    bare, version, usage = (statistics.median(times) for times in took.values())
    beside = f"bare Python {bare:.0f} ms"
    return [
        Row("--version, over bare Python", version - bare, "ms", 60, beside),
        Row("--help, over bare Python", usage - bare, "ms", 120, beside),
    ]


async def first_paint(stage: Stage, argv: Sequence[str]) -> tuple[float, float]:
    """Milliseconds from the start of the process to the prompt on the screen, and to the echo of
    the first key.
    """
    began = time.perf_counter()
    async with stage.open(argv=argv) as terminal:
        painted = await written(terminal, PAINTED)
        await press(terminal)
        return (painted - began) * 1000, (time.perf_counter() - began) * 1000


async def starts() -> list[Row]:
    """Ours and the reference, in turn, so that both meet the same weather."""
    ours: list[tuple[float, float]] = []
    reference: list[tuple[float, float]] = []
    async with Stage.set_up() as stage:
        await first_paint(stage, ())  # bytecode, home files
        await first_paint(stage, REFERENCE)
        for _ in range(ROUNDS):
            ours.append(await first_paint(stage, ()))
            reference.append(await first_paint(stage, REFERENCE))
    painted, keyed = (statistics.median(times) for times in zip(*ours, strict=True))
    reference_painted, reference_keyed = (
        statistics.median(times) for times in zip(*reference, strict=True)
    )
    return [
        Row("first paint", painted, "ms"),
        Row(
            "first paint, over an empty Textual app",
            painted / reference_painted,
            "×",
            1.3,
            f"empty app {reference_painted:.0f} ms",
        ),
        Row("first key echoed", keyed, "ms"),
        Row(
            "first key echoed, over an empty Textual app",
            keyed / reference_keyed,
            "×",
            1.3,
            f"empty app {reference_keyed:.0f} ms",
        ),
    ]


async def loading() -> list[Row]:
    """The event loop and the keys between the first paint and the agent's being ready; then
    memory and idling.
    """
    worst, echoes, ready_s, memory, own, idle = [], [], [], [], [], []
    for _ in range(3):
        async with Stage.set_up() as stage:
            gaps_file = stage.home / "gaps.json"
            async with stage.open(
                argv=(*PROBED, *stage.choices), LOOP_GAPS=str(gaps_file)
            ) as terminal:
                await written(terminal, PAINTED)
                painted = time.monotonic()
                while READY not in terminal.output and time.monotonic() < painted + LIMIT_S:
                    echoes.append(await press(terminal))
                    await asyncio.sleep(0.03)
                ready = time.monotonic()
                terminal.type("\x11")
                await terminal.exited()
            gaps = [
                gap for ended, gap in json.loads(gaps_file.read_text()) if painted <= ended <= ready
            ]
            worst.append(max(gaps, default=0.0) * 1000)
            ready_s.append(ready - painted)
            async with stage.open() as terminal:
                await written(terminal, READY)
                await settled(terminal)
                process = psutil.Process(terminal.process.pid)
                memory.append(process.memory_info().rss / 1e6)
                own.append(process.memory_full_info().uss / 1e6)
                before = process.cpu_times()
                await asyncio.sleep(4)  # what is measured is what it costs while nothing happens
                after = process.cpu_times()
                idle.append((after.user + after.system - before.user - before.system) / 4 * 100)
    return [
        Row("agent ready after the first paint", statistics.median(ready_s), "s", MOST_READY_S),
        Row(
            "worst gap of the event loop meanwhile",
            statistics.median(worst),
            "ms",
            100,
            f"worst of all {max(worst):.0f} ms",
        ),
        Row(
            "key echo meanwhile, median",
            statistics.median(echoes),
            "ms",
            None,
            f"worst {max(echoes):.0f} ms",
        ),
        Row(
            "memory with the SDK loaded (RSS)",
            statistics.median(memory),
            "MB",
            120,
            f"of its own (USS) {statistics.median(own):.0f} MB",
        ),
        Row("CPU when idle", statistics.median(idle), "%", 1),
    ]


def measure() -> list[Row]:
    """Measure all of it."""
    return [*command_line(), *asyncio.run(starts()), *asyncio.run(loading())]
