"""Finding the servers of local models: each is asked what only it answers, all at the same time and
for a moment only.

What they answer is from their own documentation: Ollama's API (`/api/tags`, `/api/show`,
`/api/ps`), llama.cpp's server (`/props`), LM Studio's REST API (`/api/v0/models`), and vLLM's list
of models, which says how long a prompt may be. On the same port there may be anything else, so an
answer counts only where it has the marks of its server.
"""

import asyncio
import importlib
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from dogent_tui.endpoint_kind import ServerKind
from dogent_tui.local_models.model import KINDS, LocalModel, LocalServer

if TYPE_CHECKING:
    from aiohttp import ClientSession

PLACES: Mapping[ServerKind, str] = {
    "ollama": "http://127.0.0.1:11434",
    "llama.cpp": "http://127.0.0.1:8080",
    "lm-studio": "http://127.0.0.1:1234",
    "vllm": "http://127.0.0.1:8000",
}
"""Where each listens unless told otherwise."""

ANSWER_LIMIT_S = 0.3
"""How long one answer may take: on this machine they take some milliseconds."""
_ALL_LIMIT_S = 1.5
"""How long all the questions to one server may take together."""
_MOST_BYTES = 2_000_000
_MOST_MODELS = 200
_MOST_ASKED = 24
"""Models of Ollama that are looked at one by one."""

Ask: TypeAlias = Callable[..., Awaitable[dict[str, Any]]]
"""Returns the JSON object at a path, empty where there is none; `body` makes it a POST."""


async def find_servers(
    places: Mapping[ServerKind, str] | None = None, *, limit_s: float = ANSWER_LIMIT_S
) -> tuple[LocalServer, ...]:
    """Return the servers that answer at `places`, by default where they listen by themselves, in a
    fixed order. Never raises.

    Nothing listens: some 10 ms. Something listens and is silent: `limit_s` seconds.
    """
    found = await asyncio.gather(
        *(look_at(kind, url, limit_s=limit_s) for kind, url in (places or PLACES).items())
    )
    return tuple(sorted(filter(None, found), key=lambda server: KINDS.index(server.kind)))


async def look_at(
    kind: ServerKind, base_url: str, *, token: str = "", limit_s: float = ANSWER_LIMIT_S
) -> LocalServer | None:
    """Return what the server of `kind` at `base_url` has, None where there is none. `token` is
    for one that asks for it.
    """
    await asyncio.to_thread(
        importlib.import_module, "aiohttp"
    )  # a quarter of a second, in which keys come between
    from aiohttp import ClientError, ClientSession, ClientTimeout

    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        async with (
            asyncio.timeout(_ALL_LIMIT_S),
            ClientSession(
                timeout=ClientTimeout(total=limit_s), headers=headers, trust_env=False
            ) as session,
        ):
            return await _LOOKS[kind](_asker(session, base_url.rstrip("/")), base_url.rstrip("/"))
    except (ClientError, OSError, ValueError, TimeoutError):
        return None


def _asker(session: "ClientSession", base_url: str) -> Ask:
    async def ask(path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        method = "GET" if body is None else "POST"
        async with session.request(
            method, f"{base_url}{path}", json=body, allow_redirects=False
        ) as response:
            data = await response.content.read(_MOST_BYTES + 1)
            while len(data) <= _MOST_BYTES and (more := await response.content.read(_MOST_BYTES)):
                data += more
        try:
            value = json.loads(data) if len(data) <= _MOST_BYTES else None
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}

    return ask


# ── Ollama ────────────────────────────────────────────────────────────────────────────────────────

_NUM_CTX = re.compile(r"^num_ctx\s+(\d{1,9})\s*$", re.MULTILINE)


async def _look_at_ollama(ask: Ask, base_url: str) -> LocalServer | None:
    tags = await ask("/api/tags")
    if not isinstance(tags.get("models"), list):
        return None
    entries = [entry for entry in _objects(tags, "models") if _is_ollama_entry(entry)]
    if tags["models"] and not entries:
        return None
    # A model in Ollama's cloud is none of this machine: what it reads would leave it.
    names = [
        _word(entry, "name")
        for entry in entries
        if not entry.get("remote_host") and not entry.get("remote_model")
    ]
    running = {
        _word(entry, "name"): _count(entry, "context_length")
        for entry in _objects(await ask("/api/ps"), "models")
    }
    shown = await asyncio.gather(*(_ask_calmly(ask, name) for name in names[:_MOST_ASKED]))
    models = [
        _ollama_model(name, about, running) for name, about in zip(names, shown, strict=False)
    ]
    return _server("ollama", base_url, [model for model in models if model is not None])


