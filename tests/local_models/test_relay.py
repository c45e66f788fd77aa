"""What the CLI gets through the relay, whatever the local server speaks and however it answers."""

import copy
import json
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp import web

from dogent_tui.local_models.relay import LocalRelay
from dogent_tui.local_models.replies import NO_ANSWER
from dogent_tui.offline.messages_api import UNREADABLE
from tests.local_models.stand_ins import (
    CUT,
    LLAMA_CPP,
    LM_STUDIO,
    OLLAMA,
    VLLM,
    WAIT,
    StandIn,
    chat,
    chat_delta,
    chat_text,
)

READ = {
    "name": "Read",
    "description": "Reads",
    "input_schema": {"properties": {"file_path": {"type": "string"}}},
}
ASK = {
    "model": "claude-haiku-4-5",
    "max_tokens": 64000,
    "stream": True,
    "tools": [READ],
    "messages": [{"role": "user", "content": "Hi"}, {"role": "system", "content": "Be brief."}],
}
CALL_TEXT = '<tool_call>{"name": "Read", "arguments": {"file_path": "a.md"}}</tool_call>'
CALL = {"type": "tool_use", "name": "Read", "input": {"file_path": "a.md"}}


class Reply:
    """An answer of the relay, put together as the CLI would."""

    def __init__(self, status, body):
        self.status = status
        self.events = [
            json.loads(part.partition("\ndata: ")[2])
            for part in body.split("\n\n")
            if "\ndata: " in part
        ]
        self.json = None if self.events else json.loads(body)
        self.blocks = []
        for event in self.events:
            if event["type"] == "content_block_start":
                self.blocks.append(
                    {
                        k: v
                        for k, v in event["content_block"].items()
                        if k not in ("id", "signature")
                    }
                )
            elif event["type"] == "content_block_delta":
                delta = event["delta"]
                for key in ("text", "thinking"):
                    if key in delta:
                        self.blocks[-1][key] += delta[key]
                if "partial_json" in delta:
                    self.blocks[-1]["input"] = (self.blocks[-1]["input"] or "") + delta[
                        "partial_json"
                    ]
        for block in self.blocks:
            if isinstance(block.get("input"), str):
                block["input"] = json.loads(block["input"])

    @property
    def reason(self):
        return next(
            event["delta"]["stop_reason"]
            for event in self.events
            if event["type"] == "message_delta"
        )

    @property
    def error(self):
        return (self.json or next(event for event in self.events if event["type"] == "error"))[
            "error"
        ]["message"]


class Relayed:
    def __init__(self, relay, server):
        self.relay, self.server = relay, server

    async def ask(self, token=None, **changes):
        headers = {"Authorization": f"Bearer {self.relay.token if token is None else token}"}
        async with (
            aiohttp.ClientSession(headers=headers) as session,
            session.post(f"{self.relay.base_url}/v1/messages", json={**ASK, **changes}) as response,
        ):
            return Reply(response.status, await response.text())


@asynccontextmanager
async def relayed(kind="llama.cpp", probes=None, model="gpt-oss-20b-mxfp4.gguf", key=""):
    async with (
        StandIn(LLAMA_CPP if probes is None else probes) as server,
        LocalRelay(kind, server.base_url, model, key=key) as relay,
    ):
        yield Relayed(relay, server)


@pytest.mark.parametrize(
    ("kind", "probes", "model"),
    [
        ("ollama", OLLAMA, "qwen3-coder:30b"),
        ("llama.cpp", LLAMA_CPP, "gpt-oss-20b-mxfp4.gguf"),
        ("lm-studio", LM_STUDIO, "openai/gpt-oss-20b"),
        ("vllm", VLLM, "Qwen/Qwen3-30B-A3B"),
    ],
    ids=["ollama", "llama.cpp", "lm-studio", "vllm"],
)
async def test_each_server_is_asked_for_its_own_model_and_its_words_come_through(
    kind, probes, model
):
    async with relayed(kind, probes, model) as through:
        through.server.chat(chat_text("Tea ", "is hot."))
        reply = await through.ask()
    path, body = through.server.requests[0]
    assert (path, body["model"]) == ("/v1/chat/completions", model)
    assert body["messages"] == [{"role": "user", "content": "Hi\n\nBe brief."}]
    assert reply.blocks == [{"type": "text", "text": "Tea is hot."}]
    assert reply.events[0]["message"]["model"] == "claude-haiku-4-5"
    assert reply.reason == "end_turn"
    assert [event["usage"] for event in reply.events if event["type"] == "message_delta"] == [
        {"input_tokens": 4711, "output_tokens": 12}
    ]


