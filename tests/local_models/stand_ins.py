"""Loopback servers that answer as Ollama, llama.cpp, LM Studio and vLLM do.

The probe answers are shortened from their own documentation (`stand_ins` says where). What
`/v1/chat/completions` answers, a test scripts.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any, Self

import pytest
from aiohttp import web

from dogent_tui.local_models import discovery

OLLAMA = {
    # docs/api.md, "List Local Models"
    "/api/tags": {
        "models": [
            {
                "name": "qwen3-coder:30b",
                "model": "qwen3-coder:30b",
                "modified_at": "2025-10-03T23:34:03.409490317-07:00",
                "size": 18556700761,
                "digest": "06c1097efce0431c2045fe7b2e5108366e43bee1b4603a7aded8f21689e90bca",
                "details": {
                    "parent_model": "",
                    "format": "gguf",
                    "family": "qwen3moe",
                    "quantization_level": "Q4_K_M",
                },
            },
            {
                "name": "nomic-embed-text:latest",
                "model": "nomic-embed-text:latest",
                "modified_at": "2025-05-10T08:06:48.639712648-07:00",
                "size": 274302450,
                "digest": "0a109f422b47e3a30ba2b10eca18548e944e8a23073ee3f3e947efcf3c45e59f",
                "details": {
                    "parent_model": "",
                    "format": "gguf",
                    "family": "nomic-bert",
                    "quantization_level": "F16",
                },
            },
            {
                "name": "glm-4.7:cloud",
                "model": "glm-4.7:cloud",
                "remote_model": "glm-4.7",
                "remote_host": "https://ollama.com:443",
                "modified_at": "2026-01-10T08:06:48.639712648-07:00",
                "size": 384,
                "digest": "1a109f422b47e3a30ba2b10eca18548e944e8a23073ee3f3e947efcf3c45e59f",
                "details": {"parent_model": "", "format": "", "family": "glm"},
            },
        ]
    },
    # docs/api.md, "List Running Models"
    "/api/ps": {"models": []},
    "/api/version": {"version": "0.14.2"},
    # docs/api.md, "Show Model Information", by the name that is asked for
    "/api/show": {
        "qwen3-coder:30b": {
            "parameters": (
                'stop                           "<|im_end|>"\ntemperature                    0.7'
            ),
            "details": {"format": "gguf", "family": "qwen3moe"},
            "model_info": {"general.architecture": "qwen3moe", "qwen3moe.context_length": 262144},
            "capabilities": ["completion", "tools"],
        },
        "nomic-embed-text:latest": {
            "parameters": "num_ctx                        8192",
            "model_info": {"general.architecture": "nomic-bert", "nomic-bert.context_length": 2048},
            "capabilities": ["embedding"],
        },
    },
}

LLAMA_CPP = {
    # tools/server/README.md, "GET /props"
    "/props": {
        "default_generation_settings": {
            "id": 0,
            "id_task": -1,
            "n_ctx": 65536,
            "speculative": False,
            "params": {"n_predict": -1},
        },
        "total_slots": 1,
        "model_path": "/models/gpt-oss-20b-mxfp4.gguf",
        "chat_template": "…",
        "modalities": {"vision": False},
        "build_info": "b7234-0f1d2e3c",
    },
    # tools/server/README.md, "GET /v1/models"
    "/v1/models": {
        "object": "list",
        "data": [
            {
                "id": "gpt-oss-20b-mxfp4.gguf",
                "object": "model",
                "created": 1735142223,
                "owned_by": "llamacpp",
                "meta": {
                    "vocab_type": 2,
                    "n_vocab": 201088,
                    "n_ctx_train": 131072,
                    "n_params": 20914757184,
                },
            }
        ],
    },
}

LM_STUDIO = {
    # lmstudio.ai/docs/developer/rest/endpoints, "GET /api/v0/models"
    "/api/v0/models": {
        "object": "list",
        "data": [
            {
                "id": "text-embedding-nomic-embed-text-v1.5",
                "object": "model",
                "type": "embeddings",
                "publisher": "nomic-ai",
                "arch": "nomic-bert",
                "compatibility_type": "gguf",
                "quantization": "Q4_0",
                "state": "not-loaded",
                "max_context_length": 2048,
            },
            {
                "id": "qwen2-vl-7b-instruct",
                "object": "model",
                "type": "vlm",
                "publisher": "mlx-community",
                "arch": "qwen2_vl",
                "compatibility_type": "mlx",
                "quantization": "4bit",
                "state": "not-loaded",
                "max_context_length": 32768,
            },
            {
                "id": "openai/gpt-oss-20b",
                "object": "model",
                "type": "llm",
                "publisher": "openai",
                "arch": "gpt-oss",
                "compatibility_type": "gguf",
                "quantization": "MXFP4",
                "state": "loaded",
                "max_context_length": 131072,
                "loaded_context_length": 4096,
                "capabilities": ["tool_use"],
            },
        ],
    }
}

VLLM = {
    # docs.vllm.ai, the list of models of its OpenAI-compatible server
    "/v1/models": {
        "object": "list",
        "data": [
            {
                "id": "Qwen/Qwen3-30B-A3B",
                "object": "model",
                "created": 1723770563,
                "owned_by": "vllm",
                "root": "Qwen/Qwen3-30B-A3B",
                "parent": None,
                "max_model_len": 40960,
                "permission": [
                    {
                        "id": "modelperm-7c4c5de9b37b4f76800eb2d03b845b00",
                        "object": "model_permission",
                    }
                ],
            }
        ],
    }
}


def chat(*chunks: dict[str, Any]) -> list[bytes]:
    """Chunks of a chat completion, as a server streams them."""
    return [
        *(f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n".encode() for chunk in chunks),
        b"data: [DONE]\n\n",
    ]


def chat_delta(reason: str | None = None, **delta: Any) -> dict[str, Any]:
    return {
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
    }


def chat_text(*pieces: str, reason: str = "stop") -> list[bytes]:
    """A reply of text, as a server streams it; it counts its tokens at the end."""
    return chat(
        *(chat_delta(content=piece) for piece in pieces),
        chat_delta(reason),
        {"choices": [], "usage": {"prompt_tokens": 4711, "completion_tokens": 12}},
    )


Answer = Sequence[bytes] | web.Response


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for the answers of a stand-in as long as a busy machine takes."""
    monkeypatch.setattr(discovery, "_ANSWER_LIMIT_S", 60)
    monkeypatch.setattr(discovery, "_ALL_LIMIT_S", 60)


