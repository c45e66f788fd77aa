"""What the screens look like, at 80×24, 120×40 and 200×60. `make snapshots` accepts a new look."""

import json
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from dogent_tui.agent.events import (
    Attachment,
    Event,
    Notice,
    Prompt,
    QueueChanged,
    QueuedPrompt,
    RunFinished,
    RunStarted,
    SessionStarted,
    TextFinished,
    Todo,
    TodosChanged,
    ToolResult,
    ToolUse,
    UsageChanged,
)
from dogent_tui.agent.service import AgentService
from dogent_tui.settings.profiles import Endpoint
from dogent_tui.storage.paths import Workspace
from dogent_tui.tui.app import DogentApp
from dogent_tui.tui.welcome import Welcome
from tests.agent.fake_conversation import FakeLauncher, opened_session
from tests.tui.test_context import compacted_conversation

REPLY = """# Tea and coffee

The house serves **eighty guests** a day, says [the note](https://example.com/a).

| drink | 2024 | 2025 |
|---|---:|---:|
| tea 茶 | 120 | 134 |
| coffee [b]x[/b] | 300 | 281 |

1. Tea rose by *12 %*.
2. Coffee fell; see `sales.csv`.

> “We open on Sundays now.”
"""


def conversation() -> list[Event]:
    note = Attachment("notes/tea.md", "tea.md", "md")
    sales = Attachment("sales 2025.xlsx", "sales 2025.xlsx", "xlsx", "第一季度")
    todos = (
        Todo("Read the notes", "completed"),
        Todo("Write the report", "in_progress"),
        Todo("Check figures", "pending"),
    )
    return [
        SessionStarted(session_id="s", profile="glm", model="glm-4.6", endpoint="custom", cwd="/w"),
        RunStarted(
            run_id="1",
            prompt=Prompt(
                'Write a report from @notes/tea.md and @"sales 2025.xlsx"#第一季度', (note, sales)
            ),
        ),
        TodosChanged(run_id="1", todos=todos),
        ToolUse(run_id="1", tool_use_id="t1", name="Read", input={"file_path": "/w/notes/tea.md"}),
        ToolResult(run_id="1", tool_use_id="t1", content="# Tea\n\nTea is hot."),
        ToolUse(
            run_id="1",
            tool_use_id="t2",
            name="Write",
            input={"file_path": "report.md", "content": "# Tea\n\nHot.\n"},
        ),
        ToolResult(run_id="1", tool_use_id="t2", content="File created"),
        ToolUse(run_id="1", tool_use_id="t3", name="Read", input={"file_path": "/w/missing.md"}),
        ToolResult(run_id="1", tool_use_id="t3", content="File does not exist.", is_error=True),
        TextFinished(run_id="1", message_id="m", block=0, text=REPLY),
        UsageChanged(run_id="1", context_tokens=24_000, window=200_000),
        RunFinished(run_id="1", status="completed", duration_ms=12_000, result=REPLY),
        Notice(
            level="warning",
            message="“colour” is not a setting of dogent.json.",
            remedy="Did you mean “theme”?",
        ),
    ]


@pytest.fixture
def app(home: Path) -> DogentApp:
    root = home / "report"
    root.mkdir()
    endpoint = Endpoint("offline", "offline")
    service = AgentService(FakeLauncher(), endpoint, cwd=str(root))
    return DogentApp(opened_session(Workspace(root), endpoint, service))


def showing(*events: Event, keys: tuple[str, ...] = ()):
    async def run_before(pilot: Pilot) -> None:
        screen = pilot.app.conversation
        screen.prompt.editor.cursor_blink = False
        while screen.status_bar.status.doing != "ready":  # the session's own start has been shown
            await pilot.pause(0.01)
        for event in events:
            screen.handle(event)
        await pilot.press(*keys)
        for line in pilot.app.screen.query(Input):
            line.cursor_blink = False
        while not screen.query_one(Welcome).settled:
            await pilot.pause(0.01)
        while any(
            worker.group in ("attachments", "measure", "results")
            for worker in pilot.app.workers
            if not worker.is_finished
        ):
            await pilot.pause(0.01)
        while screen.transcript.display and not screen.transcript.measured:
            await pilot.pause(0.01)
        await pilot.pause(0.3)

    return run_before


def test_a_compacted_conversation(app, looks):
    looks(app, showing(*compacted_conversation(), keys=("ctrl+o",)))


def test_an_empty_conversation(app, looks):
    looks(app, showing())


@pytest.fixture
def report(app: DogentApp) -> None:
    (app.opened.workspace.root / "report.md").write_text(REPLY)


@pytest.mark.usefixtures("report")
def test_a_conversation(app, looks):
    queue = QueueChanged(
        prompts=(QueuedPrompt(id="1", prompt=Prompt("Then make it [b]shorter[/b]")),)
    )
    looks(app, showing(*conversation(), queue))


def test_the_help(app, looks):
    looks(app, showing(keys=("f1",)))


@pytest.mark.usefixtures("report")
def test_by_day(app, snap_compare):
    app.theme = "dogent-paper"
    assert snap_compare(app, terminal_size=(120, 40), run_before=showing(*conversation()))


@pytest.fixture
def profiles(home: Path) -> None:
    folder = home / ".dogent"
    folder.mkdir()
    deepseek = {
        "ANTHROPIC_BASE_URL": "https://api.deepseek.com/anthropic",
        "ANTHROPIC_AUTH_TOKEN": "sk-1",
        "ANTHROPIC_MODEL": "deepseek-chat",
    }
    named = {
        "anthropic": {"ANTHROPIC_API_KEY": "replace-me"},
        "deepseek": deepseek,
        "werk 茶 [b]": {"ANTHROPIC_API_KEY": "env:K"},
    }
    (folder / "claude.json").write_text(json.dumps({"profiles": named}), encoding="utf-8")


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize(
    "keys", [("down",), ("right", "down"), ("right", "down", "enter", "down"), ("left",)]
)
def test_the_settings(app, profiles, looks, keys):
    """The folder, the models, one model, the keys."""
    looks(app, showing(keys=("f4", "wait:100", *keys)))