def _is_ollama_entry(entry: Mapping[str, Any]) -> bool:
    return bool(_word(entry, "name")) and ("digest" in entry or "modified_at" in entry)


async def _ask_calmly(ask: Ask, name: str) -> dict[str, Any]:
    """Return what is known of a model; that one is not shown in time is no reason to leave out
    the others.
    """
    try:
        return await ask("/api/show", {"model": name})
    except TimeoutError:
        return {}


def _ollama_model(
    name: str, about: Mapping[str, Any], running: Mapping[str, int]
) -> LocalModel | None:
    able = about.get("capabilities")
    if isinstance(able, list) and "completion" not in able:  # one that makes embeddings
        return None
    info = about.get("model_info")
    lengths = (
        [value for key, value in info.items() if str(key).endswith(".context_length")]
        if isinstance(info, dict)
        else []
    )
    most = next((value for value in lengths if isinstance(value, int) and value > 0), 0)
    told = _NUM_CTX.search(_word(about, "parameters"))
    window = running.get(name) or (int(told[1]) if told else 0)
    return LocalModel(
        name, window, most, "tools" in able if isinstance(able, list) else None, name in running
    )


# ── llama.cpp, LM Studio, vLLM ────────────────────────────────────────────────────────────────────


async def _look_at_llama_cpp(ask: Ask, base_url: str) -> LocalServer | None:
    props = await ask("/props")
    error = props.get("error")
    if isinstance(error, dict) and error.get("type") == "unavailable_error":  # it loads its model
        return LocalServer("llama.cpp", base_url)
    settings = props.get("default_generation_settings")
    if not isinstance(settings, dict):
        return None
    window = _count(settings, "n_ctx")
    models = [
        LocalModel(
            _word(entry, "id"), window, _count(entry.get("meta"), "n_ctx_train"), loaded=window > 0
        )
        for entry in _objects(await ask("/v1/models"), "data")
        if _word(entry, "id")
    ]
    return _server("llama.cpp", base_url, models)


async def _look_at_lm_studio(ask: Ask, base_url: str) -> LocalServer | None:
    entries = _objects(await ask("/api/v0/models"), "data")
    if not any("max_context_length" in entry and "state" in entry for entry in entries):
        return None
    models = []
    for entry in entries:
        if _word(entry, "id") and entry.get("type") in ("llm", "vlm"):
            able = entry.get("capabilities")
            loaded = entry.get("state") == "loaded"
            window = _count(entry, "loaded_context_length") if loaded else 0
            tools = "tool_use" in able if isinstance(able, list) else None
            models.append(
                LocalModel(
                    _word(entry, "id"), window, _count(entry, "max_context_length"), tools, loaded
                )
            )
    return _server("lm-studio", base_url, models)


async def _look_at_vllm(ask: Ask, base_url: str) -> LocalServer | None:
    entries = [
        entry
        for entry in _objects(await ask("/v1/models"), "data")
        if entry.get("owned_by") == "vllm"
    ]
    models = [
        LocalModel(_word(entry, "id"), _count(entry, "max_model_len"), loaded=True)
        for entry in entries
        if _word(entry, "id")
    ]
    return _server("vllm", base_url, models) if models else None


_LOOKS: Mapping[ServerKind, Callable[[Ask, str], Awaitable[LocalServer | None]]] = {
    "ollama": _look_at_ollama,
    "llama.cpp": _look_at_llama_cpp,
    "lm-studio": _look_at_lm_studio,
    "vllm": _look_at_vllm,
}


_ABLE = {True: 0, None: 1, False: 2}


def _server(kind: ServerKind, base_url: str, models: list[LocalModel]) -> LocalServer:
    """Return the server with its models: those that are loaded, call tools and have room come
    first.
    """
    best_first = sorted(
        models, key=lambda model: (_ABLE[model.tools], model.is_small, not model.loaded)
    )
    return LocalServer(kind, base_url, tuple(best_first[:_MOST_MODELS]))


def _objects(data: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    entries = data.get(key)
    return (
        [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    )


def _word(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    return value if isinstance(value, str) else ""


def _count(data: object, key: str) -> int:
    value = data.get(key) if isinstance(data, dict) else None
    return (
        value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**31 else 0
    )
