"""The request to a local server: the CLI's request as chat completions, OpenAI's API as all of
these servers support it, without what they do not know or would refuse.
"""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from dogent_tui.offline.messages_api import MessagesRequest
from dogent_tui.records import Json, JsonDict, at

_TAKEN = {"temperature": "temperature", "top_p": "top_p", "stop_sequences": "stop"}
"""Fields that all servers know, with their names there; metadata, thinking, betas and context
management are specific to Anthropic. The choice of a tool is left to the model, as Ollama does not
support it.
"""

LEAST_REPLY = 1024
"""The number of tokens to reserve for a reply, however full the window is by our estimate."""

_DENSE = 3
"""Bytes per token, if one token too many would be refused. Prose has about four, JSON three."""

_PRESENTED = re.compile(r"You are powered by the model named Haiku[^\n]*")
"""What the CLI tells the model about itself (measured): the name of the model it believes it is
talking to.
"""

_NOT_SHOWN = "[A {kind} was attached here, which this model cannot be shown.]"

Block = JsonDict


def chat_body(request: MessagesRequest, model: str, *, window: int) -> JsonDict:
    """Return `request` as chat completions for `model`.

    ``system`` messages within the conversation, which chat templates refuse, become part of
    adjacent user messages; consecutive messages never have the same role. `window` is the size of
    the context window, 0 if unknown.
    """
    raw = request.raw
    turns = [
        (message["role"], [*_blocks(message.get("content"), model)])
        for message in at(raw, list, "messages")
        if at(message, str, "role") in ("system", "user", "assistant")
    ]
    first = next((n for n, (role, _) in enumerate(turns) if role != "system"), len(turns))
    prompts = [[*_blocks(raw.get("system"), model)], *(blocks for _, blocks in turns[:first])]
    system = "\n\n".join(filter(None, map(_joined, prompts)))
    messages: list[JsonDict] = [{"role": "system", "content": system}] if system else []
    for is_model, group in groupby(turns[first:], lambda turn: turn[0] == "assistant"):
        blocks = [block for _, each in group for block in each]
        messages += _assistant(blocks) if is_model else _user(blocks)
    body: JsonDict = {"model": model, "messages": messages}
    body |= {"stream": True, "stream_options": {"include_usage": True}}
    body |= {"max_tokens": _room(request, window)}
    body |= {name: raw[key] for key, name in _TAKEN.items() if raw.get(key)}
    if tools := offered(raw):
        body["tools"] = [_tool(tool) for tool in tools]
    return body


def offered(raw: Json) -> list[JsonDict]:
    """Return the tools that run on our side; those run by Anthropic's servers do not exist here."""
    tools = at(raw, list, "tools")
    return [tool for tool in tools if at(tool, str, "name") and at(tool, dict, "input_schema")]


def _tool(tool: Json) -> JsonDict:
    function = {"name": tool["name"], "description": tool.get("description", "")}
    return {"type": "function", "function": {**function, "parameters": tool["input_schema"]}}


def _room(request: MessagesRequest, window: int) -> int:
    """Return the maximum length of the reply: servers refuse a prompt and a reply that do not fit
    together.
    """
    asked = at(request.raw, int, "max_tokens") or 32_000
    left = max(LEAST_REPLY, window - request.size // _DENSE)
    return min(asked, left) if window else asked


def _blocks(content: Any, model: str) -> Iterator[Block]:
    """Yield the blocks of a message without those meaningless to another `model`."""
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    for part in at(parts, list):
        kind, text = at(part, str, "type"), at(part, str, "text")
        if text:
            presented = _PRESENTED.sub(f"You are powered by the model {model}.", text, count=1)
            yield {"type": "text", "text": presented}
        elif kind in ("tool_use", "tool_result", "image"):
            yield part
        elif kind not in ("", "text", "thinking", "redacted_thinking"):
            yield {"type": "text", "text": _NOT_SHOWN.format(kind=kind)}


def _joined(blocks: Iterable[Block]) -> str:
    return "\n\n".join(block["text"] for block in blocks if block["type"] == "text")


# ── Messages ──────────────────────────────────────────────────────────────────────────────────────


def _assistant(blocks: list[Block]) -> list[JsonDict]:
    message: JsonDict = {"role": "assistant", "content": _joined(blocks)}
    if calls := [_call(block) for block in blocks if block["type"] == "tool_use"]:
        message["tool_calls"] = calls
    return [message] if calls or message["content"] else []


def _call(block: Block) -> JsonDict:
    arguments = json.dumps(block.get("input"), ensure_ascii=False)
    function = {"name": block.get("name"), "arguments": arguments}
    return {"id": block.get("id"), "type": "function", "function": function}


def _user(blocks: list[Block]) -> list[JsonDict]:
    """Return tool results as messages of their own, before the user's text; their pictures go with
    that.
    """
    messages: list[JsonDict] = []
    said: list[Block] = []
    pictures: list[Block] = []
    for block in blocks:
        if block["type"] != "tool_result":
            said.append(block)
            continue
        result = [*_blocks(block.get("content"), "")]
        pictures += (part for part in result if part["type"] == "image")
        identity = block.get("tool_use_id")
        messages.append({"role": "tool", "tool_call_id": identity, "content": _joined(result)})
    if parts := [_part(block) for block in (*pictures, *said)]:
        is_text = all(part["type"] == "text" for part in parts)
        messages.append({"role": "user", "content": _joined(parts) if is_text else parts})
    return messages


def _part(block: Block) -> Block:
    if block["type"] == "text":
        return block
    source = at(block, dict, "source")
    if source.get("type") != "base64":
        return {"type": "text", "text": _NOT_SHOWN.format(kind="picture")}
    url = f"data:{source.get('media_type')};base64,{source.get('data')}"
    return {"type": "image_url", "image_url": {"url": url}}
