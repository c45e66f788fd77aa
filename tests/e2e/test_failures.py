"""What goes wrong, through the real CLI: each failure is a sentence with a remedy, and the session
continues where it can.
"""

import os
import signal
from contextlib import suppress

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
from dogent_tui.offline.messages_api import ApiError, ReplyStream, ReplyText
from tests.children import lives
from tests.e2e import raw_server
from tests.e2e.conftest import IN_ONE_LOOP, PROFILE
from tests.e2e.scripted_api import unreachable_url
from tests.e2e.terminal import eventually

pytestmark = [pytest.mark.slow, IN_ONE_LOOP]


@pytest.mark.thorough
@pytest.mark.parametrize("status", [401, 403, 404])
async def test_a_refusal_names_the_profile_and_says_what_to_do(api, agent, status):
    api.fail_always(status)
    finished = await agent.run("Hello")
    assert (finished.status, finished.code) == ("failed", f"api_{status}")
    assert PROFILE in finished.reason
    assert finished.remedy
    assert "/login" not in finished.reason + finished.remedy
    assert not agent.of(TextFinished)
    api.otherwise(lambda _request: (ReplyText("Better now."),))
    assert (await agent.run("Again")).status == "completed"
    assert not agent.of(SessionStarted)  # it is still the same one


@pytest.mark.thorough_after(4)
@pytest.mark.parametrize(
    ("status", "words", "remedy"),
    [
        (400, "Your credit balance is too low. Please go to Plans & Billing.", "Add credit"),
        (401, "This key was revoked on Tuesday", "Put a valid key into ANTHROPIC_AUTH_TOKEN"),
        (402, "Insufficient Balance", "Add credit"),
        (404, "model zebra-9 is gone", "Fix ANTHROPIC_MODEL"),
        (429, "5 requests a minute are allowed", "Wait"),
    ],
)
async def test_what_the_server_says_of_its_error_is_shown_and_logged(
    api, agent, caplog, status, words, remedy
):
    api.otherwise(lambda _request: ApiError(status, words))
    api.side_reply = lambda _request: ApiError(status, words)
    finished = await agent.run("Hello")
    assert finished.reason.endswith(f"It says: “{words.rstrip('.')}”.")
    assert finished.remedy.startswith(remedy)
    assert words in caplog.text


async def test_a_prompt_that_is_too_long(api, agent):
    api.fail(400)
    finished = await agent.run("Hello")
    assert (finished.status, finished.code) == ("failed", "prompt_too_long")


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("status", [429, 500, 529])
async def test_retries_are_shown_and_then_given_up(api, agent, status):
    api.fail(status, times=10)
    finished = await agent.run("Hello")
    assert (finished.status, finished.code) == ("failed", f"api_{status}")
    retries = agent.of(Retrying)
    assert [retry.attempt for retry in retries] == list(range(1, len(retries) + 1))
    assert {retry.status for retry in retries} == {status}
    assert all(retry.delay_ms > 0 and retry.max_attempts == 3 for retry in retries)


async def test_a_failure_that_passes_costs_nothing_but_time(api, agent):
    api.fail(529)
    api.say("Here I am.")
    finished = await agent.run("Hello")
    assert (finished.status, finished.result) == ("completed", "Here I am.")
    assert len(agent.of(Retrying)) == 1


@pytest.mark.thorough
async def test_no_connection(open_service):
    with unreachable_url() as url:
        async with open_service(base_url=url) as agent:
            finished = await agent.run("Hello")
    assert (finished.status, finished.code) == ("failed", "no_connection")
    assert PROFILE in finished.reason


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("answer", "code", "reason", "remedy"),
    [
        (
            raw_server.PORTAL,
            "not_the_api",
            "answered with a web page (“Guest & Visitor WiFi”)",
            "sign in with a browser",
        ),
        (
            raw_server.REDIRECT,
            "redirected",
            "redirects to http://portal.example:81.",
            "sign in with a browser",
        ),
        (
            raw_server.GARBAGE,
            "not_the_api",
            "responds, but not with the Messages API",
            "without /v1/messages",
        ),
        (
            raw_server.NO_JSON,
            "not_the_api",
            "responds, but not with the Messages API",
            "without /v1/messages",
        ),
        (raw_server.OVERLOAD, "api_529", "It says: “Too many at once”", "Wait a moment"),
        (raw_server.CUT, "cut_off", "broke off", "Send the prompt again"),
    ],
    ids=["portal", "redirect", "garbage", "no JSON", "overload", "cut"],
)
async def test_what_came_instead_of_an_answer_is_said(open_service, answer, code, reason, remedy):
    async with raw_server.saying(answer) as url, open_service(base_url=url) as agent:
        finished = await agent.run("Hello")
    assert (finished.status, finished.code) == ("failed", code)
    assert reason in finished.reason
    assert remedy in finished.remedy
    assert "connection" not in finished.reason


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("stop_reason", "code", "remedy"),
    [
        ("max_tokens", "reply_too_long", "a part at a time"),
        ("refusal", "refused", "word it differently"),
        ("model_context_window_exceeded", "prompt_too_long", "/new"),
    ],
)
async def test_a_reply_that_the_model_ended_is_no_lost_connection(
    open_service, api, stop_reason, code, remedy
):
    async def answer(request):
        stream = ReplyStream(request)
        yield stream.start() + stream.open() + stream.add("Half a reply.") + stream.close()
        yield stream.finish(stop_reason)

    api.otherwise(answer)
    async with open_service() as agent:
        finished = await agent.run("Hello")
    assert (finished.status, finished.code) == ("failed", code)
    assert remedy in finished.remedy
    assert "API Error" not in finished.reason


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("status", "message", "code", "remedy"),
    [
        (
            400,
            "messages.0.content.1.image.source.base64: image exceeds 5 MB",
            "media_refused",
            "Make it smaller",
        ),
        (413, "", "api_413", "smaller files"),
    ],
)
async def test_only_an_image_that_the_endpoint_refuses_is_said_to_be_one(
    open_service, api, status, message, code, remedy
):
    api.fail_always(status, message)
    async with open_service() as agent:
        finished = await agent.run("Hello")
    assert (finished.status, finished.code) == ("failed", code)
    assert remedy in finished.remedy


