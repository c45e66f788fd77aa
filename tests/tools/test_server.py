"""Our tool server answers as the SDK's own would, which takes 0.6 s to import."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from dogent_tui import __version__
from dogent_tui.tools.server import SERVER, Tool, ToolServer, result

SCHEMA = {
    "type": "object",
    "properties": {"words": {"type": "string"}, "times": {"type": "integer"}},
    "required": ["words"],
}

HANDSHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}

MESSAGES = [
    {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HANDSHAKE},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    *(
        {"jsonrpc": "2.0", "id": count, "method": method, "params": params}
        for count, (method, params) in enumerate(
            [
                ("ping", {}),
                ("tools/list", {}),
                ("tools/call", {"name": "repeat", "arguments": {"words": "a", "times": 3}}),
                ("tools/call", {"name": "repeat", "arguments": {"words": "a"}}),
                ("tools/call", {"name": "break", "arguments": {"words": "a"}}),
                ("tools/call", {"name": "another", "arguments": {}}),
                ("resources/list", {}),
                ("prompts/list", {}),
            ],
            start=1,
        )
    ),
]

THEIRS = """
import asyncio, json, sys
from claude_agent_sdk import SdkMcpTool, create_sdk_mcp_server
from claude_agent_sdk._internal.sdk_mcp_bridge import SdkMcpBridge
sys.path.insert(0, {root!r})
from tests.tools.test_server import MESSAGES, TOOLS
async def main():
    tools = [SdkMcpTool(tool.name, tool.description, tool.schema, tool.handler) for tool in TOOLS]
    served = create_sdk_mcp_server({server!r}, {version!r}, tools)
    bridge = SdkMcpBridge({server!r}, served["instance"])
    print(json.dumps([await bridge.handle(message) for message in MESSAGES]))
    await bridge.aclose()
asyncio.run(main())
"""


async def _repeat(given):
    return result(given["words"] * given.get("times", 1), is_error=given.get("times") == 1)


async def _break(given):
    raise ValueError(f"broken at {given['words']}")


TOOLS = [
    Tool("repeat", "Says it again.", SCHEMA, _repeat),
    Tool("break", "Fails.", SCHEMA, _break),
]


@pytest.mark.slow
async def test_it_answers_as_the_sdks_own_server(tmp_path):
    code = THEIRS.format(root=str(Path(__file__).parents[2]), server=SERVER, version=__version__)
    theirs = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    server = ToolServer(TOOLS)
    ours = [await server.answer(message) for message in MESSAGES]
    assert json.loads(json.dumps(ours)) == json.loads(theirs.stdout)


@pytest.fixture
def waiting():
    """A server with a tool that waits until it is let go."""
    began, let_go = asyncio.Event(), asyncio.Event()

    async def wait(given):
        began.set()
        await let_go.wait()
        return result("done")

    return ToolServer([Tool("wait", "Waits.", {"type": "object"}, wait)]), began, let_go


def call(count):
    params = {"name": "wait", "arguments": {}}
    return {"jsonrpc": "2.0", "id": count, "method": "tools/call", "params": params}


async def test_a_call_that_the_client_cancels_is_answered_and_another_is_not_touched(waiting):
    server, began, let_go = waiting
    cancelled = asyncio.create_task(server.answer(call(1)))
    await began.wait()
    other = asyncio.create_task(server.answer(call(2)))
    gone = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    assert await server.answer(gone) is None
    answered = await cancelled
    assert answered is not None
    assert answered["error"]["message"] == "Request cancelled"
    let_go.set()
    answered = await other
    assert answered is not None
    assert answered["result"]["content"][0]["text"] == "done"


async def test_tools_run_at_the_same_time_as_a_ping(waiting):
    server, began, let_go = waiting
    running = asyncio.create_task(server.answer(call(1)))
    await began.wait()
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    assert await server.answer(ping) == {"jsonrpc": "2.0", "id": 2, "result": {}}
    let_go.set()
    await running
