"""Discovers servers of local models: each is asked something only it answers, all at once and only
briefly.

The answers follow their documentation: Ollama's API (`/api/tags`, `/api/show`, `/api/ps`),
llama.cpp's server (`/props`), LM Studio's REST API (`/api/v0/models`), and vLLM's list of models,
which includes the maximum length. Anything else may listen on the same port, so an answer counts
only if it is characteristic of its server.
"""

import asyncio
import importlib
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from dogent_tui.endpoint_kind import ServerKind
from dogent_tui.local_models.call_json import loads
from dogent_tui.local_models.model import LocalModel, LocalServer
from dogent_tui.records import Json, JsonDict, at

if TYPE_CHECKING:
    from aiohttp import ClientSession

PLACES: Mapping[ServerKind, str] = {
    "ollama": "http://127.0.0.1:11434",
    "llama.cpp": "http://127.0.0.1:8080",
    "lm-studio": "http://127.0.0.1:1234",
    "vllm": "http://127.0.0.1:8000",
}
"""The default addresses."""

_ANSWER_LIMIT_S = 1.0
"""The time limit for one answer: on this machine they take milliseconds, unless it is busy, as with
a model.
"""
_ALL_LIMIT_S = 3.0
"""The time limit for all questions to one server."""
_MOST_ASKED = 24
"""The number of Ollama's models to inspect one by one."""

_NUM_CTX = re.compile(r"^num_ctx\s+(\d{1,9})\s*$", re.MULTILINE)

Ask: TypeAlias = Callable[..., Awaitable[JsonDict]]
"""Returns the JSON object at a path, empty if there is none; `body` makes it a POST."""


async def find_servers(places: Mapping[ServerKind, str] = PLACES) -> tuple[LocalServer, ...]:
    """Return the servers that answer at `places`, by default the default addresses, in that order.
    Never raises.

    Takes about 10 ms if nothing listens, and a second if something listens without
    answering.
    """
    found = await asyncio.gather(*(look_at(kind, url) for kind, url in places.items()))
    return tuple(server for server in found if server)


async def look_at(kind: ServerKind, base_url: str, *, token: str = "") -> LocalServer | None:
    """Return the server of `kind` at `base_url`, None if there is none. `token` is for a server
    that requires one.
    """
    # Importing it takes a quarter of a second; keys are handled in between.
    await asyncio.to_thread(importlib.import_module, "aiohttp")
    from aiohttp import ClientError, ClientSession, ClientTimeout

    headers = {"Authorization": f"Bearer {token}"} if token else {}
    limit = ClientTimeout(total=_ANSWER_LIMIT_S)
    try:
        async with (
            asyncio.timeout(_ALL_LIMIT_S),
            ClientSession(timeout=limit, headers=headers, trust_env=False) as session,
        ):
            models = await _LOOKS[kind](_asker(session, base_url.rstrip("/")))
    except (ClientError, OSError, ValueError, TimeoutError):
        return None
    if models is None:
        return None
    # Models that are loaded, call tools and have a large enough window come first.
    tools = {True: 0, None: 1, False: 2}
    models.sort(key=lambda model: (tools[model.tools], model.is_small, not model.loaded))
    return LocalServer(kind, base_url.rstrip("/"), tuple(models))


def _asker(session: "ClientSession", base_url: str) -> Ask:
    async def ask(path: str, body: Json | None = None) -> JsonDict:
        method, url = "GET" if body is None else "POST", f"{base_url}{path}"
        async with session.request(method, url, json=body, allow_redirects=False) as response:
            return at(loads((await response.read()).decode(errors="replace")), dict)

    return ask


async def _look_at_ollama(ask: Ask) -> list[LocalModel] | None:
    tags = await ask("/api/tags")
    entries = at(tags, list, "models")
    if entries is not tags.get("models") or not all(at(each, str, "digest") for each in entries):
        return None
    # A model in Ollama's cloud is not on this machine: what it reads would leave it.
    ours = [entry for entry in entries if not at(entry, str, "remote_host")]
    running = at(await ask("/api/ps"), list, "models")
    windows = {at(entry, str, "name"): at(entry, int, "context_length") for entry in running}
    names = [at(entry, str, "name") for entry in ours[:_MOST_ASKED]]
    models = await asyncio.gather(*(_ollama_model(ask, name, windows) for name in names))
    return [model for model in models if model]


async def _ollama_model(ask: Ask, name: str, windows: Mapping[str, int]) -> LocalModel | None:
    """Return what is known about a model, which is listed even if its details take too long."""
    about: JsonDict = {}
    with suppress(TimeoutError):
        about = await ask("/api/show", {"model": name})
    if _can(about, "completion") is False:  # an embedding model
        return None
    info = at(about, dict, "model_info")
    most = next((at(info, int, key) for key in info if key.endswith(".context_length")), 0)
    told = _NUM_CTX.search(at(about, str, "parameters"))
    window = windows.get(name) or (int(told[1]) if told else 0)
    return LocalModel(name, window, most, _can(about, "tools"), name in windows)


async def _look_at_llama_cpp(ask: Ask) -> list[LocalModel] | None:
    props = await ask("/props")
    if at(props, str, "error", "type") == "unavailable_error":  # it is loading its model
        return []
    if "default_generation_settings" not in props:
        return None
    window = at(props, int, "default_generation_settings", "n_ctx")
    return [
        LocalModel(name, window, at(entry, int, "meta", "n_ctx_train"), loaded=window > 0)
        for entry in at(await ask("/v1/models"), list, "data")
        if (name := at(entry, str, "id"))
    ]


async def _look_at_lm_studio(ask: Ask) -> list[LocalModel] | None:
    entries = at(await ask("/api/v0/models"), list, "data")
    models = []
    for entry in entries:
        loaded, most = at(entry, str, "state") == "loaded", at(entry, int, "max_context_length")
        window = at(entry, int, "loaded_context_length") if loaded else 0
        if at(entry, str, "type") in ("llm", "vlm"):
            tools = _can(entry, "tool_use")
            models.append(LocalModel(at(entry, str, "id"), window, most, tools, loaded))
    return models if any(at(entry, int, "max_context_length") for entry in entries) else None


async def _look_at_vllm(ask: Ask) -> list[LocalModel] | None:
    entries = at(await ask("/v1/models"), list, "data")
    return [
        LocalModel(at(entry, str, "id"), at(entry, int, "max_model_len"), loaded=True)
        for entry in entries
        if at(entry, str, "owned_by") == "vllm"
    ] or None


def _can(about: Any, capability: str) -> bool | None:
    able = at(about, list, "capabilities")
    return capability in able if able else None


_LOOKS: Mapping[ServerKind, Callable[[Ask], Awaitable[list[LocalModel] | None]]] = {
    "ollama": _look_at_ollama,
    "llama.cpp": _look_at_llama_cpp,
    "lm-studio": _look_at_lm_studio,
    "vllm": _look_at_vllm,
}
