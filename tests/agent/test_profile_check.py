"""The check of a profile: a tiny request, and its outcome as a sentence without a key."""

import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from unittest.mock import patch

import pytest
from aiohttp import ThreadedResolver, web

from dogent_tui.agent.profile_check import probe
from dogent_tui.storage.paths import dogent_home
from tests.local_models.stand_ins import LM_STUDIO, StandIn, chat, chat_delta

KEY = "sk-secret-0123456789"
MESSAGE = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "H"}]}


@pytest.fixture
def served() -> Callable:
    @asynccontextmanager
    async def serve(status: int, answer: object) -> AsyncIterator[tuple[str, list]]:
        seen: list = []

        async def answering(request: web.Request) -> web.Response:
            body = await request.json() if request.can_read_body else dict(request.query)
            seen.append((request.path, dict(request.headers), body))
            return web.Response(
                status=status, text=answer if isinstance(answer, str) else json.dumps(answer)
            )

        app = web.Application()
        app.router.add_route("*", "/{path:.*}", answering)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        try:
            yield f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}", seen
        finally:
            await runner.cleanup()

    return serve


async def checked(name, data):
    with patch.dict(os.environ, {"MY_KEY": KEY}):
        return await probe(dogent_home() / name, "mine", data)


def llm(url, **more):
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_AUTH_TOKEN": "env:MY_KEY",
        "ANTHROPIC_MODEL": "m",
        **more,
    }


async def test_a_model_is_asked_for_one_token(served):
    async with served(200, MESSAGE) as (url, seen):
        found = await checked("claude.json", llm(url))
    assert found.works
    assert found.words.startswith("mine works, with m, after ")
    ((path, headers, body),) = seen
    assert (path, headers["Authorization"], body["max_tokens"]) == (
        "/v1/messages",
        f"Bearer {KEY}",
        1,
    )
    assert "x-api-key" not in headers


@pytest.mark.parametrize(
    ("status", "answer", "words"),
    [
        (401, {"error": {"message": f"bad key {KEY}"}}, "rejected the credential"),
        (404, {"error": {"message": "no model m"}}, "does not have the model"),
        (429, "<html>", "is rate limited"),
        (500, "", "had a server error"),
        (302, "", "refused the request"),
        (200, "<html>hello</html>", "not with the Messages API"),
        (200, [], "not with the Messages API"),
    ],
)
async def test_what_is_wrong_with_a_model_is_a_sentence_with_a_remedy(
    served, status, answer, words
):
    async with served(status, answer) as (url, _):
        found = await checked("claude.json", llm(url))
    assert not found.works
    assert words in found.words
    assert words in found.reason
    assert "claude.json" not in found.reason
    assert KEY not in found.words


async def test_a_proxy_that_cannot_be_used_is_named_and_not_the_endpoint(monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    words = (await checked("claude.json", llm("https://models.example"))).words
    assert "https://models.example: the proxy can't be used. Check HTTPS_PROXY" in words


async def test_a_name_that_no_server_knows_is_told_in_words(monkeypatch):
    async def unknown(*_, **__):
        raise OSError("Name or service not known")

    monkeypatch.setattr(ThreadedResolver, "resolve", unknown)
    words = (await checked("claude.json", llm("https://models.example"))).words
    assert "the host does not exist, or no name server responds. Check the network" in words


async def test_what_cannot_be_asked_is_not_asked():
    assert (
        "http://127.0.0.1:1: connection refused."
        in (await checked("claude.json", llm("http://127.0.0.1:1"))).words
    )
    assert (
        "NONE is not set"
        in (await checked("claude.json", llm("http://x", ANTHROPIC_AUTH_TOKEN="env:NONE"))).words
    )
    assert "no key" in (await checked("claude.json", {})).words
    assert (
        "has no key" in (await checked("vision.json", {"provider": "openai", "model": "m"})).words
    )
    assert "API key" in (await checked("web.json", {"provider": "brave"})).words
    assert (
        "NONE is not set"
        in (await checked("web.json", {"provider": "brave", "api_key": "env:NONE"})).words
    )


async def test_a_search_is_made_for_one_result(served):
    answer = {"results": [{"title": "Markdown", "url": "https://example.org/", "content": "x"}]}
    async with served(200, answer) as (url, seen):
        found = await checked("web.json", {"provider": "searxng", "endpoint": url})
    assert found.works
    assert found.words.startswith("mine can search; it found 1, after ")
    assert len(seen) == 1


async def test_a_vision_model_is_shown_a_white_square(served):
    said = json.dumps({"summary": "A white square.", "tags": [], "text": ""})
    async with served(
        200, {"choices": [{"message": {"content": said}, "finish_reason": "stop"}]}
    ) as (url, seen):
        found = await checked(
            "vision.json",
            {"provider": "openai", "model": "m", "base_url": url, "api_key": "env:MY_KEY"},
        )
    assert found.words.startswith("mine can see images, after ")
    ((_, headers, body),) = seen
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert "data:image/png;base64," in json.dumps(body)


async def test_a_local_server_is_asked_as_a_conversation_asks_it():
    """Without a key, through the relay: this one has no Messages API. What is known of its
    window is said as well.
    """
    async with StandIn(LM_STUDIO) as server:
        local = {
            "ANTHROPIC_BASE_URL": server.base_url,
            "DOGENT_LOCAL_SERVER": "lm-studio",
            "ANTHROPIC_MODEL": "openai/gpt-oss-20b",
        }
        server.chat(chat(chat_delta(content="Hi"), chat_delta("stop")))
        found = await checked("claude.json", local)
        assert found.works
        assert found.words.startswith("mine works, with openai/gpt-oss-20b, after ")
        assert "only 4,096 tokens" in found.words
        assert [path for path, _ in server.requests][-1] == "/v1/chat/completions"
    found = await checked("claude.json", local)
    assert not found.works
    assert "LM Studio is not responding at" in found.words
    assert "lms server start" in found.words
