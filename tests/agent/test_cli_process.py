"""The CLI is started as the SDK would start it, which is not there yet."""

import json
from pathlib import Path

import pytest
from claude_agent_sdk import ClaudeAgentOptions
from claude_agent_sdk._internal.transport.subprocess_cli import SubprocessCLITransport

from dogent_tui.agent.cli_process import TOOLS, CliProcess, ConversationOptions
from dogent_tui.agent.conversation import SessionChoice
from dogent_tui.settings.profiles import Endpoint
from dogent_tui.tools.server import SERVER

SESSION = "33333333-3333-4333-8333-333333333333"
OTHER = "22222222-2222-4222-8222-222222222222"
CASES: dict[str, dict] = {
    "a new session": {},
    "resumed": {"choice": SessionChoice(SESSION, resume=True)},
    "resumed at an entry": {"choice": SessionChoice(SESSION, resume=True, at=OTHER)},
    "a fork": {"choice": SessionChoice(SESSION, fork_of=OTHER)},
    "with a budget, effort and servers": {
        "budget_usd": 1.5,
        "effort": "high",
        "servers": {"notes": {"command": "notes"}},
    },
    "with no tool of its own": {"native_tools": ()},
}


def pairs(arguments):
    """The arguments without their order: each option with the values after it."""
    found = []
    for each in arguments:
        if each.startswith("--"):
            found.append([each])
        else:
            found[-1].append(each)
    return sorted(found)


@pytest.mark.parametrize("more", CASES.values(), ids=CASES)
def test_its_arguments_are_those_of_the_sdk(tmp_path, more):
    endpoint = Endpoint("scripted", "anthropic", model="claude-x")
    more = {"choice": SessionChoice(SESSION), **more}
    options = ConversationOptions(tmp_path, endpoint, tmp_path, "words", **more)
    choice = options.choice
    prompt, servers = tmp_path / "prompt.md", tmp_path / "servers.json"
    files = {"system-prompt-file": str(prompt)}
    files |= {"mcp-config": str(servers)} if options.servers else {}
    theirs = ClaudeAgentOptions(
        tools=list(options.native_tools),
        mcp_servers={SERVER: {"type": "sdk", "name": SERVER, "instance": None}},
        system_prompt={"type": "preset", "preset": "claude_code", "snapshot": False},
        extra_args=files,
        model="claude-x",
        effort=options.effort or None,
        setting_sources=[],
        settings=json.dumps(
            {"permissions": {"deny": ["Read(.dogent/history.json)", "Read(.dogent/archives/**)"]}}
        ),
        strict_mcp_config=True,
        permission_mode="default",
        permission_prompt_tool_name="stdio",
        include_partial_messages=True,
        session_id=None if choice.resume else SESSION,
        resume=choice.continues or None,
        fork_session=bool(choice.fork_of),
        resume_session_at=choice.at or None,
        max_budget_usd=options.budget_usd,
        cli_path="/claude",
    )
    command = SubprocessCLITransport(prompt="", options=theirs)._build_command()
    assert pairs(options.arguments(prompt, servers)) == pairs(command[1:])


async def test_what_it_was_given_in_files_is_gone_with_it(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "dogent_tui.agent.cli_process.cli_program", lambda: str(_program(tmp_path, "cat"))
    )
    options = ConversationOptions(
        tmp_path,
        Endpoint("scripted", "anthropic"),
        tmp_path / "config",
        "secret words",
        SessionChoice(SESSION),
        servers={"notes": {"command": "notes", "env": {"KEY": "secret"}}},
    )
    process = CliProcess(options)
    await process.start()
    kept = [path for path in (tmp_path / "config").rglob("*") if path.is_file()]
    assert {path.suffix for path in kept} == {".md", ".json"}
    assert all(path.stat().st_mode & 0o077 == 0 for path in kept)
    await process.write('no JSON\n{"type": "a"}\n{"type": "cut')
    process.end_input()
    assert [message async for message in process.messages()] == [{"type": "a"}]
    await process.close()
    assert not process.is_running
    assert not [path for path in (tmp_path / "config").rglob("*") if path.is_file()]


async def test_one_that_does_not_end_by_itself_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr("dogent_tui.agent.cli_process._ENDS_WITHIN_S", 0.2)
    # No child: a shell that outlives its killed child says so in its last words.
    stubborn = "trap '' TERM; echo last words >&2; echo '{}'; exec sleep 600"
    monkeypatch.setattr(
        "dogent_tui.agent.cli_process.cli_program", lambda: str(_program(tmp_path, stubborn))
    )
    endpoint = Endpoint("scripted", "anthropic")
    process = CliProcess(
        ConversationOptions(tmp_path, endpoint, tmp_path, "words", SessionChoice("x"))
    )
    await process.start()
    assert await anext(process.messages()) == {}
    await process.close()
    assert await process.wait() == -9
    assert process.last_words() == "last words"


async def test_a_folder_that_is_gone_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "dogent_tui.agent.cli_process.cli_program", lambda: str(_program(tmp_path, "cat"))
    )
    endpoint, gone = Endpoint("scripted", "anthropic"), tmp_path / "gone"
    choice = SessionChoice("x")
    process = CliProcess(ConversationOptions(gone, endpoint, tmp_path, "words", choice))
    with pytest.raises(OSError) as caught:
        await process.start()
    error = process.did_not_start(caught.value)
    assert error.message == f"The folder {gone} no longer exists."
    assert "another" in error.remedy


def _program(folder: Path, text: str) -> Path:
    path = folder / "program"
    path.write_text(f"#!/bin/sh\n{text}\n", "utf-8")
    path.chmod(0o755)
    return path


def test_the_names_of_its_tools_are_those_that_are_asked_about():
    assert {"WebSearch", "WebFetch"} == set(TOOLS[-2:])
