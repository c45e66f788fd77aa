"""The state machine of runs, over a conversation that the test plays. What needs the real CLI is
in tests/e2e.
"""

import asyncio
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace

from dogent_tui.agent.conversation import TurnEnded
from dogent_tui.agent.events import (
    Interrupted,
    PermissionAnswer,
    PermissionDecided,
    PermissionRequested,
    Prompt,
    RunFinished,
    RunStarted,
    SessionLost,
    SessionStarted,
    TextDelta,
    ThinkingDelta,
    ToolOutput,
    ToolResult,
    ToolUse,
    UiAnswer,
    UiRequested,
    UiSettled,
    UsageChanged,
)
from dogent_tui.agent.service import AgentService
from dogent_tui.errors import AgentError
from dogent_tui.settings.profiles import Endpoint
from tests.agent.fake_conversation import FakeLauncher, permission
from tests.e2e.conftest import Listener

QUESTION = permission("tool-1", "Bash", {"command": "rm a"}, reasons=("It deletes.",))


@asynccontextmanager
async def serving(launcher: FakeLauncher, kind: str = "custom", **options):
    service = AgentService(launcher, Endpoint("p", kind, "http://127.0.0.1"), cwd="/w", **options)
    async with service:
        yield Listener(service)


async def begin(agent: Listener, launcher: FakeLauncher, text: str = "Go") -> None:
    """Send a prompt and wait until it reached the conversation."""
    await agent.service.submit(Prompt(text))
    await agent.heard(RunStarted)
    await agent.heard(SessionStarted)
    await launcher.conversation.received.wait()


async def test_a_prompt_sent_while_the_agent_connects_runs_when_it_is_there():
    launcher = FakeLauncher()
    launcher.may_start.clear()
    async with serving(launcher) as agent:
        await agent.service.submit(Prompt("Go"))
        launcher.may_start.set()
        await agent.heard(SessionStarted)
        await begin(agent, launcher)
        launcher.conversation.arrive(TurnEnded("completed", text="Done."))
        assert (await agent.heard(RunFinished)).result == "Done."


async def test_an_interrupt_while_the_agent_connects_ends_the_run_at_once():
    launcher = FakeLauncher()
    launcher.may_start.clear()
    async with serving(launcher) as agent:
        await agent.service.submit(Prompt("Go"))
        await agent.heard(RunStarted)
        await agent.service.interrupt()
        assert (await agent.heard(RunFinished)).status == "interrupted"


async def test_closing_starts_no_prompt_that_waits():
    launcher = FakeLauncher()
    async with serving(launcher) as agent:
        await begin(agent, launcher)
        await agent.service.submit(Prompt("second"))
    assert len(launcher.conversation.sent) == 1
    assert [queued.prompt.text for queued in agent.service.queued] == ["second"]


async def test_whatever_goes_wrong_at_the_start_is_a_failed_run_and_no_end():
    launcher = FakeLauncher(PermissionError("no"), RuntimeError("odd"))
    async with serving(launcher) as agent:
        await agent.heard(SessionLost)
        finished = await agent.run("Go")
        assert (finished.status, finished.code) == ("failed", "not_started")
        await begin(agent, launcher, "Again")


async def test_whatever_goes_wrong_while_reading_is_a_lost_session():
    launcher = FakeLauncher()
    async with serving(launcher) as agent:
        await begin(agent, launcher)
        launcher.conversation.arrive(TypeError("odd"))
        assert (await agent.heard(RunFinished)).code == "session_lost"


async def test_every_subscriber_gets_every_event_in_order():
    launcher = FakeLauncher()
    async with serving(launcher) as first:
        second = Listener(first.service)
        await begin(first, launcher)
        launcher.conversation.arrive(
            TextDelta(message_id="m", block=0, text="Hi"), TurnEnded("completed")
        )
        await first.heard(RunFinished)
        await second.heard(RunFinished)
        assert first.events == second.events
        assert [event.seq for event in first.events] == list(range(1, len(first.events) + 1))


