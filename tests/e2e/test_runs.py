"""Runs through the real CLI: prompts, tools, memory, the queue, interrupts and questions."""

import json
import stat
import uuid
from contextlib import suppress

import psutil
import pytest

from dogent_tui.agent.cli_transcripts import claude_config_dir
from dogent_tui.agent.conversation import SessionChoice
from dogent_tui.agent.events import (
    Attachment,
    DocumentDelta,
    Interrupted,
    MessageDropped,
    Notice,
    PermissionAnswer,
    PermissionDecided,
    PermissionRequested,
    Prompt,
    QueueChanged,
    RunFinished,
    RunStarted,
    SessionStarted,
    TextDelta,
    TextFinished,
    TodosChanged,
    ToolResult,
    ToolUse,
    UsageChanged,
)
from dogent_tui.errors import AgentError
from dogent_tui.settings.trust import make_own_folder
from tests.e2e.conftest import IN_ONE_LOOP

pytestmark = [pytest.mark.slow, IN_ONE_LOOP]


async def test_an_empty_reply_is_told(api, agent):
    api.say("")
    api.say("")  # the CLI asks once more
    assert (await agent.run("Say nothing")).status == "completed"
    assert [notice.code for notice in agent.of(Notice)] == ["nothing_said"]
    api.say("Here I am.")
    assert (await agent.run("Say something")).result == "Here I am."


async def test_a_request_with_references_reads_them_and_writes_the_document(api, agent):
    (agent.root / "a.md").write_text("Alpha is first.", encoding="utf-8")
    (agent.root / "b c.md").write_text("Beta is second.", encoding="utf-8")
    target = agent.root / "draft.md"
    api.call_all(
        ("Read", {"file_path": str(agent.root / "a.md")}),
        ("Read", {"file_path": str(agent.root / "b c.md")}),
    )
    api.call("Write", {"file_path": str(target), "content": "# Draft\n\nAlpha, then Beta.\n"})
    api.say("I wrote draft.md.")
    attachments = (Attachment("a.md", "a.md", "md"), Attachment("b c.md", "b c.md", "md"))
    finished = await agent.run("Join @a.md and the other", attachments=attachments)

    assert (finished.status, finished.result) == ("completed", "I wrote draft.md.")
    assert target.read_text(encoding="utf-8") == "# Draft\n\nAlpha, then Beta.\n"
    sent = api.requests[0].last_user_text()
    assert sent.startswith("Join @a.md and the other")
    metadata = json.loads(sent.split("<attachments>")[1].split("</attachments>")[0])
    assert metadata == [attachment.as_metadata() for attachment in attachments]
    assert "Alpha is first." not in str(api.requests[0].messages)
    assert [use.name for use in agent.of(ToolUse)] == ["Read", "Read", "Write"]
    # results come in any order
    assert "Alpha is first." in "".join(result.content for result in agent.of(ToolResult))
    assert agent.of(PermissionRequested) == []
    assert agent.of(UsageChanged)


@pytest.mark.thorough
async def test_long_instructions_reach_the_model_and_no_list_of_processes(
    api, open_service, workspace
):
    make_own_folder(workspace)
    wishes, template = "愿望" * 10_000, "模板" * 10_000
    workspace.constraints_file.write_text(wishes, encoding="utf-8")
    (workspace.dot / "templates").mkdir()
    (workspace.dot / "templates" / "minutes.md").write_text(template, encoding="utf-8")
    async with open_service(doc_template="minutes") as agent:
        for number in (1, 2):
            api.say(f"Answer {number}.")
            assert (await agent.run(f"Question {number}")).result == f"Answer {number}."
            assert wishes in str(api.requests[-1].system)
            assert template in str(api.requests[-1].system)
        [file] = (claude_config_dir() / "prompts").iterdir()
        assert wishes in file.read_text(encoding="utf-8")
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        arguments: list[str] = []
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):  # one that ended in the meantime
                arguments += process.cmdline()
        assert "stream-json" in arguments
        assert not [
            argument for argument in arguments if "愿" in argument or "constraints" in argument
        ]
    assert not file.exists()


@pytest.mark.thorough
async def test_no_key_stays_in_what_the_cli_keeps(api, open_service, workspace):
    choice = SessionChoice(str(uuid.uuid4()))
    async with open_service(session=choice) as agent:
        api.call("Read", {"file_path": str(workspace.root / "keys.txt")})
        api.say("Seen.")
        (workspace.root / "keys.txt").write_text(f'the key is "{api.token}"\n')
        assert (await agent.run("Read keys.txt")).status == "completed"
        assert api.token in str(api.requests[-1].messages)
        [transcript] = (claude_config_dir() / "projects").rglob("*.jsonl")
    assert api.token not in transcript.read_text()
    assert "••••" in transcript.read_text()
    assert stat.S_IMODE(transcript.stat().st_mode) == 0o600
    assert not stat.S_IMODE(claude_config_dir().stat().st_mode) & 0o077
    async with open_service(session=SessionChoice(choice.session_id, resume=True)) as agent:
        api.say("Yes.")
        assert (await agent.run("Do you remember?")).result == "Yes."
        assert "the key is" in str(api.requests[-1].messages)
        assert api.token not in str(api.requests[-1].messages)


