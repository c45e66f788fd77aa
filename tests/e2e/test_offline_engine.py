"""The offline engine behind the real CLI."""

from pathlib import Path

import pytest
from claude_agent_sdk import AssistantMessage, ClaudeAgentOptions, ClaudeSDKClient, ResultMessage, TextBlock, ToolUseBlock
from claude_agent_sdk.types import PermissionResultAllow

from dogent_tui.offline.draft import quotation
from dogent_tui.offline.engine import OfflineEngine
from tests.e2e.scripted_api import cli_environment

NOTES = {
    "notes/a.md": "# Batteries\n\nLithium batteries can catch fire when they are punctured. Store a battery at half charge.\n",
    "notes/b.md": "# Transport\n\n- Battery transport by air needs a safety label.\n- Road transport is free of labels.\n",
    "notes/中文.txt": "电池安全非常重要。运输电池时需要贴标签！\n",
}


async def ask(client: ClaudeSDKClient, typed: str, attachments: str = "[]") -> tuple[str, list[str]]:
    """Return the closing text and the names of the tools that were called."""
    await client.query(f"{typed}\n\n<attachments>\n{attachments}\n</attachments>")
    text, tools = "", []
    async for message in client.receive_response():
        if isinstance(message, AssistantMessage):
            tools += [block.name for block in message.content if isinstance(block, ToolUseBlock)]
            text = "".join(block.text for block in message.content if isinstance(block, TextBlock)) or text
        elif isinstance(message, ResultMessage):
            assert not message.is_error, message
    return text, tools


def assert_sourced(workspace: Path, draft: Path) -> int:
    lines = [line for line in draft.read_text().splitlines() if line and not line.startswith(("#", ">"))]
    for line in lines:
        found = quotation(line)
        assert found is not None, line
        assert found[0] in (workspace / found[1]).read_text()
    return len(lines)


@pytest.mark.slow
async def test_the_real_cli_drafts_changes_and_answers(tmp_path: Path):
    workspace = tmp_path / "workspace"
    for name, text in NOTES.items():
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text(text)

    async def allow(_name, tool_input, _context):
        return PermissionResultAllow(updated_input=tool_input)

    async with OfflineEngine() as engine:
        options = ClaudeAgentOptions(
            cwd=workspace,
            env=cli_environment(engine.base_url, engine.token, tmp_path / "claude"),
            setting_sources=[],
            tools=["Read", "Write", "Edit", "Glob", "Grep", "TodoWrite"],
            model=engine.model,
            can_use_tool=allow,
        )
        async with ClaudeSDKClient(options) as client:
            said, tools = await ask(client, "Write a report on battery transport")
            draft = workspace / "drafts" / "battery-transport.md"
            written = assert_sourced(workspace, draft)
            assert written > 2
            assert "no AI model" in said
            assert {"Glob", "Read", "Write", "TodoWrite"} <= set(tools)

            _, tools = await ask(client, "shorter")
            assert tools == ["Read", "Write"]
            assert 0 < assert_sourced(workspace, draft) < written

            _, tools = await ask(client, "add a section on fire")
            assert tools == ["Read", "Edit"]
            assert "## Fire\n\n- Lithium batteries can catch fire when they are punctured. (notes/a.md)" in draft.read_text()
            assert_sourced(workspace, draft)

            said, tools = await ask(
                client, "运输电池时需要什么？", '[{"path": "notes/中文.txt", "name": "中文.txt", "type": "txt"}]'
            )
            assert "运输电池时需要贴标签！ (notes/中文.txt)" in said
            assert tools == ["Read"]
