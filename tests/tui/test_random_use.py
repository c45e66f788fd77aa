"""The application under a user who presses, clicks and resizes at random while the agent does as it
likes: it stays open, and ends without an error.
"""

import asyncio
import random
import uuid
from contextlib import suppress
from pathlib import Path

import pytest
from textual.errors import NoWidget
from textual.pilot import OutOfBounds, Pilot

from dogent_tui.agent import events as ev
from dogent_tui.agent.conversation import TurnEnded
from dogent_tui.agent.service import AgentService
from dogent_tui.agent.ui_requests import (
    ChangeRequest,
    Clarification,
    Option,
    OutlineRequest,
    Question,
    ui_requested,
)
from dogent_tui.settings.profiles import Endpoint
from dogent_tui.storage.paths import Workspace
from dogent_tui.tui.app import DogentApp
from tests.agent.fake_conversation import FakeLauncher, opened_session, permission

pytestmark = [pytest.mark.slow, pytest.mark.thorough, pytest.mark.timeout(900)]

SEEDS = 24
STEPS = 120
SIZES = ((20, 5), (40, 10), (80, 24), (110, 30), (160, 40), (200, 60))
KEYS = (
    *("up", "down", "left", "right", "home", "end", "pageup", "pagedown"),
    *("enter", "escape", "tab", "shift+tab", "space", "backspace", "delete"),
    *("f1", "f2", "f3", "ctrl+b", "ctrl+f", "ctrl+p", "ctrl+r", "ctrl+s", "question_mark"),
    *"@/123abcdegjknruxy",
)
LEAVING = {"ctrl+c", "ctrl+g", "ctrl+q", "ctrl+z", "exclamation_mark"}
"""Keys that end or suspend the application, open another program, or begin a command."""
NOT_HERE = {"edit", "exit", "mouse"}
"""Commands that need a terminal."""
ARGUMENTS = ("", "", " notes.md", " large.md", " data.csv", " 销售 2025.md", " missing.pdf")
PROMPTS = ("Write a report", "Look at @notes.md ", "@", "first\nsecond\nthird")
MARKDOWN = (
    "# Draft\n\nTea is **hot**.\n\n| a | b |\n|---|---|\n| 1 | 茶 |\n\n"
    "```py\nx = 1\n```\n\n- a\n  - b\n"
)
FORM = Clarification(
    "Before I write",
    (
        Question("who", "Who reads it?", (Option("All", "all"), Option("Few", "few")), ("all",)),
        Question("length", "How long?", (Option("One page", "1"),), allow_freeform=True),
    ),
)
OUTLINE = OutlineRequest("Outline", "# Report\n\n## Visits\n\n## Costs\n", "As I see it.")
CALLS = (
    ("Bash", {"command": "ls"}),
    ("Edit", {"file_path": "notes.md", "old_string": "hot", "new_string": "cold"}),
    ("Write", {"file_path": "new.md", "content": MARKDOWN}),
    ("WebFetch", {}),
)


