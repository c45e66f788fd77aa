"""What a run leaves in memory: short runs of a scripted agent in the real application, and what
`/new` gives back.

The first runs fill what is kept of drawn lines (`Rows` and `Transcript` keep some thousands), so
they are counted apart.
"""

import asyncio
import gc
import os
import tempfile
import tracemalloc
from pathlib import Path
from unittest.mock import patch

import psutil

from dogent_tui.agent.conversation import TurnEnded
from dogent_tui.agent.events import (
    Prompt,
    TextDelta,
    TextFinished,
    ToolResult,
    ToolUse,
    UsageChanged,
)
from dogent_tui.agent.service import AgentService
from dogent_tui.agent.session import OpenedSession
from dogent_tui.settings.profiles import Endpoint
from dogent_tui.storage.paths import Workspace
from dogent_tui.tui.app import DogentApp
from dogent_tui.tui.garbage import GIVE_BACK_AFTER_S
from tests.agent.fake_conversation import FakeLauncher, opened_session
from tests.benchmarks.table import Row

WARM, FIRST, RUNS = 10, 500, 300
"""Runs that load what is imported on use; that fill what is kept of drawn lines; that are
measured.
"""
SIZE = (120, 40)


def measure() -> list[Row]:
    """Run everything twice: counting what Python allocates makes it several times as large."""
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.dict(os.environ, HOME=folder, DOGENT_HOME=f"{folder}/home"),
    ):
        rows = asyncio.run(_runs(Path(folder) / "plain", traced=False))
        return rows + asyncio.run(_runs(Path(folder) / "traced", traced=True))


async def _runs(root: Path, *, traced: bool) -> list[Row]:
    root.mkdir()
    what, launchers = ("allocated" if traced else "of the process"), [FakeLauncher()]

    def opened(*_: object) -> OpenedSession:
        launchers.append(FakeLauncher())
        return _session(root, launchers[-1])

    app = DogentApp(_session(root, launchers[0]))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        if traced:
            tracemalloc.start()
        for number in range(-WARM, 0):
            await _run(app, launchers[0], number)
        begun = _kilobytes(traced)
        for number in range(FIRST):
            await _run(app, launchers[0], number)
        before = _kilobytes(traced)
        for number in range(FIRST, FIRST + RUNS):
            await _run(app, launchers[0], number)
        after = _kilobytes(traced)
        with patch("dogent_tui.tui.sessions.current.open_session", opened):
            app.conversation.typed.submit("/new", ())
            while len(launchers) == 1 or not launchers[1].started:
                await asyncio.sleep(0.01)
            await pilot.pause(GIVE_BACK_AFTER_S + 1)
        renewed = _kilobytes(traced)
    tracemalloc.stop()
    given = f"of {after - begun:,.0f} KB"
    return [
        Row(f"memory {what}, a run of the first {FIRST}", (before - begun) / FIRST, "KB"),
        Row(f"memory {what}, a run of {RUNS} more", (after - before) / RUNS, "KB", target=10),
        Row(f"memory {what}, left of all runs after /new", renewed - begun, "KB", beside=given),
    ]


def _session(root: Path, launcher: FakeLauncher) -> OpenedSession:
    endpoint = Endpoint("bench", "offline")
    return opened_session(
        Workspace(root), endpoint, AgentService(launcher, endpoint, cwd=str(root))
    )


async def _run(app: DogentApp, launcher: FakeLauncher, number: int) -> None:
    """One short run: a call, its result and a reply in pieces."""
    sent = len(launcher.conversation.sent) if launcher.started else 0
    service, text, message = (
        app.opened.service,
        f"Reply number {number}, in a few words.",
        f"m{number}",
    )
    await service.submit(Prompt(f"Prompt number {number}"))
    while not launcher.started or len(launcher.conversation.sent) == sent:
        await asyncio.sleep(0.001)
    launcher.conversation.arrive(
        ToolUse(tool_use_id=f"t{number}", name="Read", input={"file_path": f"notes/{number}.md"}),
        ToolResult(tool_use_id=f"t{number}", content=f"{number}: a line\n" * 5),
        *(
            TextDelta(message_id=message, block=0, text=text[at : at + 10])
            for at in range(0, len(text), 10)
        ),
        TextFinished(message_id=message, block=0, text=text),
        UsageChanged(context_tokens=100 + number),
        TurnEnded("completed", text=text),
    )
    while service.state == "running":
        await asyncio.sleep(0.001)
    await asyncio.sleep(0.01)  # for a picture now and then


def _kilobytes(traced: bool) -> float:
    gc.collect()
    if traced:
        return tracemalloc.get_traced_memory()[0] / 1024
    return float(psutil.Process().memory_full_info().uss) / 1024