async def test_an_agent_that_does_not_start_fails_the_run_and_may_start_later():
    launcher = FakeLauncher(
        AgentError("No process.", "Install it."), AgentError("No process.", "Install it.")
    )
    async with serving(launcher) as agent:
        await agent.heard(SessionLost)
        finished = await agent.run("Go")
        assert (finished.status, finished.reason, finished.remedy) == (
            "failed",
            "No process.",
            "Install it.",
        )
        await begin(agent, launcher, "Again")
        launcher.conversation.arrive(TurnEnded("completed"))
        assert (await agent.heard(RunFinished, 2)).status == "completed"


async def test_a_stream_that_ends_without_a_word_is_a_lost_session():
    launcher = FakeLauncher()
    async with serving(launcher) as agent:
        await begin(agent, launcher)
        launcher.conversation.arrive(None)
        assert (await agent.heard(RunFinished)).code == "session_lost"
        assert agent.service.state == "lost"


async def test_a_turn_that_a_signal_cut_is_a_lost_session_however_long_its_process_takes_to_end(
    monkeypatch,
):
    monkeypatch.setattr("dogent_tui.agent.connection._LAST_BREATH_S", 0.0)
    launcher = FakeLauncher()
    async with serving(launcher) as agent:
        await begin(agent, launcher)
        launcher.conversation.arrive(TurnEnded("cut"))
        for _ in range(100):
            await asyncio.sleep(0)
        launcher.conversation.arrive(None)
        assert (await agent.heard(RunFinished)).code == "session_lost"


async def test_a_turn_that_does_not_end_when_interrupted_is_given_up(monkeypatch):
    monkeypatch.setattr("dogent_tui.agent.connection._STOP_LIMIT_S", 0.01)
    monkeypatch.setattr("dogent_tui.agent.connection._TURN_LIMIT_S", 0.05)
    monkeypatch.setattr("dogent_tui.agent.connection._INTERRUPT_LIMIT_S", 0.02)
    launcher = FakeLauncher()
    async with serving(launcher) as agent:
        await begin(agent, launcher)
        launcher.conversation.ends_on_interrupt = False
        await agent.service.interrupt()
        assert (await agent.heard(RunFinished)).status == "interrupted"
        hanging = launcher.conversation
        assert not hanging.killed  # the user is free before it is
        await agent.service.submit(Prompt("Again"))
        # the kernel may not have ended the first one: its disk hangs
        await agent.heard(SessionStarted, 2)
        assert hanging.killed
        assert hanging.interrupts > 1
        assert launcher.conversation is not hanging
        assert not agent.of(SessionLost)


async def test_what_a_stopped_turn_still_says_is_not_taken_for_the_next_one(monkeypatch):
    monkeypatch.setattr("dogent_tui.agent.connection._STOP_LIMIT_S", 0.01)
    launcher = FakeLauncher()
    async with serving(launcher) as agent:
        await begin(agent, launcher)
        launcher.conversation.ends_on_interrupt = False
        await agent.service.interrupt()
        assert (await agent.heard(RunFinished)).status == "interrupted"
        launcher.conversation.received.clear()
        await agent.service.submit(Prompt("Next"))
        launcher.conversation.arrive(
            TextDelta(message_id="m", block=0, text="Late"), TurnEnded("completed", text="Late")
        )
        await launcher.conversation.received.wait()
        assert not agent.of(TextDelta)
        launcher.conversation.arrive(TurnEnded("completed", text="New"))
        finished = await agent.heard(RunFinished, 2)
        assert (finished.status, finished.result) == ("completed", "New")
        assert not launcher.conversation.killed


