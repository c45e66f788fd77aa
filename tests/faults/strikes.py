"""The faults of the matrix: how each is done to its victim, and how it passes."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from dogent_tui.offline.messages_api import ApiError, MessagesRequest, ReplyStream
from tests.e2e.scripted_api import CutConnection

if TYPE_CHECKING:
    from dogent_tui.offline.server import Answer
    from tests.faults.stage import Stage

Heal: TypeAlias = Callable[[], Awaitable[None]]

_GARBAGE_KEYS = (
    "\x1b[",
    "\x1b]52;c;",
    "\x1bP",
    "\x00",
    "\x1b[99;99;99M",
    "\ud7ff",
    "\x1b[200~",
    "\x1b[?1;2c",
    "\x9b",
    "中",
)
_HTML = "<!DOCTYPE html><html><body><h1>Sign in to the hotel</h1></body></html>"


async def strike(stage: "Stage") -> Heal:
    """Do the fault of the row. Returns what makes it pass."""
    return await _STRIKES[stage.row.victim](stage)


async def _processes(stage: "Stage") -> Heal:
    """Kill or stop the processes of the victim."""
    victims = {"cli": stage.clis, "worker": stage.workers, "launcher": stage.launchers}
    pids = (
        [stage.terminal.process.pid]
        if stage.row.victim == "application"
        else [one.pid for one in victims[stage.row.victim]()]
    )
    stopped = stage.row.fault == "stop"
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP if stopped else signal.SIGKILL)

    async def heal() -> None:
        if stopped:
            await asyncio.sleep(stage.draw.uniform(0.1, 1.0))
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    return heal


async def _terminal(stage: "Stage") -> Heal:
    terminal = stage.terminal
    slow: asyncio.Task[None] | None = None
    match stage.row.fault:
        case "kill":
            terminal.close_window()
        case "stop":
            terminal.read(on=False)
        case "slow":
            slow = asyncio.create_task(_read_slowly(stage))
        case "garbage":
            for _ in range(20):
                terminal.type(stage.draw.choice(_GARBAGE_KEYS))
            # control keys do what they are for
            terminal.send(stage.draw.randbytes(40).translate(None, bytes(range(32))))
            terminal.type("\x1b[201~")
        case "cut":
            terminal.type("\x1b[1;5")

    async def heal() -> None:
        await asyncio.sleep(stage.draw.uniform(0.1, 1.0))
        if slow is not None:
            slow.cancel()
            await asyncio.wait([slow])
        if stage.row.fault in ("stop", "slow"):
            terminal.read(on=True)

    return heal


async def _read_slowly(stage: "Stage") -> None:
    while True:
        stage.terminal.read(on=False)
        await asyncio.sleep(0.2)
        stage.terminal.read(on=True)
        await asyncio.sleep(0.005)


async def _endpoint(stage: "Stage") -> Heal:
    api, fault = stage.api, stage.row.fault
    asleep = asyncio.Event()
    if fault == "kill":
        await stage.end_endpoint()
    else:
        answers: dict[str, Callable[[MessagesRequest], Answer]] = {
            "stop": lambda request: _silent(request, asleep),
            "slow": _slow,
            "garbage": lambda request: _garbage(request, stage.draw.random() < 0.5),
            "cut": _cut,
            "full": lambda _request: ApiError(529, "Overloaded"),
        }
        api.unscript()
        api.otherwise(answers[fault])
        stage.network.become("cut" if fault != "stop" else "good")

    async def heal() -> None:
        asleep.set()
        if fault == "kill":
            await stage.begin_endpoint()
        stage.answers()

    return heal


async def _silent(request: MessagesRequest, until: asyncio.Event) -> AsyncGenerator[bytes, None]:
    yield ReplyStream(request).start()
    await until.wait()
    raise CutConnection


async def _slow(request: MessagesRequest) -> AsyncGenerator[bytes, None]:
    stream = ReplyStream(request)
    yield stream.start()
    yield stream.open()
    while True:
        await asyncio.sleep(0.5)
        yield stream.add("s")


async def _garbage(request: MessagesRequest, html: bool) -> AsyncGenerator[bytes, None]:
    if html:
        yield _HTML.encode()
        return
    stream = ReplyStream(request)
    yield stream.start()
    yield stream.open()
    yield b'event: content_block_delta\ndata: {"type": "content_bl\xff\xfe\n\n'
    yield b"event: nonsense\ndata: 17\n\n"


async def _cut(request: MessagesRequest) -> AsyncGenerator[bytes, None]:
    stream = ReplyStream(request)
    yield stream.start()
    yield stream.open()
    yield stream.add("half ")
    raise CutConnection


async def _disk(stage: "Stage") -> Heal:
    disk = stage.disk
    match stage.row.fault:
        case "full":
            await asyncio.to_thread(disk.fill)
            return lambda: asyncio.to_thread(disk.empty)
        case "stop":
            await asyncio.to_thread(disk.freeze)
            return lambda: _thaw(stage)
        case "slow":
            over = asyncio.Event()
            stutter = asyncio.create_task(disk.stutter(over))
            return lambda: _end_stutter(over, stutter)
        case "gone":
            away = stage.root.with_name("away")
            stage.root.rename(away)
            return lambda: _bring_back(stage, away)
        case "read-only":
            await asyncio.to_thread(disk.break_)
        case "garbage":  # comes while nothing runs: a power cut
            stage.end_by_kill = True
    return lambda: asyncio.sleep(0)


async def _thaw(stage: "Stage") -> None:
    await asyncio.sleep(stage.draw.uniform(0.1, 1.0))
    await asyncio.to_thread(stage.disk.thaw)


async def _end_stutter(over: asyncio.Event, stutter: asyncio.Task[None]) -> None:
    over.set()
    await stutter


async def _bring_back(stage: "Stage", away: Path) -> None:
    if stage.root.exists():
        stage.broke("a workspace that was taken away was made again")
        stage.root.rename(away.with_name("made again"))
    away.rename(stage.root)


async def _network(stage: "Stage") -> Heal:
    stage.network.become(stage.row.fault)

    async def heal() -> None:
        stage.network.become("good")
        stage.answers()

    return heal


_STRIKES: dict[str, Callable[["Stage"], Awaitable[Heal]]] = {
    "application": _processes,
    "cli": _processes,
    "worker": _processes,
    "launcher": _processes,
    "terminal": _terminal,
    "endpoint": _endpoint,
    "disk": _disk,
    "network": _network,
}
