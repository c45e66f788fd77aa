"""What a local server is asked: the CLI's request without what such servers do not know, or
would refuse.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from dogent_tui.endpoint_kind import ServerKind
from dogent_tui.offline.messages_api import MessagesRequest

_TAKEN = ("temperature", "top_p", "top_k", "stop_sequences", "tool_choice")
"""Fields that all of them know; metadata, thinking, betas and context management are Anthropic's
own.
"""

LEAST_REPLY = 1024
"""Tokens that are left for a reply, however full the window is by our estimate."""

_DENSE = 3
"""Bytes a token, where a token too many would be refused. Prose has some four, JSON three."""

_PRESENTED = re.compile(r"You are powered by the model named Haiku[^\n]*")
"""What the CLI tells the model about itself (measured): the name of the one that it believes to
ask.
"""

_NOT_SHOWN = "[{kind} was attached here, which this model cannot be shown.]"


def messages_body(
    request: MessagesRequest, model: str, *, kind: ServerKind, window: int
) -> dict[str, Any]:
    """Return `request` as it is put to the server's own `/v1/messages`, under the name `model`.

    ``system`` messages within the conversation, which chat templates refuse, become part of what
    the user says around them; no two messages of the same side follow each other. `window` is the
    size of the context window, 0 where it is not known.
    """
    raw = request.raw
    system, messages = _folded(raw.get("messages") or [], _joined(raw.get("system")))
    for block in (
        block for message in messages for block in message["content"] if block["type"] == "text"
    ):
        block["text"] = _PRESENTED.sub(
            f"You are powered by the model {model}.", block["text"], count=1
        )
    body: dict[str, Any] = {
        "model": model,
        "messages": messages,
        "stream": True,
        "max_tokens": _room(request, window),
    }
    if system:
        body["system"] = system
    body |= {
        key: raw[key]
        for key in _TAKEN
        if key in raw and not (key == "tool_choice" and kind == "ollama")
    }
    if tools := offered(raw):
        body["tools"] = [
            {key: tool[key] for key in ("name", "description", "input_schema") if key in tool}
            for tool in tools
        ]
    else:
        body.pop("tool_choice", None)
    return body


def offered(raw: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the tools that are called on our side; those that Anthropic's servers run do not
    exist here.
    """
    tools = raw.get("tools")
    tools = [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    return [
        tool
        for tool in tools
        if isinstance(tool.get("name"), str) and isinstance(tool.get("input_schema"), dict)
    ]


def _room(request: MessagesRequest, window: int) -> int:
    """Return how long the reply may become: servers refuse a prompt and a reply that do not fit
    together.
    """
    asked = request.raw.get("max_tokens")
    asked = asked if isinstance(asked, int) and asked > 0 else 32_000
    return (
        max(1, min(asked, max(LEAST_REPLY, window - request.size // _DENSE))) if window else asked
    )


# ── Folding ───────────────────────────────────────────────────────────────────────────────────────


def _folded(messages: Iterable[Any], system: str) -> tuple[str, list[dict[str, Any]]]:
    """Return the system prompt and the messages, in which only the two sides are left and take
    turns.
    """
    turns: list[dict[str, Any]] = []
    waiting: list[dict[str, Any]] = []
    for message in messages:
        role = message.get("role") if isinstance(message, dict) else None
        blocks = _blocks(message.get("content")) if isinstance(message, dict) else []
        if role == "system" and not turns:
            system = "\n\n".join(filter(None, (system, _joined(message.get("content")))))
        elif role == "system" and turns[-1]["role"] == "assistant":
            waiting += blocks  # results of tools have to come first in the message that follows
        elif role in ("user", "system"):
            _say(turns, "user", [*blocks, *waiting])
            waiting = []
        elif role == "assistant":
            _say(turns, "assistant", blocks)
    _say(turns, "user", waiting)
    for turn in turns:
        turn["content"] = [b for b in turn["content"] if b["type"] == "tool_result"] + [
            b for b in turn["content"] if b["type"] != "tool_result"
        ]
    return system, turns


def _say(turns: list[dict[str, Any]], role: str, blocks: list[dict[str, Any]]) -> None:
    if not blocks:
        return
    if turns and turns[-1]["role"] == role:
        turns[-1]["content"] += blocks
    else:
        turns.append({"role": role, "content": list(blocks)})


def _blocks(content: Any) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return (
        [block for part in content if isinstance(part, dict) and (block := _block(part))]
        if isinstance(content, list)
        else []
    )


def _block(part: dict[str, Any]) -> dict[str, Any] | None:
    """Return a block without what is Anthropic's own; None for one that says nothing to another
    model.
    """
    match part.get("type"):
        case "text":
            return {"type": "text", "text": str(part.get("text", ""))} if part.get("text") else None
        case "tool_use":
            return {key: part.get(key) for key in ("type", "id", "name", "input")}
        case "tool_result":
            result = {
                "type": "tool_result",
                "tool_use_id": part.get("tool_use_id"),
                "content": _blocks(part.get("content")),
            }
            return result | ({"is_error": True} if part.get("is_error") else {})
        case "image":
            return {"type": "image", "source": part.get("source")}
        case "thinking" | "redacted_thinking":
            return None
        case kind:
            return {"type": "text", "text": _NOT_SHOWN.format(kind=f"A {kind}")}


def _joined(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n\n".join(block["text"] for block in _blocks(content) if block["type"] == "text")


# ── Chat completions, for servers that do not speak the Messages API ──────────────────────────────


def chat_body(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `messages_body` made as a request for chat completions (OpenAI's API, as local
    servers have it).
    """
    messages: list[dict[str, Any]] = (
        [{"role": "system", "content": body["system"]}] if body.get("system") else []
    )
    for message in body["messages"]:
        messages += (
            _assistant(message["content"])
            if message["role"] == "assistant"
            else _user(message["content"])
        )
    chat: dict[str, Any] = {
        "model": body["model"],
        "messages": messages,
        "stream": True,
        "max_tokens": body["max_tokens"],
    }
    chat["stream_options"] = {"include_usage": True}
    chat |= {key: body[key] for key in ("temperature", "top_p") if key in body}
    if body.get("stop_sequences"):
        chat["stop"] = body["stop_sequences"]
    if tools := body.get("tools"):
        chat["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool["name"],
                    "description": tool.get("description", ""),
                    "parameters": tool["input_schema"],
                },
            }
            for tool in tools
        ]
    return chat


def _assistant(content: list[dict[str, Any]]) -> list[dict[str, Any]]:
    message: dict[str, Any] = {"role": "assistant", "content": _joined(content)}
    calls = [
        {
            "id": block["id"],
            "type": "function",
            "function": {
                "name": block["name"],
                "arguments": json.dumps(block["input"], ensure_ascii=False),
            },
        }
        for block in content
        if block["type"] == "tool_use"
    ]
    return [message | ({"tool_calls": calls} if calls else {})]


def _user(content: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Results of tools are messages of their own, before what the user says."""
    results = [block for block in content if block["type"] == "tool_result"]
    said = [block for block in content if block["type"] != "tool_result"]
    pictures = [
        block for result in results for block in result["content"] if block["type"] == "image"
    ]
    messages: list[dict[str, Any]] = [
        {
            "role": "tool",
            "tool_call_id": result["tool_use_id"],
            "content": _joined(result["content"]),
        }
        for result in results
    ]
    if all(block["type"] == "text" for block in [*said, *pictures]):
        return [*messages, {"role": "user", "content": _joined(said)}] if said else messages
    return [
        *messages,
        {
            "role": "user",
            "content": [part for block in [*pictures, *said] if (part := _chat_part(block))],
        },
    ]


def _chat_part(block: dict[str, Any]) -> dict[str, Any] | None:
    if block["type"] == "text":
        return dict(block)
    source = block.get("source")
    if not isinstance(source, dict) or source.get("type") != "base64":
        return None
    return {
        "type": "image_url",
        "image_url": {"url": f"data:{source.get('media_type')};base64,{source.get('data')}"},
    }