async def test_an_answer_reaches_the_one_question_it_is_for():
    launcher = FakeLauncher()
    async with serving(launcher) as agent:
        await begin(agent, launcher)
        first = asyncio.create_task(launcher.ask(QUESTION))
        second = asyncio.create_task(launcher.ask(replace(QUESTION, request_id="second")))
        await agent.heard(PermissionRequested, 2)
        ids = [request.request_id for request in agent.of(PermissionRequested)]
        await agent.service.reply(ids[1], PermissionAnswer("allow"))
        assert (await second).allow
        assert not first.done()
        with pytest.raises(AgentError):
            await agent.service.reply(ids[1], PermissionAnswer("allow"))
        with pytest.raises(AgentError):
            await agent.service.reply(ids[0], UiAnswer())
        with pytest.raises(AgentError):
            await agent.service.reply("unknown", PermissionAnswer("allow"))
        await agent.service.reply(ids[0], PermissionAnswer("deny"))
        assert (await first).stop


async def test_losing_the_session_cancels_what_waits():
    launcher = FakeLauncher()
    async with serving(launcher) as agent:
        await begin(agent, launcher)
        asked = asyncio.create_task(launcher.ask(QUESTION))
        await agent.heard(PermissionRequested)
        launcher.conversation.arrive(AgentError("killed"))
        assert not (await asked).allow
        assert agent.of(PermissionDecided)[0].decision == "cancelled"


async def test_closing_ends_the_run_the_stream_and_the_process():
    launcher = FakeLauncher()
    async with serving(launcher) as agent:
        await begin(agent, launcher)
    await agent._task
    assert agent.of(Interrupted)
    assert agent.of(RunFinished)[0].status == "interrupted"
    assert launcher.conversation.closed
    assert launcher.closed
    with pytest.raises(AgentError):
        await agent.service.submit(Prompt("Too late"))


@pytest.mark.parametrize(
    ("kind", "costs"),
    [("anthropic", [0.5, 0.25]), ("custom", [None, None]), ("offline", [None, None])],
)
async def test_the_cost_of_a_run_is_shown_only_where_it_is_real(kind, costs):
    launcher = FakeLauncher()
    async with serving(launcher, kind) as agent:
        for number, cost in enumerate((0.5, 0.25), 1):
            await agent.service.submit(Prompt("Go"))
            await agent.heard(RunStarted, number)
            launcher.conversation.arrive(TurnEnded("completed", cost_usd=cost))
            await agent.heard(RunFinished, number)
    assert [finished.cost_usd for finished in agent.of(RunFinished)] == costs


async def test_the_window_is_remembered_from_run_to_run():
    launcher = FakeLauncher()
    async with serving(launcher) as agent:
        await begin(agent, launcher)
        launcher.conversation.arrive(
            UsageChanged(context_tokens=10), TurnEnded("completed", window=1000)
        )
        await agent.heard(RunFinished)
        launcher.conversation.arrive(UsageChanged(context_tokens=20))
        usage = await agent.heard(UsageChanged, 3)
    assert (usage.context_tokens, usage.window) == (20, 1000)


async def test_thinking_belongs_to_its_run():
    launcher = FakeLauncher()
    async with serving(launcher) as agent:
        await begin(agent, launcher)
        launcher.conversation.arrive(
            ThinkingDelta(message_id="m", block=0, text="Hm"), TurnEnded("completed")
        )
        await agent.heard(RunFinished)
    assert agent.of(ThinkingDelta)[0].run_id == agent.of(RunStarted)[0].run_id != ""


async def test_a_shell_command_is_shown_and_goes_with_the_next_prompt(tmp_path):
    launcher = FakeLauncher()
    async with serving(launcher) as agent:
        agent.service._cwd = str(tmp_path)
        await agent.service.run_shell("echo one; exit 3")
        use, result = agent.of(ToolUse)[0], await agent.heard(ToolResult)
        assert (use.name, use.input["command"]) == ("Shell", "echo one; exit 3")
        assert (result.is_error, result.content) == (True, "one\n(exit status 3)")
        await begin(agent, launcher, "What was that?")
        assert "$ echo one; exit 3\none\n(exit status 3)" in launcher.conversation.sent[0]
        launcher.conversation.arrive(TurnEnded("completed"))
        await agent.heard(RunFinished)
        await agent.service.submit(Prompt("And now?"))
        await agent.heard(RunStarted, 2)
        launcher.conversation.arrive(TurnEnded("completed"))
        await agent.heard(RunFinished, 2)
        assert "echo one" not in launcher.conversation.sent[1]


