"""A session of 0, 200 and 2,000 messages in a real terminal: streaming and typing, what redraws
everything, memory per message.
"""

import asyncio
import statistics
import time
from dataclasses import dataclass, field

import psutil

from dogent_tui.agent.events import (
    Event,
    Prompt,
    RunFinished,
    RunStarted,
    TextDelta,
    TextFinished,
    ToolResult,
    ToolUse,
)
from dogent_tui.offline.messages_api import ReplyText
from tests.benchmarks.stage import (
    PAINTED,
    READY,
    SIZE,
    Stage,
    cpu_s,
    paced,
    press,
    repainted,
    settled,
    written,
)
from tests.benchmarks.table import Row
from tests.e2e.terminal import Terminal

MESSAGES = (0, 200, 2_000)
ROUNDS = 1
STREAMS = 2

_PARAGRAPH = (
    "The second quarter was calmer than the first, with **two** contracts ended and `one` renewed;"
    " see the report for what that means in detail, and for the people who worked on it over the"
    " summer. "
)
_SECTION = (
    f"## A heading\n\n{_PARAGRAPH * 2}\n\n- {_PARAGRAPH}\n- an item\n- another"
    " [link](https://example.org)\n\n```python\ndef total(costs):\n    return sum(costs)\n```\n\n|"
    " a | b |\n|---|---|\n| one | two words |\n\n"
)
_CHUNK = 40
_LONG = _SECTION * 18
"""About 13,000 characters: a long reply."""


@dataclass
class Session:
    """What was measured with one number of messages, each a list over the rounds."""

    stream_cpu: list[float] = field(default_factory=list)
    echo: list[float] = field(default_factory=list)
    changes: dict[str, list[float]] = field(default_factory=dict)
    memory: list[float] = field(default_factory=list)
    painted: list[float] = field(default_factory=list)
    replay: list[float] = field(default_factory=list)


def history(messages: int) -> list[Event]:
    """A conversation of so many messages: prompts, calls with results, and replies with the
    pieces they came in, in turn.
    """
    log: list[Event] = []
    for number in range(messages // 4):
        run = str(number)
        reply = f"Reply {number}\n\n{_SECTION}"
        log += [
            RunStarted(prompt=Prompt(f"Prompt number {number} about the report"), run_id=run),
            ToolUse(
                tool_use_id=f"t{number}",
                name="Read",
                input={"file_path": f"notes/{number}.md"},
                run_id=run,
            ),
            ToolResult(
                tool_use_id=f"t{number}", content=f"{number}: {_PARAGRAPH}\n" * 3, run_id=run
            ),
            *(
                TextDelta(
                    message_id=f"m{number}", block=0, text=reply[at : at + _CHUNK], run_id=run
                )
                for at in range(0, len(reply), _CHUNK)
            ),
            TextFinished(message_id=f"m{number}", block=0, text=reply, run_id=run),
            RunFinished(status="completed", duration_ms=1000, run_id=run),
        ]
    return log


async def session(messages: int, found: Session) -> None:
    """Open the application on a conversation of `messages`, and measure."""
    async with Stage.set_up() as stage:
        if messages:
            stage.remember(history(messages))
        stage.api.otherwise(lambda _request: (ReplyText("Hello."),))
        began = time.perf_counter()
        async with stage.open(*(["--continue"] if messages else [])) as terminal:
            found.painted.append((await written(terminal, PAINTED) - began) * 1000)
            if messages:
                found.replay.append(
                    (await written(terminal, b"Reply %d" % (messages // 4 - 1)) - began) * 1000
                )
            await written(terminal, READY)
            await settled(terminal)
            found.memory.append(psutil.Process(terminal.process.pid).memory_full_info().uss / 1e3)
            await _first_run(terminal)
            for number in range(STREAMS):
                stage.api.script(paced(f"begin{number}\n\n{_LONG}\n\nend{number}"))
                await _stream(terminal, found, b"begin%d" % number, b"end%d" % number)
            if messages != MESSAGES[1]:
                await _change(terminal, found)


async def _first_run(terminal: Terminal) -> None:
    """The first run of a process loads what later ones have."""
    since = len(terminal.output)
    terminal.type("one\r")
    await written(terminal, b"Hello.", since=since)
    await settled(terminal)


async def _stream(terminal: Terminal, found: Session, begin: bytes, end: bytes) -> None:
    """Stream a long reply at 100 pieces a second, with some ten keys a second in the meantime."""
    since, before = len(terminal.output), cpu_s(terminal)
    terminal.type("two\r")
    await written(terminal, begin, since=since)
    while end not in terminal.output[since:]:
        found.echo.append(await press(terminal))
        await asyncio.sleep(0.1)
    found.stream_cpu.append(cpu_s(terminal) - before)
    await settled(terminal)


async def _change(terminal: Terminal, found: Session) -> None:
    """What makes everything look different."""
    columns, rows = SIZE

    def note(name: str, milliseconds: float) -> None:
        found.changes.setdefault(name, []).append(milliseconds)

    for _ in range(3):
        terminal.resize(columns - 30, rows)
        note("resize", await repainted(terminal))
        await settled(terminal)
        terminal.resize(columns, rows)
        note("resize", await repainted(terminal))
        await settled(terminal)
        for on in (False, True):
            terminal.focus(on=on)
            note("key echo right after a change of focus", await press(terminal))
            await settled(terminal)
    for theme in ("textual-light", "nord"):
        terminal.type(f"/theme {theme}")
        await settled(terminal)
        terminal.type("\r")
        note("theme", await repainted(terminal))
        await settled(terminal)


async def _measure() -> dict[int, Session]:
    found = {messages: Session() for messages in MESSAGES}
    for _ in range(ROUNDS):
        for messages in MESSAGES:
            await session(messages, found[messages])
    return found


def measure() -> list[Row]:
    """Measure all of it, each number of messages in turn so that all meet the same weather."""
    found = asyncio.run(_measure())
    rows = []
    cpu = {messages: statistics.median(of.stream_cpu) for messages, of in found.items()}
    for messages, of in found.items():
        rows += [
            Row(f"CPU of streaming 13,000 characters, {messages:,} messages", cpu[messages], "s"),
            Row(
                f"key echo while streaming, {messages:,} messages",
                statistics.median(of.echo),
                "ms",
                25,
                f"worst {max(of.echo):.0f} ms",
            ),
        ]
    rows.append(
        Row("CPU of streaming, worst over the empty session", max(cpu.values()) / cpu[0], "×", 1.3)
    )
    for messages in (MESSAGES[0], MESSAGES[-1]):
        rows += [
            Row(
                f"{name}, {messages:,} messages",
                statistics.median(times),
                "ms",
                100,
                f"worst {max(times):.0f} ms",
            )
            for name, times in found[messages].changes.items()
        ]
    grown = statistics.median(found[MESSAGES[-1]].memory) - statistics.median(found[0].memory)
    long = found[MESSAGES[-1]]
    painted = f"first paint {statistics.median(long.painted):.0f} ms"
    rows += [
        Row("memory a message", grown / MESSAGES[-1], "KB", 10),
        Row(
            "the end of 2,000 messages seen after the start",
            statistics.median(long.replay),
            "ms",
            1_000,
            painted,
        ),
    ]
    return rows