class StandIn:
    """A server. `requests` are the bodies it got where it has `answers`, with their paths."""

    def __init__(self, probes: dict[str, Any] | None = None) -> None:
        self.probes = probes or {}
        self.base_url = ""
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.tokens: list[str] = []
        self.answers: dict[str, Callable[[dict[str, Any]], Answer]] = {}
        self.left = asyncio.Event()
        self._runner: web.AppRunner | None = None

    def chat(self, answer: Callable[[dict[str, Any]], Answer] | Answer) -> None:
        """Answer what is posted to `/v1/chat/completions`."""
        self.answers["/v1/chat/completions"] = answer if callable(answer) else lambda _: answer

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=2**26)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(
            app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1
        )
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.base_url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *exc: object) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self.tokens.append(request.headers.get("Authorization", ""))
        if request.path in self.answers:
            body = await request.json()
            self.requests.append((request.path, body))
            answer = self.answers[request.path](body)
            return (
                answer if isinstance(answer, web.Response) else await self._stream(request, answer)
            )
        probe = self.probes.get(request.path)
        if request.path == "/api/show":
            probe = (probe or {}).get((await request.json())["model"])
        if probe is None:
            return web.json_response({"error": "Not Found"}, status=404)
        return probe if isinstance(probe, web.Response) else web.json_response(probe)

    async def _stream(self, request: web.Request, events: Sequence[bytes]) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        try:
            for data in events:
                if data == WAIT:
                    await asyncio.Event().wait()
                if data == CUT:
                    assert request.transport is not None
                    request.transport.close()
                    return response
                await response.write(data)
        except (ConnectionResetError, asyncio.CancelledError):
            self.left.set()
            raise
        return response


WAIT, CUT = b"wait", b"cut"
"""In place of an event: nothing more comes; the connection breaks."""
