"""What goes wrong, through the real CLI: each failure is a sentence with a remedy, and the session goes on where it can."""

import os
import signal

import psutil
import pytest

from dogent_tui.agent.events import (
    MessageDropped,
    Prompt,
    Retrying,
    RunFinished,
    SessionLost,
    SessionStarted,
    Stalled,
    TextDelta,
    TextFinished,
)
from dogent_tui.offline.messages_api import ApiError, ReplyText
from tests.e2e.conftest import PROFILE
from tests.e2e.scripted_api import unreachable_url


@pytest.mark.slow
@pytest.mark.parametrize("status", [401, 403, 404])
async def test_a_refusal_names_the_profile_and_says_what_to_do(api, open_service, status):
    api.otherwise(lambda _request: ApiError(status, "Please run /login"))
    async with open_service() as agent:
        finished = await agent.run("Hello")
        assert (finished.status, finished.code) == ("failed", f"api_{status}")
        assert PROFILE in finished.reason
        assert finished.remedy
        assert "/login" not in finished.reason + finished.remedy
        assert not agent.of(TextFinished)
        api.otherwise(lambda _request: (ReplyText("Better now."),))
        assert (await agent.run("Again")).status == "completed"
        assert len(agent.of(SessionStarted)) == 1


async def test_a_prompt_that_is_too_long(api, open_service):
    api.fail(400)
    async with open_service() as agent:
        finished = await agent.run("Hello")
    assert (finished.status, finished.code) == ("failed", "prompt_too_long")


@pytest.mark.slow
@pytest.mark.parametrize("status", [429, 500, 529])
async def test_retries_are_shown_and_then_given_up(api, open_service, status):
    api.fail(status, times=10)
    async with open_service() as agent:
        finished = await agent.run("Hello")
    assert (finished.status, finished.code) == ("failed", f"api_{status}")
    retries = agent.of(Retrying)
    assert [retry.attempt for retry in retries] == list(range(1, len(retries) + 1))
    assert {retry.status for retry in retries} == {status}
    assert all(retry.delay_ms > 0 and retry.max_attempts == 3 for retry in retries)


async def test_a_failure_that_passes_costs_nothing_but_time(api, open_service):
    api.fail(529)
    api.say("Here I am.")
    async with open_service() as agent:
        finished = await agent.run("Hello")
    assert (finished.status, finished.result) == ("completed", "Here I am.")
    assert len(agent.of(Retrying)) == 1


@pytest.mark.slow
async def test_no_connection(open_service):
    with unreachable_url() as url:
        async with open_service(base_url=url) as agent:
            finished = await agent.run("Hello")
    assert (finished.status, finished.code) == ("failed", "no_connection")
    assert PROFILE in finished.reason


async def test_a_stream_cut_in_the_middle_shows_no_text_twice(api, open_service):
    api.cut("The quick brown ")
    api.say("The quick brown fox.")
    async with open_service() as agent:
        finished = await agent.run("Tell")
    assert finished.status == "completed"
    dropped = {drop.message_id for drop in agent.of(MessageDropped)}
    kept = [done.text for done in agent.of(TextFinished) if done.message_id not in dropped]
    assert kept == ["The quick brown fox."]


async def test_silence_is_counted_and_ends_when_something_comes(api, open_service):
    silence = api.stall("One moment")
    async with open_service(stall_after_s=0.2) as agent:
        await agent.service.submit(Prompt("Tell"))
        await agent.heard(TextDelta)
        assert (await agent.heard(Stalled)).seconds >= 1
        silence.release_all()
        assert (await agent.heard(RunFinished)).status == "completed"
    assert agent.of(Stalled)[-1].seconds == 0


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
async def test_a_killed_cli_is_noticed_and_the_conversation_resumes(api, open_service, how):
    api.say("Noted: teal.")
    api.stall("Half a ")
    api.say("Teal.")
    async with open_service() as agent:
        await agent.run("My color is teal.")
        await agent.service.submit(Prompt("Tell"))
        await agent.heard(TextDelta, 2)
        os.kill(_cli().pid, how)
        finished = await agent.heard(RunFinished, 2)
        assert (finished.status, finished.code) == ("failed", "session_lost")
        assert finished.remedy
        assert agent.of(SessionLost)
        assert (await agent.run("Which color?")).status == "completed"
        assert agent.of(SessionStarted)[1].resumed
    assert "My color is teal." in str(api.requests[-1].messages)


async def test_a_cli_killed_while_idle_starts_again_with_the_next_prompt(api, open_service):
    api.say("One.")
    api.say("Two.")
    async with open_service() as agent:
        await agent.run("first")
        os.kill(_cli().pid, signal.SIGKILL)
        await agent.heard(SessionLost)
        assert agent.service.state == "lost"
        await agent.service.restart()
        assert agent.service.state == "idle"
        assert (await agent.run("second")).status == "completed"
    assert "first" in str(api.requests[-1].messages)


async def test_closing_in_the_middle_of_a_stream_leaves_no_process(api, open_service):
    api.stall("Half a ")
    async with open_service() as agent:
        await agent.service.submit(Prompt("Tell"))
        await agent.heard(TextDelta)
        cli = _cli()
    assert not cli.is_running() or cli.status() == psutil.STATUS_ZOMBIE
    assert agent.of(RunFinished)[-1].status == "interrupted"


async def test_closing_while_the_agent_starts_leaves_no_process(api, open_service):
    async with open_service() as agent:
        await agent.service.submit(Prompt("Tell"))
        await agent.until(lambda: agent.of(RunFinished) or _clis())
    assert not [cli for cli in _clis() if cli.status() != psutil.STATUS_ZOMBIE]


async def test_the_process_id_that_kill_relies_on_is_the_cli(api, open_service):
    """Names the reach into the SDK's inside: `ClaudeConversation.pid`."""
    async with open_service() as agent:
        await agent.heard(SessionStarted)
        assert agent.service._connection.live.pid == _cli().pid


def _cli() -> psutil.Process:
    (cli,) = _clis()
    return cli


def _clis() -> list[psutil.Process]:
    return [child for child in psutil.Process().children() if "claude" in child.name()]
