"""Each server is known by what only it answers, and nothing else is taken for one."""

import asyncio
import copy

import pytest
from aiohttp import web

from dogent_tui.local_models import discovery
from dogent_tui.local_models.discovery import find_servers, look_at
from dogent_tui.local_models.model import LABELS, LocalModel, LocalServer, window_warning
from tests.local_models.stand_ins import LLAMA_CPP, LM_STUDIO, OLLAMA, VLLM, StandIn

NOBODY = "http://127.0.0.1:9"


async def test_all_four_are_found_with_their_models_and_windows():
    async with (
        StandIn(OLLAMA) as ollama,
        StandIn(LLAMA_CPP) as llama,
        StandIn(LM_STUDIO) as studio,
        StandIn(VLLM) as vllm,
    ):
        places = dict(
            zip(
                LABELS,
                (ollama.base_url, llama.base_url, studio.base_url, vllm.base_url),
                strict=True,
            )
        )
        found = await find_servers(places)
    assert found == (
        LocalServer("ollama", ollama.base_url, (LocalModel("qwen3-coder:30b", 0, 262144, True),)),
        LocalServer(
            "llama.cpp",
            llama.base_url,
            (LocalModel("gpt-oss-20b-mxfp4.gguf", 65536, 131072, loaded=True),),
        ),
        LocalServer(
            "lm-studio",
            studio.base_url,
            (
                LocalModel("openai/gpt-oss-20b", 4096, 131072, True, True),
                LocalModel("qwen2-vl-7b-instruct", 0, 32768),
            ),
        ),
        LocalServer("vllm", vllm.base_url, (LocalModel("Qwen/Qwen3-30B-A3B", 40960, loaded=True),)),
    )


async def test_what_ollama_runs_with_is_what_counts():
    probes = copy.deepcopy(OLLAMA)
    probes["/api/show"]["qwen3-coder:30b"]["parameters"] += "\nnum_ctx                        16384"
    async with StandIn(probes) as ollama:
        told = await look_at("ollama", ollama.base_url)
        probes["/api/ps"]["models"].append({"name": "qwen3-coder:30b", "context_length": 65536})
        runs = await look_at("ollama", ollama.base_url)
    assert [server.models[0].window for server in (told, runs) if server] == [16384, 65536]


async def test_a_server_that_loads_its_model_is_there_and_has_none_yet():
    loading = web.json_response(
        {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}},
        status=503,
    )
    async with StandIn({"/props": loading}) as llama:
        assert await look_at("llama.cpp", llama.base_url) == LocalServer(
            "llama.cpp", llama.base_url
        )


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize(
    "answer",
    [
        lambda: web.Response(text="<html>My own page</html>", content_type="text/html"),
        lambda: web.json_response([1, 2]),
        lambda: web.json_response({"models": "none", "data": 7}),
        lambda: web.json_response(
            {"data": [{"id": "gpt-4", "owned_by": "organization"}], "models": [{"id": 3}, "x"]}
        ),
        lambda: web.Response(text="[" * 100_000, content_type="application/json"),
        lambda: web.Response(status=302, headers={"Location": "http://127.0.0.1:9/"}),
        lambda: web.Response(body=b" " * 3_000_000, content_type="application/json"),
    ],
    ids=["page", "list", "wrong types", "somebody else’s", "deep", "elsewhere", "huge"],
)
async def test_another_server_on_the_port_is_not_taken_for_one(kind, answer):
    class Same(dict):
        def get(self, _key, _default=None):
            return answer()

    async with StandIn(Same(x=1)) as other:
        assert await look_at(kind, other.base_url) is None


async def test_silence_and_closed_ports_are_not_waited_for(monkeypatch):
    monkeypatch.setattr(discovery, "_ANSWER_LIMIT_S", 0.05)

    async def silent(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _reader.read()
        writer.close()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    async with server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        places = {"ollama": url, "llama.cpp": NOBODY, "lm-studio": "http://[broken", "vllm": url}
        assert await asyncio.wait_for(find_servers(places), 60) == ()


async def test_no_proxy_comes_between(monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, NOBODY)
    async with StandIn(VLLM) as vllm:
        assert await look_at("vllm", vllm.base_url) is not None


def test_a_window_that_is_too_small_or_unknown_is_told_with_a_remedy():
    small = window_warning("lm-studio", LocalModel("gpt-oss", 4096, 131072))
    assert "4,096 tokens" in small[0]
    assert "--context-length" in small[1]
    unknown = window_warning("ollama", LocalModel("qwen3", 0, 262144))
    assert "4,096" in unknown[0]
    assert "OLLAMA_CONTEXT_LENGTH" in unknown[1]
    assert window_warning("vllm", LocalModel("qwen", 32000)) == ("", "")
    assert window_warning("vllm", LocalModel("qwen", 0)) == ("", "")
    assert (
        window_warning("lm-studio", LocalModel("tiny", 0, 2048))[1]
        == "Choose a model with a larger context window."
    )
