"""The scripted API, through the real CLI where the CLI's own behavior is the point, else through
plain requests.
"""

from pathlib import Path
from typing import Any

import aiohttp
import pytest

from dogent_tui.offline.messages_api import ReplyText, ReplyToolUse
from tests.e2e.scripted_api import ScriptedApi, unreachable_url

TOOLS = [{"name": "Read"}]


def body(
    text: str = "Hello", *, tools: list[dict[str, Any]] = TOOLS, stream: bool = True
) -> dict[str, Any]:
    return {
        "model": "m",
        "stream": stream,
        "tools": tools,
        "messages": [{"role": "user", "content": text}],
    }


def post(api: ScriptedApi, session: aiohttp.ClientSession, json: dict[str, Any]) -> Any:
    return session.post(
        f"{api.base_url}/v1/messages", json=json, headers={"authorization": f"Bearer {api.token}"}
    )


@pytest.fixture
async def session():
    async with aiohttp.ClientSession() as session:
        yield session


async def test_replies_come_in_the_order_scripted_and_requests_are_kept(session):
    async with ScriptedApi() as api:
        api.call("Read", {"file_path": "/a.md"}, before="I read.")
        api.say("Done.", thinking="Let me see.")
        async with post(api, session, body("first", stream=False)) as answer:
            first = await answer.json()
        async with post(api, session, body("second", stream=False)) as answer:
            second = await answer.json()
        assert [block["type"] for block in first["content"]] == ["text", "tool_use"]
        assert (first["stop_reason"], second["stop_reason"]) == ("tool_use", "end_turn")
        assert [block["type"] for block in second["content"]] == ["thinking", "text"]
        assert [request.last_user_text() for request in api.requests] == ["first", "second"]


async def test_a_request_without_a_reply_is_refused_and_listed(session):
    async with ScriptedApi() as api:
        async with post(api, session, body()) as answer:
            assert answer.status == 400
        assert len(api.unexpected) == 1
        api.otherwise(lambda request: (ReplyText(request.last_user_text()[::-1]),))
        async with post(api, session, body("abc", stream=False)) as answer:
            assert (await answer.json())["content"][0]["text"] == "cba"


async def test_requests_of_the_cli_itself_use_up_no_reply(session):
    async with ScriptedApi() as api:
        api.say("The answer.")
        async with post(api, session, body("Write a title", tools=[], stream=False)) as answer:
            assert (await answer.json())["content"][0]["text"] == "Notes"
        async with post(api, session, body(stream=False)) as answer:
            assert (await answer.json())["content"][0]["text"] == "The answer."
        assert (len(api.requests), len(api.side_requests)) == (1, 1)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, "authentication_error"),
        (404, "not_found_error"),
        (429, "rate_limit_error"),
        (529, "overloaded_error"),
    ],
)
async def test_errors_have_the_shape_of_the_api(session, status, kind):
    async with ScriptedApi() as api:
        api.fail(status, retry_after=7)
        async with post(api, session, body()) as answer:
            assert answer.status == status
            assert answer.headers["retry-after"] == "7"
            assert (await answer.json())["error"]["type"] == kind


async def test_pieces_wait_for_the_test(session):
    async with ScriptedApi() as api:
        text = api.say_in_pieces("one ", "two ", "three")
        async with post(api, session, body()) as answer:
            await text.sent(1)
            seen = b""
            while b"one " not in seen:
                seen += await answer.content.readany()
            assert b"two" not in seen
            text.release()
            await text.sent(2)
            text.release_all()
            seen += await answer.content.read()
        assert b"three" in seen
        assert b"message_stop" in seen


async def test_a_cut_arrives_with_what_was_said_before_it(session):
    async with ScriptedApi() as api:
        api.cut("half a te")
        seen = b""
        with pytest.raises(aiohttp.ClientPayloadError):
            async with post(api, session, body()) as answer:
                async for data in answer.content.iter_any():
                    seen += data
        assert b"half a te" in seen


async def test_an_error_in_mid_stream_is_an_event(session):
    async with ScriptedApi() as api:
        api.fail_in_stream("half a te")
        async with post(api, session, body()) as answer:
            assert b"overloaded_error" in await answer.content.read()


async def test_a_stall_does_not_keep_the_server_from_closing(session):
    async with ScriptedApi() as api:
        silence = api.stall("half")
        answer = await post(api, session, body())
        await silence.sent(1)
    with pytest.raises(aiohttp.ClientError):
        await answer.content.read()
    answer.close()


async def test_a_connection_to_the_unreachable_url_is_refused(session):
    with unreachable_url() as url, pytest.raises(aiohttp.ClientConnectorError):
        await session.get(url)


async def test_the_real_cli_runs_on_the_script(tmp_path: Path):
    from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, ResultMessage

    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "a.md").write_text("A sentence.\n")
    async with ScriptedApi() as api:
        options = ClaudeAgentOptions(
            cwd=workspace,
            env=api.environment(tmp_path / "claude"),
            setting_sources=[],
            tools=["Read"],
            model="claude-haiku-4-5",
        )
        api.reply(
            ReplyText("I read."), ReplyToolUse("Read", {"file_path": str(workspace / "a.md")})
        )
        api.say("It says: A sentence.")
        async with ClaudeSDKClient(options) as client:
            await client.query("What does it say?")
            results = [
                message
                async for message in client.receive_response()
                if isinstance(message, ResultMessage)
            ]
        assert results[0].result == "It says: A sentence."
        assert "A sentence." in api.requests[1].messages[-1].tool_results[0].text
        assert api.requests[1].last_user_text() == "What does it say?"
        assert not api.unexpected
