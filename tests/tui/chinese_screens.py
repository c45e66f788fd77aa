"""Prints the main screens as text, as JSON: run in a separate process, whose language is Chinese.
See `test_chinese.py`.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from textual.pilot import Pilot

from dogent_tui.agent.events import (
    PermissionRequested,
    Prompt,
    RunFinished,
    RunStarted,
    Target,
    TextFinished,
    ToolResult,
    ToolUse,
    UiRequested,
    UsageChanged,
)
from dogent_tui.agent.service import AgentService
from dogent_tui.settings.profiles import Endpoint
from dogent_tui.storage.paths import Workspace
from dogent_tui.tui.app import DogentApp
from dogent_tui.tui.screens.clarification import ClarificationScreen
from dogent_tui.tui.screens.permission import PermissionScreen
from dogent_tui.tui.welcome import Welcome
from tests.agent.fake_conversation import FakeLauncher, opened_session
from tests.tui.idle import until

SIZES = [(80, 24), (200, 60)]

RUN = (
    RunStarted(run_id="1", prompt=Prompt("写一份关于茶的报告")),
    ToolUse(run_id="1", tool_use_id="t1", name="Read", input={"file_path": "/w/茶.md"}),
    ToolResult(run_id="1", tool_use_id="t1", content="# 茶\n\n茶很热。"),
    TextFinished(
        run_id="1", message_id="m", block=0, text="# 茶\n\n茶很热，每天 **八十** 位客人。\n"
    ),
    UsageChanged(run_id="1", context_tokens=24_000, window=200_000),
    RunFinished(run_id="1", status="interrupted", duration_ms=72_000),
)
QUESTION = PermissionRequested(
    run_id="2",
    request_id="q",
    tool_use_id="t2",
    tool="Bash",
    input={"command": "rm 茶.md"},
    targets=(Target(path="茶.md", kind="delete", exists=True, size=12),),
    scopes=("once", "session", "always"),
)


def text_of(app: DogentApp) -> str:
    lines = (
        "".join(segment.text for segment in strip).rstrip()
        for strip in app.screen._compositor.render_strips()
    )
    return "\n".join(lines)


async def typed(pilot: Pilot[None], command: str) -> None:
    app = pilot.app
    before = app.screen
    app.conversation.prompt.editor.insert(command)
    await pilot.press("escape")
    await pilot.press("enter")
    await until(pilot, lambda: app.screen is not before)


async def start(_: Pilot[None]) -> None:
    pass


async def run(pilot: Pilot[None]) -> None:
    for event in RUN:
        pilot.app.conversation.handle(event)


async def question(pilot: Pilot[None]) -> None:
    pilot.app.conversation.handle(QUESTION)
    await until(pilot, lambda: isinstance(pilot.app.screen, PermissionScreen))


async def form(pilot: Pilot[None]) -> None:
    options = [{"label": "任何人", "value": "a"}, {"label": "做决定的人", "value": "b"}]
    asked = {
        "type": "clarification",
        "title": "起草之前",
        "questions": [
            {"id": "who", "question": "给谁看？", "options": options, "recommended": "a"}
        ],
    }
    for event in (
        RunStarted(run_id="1", prompt=Prompt("写一份关于茶的报告")),
        UiRequested(run_id="1", request_id="f", kind="clarification", payload=asked),
        RunFinished(run_id="1", status="needs_clarification", duration_ms=9),
    ):
        pilot.app.conversation.handle(event)
    await until(pilot, lambda: isinstance(pilot.app.screen, ClarificationScreen))


async def help_page(pilot: Pilot[None]) -> None:
    await pilot.press("f1")


async def settings(pilot: Pilot[None]) -> None:
    await typed(pilot, "/settings")


async def sessions(pilot: Pilot[None]) -> None:
    await typed(pilot, "/sessions")


SCREENS: dict[str, Callable[[Pilot[None]], Awaitable[None]]] = {
    "start": start, "run": run, "question": question, "form": form, "help": help_page,
    "settings": settings, "sessions": sessions,
}  # fmt: skip


async def pictured(
    root: Path, size: tuple[int, int], show: Callable[[Pilot[None]], Awaitable[None]]
) -> str:
    endpoint = Endpoint("offline", "offline")
    app = DogentApp(
        opened_session(
            Workspace(root), endpoint, AgentService(FakeLauncher(), endpoint, cwd=str(root))
        )
    )
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: app.opened.service.state == "idle")
        await show(pilot)
        await until(pilot, lambda: app.conversation.query_one(Welcome).settled)
        await until(
            pilot,
            lambda: app.conversation.transcript.measured or not app.conversation.transcript.display,
        )
        await pilot.pause(0.3)
        return text_of(app).replace(str(root), "/报告").replace(str(root.parent), "~")


async def main(root: Path) -> None:
    shown = {
        f"{name} {width}x{height}": await pictured(root, (width, height), show)
        for name, show in SCREENS.items()
        for width, height in SIZES
    }
    sys.stdout.write(json.dumps(shown))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
