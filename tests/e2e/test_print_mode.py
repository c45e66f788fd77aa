"""Print mode: as a process, where stdin, stdout, signals and the exit status are the point, else
as the function behind it.
"""

import asyncio
import io
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dogent_tui.agent.session import SessionOptions, open_session
from dogent_tui.offline.messages_api import ReplyText
from dogent_tui.print_mode import PrintRequest, run_print
from dogent_tui.settings.trust import FolderTrust, make_own_folder
from dogent_tui.storage.files import private_folder
from dogent_tui.storage.history import History
from dogent_tui.storage.paths import Workspace, state_dir
from tests.e2e.conftest import IN_ONE_LOOP
from tests.e2e.scripted_api import MODEL, ScriptedApi
from tests.e2e.terminal import DOGENT

pytestmark = [pytest.mark.slow, IN_ONE_LOOP]


@pytest.fixture
def profile(api: ScriptedApi, home: Path, workspace: Workspace) -> None:
    """The scripted API as a profile of the user, chosen by the workspace."""
    data = {
        "ANTHROPIC_BASE_URL": api.base_url,
        "ANTHROPIC_AUTH_TOKEN": api.token,
        "ANTHROPIC_MODEL": MODEL,
    }
    (home / ".dogent").mkdir()
    (home / ".dogent" / "claude.json").write_text(
        json.dumps({"profiles": {"scripted": data}}), encoding="utf-8"
    )
    make_own_folder(workspace)
    workspace.settings_file.write_text('{"profile": "scripted"}', encoding="utf-8")


@pytest.fixture
def start(workspace: Workspace) -> Callable:
    async def started(*arguments: str, stdin: str = "") -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            *(*DOGENT, str(workspace.root), *arguments),
            cwd=Path(__file__).parents[2],
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        process.stdin.write(stdin.encode())
        process.stdin.close()
        return process

    return started


@pytest.fixture
def run(workspace: Workspace) -> Callable:
    async def ran(
        text: str, output_format: str = "text", answers: dict | None = None, **options: Any
    ) -> tuple[int, str, str]:
        stdout, stderr = io.StringIO(), io.StringIO()
        answered_by = "nobody" if answers is None else "file"
        opened = open_session(workspace, SessionOptions(answered_by=answered_by, **options))
        request = PrintRequest(text, output_format=output_format, answers=answers)
        status = await run_print(opened, request, stdout, stderr)
        return status, stdout.getvalue(), stderr.getvalue()

    return ran


@pytest.mark.thorough
async def test_what_came_with_the_folder_is_used_only_where_one_says_so(
    api, workspace, profile, home, run
):
    workspace.constraints_file.write_text("Always metric units.", encoding="utf-8")
    (home / ".dogent" / "trust.json").unlink()  # as another home finds it
    for trust in (False, True):
        api.say("Hello.")
        status, stdout, stderr = await run("Hi", trust=trust)
        assert (status, stdout) == (0, "Hello.\n")
        assert (
            ".dogent came with this folder and will not be used. Add --trust" in stderr
        ) is not trust
        assert ("Always metric units." in str(api.requests[-1].system)) is trust
    assert FolderTrust(workspace).state == "unasked"


async def test_a_process_reads_stdin_and_continue_continues_with_that_conversation(
    api, workspace, profile, start
):
    """What is piped is a part of the prompt, but no source of references."""
    (workspace.root / "a.md").write_text("a", encoding="utf-8")
    (workspace.root / "b.md").write_text("b", encoding="utf-8")
    api.say("Hello **there**.")
    process = await start("-p", "Summarize this, see @a.md", stdin="piped words about @b.md")
    stdout, stderr = await asyncio.wait_for(process.communicate(), 120)
    assert (process.returncode, stdout) == (0, b"Hello **there**.\n")
    assert b"scripted" in stderr
    sent = api.requests[0].last_user_text()
    assert "Summarize this" in sent
    assert "piped words about @b.md" in sent
    metadata = json.loads(sent.split("<attachments>")[1].split("</attachments>")[0])
    assert [attachment["path"] for attachment in metadata] == ["a.md"]

    api.say("About b.")
    process = await start("--continue", "-p", "What was it about?", "--output-format", "json")
    stdout, _ = await asyncio.wait_for(process.communicate(), 120)
    result = json.loads(stdout)
    assert (process.returncode, result["type"], result["status"], result["result"]) == (
        0,
        "result",
        "completed",
        "About b.",
    )
    assert result["session_id"]
    assert result["cost_usd"] is None
    assert "piped words about @b.md" in str(api.requests[1].messages)
    history = History(workspace.history_file)
    assert [entry.status for entry in history.entries()] == ["started", "completed"] * 2
    first, second = history.recall()
    assert first.startswith("Summarize this, see @a.md")
    assert second == "What was it about?"