async def test_a_call_written_as_text_becomes_a_call():
    async with relayed() as through:
        through.server.chat(chat_text("I read it.\n\n<tool", CALL_TEXT[5:30], CALL_TEXT[30:]))
        reply = await through.ask()
    assert reply.blocks == [{"type": "text", "text": "I read it.\n\n"}, CALL]
    assert reply.reason == "tool_use"


async def test_without_tools_nothing_is_taken_for_a_call():
    async with relayed() as through:
        through.server.chat(chat_text(CALL_TEXT))
        reply = await through.ask(tools=[])
    assert reply.blocks == [{"type": "text", "text": CALL_TEXT}]


def part(index, arguments=None, name=None, **more):
    return {"index": index, "function": {"name": name, "arguments": arguments}, **more}


async def test_the_servers_own_calls_are_kept_and_set_right():
    calls = [
        [part(0, '{"file_path"', "Read", id="c0")],
        [part(0, ': "a.md"}', id="c9")],  # each part has an id of its own: old vLLM
        [part(1, json.dumps('{"file_path": "a.md"}'), "read", id="c1")],
        [part(2, "{not JSON", "Read", id="c2"), part(3, "", "Read", id="c3")],
        [part(4, {"file_path": 7}, "Read", id="c4")],
        [part(0, '{"file_path": "a.md"}', "Read", id="c5")],  # each has the index 0: old Ollama
    ]
    async with relayed() as through:
        through.server.chat(
            chat(
                chat_delta(role="assistant", content=""),
                chat_delta(reasoning_content="Hm."),
                chat_delta(content="I read "),
                chat_delta(content="it."),
                *(chat_delta(tool_calls=each) for each in calls),
                # no reason to stop but the end of the stream
                {"choices": [], "usage": {"prompt_tokens": 900, "completion_tokens": 40}},
            )
        )
        reply = await through.ask()
    assert reply.blocks == [
        {"type": "thinking", "thinking": "Hm."},
        {"type": "text", "text": "I read it."},
        CALL,
        CALL,
        {"type": "tool_use", "name": "Read", "input": {UNREADABLE: "{not JSON"}},
        {"type": "tool_use", "name": "Read", "input": {}},
        {"type": "tool_use", "name": "Read", "input": {"file_path": "7"}},
        CALL,
    ]
    assert reply.reason == "tool_use"
    assert reply.events[-2]["usage"] == {"input_tokens": 900, "output_tokens": 40}


async def test_answers_that_do_not_stream_and_requests_that_do_not():
    async with relayed() as through:

        def answer(**message):
            choice = {"message": {"role": "assistant", **message}, "finish_reason": "stop"}
            through.server.chat(lambda _: web.json_response({"choices": [choice]}))

        answer(content=CALL_TEXT)
        assert (await through.ask()).blocks == [CALL]
        reply = await through.ask(stream=False)
        assert [{**block, "id": ""} for block in reply.json["content"]] == [{**CALL, "id": ""}]
        answer(content="Tea.", reasoning="Hm.")
        reply = await through.ask(stream=False)
        assert [block["type"] for block in reply.json["content"]] == ["thinking", "text"]
        function = {"name": "Read", "arguments": '{"file_path": "a.md"}'}
        answer(content=None, tool_calls=[{"function": function}, {"function": function}])
        assert (await through.ask()).blocks == [CALL, CALL]
        through.server.chat(chat_text("Tea ", "is hot."))
        reply = await through.ask(stream=False)
        assert reply.json["content"] == [{"type": "text", "text": "Tea is hot."}]