async def test_without_attachments_the_array_is_empty(api, agent):
    api.say("Hello.")
    await agent.run("Hi")
    assert "<attachments>\n[]\n</attachments>" in api.requests[0].last_user_text()


async def test_the_text_streams_and_ends_with_the_whole(api, agent):
    pieces = api.say_in_pieces("Once ", "upon ", "a time.")
    await agent.service.submit(Prompt("Tell"))
    await agent.until(lambda: "".join(delta.text for delta in agent.of(TextDelta)) == "Once ")
    assert not agent.of(TextFinished)
    pieces.release_all()
    await agent.heard(RunFinished)
    assert [done.text for done in agent.of(TextFinished)] == ["Once upon a time."]
    assert [event.seq for event in agent.events] == sorted({event.seq for event in agent.events})
    assert {event.run_id for event in agent.of(TextDelta)} == {agent.of(RunStarted)[0].run_id}


async def test_a_text_that_is_written_is_told_while_it_streams_and_no_log_keeps_that(api, agent):
    target = agent.root / "draft.md"
    text = "# Draft\n\n" + "Alpha, “then” Beta 茶.\n" * 20
    content = json.dumps({"file_path": str(target), "content": text})
    pieces = api.call_in_pieces("Write", content[:200], content[200:400], content[400:])
    api.say("Done.")
    await agent.service.submit(Prompt("Draft it"))
    await agent.until(lambda: agent.of(DocumentDelta))
    assert not agent.of(ToolUse)
    assert {delta.path for delta in agent.of(DocumentDelta)} == {str(target)}
    assert "".join(delta.text for delta in agent.of(DocumentDelta)).startswith(
        "# Draft\n\nAlpha, “then” Beta 茶."
    )
    pieces.release_all()
    await agent.heard(RunFinished)
    assert (
        "".join(delta.text for delta in agent.of(DocumentDelta))
        == text
        == target.read_text(encoding="utf-8")
    )
    assert {delta.tool_use_id for delta in agent.of(DocumentDelta)} == {
        agent.of(ToolUse)[0].tool_use_id
    }


async def test_the_second_prompt_sees_the_first(api, agent):
    api.say("Noted: mauve.")
    api.say("Mauve.")
    await agent.run("My color is mauve.")
    await agent.run("Which color?")
    conversation = str(api.requests[1].messages)
    assert "My color is mauve." in conversation
    assert "Noted: mauve." in conversation


async def test_a_session_continues_after_the_process_ended_and_a_fork_leaves_it_as_it_is(
    api, open_service
):
    api.say("Noted: teal.")
    api.say("Teal.")
    api.say("Mauve then.")
    api.say("Still teal.")
    async with open_service() as agent:
        await agent.run("My color is teal.")
        session_id = agent.service.session_id
    async with open_service(session=SessionChoice(session_id, resume=True)) as agent:
        await agent.run("Which color?")
        assert agent.of(SessionStarted)[0].resumed
    assert "My color is teal." in str(api.requests[1].messages)
    fork = str(uuid.uuid4())
    async with open_service(session=SessionChoice(fork, fork_of=session_id)) as agent:
        await agent.run("Now it is mauve.")
        assert agent.of(SessionStarted)[0].session_id == agent.service.session_id == fork
    assert "My color is teal." in str(api.requests[2].messages)
    async with open_service(session=SessionChoice(session_id, resume=True)) as agent:
        await agent.run("Which color is it?")
    assert "mauve" not in str(api.requests[3].messages)


@pytest.mark.thorough
async def test_a_session_that_is_not_remembered_starts_anew_is_told_what_was_said_and_says_so(
    api, open_service
):
    api.say("Hello.")
    said = (
        RunStarted(prompt=Prompt("My color is teal.")),
        TextFinished(message_id="m", block=0, text="Noted."),
    )
    async with open_service(
        session=SessionChoice("00000000-0000-4000-8000-000000000000", resume=True)
    ) as agent:
        agent.service.restore(said)
        finished = await agent.run("Hi")
        started = agent.of(SessionStarted)[0]
    assert finished.status == "completed"
    assert not started.resumed
    assert [notice.code for notice in agent.events if notice.type == "notice"] == ["resume_failed"]
    told = api.requests[0].last_user_text()
    assert told.startswith("Hi")
    assert "The user:\nMy color is teal.\n\nYou:\nNoted." in told


async def test_prompts_queue_and_can_be_taken_back(api, agent):
    first = api.say_in_pieces("One", ".")
    api.say("Three.")
    await agent.service.submit(Prompt("first"))
    await agent.heard(TextDelta)
    second = await agent.service.submit(Prompt("second"))
    await agent.service.submit(Prompt("third"))
    await agent.until(
        lambda: (
            [[q.prompt.text for q in change.prompts] for change in agent.of(QueueChanged)][-1:]
            == [["second", "third"]]
        )
    )
    assert agent.service.take_back(second) == Prompt("second")
    assert agent.service.take_back(second) is None
    first.release_all()
    await agent.heard(RunFinished, 2)
    assert [started.prompt.text for started in agent.of(RunStarted)] == ["first", "third"]
    assert agent.of(QueueChanged)[-1].prompts == ()