async def test_what_the_command_line_allows_runs_and_any_other_call_is_a_denial(
    api, workspace, profile, run
):
    allowed, victim = workspace.root / "old.md", workspace.root / "old notes.md"
    allowed.touch()
    victim.touch()
    api.call("Bash", {"command": "rm old.md"})
    api.call("Bash", {"command": "rm 'old notes.md'"})
    status, stdout, stderr = await run("Clean up", allow=("delete:old.md",))
    assert (status, stdout) == (10, "")
    assert "Delete old notes.md" in stderr
    assert f"delete {victim}" in stderr
    assert "--allow 'delete:old notes.md'" in stderr
    assert (allowed.exists(), victim.exists()) == (False, True)


UI_REQUEST = "mcp__dogent__ui_request"
QUESTION = {
    "type": "clarification",
    "title": "Before I write",
    "questions": [{"id": "who", "question": "Who?", "options": ["A", "B"]}],
}


COLOR = {
    "question": "Which color?",
    "header": "Color",
    "multiSelect": False,
    "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}],
}


@pytest.mark.thorough
async def test_a_question_is_the_output_and_answers_of_a_file_go_on_from_there(api, profile, run):
    api.call(UI_REQUEST, QUESTION)
    status, stdout, stderr = await run("Write")
    asked = json.loads(stdout)
    assert (status, asked["type"], asked["questions"][0]["id"]) == (11, "clarification", "who")
    assert '{"who": "…"}' in stderr
    assert "print mode" in api.requests[0].system

    status, stdout, stderr = await run("", answers={"who": "C"}, continue_latest=True)
    assert (status, json.loads(stdout)) == (11, asked)
    assert "who: is" in stderr
    assert len(api.requests) == 1

    api.call(UI_REQUEST, {"type": "outline_edit", "title": "Outline", "outline_text": "# Tea"})
    status, stdout, _ = await run("", "json", answers={"who": "A"}, continue_latest=True)
    result = json.loads(stdout)
    assert (status, result["requests"][0]["outline_text"]) == (12, "# Tea")
    assert "Who?\n→ A" in api.requests[1].last_user_text()

    api.say("Written.")
    status, stdout, _ = await run("Forget it and write", continue_latest=True)
    assert (status, stdout) == (0, "Written.\n")
    assert "I did not answer “Outline”." in api.requests[2].last_user_text()


@pytest.mark.thorough
async def test_the_question_of_the_cli_is_the_output_too(api, profile, run):
    def painted(request):
        return (
            ReplyText(
                "Painted."
                if "Which color?\n→ Blue" in request.last_user_text()
                else "I go on unasked."
            ),
        )

    api.call("AskUserQuestion", {"questions": [COLOR]})
    api.otherwise(painted)
    status, stdout, stderr = await run("Paint")
    asked = json.loads(stdout)
    assert (status, asked["type"], asked["questions"][0]["question"]) == (
        11,
        "clarification",
        "Which color?",
    )
    assert '{"q1": "…"}' in stderr

    status, stdout, _ = await run("", answers={"q1": "Blue"}, continue_latest=True)
    assert (status, stdout) == (0, "Painted.\n")


@pytest.mark.thorough
async def test_answers_that_are_there_already_are_given_once(api, profile, run):
    api.call(UI_REQUEST, QUESTION)
    api.call(UI_REQUEST, {"type": "outline_edit", "title": "Outline", "outline_text": "# Tea"})
    api.call(UI_REQUEST, QUESTION)
    status, stdout, stderr = await run("Write", answers={"who": "B", "outline": "# Coffee"})
    assert (status, json.loads(stdout)["title"]) == (11, "Before I write")
    assert "# Coffee" in api.requests[2].last_user_text()
    assert "asked again" in stderr
    assert "print mode" not in api.requests[0].system


async def test_a_rule_that_is_none_is_wrong_usage(start):
    process = await start("-p", "Hi", "--allow", "everything")
    _, stderr = await asyncio.wait_for(process.communicate(), 120)
    assert process.returncode == 2
    assert "“everything” is not a valid rule" in stderr.decode()