class RandomUse:
    """What a user and an agent do, chosen by `chance`; `done` is a list of it."""

    def __init__(self, pilot: Pilot[None], launcher: FakeLauncher, chance: random.Random) -> None:
        self.done: list[str] = []
        self._pilot = pilot
        self._launcher = launcher
        self._chance = chance
        self._waiting: list[asyncio.Task[object]] = []
        self._steps = {
            self._press: 45, self._click: 15, self._arrive: 12, self._send: 10, self._resize: 5,
            self._ask: 5, self._propose: 4, self._pause: 4,
        }  # fmt: skip

    async def step(self) -> None:
        """Do one thing, and let the application work for a moment, or not."""
        (step,) = self._chance.choices([*self._steps], [*self._steps.values()])
        self.done.append(step.__name__.strip("_"))
        if (pending := step()) is not None:
            await pending  # type: ignore[misc]
        for _ in range(self._chance.randrange(4)):
            await asyncio.sleep(0)

    @property
    def _app(self) -> DogentApp:
        app = self._pilot.app
        assert isinstance(app, DogentApp)
        return app

    def _press(self) -> None:
        offered = [*self._app.screen.active_bindings] if self._chance.random() < 0.6 else []
        key = self._chance.choice(offered or KEYS)
        if key not in LEAVING:
            self.done[-1] += f" {key}"
            self._app.simulate_key(key)

    async def _click(self) -> None:
        width, height = self._app.size
        place = self._chance.randrange(width), self._chance.randrange(height)
        self.done[-1] += f" {place}"
        with suppress(NoWidget, OutOfBounds):  # nothing is there
            await self._pilot.click(offset=place, times=self._chance.randint(1, 3))

    def _send(self) -> None:
        if self._app.screen is not self._app.conversation:
            return
        commands = [each.name for each in self._app.commands if each.name not in NOT_HERE]
        command = f"/{self._chance.choice(commands)}{self._chance.choice(ARGUMENTS)}"
        text = self._chance.choice((command, command, self._chance.choice(PROMPTS)))
        self.done[-1] += f" {text}"
        self._app.conversation.prompt.editor.focus()
        self._app.conversation.prompt.editor.insert(text)
        self._app.simulate_key("enter")

    async def _resize(self) -> None:
        await self._pilot.resize_terminal(*self._chance.choice(SIZES))

    async def _pause(self) -> None:
        await self._pilot.pause(self._chance.choice((0, 0.05, 0.3)))

    def _arrive(self) -> None:
        events = [self._event() for _ in range(self._chance.randint(1, 3))]
        self.done[-1] += " " + " ".join(type(event).__name__ for event in events)
        if self._launcher.started:
            self._launcher.conversation.arrive(*events)

    def _event(self) -> ev.Event | TurnEnded | Exception:
        number = self._chance.randrange(3)
        message, call = f"m{number}", f"t{number}"
        name, given = self._chance.choice(CALLS)
        return self._chance.choice(
            (
                ev.TextDelta(message_id=message, block=0, text=self._chance.choice(MARKDOWN)),
                ev.TextDelta(message_id=message, block=0, text=MARKDOWN),
                ev.TextFinished(message_id=message, block=0, text=MARKDOWN * (number + 1)),
                ev.MessageDropped(message_id=message),
                ev.ThinkingDelta(message_id=message, block=0, text="Hm. "),
                ev.ToolPreparing(message_id=message, tool_use_id=call, name=name),
                ev.DocumentDelta(message_id=message, tool_use_id=call, path="new.md", text="# N\n"),
                ev.ToolUse(tool_use_id=call, name=name, input=given),
                ev.ToolOutput(tool_use_id=call, text="out\n"),
                ev.ToolResult(tool_use_id=call, content="x\n" * 50, is_error=number == 1),
                ev.TodosChanged(todos=(ev.Todo("a", "pending"), ev.Todo("b", "completed"))),
                ev.Compacting(),
                ev.Compacted(summary="It was about tea."),
                ev.Retrying(attempt=1, max_attempts=3, delay_ms=500, status=529),
                ev.Stalled(seconds=30),
                ev.UsageChanged(context_tokens=24_000, window=200_000),
                ui_requested(self._chance.choice((FORM, OUTLINE))),
                TurnEnded("completed", text="Done."),
                TurnEnded("stopped"),
                RuntimeError("the stream broke"),
            )
        )

    def _ask(self) -> None:
        if self._launcher.ask is not None:
            given = {"command": "rm a.md\n" * self._chance.choice((1, 40))}
            question = permission(uuid.uuid4().hex, "Bash", given, reasons=("It deletes.",))
            self._waiting.append(asyncio.create_task(self._launcher.ask(question)))

    def _propose(self) -> None:
        if self._launcher.form is not None:
            change = ChangeRequest("notes.md", "# Notes\n\nTea is cold.\n\nMore.\n", "Colder", None)
            request = ev.UiRequested(
                request_id=uuid.uuid4().hex,
                kind="document_change",
                payload=change.payload,
                in_run=True,
            )
            self._waiting.append(asyncio.create_task(self._launcher.form(request)))

    def end(self) -> None:
        """Leave what the agent still waits for."""
        for task in self._waiting:
            task.cancel()


@pytest.mark.parametrize("seed", range(SEEDS))
async def test_it_stays_open_and_ends_without_an_error(
    seed: int, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    chance, launcher = random.Random(seed), FakeLauncher()
    (workspace.root / "large.md").write_text(MARKDOWN * 300, encoding="utf-8")
    (workspace.root / "data.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    monkeypatch.setenv("PATH", str(tmp_path))  # no other program is opened
    endpoint = Endpoint("offline", "offline")
    service = AgentService(launcher, endpoint, cwd=str(workspace.root))
    app = DogentApp(opened_session(workspace, endpoint, service))
    done: list[str] = []
    try:
        async with app.run_test(size=chance.choice(SIZES)) as pilot:
            await pilot.pause()
            use = RandomUse(pilot, launcher, chance)
            done = use.done
            for _ in range(STEPS):
                if not app.is_running:
                    break
                await use.step()
            use.end()
    except Exception as error:
        error.add_note("\n".join(done[-20:]))
        raise
    assert app.return_code in (None, 0)
