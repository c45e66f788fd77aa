"""The user's own MCP servers, through the real CLI: asked about, without our keys, and never in
the way.
"""

import asyncio
import json
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from dogent_tui.agent.events import (
    Notice,
    PermissionAnswer,
    PermissionRequested,
    Prompt,
    RunFinished,
    ToolResult,
)
from dogent_tui.errors import AgentError
from dogent_tui.settings.mcp_servers import mcp_servers, switch
from dogent_tui.settings.trust import make_own_folder
from dogent_tui.storage.paths import dogent_home
from tests.children import children_running, lives
from tests.e2e.conftest import IN_ONE_LOOP
from tests.e2e.terminal import LIMIT_S, eventually

pytestmark = [pytest.mark.slow, IN_ONE_LOOP]

SERVER = str(Path(__file__).with_name("mcp_server.py"))


def server(*arguments, **more):
    return {"command": sys.executable, "args": [SERVER, *arguments], **more}


def write(folder: Path, **servers) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mcp.json").write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")


def offered(api) -> list[str]:
    return [
        str(tool)
        for tool in api.requests[-1].tools
        if "mcp__" in str(tool) and "dogent" not in str(tool)
    ]


async def allow(agent, scope="once", count=1) -> PermissionRequested:
    asked = await agent.heard(PermissionRequested, count)
    await agent.service.reply(asked.request_id, PermissionAnswer("allow", scope))
    return asked


async def connected(agent) -> None:
    """Wait until the server `notes` has answered: a request waits for it only a moment, which is
    too short for a busy machine.
    """
    async with asyncio.timeout(LIMIT_S):
        while True:
            with suppress(AgentError):  # it takes too long to tell
                if ("notes", "connected") in [
                    (server.name, server.state) for server in await agent.service.servers()
                ]:
                    return
            await asyncio.sleep(0.05)


async def start(agent, api, text="Look") -> None:
    api.call("mcp__notes__environment", {})
    api.say("Done.")
    await agent.service.submit(Prompt(text))


@pytest.mark.thorough
async def test_a_tool_of_the_users_is_asked_about_and_gets_no_key_of_ours(
    api, open_service, monkeypatch
):
    monkeypatch.setenv("MY_NOTES_TOKEN", "notes-token-123456")
    monkeypatch.setenv("OTHER_SECRET", "not-for-servers-1")
    write(dogent_home(), notes=server(env={"NOTES_TOKEN": "env:MY_NOTES_TOKEN", "PLAIN": "yes"}))
    async with open_service() as agent:
        await connected(agent)
        await start(agent, api)
        asked = await allow(agent, "session")
        assert asked.sentence == "Use environment of the MCP server notes"
        assert "outside the wall" in asked.reasons[0]
        assert asked.rules == ("tool:mcp__notes__environment",)
        finished = await agent.heard(RunFinished)
        assert finished.status == "completed"
        environment = json.loads(agent.of(ToolResult)[0].content)
        assert environment["NOTES_TOKEN"] == "notes-token-123456"
        assert environment["PLAIN"] == "yes"
        assert "PATH" in environment
        assert api.token not in environment.values()
        assert not [
            name
            for name in environment
            if name.startswith(("ANTHROPIC", "CLAUDE", "OTHER", "MY_NOTES"))
        ]
        assert offered(api) == ["mcp__notes__environment", "mcp__notes__find_note"]

        await start(agent, api, "Again")
        await agent.heard(RunFinished, 2)
        assert len(agent.of(PermissionRequested)) == 1
        assert not children_running("notes-token")
        servers = children_running(SERVER)
        assert servers
    await eventually(lambda: not any(map(lives, servers)), "the end of the servers")
    assert not list(dogent_home().rglob("prompts/*.json"))


@pytest.mark.thorough
async def test_dead_and_slow_servers_hold_nothing_up(api, open_service):
    write(dogent_home(), dead={"command": "/dev/null/none"}, slow=server("slow"), notes=server())
    async with open_service() as agent:
        await connected(agent)
        api.say("Here.")
        assert (await agent.run("Hello")).result == "Here."
        assert offered(api) == ["mcp__notes__environment", "mcp__notes__find_note"]
        states = {state.name: state for state in await agent.service.servers()}
        assert states["notes"].state == "connected"
        assert states["notes"].tools == ("environment", "find_note")
        assert states["dead"].state == "failed"
        assert states["slow"].state == "pending"  # nobody waited until the CLI gave it up
        told = [notice.message for notice in agent.of(Notice)]
        assert [("dead" in words, "slow" in words) for words in told] == [(1, 0), (0, 1)], told
        api.say("Again.")
        await agent.run("Hello again")
        assert len(agent.of(Notice)) == 2  # each is told once


@pytest.mark.thorough
async def test_a_server_is_switched_off_and_on(api, open_service):
    write(dogent_home(), notes=server())
    async with open_service() as agent:
        await connected(agent)
        api.say("One.")
        await agent.run("Say one")
        assert offered(api)
        await agent.service.switch_server("notes", on=False)
        api.say("Two.")
        await agent.run("Say two")
        assert offered(api) == []
        await agent.service.switch_server("notes", on=True)
        await connected(agent)
        api.say("Three.")
        await agent.run("Say three")
        assert offered(api)


@pytest.mark.thorough
async def test_a_server_of_the_folder_runs_only_where_it_was_turned_on_and_is_as_it_was(
    api, open_service, workspace
):
    make_own_folder(workspace)
    write(workspace.dot, notes=server())
    async with open_service() as agent:
        api.say("One.")
        await agent.run("Say one")
        assert offered(api) == []
        [found], _ = mcp_servers(workspace, trusted=True)
        assert (found.of_workspace, found.on) == (True, False)
        switch(workspace, found, on=True)
        await agent.service.switch_server("notes", on=True)
        await connected(agent)
        api.say("Two.")
        assert (await agent.run("Say two")).result == "Two."
        assert offered(api)
        assert "Say one" in str(api.requests[-1].messages)
    write(workspace.dot, notes=server("--other"))
    assert [server.on for server in mcp_servers(workspace, trusted=True)[0]] == [False]
    assert mcp_servers(workspace, trusted=False)[0] == []