@pytest.mark.thorough
async def test_a_failure_has_status_1_and_a_remedy_on_stderr(api, profile, run):
    api.fail_always(404)
    status, stdout, stderr = await run("Hi")
    assert (status, stdout) == (1, "")
    assert "ANTHROPIC_MODEL" in stderr


@pytest.mark.thorough
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
async def test_stream_json_is_one_event_a_line_and_a_signal_interrupts(api, profile, start, how):
    api.stall("Half a ")
    process = await start("-p", "Tell", "--output-format", "stream-json")
    lines = []
    while b"text_delta" not in (line := await asyncio.wait_for(process.stdout.readline(), 120)):
        assert line
        lines.append(line)
    os.kill(process.pid, how)
    stdout, _ = await asyncio.wait_for(process.communicate(), 120)
    assert process.returncode == 14
    events = [json.loads(line) for line in (*lines, line, *stdout.splitlines())]
    assert [event["seq"] for event in events] == sorted(event["seq"] for event in events)
    kinds = [event["type"] for event in events]
    assert {"session_started", "run_started", "text_delta"} <= set(kinds)
    assert (kinds[-1], events[-1]["status"]) == ("run_finished", "interrupted")


@pytest.mark.thorough
async def test_without_credentials_the_offline_engine_writes_a_draft(workspace, run):
    (workspace.root / "tea.md").write_text(
        "# Tea\n\nTea is served hot. The tea house opened in 1998.\n", encoding="utf-8"
    )
    status, stdout, stderr = await run("Write a short report on tea from @tea.md")
    assert status == 0
    assert "offline" in stderr
    assert "no AI model" in stdout
    (draft,) = (workspace.root / "drafts").glob("*.md")
    assert "The tea house opened in 1998." in draft.read_text(encoding="utf-8")


@pytest.mark.thorough
async def test_a_profile_with_a_placeholder_key_says_so_and_works_offline(home, workspace, run):
    workspace.dot.mkdir()
    workspace.settings_file.write_text('{"profile": "deepseek"}', encoding="utf-8")
    status, _, stderr = await run("hello")
    assert status == 0
    assert "deepseek" in stderr
    assert "claude.json" in stderr


@pytest.mark.thorough
async def test_a_template_goes_with_the_prompt(api, profile, run):
    api.say("Done.")
    status, _, _ = await run("Write a letter with @@built-in:general")
    assert status == 0
    assert "built-in:general" in str(api.requests[0].messages)
    assert "# " in str(api.requests[0].messages)


@pytest.mark.thorough
async def test_print_mode_knows_the_wishes_the_template_and_the_lessons(
    api, workspace, profile, run
):
    workspace.settings_file.write_text(
        '{"profile": "scripted", "doc_template": "built-in:proposal"}', encoding="utf-8"
    )
    workspace.constraints_file.write_text("# Output Format\n\npdf", encoding="utf-8")
    workspace.lessons_file.write_text(
        "# Lessons\n\n## 2026\n\nUse the second column.", encoding="utf-8"
    )
    api.say("Done.")
    assert (await run("Write a letter"))[0] == 0
    system = api.requests[0].system
    assert (
        system.index("# Output Format\n\npdf")
        < system.index("\n<template>\n")
        < system.index("Use the second column.")
    )
    assert "Nobody is at a screen" in system
    assert "Nobody can be asked here" in system


@pytest.mark.thorough
async def test_one_question_is_not_said_to_be_asked_twice(api, profile, run):
    options = [
        {"label": "Short", "description": "One page"},
        {"label": "Long", "description": "Ten pages"},
    ]
    asked = {
        "question": "How long should it be?",
        "header": "Length",
        "options": options,
        "multiSelect": False,
    }
    api.call("AskUserQuestion", {"questions": [asked]})
    api.say("I wait.")
    _, _, said = await run("Write")
    assert "asks: The agent asks" not in said
    assert "asks: One question" in said


async def test_what_cannot_be_saved_is_said_and_the_answer_comes(api, profile, run):
    private_folder(state_dir()).joinpath("sessions").write_text("", encoding="utf-8")
    api.say("Fine.")
    status, said, told = await run("hello")
    assert (status, said) == (0, "Fine.\n")
    assert "warning: This conversation can't be saved right now: " in told
