"""The loopback server: who may ask, what comes back, and that nothing of it stays behind."""

import asyncio
import sys
from typing import Any

import aiohttp
import pytest

from dogent_tui.offline.messages_api import ApiError, MessagesRequest, ReplyText
from dogent_tui.offline.server import LoopbackServer

BODY = {"model": "m", "stream": False, "messages": [{"role": "user", "content": "Hi"}]}


async def hello(_request: MessagesRequest) -> Any:
    return (ReplyText("Hello"),)


def client(server: LoopbackServer, token: str | None = None) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(
        server.base_url,
        headers={"authorization": f"Bearer {server.token if token is None else token}"},
    )


async def test_it_answers_on_loopback_to_whoever_knows_the_token():
    async with LoopbackServer(hello) as server, client(server) as session:
        assert server.base_url.startswith("http://127.0.0.1:")
        async with session.post("/v1/messages?beta=true", json=BODY) as answer:
            assert (await answer.json())["content"] == [{"type": "text", "text": "Hello"}]
        async with session.post("/v1/messages", json={**BODY, "stream": True}) as answer:
            assert answer.content_type == "text/event-stream"
            assert b"message_stop" in await answer.read()
        async with session.post(
            "/v1/messages", json=BODY, headers={"authorization": "", "x-api-key": server.token}
        ) as answer:
            assert answer.status == 200


@pytest.mark.parametrize("token", ["", "wrong", "é"])
async def test_nobody_else_is_answered(token):
    async with LoopbackServer(hello) as server, client(server, token) as session:
        for path in ("/v1/messages", "/v1/messages/count_tokens", "/anything"):
            async with session.post(path, json=BODY) as answer:
                assert answer.status == 401
                assert (await answer.json())["error"]["type"] == "authentication_error"


async def test_two_servers_have_two_tokens():
    assert LoopbackServer(hello).token != LoopbackServer(hello).token


async def test_the_other_routes():
    async with LoopbackServer(hello) as server, client(server) as session:
        async with session.head("/") as answer:
            assert answer.status == 200
        async with session.post("/v1/messages/count_tokens", json=BODY) as answer:
            assert (await answer.json())["input_tokens"] > 0
        async with session.get("/v1/files") as answer:
            assert answer.status == 404
            assert (await answer.json())["type"] == "error"
        async with session.put("/v1/messages") as answer:
            assert answer.status == 405


async def test_a_body_that_is_none_is_a_400():
    async with (
        LoopbackServer(hello) as server,
        client(server) as session,
        session.post("/v1/messages", data=b"{") as answer,
    ):
        assert answer.status == 400
        assert (await answer.json())["error"]["type"] == "invalid_request_error"


async def test_a_failure_inside_becomes_words_not_a_500():
    async def broken(_request: MessagesRequest) -> Any:
        raise KeyError("secret")

    async with (
        LoopbackServer(broken) as server,
        client(server) as session,
        session.post("/v1/messages", json=BODY) as answer,
    ):
        assert answer.status == 200
        text = (await answer.json())["content"][0]["text"]
        assert "went wrong" in text
        assert "secret" not in text


async def test_an_error_keeps_its_status_and_headers():
    async def busy(_request: MessagesRequest) -> Any:
        return ApiError(429, "Slow down", headers={"retry-after": "3"})

    async with (
        LoopbackServer(busy) as server,
        client(server) as session,
        session.post("/v1/messages", json=BODY) as answer,
    ):
        assert (answer.status, answer.headers["retry-after"]) == (429, "3")


async def test_a_request_ends_when_its_client_goes_away():
    started, canceled = asyncio.Event(), asyncio.Event()

    async def endless(_request: MessagesRequest) -> Any:
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            canceled.set()
            raise

    async with LoopbackServer(endless) as server, client(server) as session:
        asking = asyncio.create_task(session.post("/v1/messages", json=BODY))
        await started.wait()
        asking.cancel()
        await canceled.wait()


async def test_stopping_refuses_further_connections():
    async with LoopbackServer(hello) as server:
        pass
    async with client(server) as session:
        with pytest.raises(aiohttp.ClientConnectorError):
            await session.get("/v1/models")


async def test_importing_the_engine_imports_neither_aiohttp_nor_the_rules():
    code = (
        "import sys, dogent_tui.offline.engine; print('aiohttp' in sys.modules or"
        " 'dogent_tui.offline.rules' in sys.modules)"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    assert output.strip() == b"False"
