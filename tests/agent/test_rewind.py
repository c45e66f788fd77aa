"""Rewinding a conversation, over one that the test plays: what the service says, what is written
down, what it resumes.
"""

import asyncio

import pytest

from dogent_tui.agent.conversation import SessionChoice, TurnEnded
from dogent_tui.agent.events import (
    Prompt,
    Rewound,
    RunFinished,
    RunStarted,
    SessionStarted,
    TextDelta,
    TextFinished,
    UiSettled,
    UsageChanged,
)
from dogent_tui.agent.recorder import Recorder
from dogent_tui.agent.replay import replay_log
from dogent_tui.agent.session import SessionOptions, open_session
from dogent_tui.agent.ui_requests import Clarification, Question, ui_requested
from dogent_tui.errors import AgentError
from dogent_tui.storage.paths import Workspace
from dogent_tui.storage.sessions import latest_session, list_sessions
from tests.agent.fake_conversation import FakeLauncher
from tests.agent.test_service import serving


async def converse(agent, launcher, text: str, *replies) -> str:
    """Have a run, and return its id."""
    finished = len(agent.of(RunFinished))
    await agent.service.submit(Prompt(text))
    await agent.heard(RunStarted, finished + 1)
    while not (launcher.started and text in "".join(launcher.conversation.sent)):
        await asyncio.sleep(0.005)
    reply = TextFinished(message_id=text, block=0, text=f"Reply to {text}")
    launcher.conversation.arrive(
        *replies, reply, UsageChanged(context_tokens=len(text) * 100), TurnEnded("completed")
    )
    await agent.heard(RunFinished, finished + 1)
    return agent.of(RunStarted)[-1].run_id


async def test_the_process_starts_again_with_what_is_to_be_forgotten_and_a_prompt_waits_for_it():
    launcher = FakeLauncher()
    began: list[str] = []
    async with serving(launcher, on_run=began.append) as agent:
        await converse(agent, launcher, "one")
        second = await converse(agent, launcher, "second")
        third = await converse(agent, launcher, "third")
        assert began == [event.run_id for event in agent.of(RunStarted)]
        before = launcher.conversation
        await agent.service.rewind(second)
        await agent.heard(SessionStarted, 2)
        assert before.closed
        assert [(event.to, event.run_id) for event in agent.of(Rewound)] == [(second, "")]
        assert agent.of(UsageChanged)[-1].context_tokens == 300
        assert launcher.started[-1][0].resume
        for gone in (second, third, "no such run"):
            with pytest.raises(AgentError):
                await agent.service.rewind(gone)
        await converse(agent, launcher, "other")
    assert launcher.conversation.sent[0].startswith("other")


async def test_not_while_the_agent_is_at_work_nor_after_the_end():
    launcher = FakeLauncher()
    async with serving(launcher) as agent:
        first = await converse(agent, launcher, "one")
        await agent.service.submit(Prompt("two"))
        await agent.heard(RunStarted, 2)
        with pytest.raises(AgentError, match="is working"):
            await agent.service.rewind(first)
    with pytest.raises(AgentError):
        await agent.service.rewind(first)


async def test_what_was_asked_is_abandoned_and_the_agent_is_not_told_so():
    launcher = FakeLauncher()
    async with serving(launcher) as agent:
        asked = ui_requested(Clarification("Which?", (Question("length", "How long?"),)))
        first = await converse(agent, launcher, "one", asked)
        assert agent.service.requests
        await agent.service.rewind(first)
        assert agent.of(UiSettled)[0].answer is None
        assert agent.service.requests == ()
        await converse(agent, launcher, "two")
        assert "Which?" not in launcher.conversation.sent[0]


async def test_where_the_memory_cannot_be_cut_there_the_agent_is_told_what_was_said_until_then():
    launcher = FakeLauncher()
    async with serving(launcher) as agent:
        await converse(agent, launcher, "one")
        second = await converse(agent, launcher, "second")
        launcher.failures.append(
            AgentError("The agent process did not start: No message found with message.uuid of: x.")
        )
        await agent.service.rewind(second)
        await converse(agent, launcher, "other")
    told = launcher.conversation.sent[0]
    assert "Reply to one" in told
    assert "second" not in told


async def test_it_goes_back_after_the_process_was_lost_too():
    launcher = FakeLauncher()
    async with serving(launcher) as agent:
        first = await converse(agent, launcher, "one")
        launcher.conversation.arrive(None)
        await agent.until(lambda: agent.service.state == "lost")
        await agent.service.rewind(first)
        await agent.heard(SessionStarted, 2)
        assert agent.service.state == "idle"


async def test_what_the_agent_had_forgotten_continues_in_the_same_log(tmp_path):
    workspace = Workspace(tmp_path)

    async def events(session_id: str, run_id: str):
        yield SessionStarted(
            session_id=session_id, profile="", model="", endpoint="offline", cwd=""
        )
        yield RunStarted(prompt=Prompt(run_id), run_id=run_id)

    await Recorder(workspace, "s1").record(events("s1", "one"))
    await Recorder(workspace, "s1").record(events("s2", "two"))
    (record,) = list_sessions(workspace)
    assert (record.session_id, record.first_id) == ("s2", "s1")
    assert [
        event.prompt.text for event in replay_log(record.path)[0] if isinstance(event, RunStarted)
    ] == ["one", "two"]


async def test_a_later_start_knows_of_it(tmp_path):
    workspace = Workspace(tmp_path)
    stamps = {"run_id": "r2", "time": 2.0}

    async def events():
        yield SessionStarted(session_id="s1", profile="", model="", endpoint="offline", cwd="")
        yield RunStarted(prompt=Prompt("one"), run_id="r1", time=1.0)
        yield RunStarted(prompt=Prompt("two"), **stamps)
        yield TextDelta(message_id="m", block=0, text="x", **stamps)
        yield Rewound(to="r2", dropped="r2")
        yield SessionStarted(session_id="s2", profile="", model="", endpoint="offline", cwd="")

    await Recorder(workspace, "s1").record(events())
    record = latest_session(workspace)
    assert (record.session_id, record.dropped, record.before, record.first_id) == (
        "s2",
        "r2",
        ("s1",),
        "s1",
    )
    opened = open_session(workspace, SessionOptions(continue_latest=True))
    assert opened.service._connection._session == SessionChoice("s2", resume=True, dropped="r2")
    assert opened.copies().folder.name == "s1"
    opened.service.restore(await asyncio.to_thread(lambda: replay_log(record.path)[0]))
    assert opened.service._turns.runs_from("r1") == ["r1"]
