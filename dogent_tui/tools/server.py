"""The in-process MCP server `dogent`: the SDK passes its calls to us within this process."""

from collections.abc import Iterable
from typing import Any

from claude_agent_sdk import McpSdkServerConfig, SdkMcpTool, create_sdk_mcp_server

from dogent_tui import __version__

SERVER = "dogent"
"""What the CLI puts into the names of our tools: ``mcp__dogent__NAME``."""


REASON = {"type": "string", "description": "Why, in one sentence: the user decides by it."}
"""The input of tools that ask each time."""


def dogent_server(tools: Iterable[SdkMcpTool[Any]]) -> dict[str, McpSdkServerConfig]:
    """Return the server with `tools`, as `ClaudeAgentOptions.mcp_servers` takes it."""
    return {SERVER: create_sdk_mcp_server(SERVER, __version__, list(tools))}


def tool_name(name: str) -> str:
    """Return how the CLI and the model call our tool `name`."""
    return f"mcp__{SERVER}__{name}"


def result(text: str, *, is_error: bool = False) -> dict[str, Any]:
    """Return what a tool of ours answers, as the SDK takes it."""
    return {"content": [{"type": "text", "text": text}], "is_error": is_error}