ERRORS = {
    "no such model": (
        404,
        {"error": {"type": "not_found_error", "message": "model 'x' not found"}},
        400,
        "does not have the model",
    ),
    "too long": (
        400,
        {"error": {"message": "the request exceeds the available context size"}},
        400,
        "-c 65536",
    ),
    "too long, as a failure": (
        500,
        {"error": {"type": "api_error", "message": "Context length exceeded"}},
        400,
        "does not fit",
    ),
    "no tools": (400, {"error": "registry/qwen does not support tools"}, 400, "can't call tools"),
    "loading": (
        503,
        {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}},
        529,
        "still loading",
    ),
    "busy": (503, {"error": "server busy, please try again"}, 529, "busy"),
    "key": (401, {"error": {"message": "Invalid API Key"}}, 400, "ANTHROPIC_AUTH_TOKEN"),
    "failure": (
        500,
        {"error": {"message": "slot\nunavailable"}},
        400,
        "refused the request (500): “slot unavailable”",
    ),
    "page": (500, "<html>Internal Server Error</html>", 400, "refused the request (500).\nCheck"),
    "no such address": (404, {"detail": "Not Found"}, 400, "does not support chat completions"),
    "LM Studio without it": (200, {"error": "Unexpected endpoint"}, 400, "chat completions"),
    "no reply": (200, {"hello": "wor\x00ld"}, 400, 'unreadable answer: “{"hello": "wor'),
    "control": (500, {"error": "broken\x00\x1b[2J"}, 400, "(500): “broken␀␛[2J”"),
    "details": (422, {"detail": [{"msg": "extra fields"}]}, 400, "extra fields"),
    "list": (200, [1], 400, "unreadable answer"),
    "long": (418, {"error": "word " * 9000}, 400, "…”"),
    "deep": (400, "[" * 50_000, 400, "refused"),
    "redirected": (302, "", 400, "refused the request (302)"),
}


@pytest.mark.parametrize(("status", "said", "becomes", "words"), ERRORS.values(), ids=ERRORS)
async def test_errors_become_sentences_that_are_not_retried_in_vain(status, said, becomes, words):
    body = said if isinstance(said, str) else json.dumps(said)
    async with relayed() as through:
        through.server.chat(
            lambda _: web.Response(status=status, text=body, content_type="application/json")
        )
        reply = await through.ask()
    assert reply.status == becomes
    assert words in reply.error
    assert len(reply.error) < 800


async def test_a_server_that_is_gone_is_said_to_be():
    async with relayed("ollama", OLLAMA, "qwen3-coder:30b") as through:
        await through.server.__aexit__()
        reply = await through.ask()
        await through.server.__aenter__()
    assert reply.status == 400
    assert "ollama serve" in reply.error


@pytest.mark.parametrize(
    "rest",
    [
        [CUT],
        [],
        [b'data: {"error": {"type": "api_error", "message": "out of memory"}}\n\n'],
        [b"data: " + b"x" * 17_000_000],
    ],
    ids=["cut", "ends early", "error", "endless event"],
)
async def test_what_breaks_in_the_middle_is_an_error_and_no_reply(rest):
    begun = chat_text("Half a ")[:1]
    async with relayed() as through:
        through.server.chat([*begun, *rest])
        reply = await through.ask()
        whole = await through.ask(stream=False)
    assert "mid-answer" in reply.error
    assert not any(event["type"] == "message_stop" for event in reply.events)
    assert whole.status == 400