@pytest.mark.thorough
@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_an_endpoint_that_takes_connections_and_never_answers_is_given_up(
    open_service, monkeypatch, scheme
):
    monkeypatch.setattr("dogent_tui.agent.service._CHECK_LIMIT_S", 0.5)
    async with raw_server.saying(None) as url:
        url = url.replace("http", scheme, 1)
        async with open_service(base_url=url, stall_after_s=0.2, check_after_s=0.5) as agent:
            finished = await agent.run("Hello")
            assert agent.of(Stalled)[0].most_s == 600
    assert (finished.status, finished.code) == ("failed", "no_answer")
    assert f"{url}, has not answered for" in finished.reason
    assert PROFILE in finished.remedy


@pytest.mark.thorough
async def test_an_endpoint_that_is_there_is_waited_for_as_long_as_its_profile_says(open_service):
    waits = {"stall_after_s": 0.2, "check_after_s": 0.5, "timeout_ms": 2000}
    async with (
        raw_server.saying(raw_server.EVENTS, then_silent=True) as url,
        open_service(base_url=url, **waits) as agent,
    ):
        finished = await agent.run("Hello")
        assert agent.of(Stalled)[0].most_s == 2
    assert (finished.status, finished.code) == ("failed", "no_answer")
    assert "API_TIMEOUT_MS" in finished.remedy


async def test_a_stream_cut_in_the_middle_shows_no_text_twice(api, agent):
    api.cut("The quick brown ")
    api.say("The quick brown fox.")
    finished = await agent.run("Tell")
    assert finished.status == "completed"
    dropped = {drop.message_id for drop in agent.of(MessageDropped)}
    kept = [done.text for done in agent.of(TextFinished) if done.message_id not in dropped]
    assert kept == ["The quick brown fox."]


@pytest.mark.thorough
async def test_silence_is_counted_and_ends_when_something_comes(api, open_service):
    silence = api.stall("One moment")
    async with open_service(stall_after_s=0.2) as agent:
        await agent.service.submit(Prompt("Tell"))
        await agent.heard(TextDelta)
        assert (await agent.heard(Stalled)).seconds >= 1
        silence.release_all()
        assert (await agent.heard(RunFinished)).status == "completed"
    assert agent.of(Stalled)[-1].seconds == 0


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
async def test_a_killed_cli_is_noticed_and_the_conversation_resumes(api, agent, how):
    color = f"color number {how}"
    api.say(f"Noted: {color}.")
    api.stall("Half a ")
    api.say("That one.")
    await agent.run(f"My color is {color}.")
    await agent.service.submit(Prompt("Tell"))
    await agent.heard(TextDelta, 2)
    os.kill(_cli(agent).pid, how)
    finished = await agent.heard(RunFinished, 2)
    assert (finished.status, finished.code) == ("failed", "session_lost")
    assert finished.remedy
    assert agent.of(SessionLost)
    assert (await agent.run("Which color?")).status == "completed"
    assert agent.of(SessionStarted)[0].resumed
    assert f"My color is {color}." in str(api.requests[-1].messages)


@pytest.mark.thorough
async def test_a_cli_killed_while_idle_starts_again_with_the_next_prompt(api, agent):
    api.say("One.")
    api.say("Two.")
    await agent.run("before the kill")
    os.kill(_cli(agent).pid, signal.SIGKILL)
    await agent.heard(SessionLost)
    assert agent.service.state == "lost"
    await agent.service.restart()
    assert agent.service.state == "idle"
    assert (await agent.run("second")).status == "completed"
    assert "before the kill" in str(api.requests[-1].messages)


@pytest.mark.thorough
async def test_closing_in_the_middle_of_a_stream_leaves_no_process(api, open_service):
    api.stall("Half a ")
    async with open_service() as agent:
        await agent.service.submit(Prompt("Tell"))
        await agent.heard(TextDelta)
        cli = _cli(agent)
    await eventually(lambda: not lives(cli), "the end of a CLI that was killed")
    finished = agent.of(RunFinished)[-1]
    assert (finished.status, finished.code) == ("interrupted", "closed")  # nobody stopped it


@pytest.mark.thorough
async def test_closing_while_the_agent_starts_leaves_no_process(api, open_service):
    others = _clis()
    async with open_service() as agent:
        await agent.service.submit(Prompt("Tell"))
        await agent.until(lambda: agent.of(RunFinished) or _clis() - others)
    await eventually(lambda: not any(map(lives, _clis() - others)), "the end of the CLI")


def _cli(agent) -> psutil.Process:
    """Its process: by the same reach into the SDK's inside that the service kills by,
    `ClaudeConversation.pid`.
    """
    process = psutil.Process(agent.service._connection.live.pid)
    assert process in _clis()
    return process


def _clis() -> set[psutil.Process]:
    found = set()
    for child in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):  # it may end while it is looked at
            if "claude" in child.name():
                found.add(child)
    return found