async def test_interrupt_stops_the_run_and_keeps_the_session(api, agent):
    api.stall("Half a ")
    api.say("Still here.")
    await agent.service.submit(Prompt("Tell"))
    await agent.heard(TextDelta)
    await agent.service.interrupt()
    stopped = await agent.heard(RunFinished)
    assert stopped.status == "interrupted"
    assert agent.of(Interrupted)
    assert not agent.of(MessageDropped)  # what was said stays to be read
    assert (await agent.run("Again")).status == "completed"
    assert not agent.of(SessionStarted)  # it is still the same one


async def test_interrupt_right_after_sending_stops_the_run(api, open_service):
    api.otherwise(
        lambda request: (_ for _ in ()).throw(AssertionError("no request may be answered"))
    )
    # in a session of its own: a request that comes late would take the reply of the next test
    async with open_service() as agent:
        await agent.service.submit(Prompt("Tell"))
        await agent.heard(RunStarted)
        await agent.service.interrupt()
        assert (await agent.heard(RunFinished)).status == "interrupted"


async def test_interrupting_cancels_the_question_and_an_answer_comes_too_late(api, agent):
    made = agent.root.parent / "made"
    api.call("Bash", {"command": f"touch {made}"})
    await agent.service.submit(Prompt("Make it"))
    question = await agent.heard(PermissionRequested)
    await agent.service.interrupt()
    assert (await agent.heard(RunFinished)).status == "interrupted"
    assert agent.of(PermissionDecided)[0].decision == "cancelled"
    with pytest.raises(AgentError):
        await agent.service.reply(question.request_id, PermissionAnswer("allow"))
    assert not made.exists()


async def test_of_two_questions_one_denial_stops_both(api, agent):
    both = agent.root / "one", agent.root / "two"
    for path in both:
        path.touch()
    api.call_all(("Bash", {"command": "rm one"}), ("Bash", {"command": "rm two"}))
    await agent.service.submit(Prompt("Remove both"))
    question = await agent.heard(PermissionRequested)
    await agent.service.reply(question.request_id, PermissionAnswer("deny"))
    assert (await agent.heard(RunFinished)).status == "aborted"
    assert all(path.exists() for path in both)


@pytest.mark.thorough
async def test_the_plan_is_an_event(api, agent):
    api.call("mcp__dogent__plan", {"todos": [{"content": "Read", "status": "in_progress"}]})
    api.say("Done.")
    await agent.run("Plan")
    assert [(todo.content, todo.status) for todo in agent.of(TodosChanged)[-1].todos] == [
        ("Read", "in_progress")
    ]
    assert [result.content for result in agent.of(ToolResult)] == ["Shown. Open: 1 of 1."]


@pytest.mark.thorough
async def test_our_records_are_not_what_the_model_finds(api, agent):
    dot = agent.root / ".dogent"
    (dot / "archives").mkdir(parents=True, exist_ok=True)
    for name in ("history.json", "archives/history-1.json", "memory.md"):
        (dot / name).write_text("the needle\n", encoding="utf-8")
    api.call_all(("Grep", {"pattern": "needle"}), ("Glob", {"pattern": ".dogent/**/*"}))
    api.say("Done.")
    await agent.run("Where is the needle?")
    for found in agent.of(ToolResult):
        assert "memory.md" in found.content
        assert "history" not in found.content


@pytest.mark.thorough
async def test_what_changed_in_the_wishes_reaches_the_running_conversation_once(
    api, open_service, workspace
):
    choice = SessionChoice(str(uuid.uuid4()))
    make_own_folder(workspace)
    workspace.constraints_file.write_text("Metric units", encoding="utf-8")
    async with open_service(session=choice) as agent:
        for number, wishes in enumerate(("Metric units", "Imperial units", "Imperial units")):
            workspace.constraints_file.write_text(wishes, encoding="utf-8")
            api.say(f"Answer {number}.")
            await agent.run(f"Question {number}")
        told = [request.last_user_text().count("Imperial units") for request in api.requests]
        assert told == [0, 1, 0]
        assert "Metric units" in api.requests[0].system
    workspace.constraints_file.write_text("No units", encoding="utf-8")
    async with open_service(session=SessionChoice(choice.session_id, resume=True)) as agent:
        for number in (4, 5):
            # what was told before lies behind the new system prompt, and would count
            api.say(f"Answer {number}.")
            await agent.run(f"Question {number}")
        assert [request.last_user_text().count("No units") for request in api.requests[-2:]] == [
            1,
            0,
        ]
        assert "No units" in api.requests[-1].system


@pytest.mark.thorough
async def test_a_tool_that_fails_is_a_result_and_the_run_continues(api, agent):
    api.call("Read", {"file_path": str(agent.root / "missing.md")})
    api.say("There is no such file.")
    assert (await agent.run("Read it")).status == "completed"
    assert agent.of(ToolResult)[0].is_error