async def test_hostile_events_do_no_harm():
    odd = [
        b"data: [1]\n\n",
        b"data: {\n\n",
        b"event: x\r\n\r\n",
        b": comment\n\n",
        b"data: " + b"[" * 90_000 + b"\n\n",
        *chat(
            {"choices": [{"delta": {"tool_calls": [{"index": -7, "function": {"name": 3}}]}}]},
            {"choices": [{"delta": {"tool_calls": ["x", {"function": "y"}], "content": 5}}]},
            {"choices": [None], "usage": {"prompt_tokens": "many", "completion_tokens": -1}},
            {"choices": "none", "usage": []},
            {"choices": [{"delta": None, "message": "hello", "finish_reason": 1}]},
        )[:-1],
        b'data: {"choices": [{"delta": {"content": "\\ud800ok\\u001b[2J"}}]}\n\n',
        *chat_text(),
    ]
    async with relayed() as through:
        through.server.chat(odd)
        reply = await through.ask()
    text, *calls = reply.blocks
    assert text["text"].endswith("ok\x1b[2J")
    assert {call["name"] for call in calls} == {"unnamed"}, "the CLI refuses it: it is asked again"


async def test_a_reply_that_is_empty_or_only_thought_says_so():
    async with relayed() as through:
        for said in ((), ("<think>Hm.</think>",), ("\n\n",)):
            through.server.chat(chat_text(*said))
            assert (await through.ask()).blocks[-1] == {"type": "text", "text": NO_ANSWER}


async def test_a_reply_that_was_cut_for_its_length_is_said_to_be():
    async with relayed() as through:
        through.server.chat(chat_text("Long", reason="length"))
        assert (await through.ask()).reason == "max_tokens"


async def test_nobody_else_can_use_it_and_the_servers_key_is_its_own():
    async with relayed(key="lm-secret") as through, relayed() as other:
        through.server.chat(chat_text("Hi"))
        for token in ("", "wrong", other.relay.token):
            assert (await through.ask(token)).status == 401
        assert not through.server.requests
        assert (await through.ask()).status == 200
        assert set(through.server.tokens) == {"Bearer lm-secret"}
        assert through.relay.base_url.startswith("http://127.0.0.1:")


async def test_ollama_is_not_asked_what_it_would_cut_off_silently():
    probes = {
        **OLLAMA,
        "/api/ps": {"models": [{"name": "qwen3-coder:30b", "context_length": 4096}]},
    }
    async with relayed("ollama", probes, "qwen3-coder:30b") as through:
        through.server.chat(chat_text("Hi"))
        assert "4,096" in through.relay.warning[0]
        reply = await through.ask(system="word " * 6000)
        assert reply.status == 400
        assert "OLLAMA_CONTEXT_LENGTH" in reply.error
        assert not through.server.requests
        assert (await through.ask()).status == 200


async def test_nothing_is_said_of_a_model_whose_server_is_not_there():
    async with LocalRelay("ollama", "http://127.0.0.1:1", "qwen3", key="") as relay:
        assert relay.warning == ("", "")


async def test_ollama_is_asked_for_its_window_once_the_model_is_loaded():
    probes = copy.deepcopy(OLLAMA)

    def load(body):
        assert body == {"model": "qwen3-coder:30b", "stream": False}
        probes["/api/ps"]["models"] = [{"name": "qwen3-coder:30b", "context_length": 4096}]
        return web.json_response({"model": "qwen3-coder:30b", "response": "", "done": True})

    async with relayed("ollama", probes, "qwen3-coder:30b") as through:
        through.server.answers["/api/generate"] = load
        through.server.chat(chat_text("Hi"))
        reply = await through.ask(system="word " * 6000)
        assert "4,096" in reply.error, "not even the first request is cut off"
        assert (await through.ask()).status == 200
    assert [path for path, _ in through.server.requests] == [
        "/api/generate",
        "/v1/chat/completions",
    ]


async def test_when_the_cli_goes_away_the_server_may_stop():
    async with relayed() as through:
        through.server.chat([*chat_text("Once upon a time")[:1], WAIT])
        headers = {"Authorization": f"Bearer {through.relay.token}"}
        async with aiohttp.ClientSession(headers=headers) as session:
            async with session.post(f"{through.relay.base_url}/v1/messages", json=ASK) as response:
                assert await response.content.readuntil(b"message_start")
                response.close()
            await through.server.left.wait()