async def test_esc_stops_a_shell_command(tmp_path):
    launcher = FakeLauncher()
    async with serving(launcher) as agent:
        agent.service._cwd = str(tmp_path)
        running = asyncio.create_task(agent.service.run_shell("echo started; sleep 600"))
        await agent.heard(ToolOutput)
        with pytest.raises(AgentError):
            await agent.service.run_shell("echo another")
        await agent.service.interrupt()
        await running
        assert (await agent.heard(ToolResult)).content == "started\n(stopped)"


ASKED = UiRequested(
    request_id="q1",
    kind="clarification",
    payload={
        "type": "clarification",
        "title": "T",
        "questions": [{"id": "a", "question": "Who?", "options": ["x", "y"]}],
    },
)


async def test_what_is_asked_stays_open_when_the_session_is_lost_and_its_answer_becomes_a_prompt():
    launcher = FakeLauncher()
    async with serving(launcher) as agent:
        await agent.heard(SessionStarted)
        await agent.service.submit(Prompt("Paint"))
        await launcher.conversation.received.wait()
        asking = asyncio.create_task(launcher.form(replace(ASKED, in_run=True)))
        await agent.heard(UiRequested)
        launcher.conversation.arrive(None)
        assert (await agent.heard(RunFinished)).status == "failed"
        assert await asking is None
        assert [request.request_id for request in agent.service.requests] == ["q1"]
        later = await agent.service.submit(Prompt("Later"))
        await agent.service.reply("q1", UiAnswer(answers={"a": "y"}))
        await agent.heard(RunStarted, 2)
        assert agent.of(RunStarted)[1].prompt.answers == ("q1",)
        assert [queued.id for queued in agent.service.queued] == [later]


async def test_closing_leaves_open_what_is_asked():
    launcher = FakeLauncher()
    async with serving(launcher) as agent:
        await agent.heard(SessionStarted)
        await agent.service.submit(Prompt("Paint"))
        await launcher.conversation.received.wait()
        asking = asyncio.create_task(launcher.form(replace(ASKED, in_run=True)))
        await agent.heard(UiRequested)
    assert await asking is None
    assert agent.of(UiSettled) == []


async def test_a_denial_beside_a_request_closes_it():
    launcher = FakeLauncher()
    async with serving(launcher) as agent:
        await agent.heard(SessionStarted)
        await agent.service.submit(Prompt("Go"))
        await launcher.conversation.received.wait()
        launcher.conversation.arrive(ASKED)
        verdict = asyncio.create_task(launcher.ask(QUESTION))
        question = await agent.heard(PermissionRequested)
        await agent.service.reply(question.request_id, PermissionAnswer("deny"))
        assert not (await verdict).allow
        launcher.conversation.arrive(TurnEnded("stopped"))
        assert (await agent.heard(RunFinished)).status == "aborted"
        assert agent.of(UiSettled)[0].answer is None
        assert agent.service.requests == ()


def test_the_log_says_what_is_open_and_what_was_answered_and_not_sent():
    service = AgentService(FakeLauncher(), Endpoint("p", "custom", "http://127.0.0.1"), cwd="/w")
    answered, left = replace(ASKED, run_id="r"), replace(ASKED, request_id="q2", run_id="r")
    service.restore(
        [answered, left, UiSettled(request_id="q1", answer=UiAnswer(answers={"a": "x"}))]
    )
    assert service.requests == (left,)
    assert service.queued == ()
    sent = AgentService(FakeLauncher(), Endpoint("p", "custom", "http://127.0.0.1"), cwd="/w")
    sent.restore([answered, UiSettled(request_id="q1", answer=UiAnswer(answers={"a": "x"}))])
    assert [queued.prompt.answers for queued in sent.queued] == [("q1",)]
