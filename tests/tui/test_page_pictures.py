"""What /mcp, /usage and /context look like in the smallest terminal."""

import json
from datetime import datetime, timedelta
from functools import partial

import pytest

from dogent_tui.agent.conversation import ServerState
from dogent_tui.agent.launch import Budget
from dogent_tui.agent.service import AgentService
from dogent_tui.settings.profiles import Endpoint
from dogent_tui.storage.paths import Workspace, dogent_home
from dogent_tui.tui.app import DogentApp
from dogent_tui.tui.context_page import context_page
from dogent_tui.tui.screens.page import PageScreen
from dogent_tui.tui.screens.servers import ServersScreen
from dogent_tui.tui.usage_page import usage_page
from tests.agent.fake_conversation import FakeLauncher, opened_session
from tests.tui.test_context import USE, used
from tests.tui.test_screens import showing

SMALL = (80, 24)


class Standing(AgentService):
    """A service whose MCP servers stand as a test says."""

    async def servers(self):
        return [
            ServerState("notes", "connected", tools=("find_note", "add_note", "list_notes")),
            ServerState("web", "failed", "Connection refused"),
        ]


@pytest.fixture
def app(home):
    root = home / "report"
    root.mkdir()
    endpoint = Endpoint("glm", "custom")
    service = Standing(FakeLauncher(), endpoint, cwd=str(root))
    return DogentApp(opened_session(Workspace(root), endpoint, service))


def over(screen):
    """Show the conversation with `screen` over it, once that has found out what it says."""
    shown = showing()

    async def run_before(pilot):
        await shown(pilot)
        pilot.app.push_screen(screen)
        await pilot.pause(0.5)

    return run_before


def page(title, text):
    async def found():
        return text

    return PageScreen(title, found)


def test_the_servers(app, snap_compare):
    servers = {
        "notes": {"command": "npx", "args": ["-y", "notes-server", "--folder", "~/notes"]},
        "web": {"type": "http", "url": "https://mcp.example.com/x"},
        "笔记": {"command": "x"},
    }
    dogent_home().mkdir(parents=True)
    (dogent_home() / "mcp.json").write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    opened = app.opened
    screen = ServersScreen(opened.workspace, opened.service, trusted=False, started=True)
    assert snap_compare(app, terminal_size=SMALL, run_before=over(screen))


def test_the_usage(app, snap_compare):
    now = datetime(2026, 3, 10, 12)
    days = [now - timedelta(days=back) for back in (20, 9, 3)]
    entries = [
        *(used(day, "old", profile="claude", input=1_000, output=10, cost_usd=1.5) for day in days),
        used(now, run_id="1", input=2_034_000, output=30_100, cached=7_000_000, cache_written=100),
        used(now, run_id="2", input=12_000, output=900, cost_usd=0.0123),
    ]
    prompts = {"1": "写一份关于茶的报告 Write a report on tea and coffee", "2": "Shorter"}
    text = partial(usage_page, entries, "s", prompts, Budget(5.0, 1.5), now)
    assert snap_compare(app, terminal_size=SMALL, run_before=over(page("What was used", text)))


def test_the_context(app, snap_compare):
    screen = page("What fills the context", partial(context_page, USE))
    assert snap_compare(app, terminal_size=SMALL, run_before=over(screen))
