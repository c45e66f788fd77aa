"""What a local server answers, as pieces: its own Messages API and chat completions alike,
streamed or whole.
"""

import json
import re
from collections.abc import AsyncIterator, Iterator
from typing import Any, TypeAlias

import msgspec

from dogent_tui.local_models.call_json import loads
from dogent_tui.offline.messages_api import StopReason

MOST_EVENT_BYTES = 16_000_000
"""The longest event that is read; a server that sends a longer one is not what it should be."""


class Words(msgspec.Struct, frozen=True):
    """Text of the reply."""

    text: str


class Thought(msgspec.Struct, frozen=True):
    """What the model thinks before it replies."""

    text: str


class CallBegun(msgspec.Struct, frozen=True):
    """A tool call begins; its arguments follow."""

    name: str
    id: str = ""


class CallArguments(msgspec.Struct, frozen=True):
    """A part of the JSON of the call that began last."""

    text: str


class BlockEnded(msgspec.Struct, frozen=True):
    """What began last is whole."""


class Counted(msgspec.Struct, frozen=True):
    """The tokens of the request and of the reply, 0 where the server does not say."""

    given: int = 0
    made: int = 0


class Stopped(msgspec.Struct, frozen=True):
    """Why the model stopped; the server has more to count, but nothing more to say."""

    reason: StopReason | None


class Broken(msgspec.Struct, frozen=True):
    """The server says in the middle of its answer that it failed."""

    message: str


Piece: TypeAlias = (
    Words | Thought | CallBegun | CallArguments | BlockEnded | Counted | Stopped | Broken
)

_REASONS: dict[str, StopReason] = {
    "max_tokens": "max_tokens",
    "length": "max_tokens",
    "refusal": "refusal",
}
"""Why a model stopped, where that is not plain from what it said."""


_END = re.compile(rb"\r?\n\r?\n")
"""What ends an event."""


async def events(chunks: AsyncIterator[bytes]) -> AsyncIterator[dict[str, Any]]:
    """Yield the JSON objects of server-sent events. Raises ValueError where one is longer than
    any should be.
    """
    rest = bytearray()
    async for chunk in chunks:
        searched = max(
            0, len(rest) - 3
        )  # what an end may have begun with; a long event is not looked through with every chunk
        rest += chunk
        while end := _END.search(rest, searched):
            if (data := _data(bytes(rest[: end.start()]))) is not None:
                yield data
            del rest[: end.end()]
            searched = 0
        if len(rest) > MOST_EVENT_BYTES:
            raise ValueError("an event of more than 16 MB")
    if (data := _data(bytes(rest))) is not None:
        yield data


def _data(event: bytes) -> dict[str, Any] | None:
    lines = [line[5:].strip() for line in event.split(b"\n") if line.startswith(b"data:")]
    if not lines:
        return None
    try:
        value = json.loads(b"\n".join(lines))
    except (ValueError, RecursionError):  # “[DONE]”, and what is broken
        return None
    return value if isinstance(value, dict) else None


# ── The Messages API ──────────────────────────────────────────────────────────────────────────────


def message_pieces(event: dict[str, Any]) -> Iterator[Piece]:
    """Yield what an event of a server's own `/v1/messages` says."""
    match event.get("type"):
        case "message_start":
            yield from _counted(_object(_object(event, "message"), "usage"))
        case "content_block_start":
            yield from _block_begun(_object(event, "content_block"))
        case "content_block_delta":
            yield from _delta(_object(event, "delta"))
        case "content_block_stop":
            yield BlockEnded()
        case "message_delta":
            yield from _counted(_object(event, "usage"))
            if reason := _object(event, "delta").get("stop_reason"):
                yield Stopped(_REASONS.get(str(reason)))
        case "error":
            yield Broken(_message(event.get("error")))


def whole_message_pieces(message: dict[str, Any]) -> Iterator[Piece]:
    """Yield what a reply says that came as one JSON object."""
    content = message.get("content")
    for block in content if isinstance(content, list) else []:
        if isinstance(block, dict):
            yield from _block_begun(block)
            yield BlockEnded()
    yield from _counted(_object(message, "usage"))
    yield Stopped(_REASONS.get(str(message.get("stop_reason"))))


def _block_begun(block: dict[str, Any]) -> Iterator[Piece]:
    match block.get("type"):
        case "tool_use":
            yield CallBegun(_word(block, "name"), _word(block, "id"))
            if block.get("input"):
                yield CallArguments(json.dumps(block["input"], ensure_ascii=False))
        case "text" if _word(block, "text"):
            yield Words(_word(block, "text"))
        case "thinking" if _word(block, "thinking"):
            yield Thought(_word(block, "thinking"))


def _delta(delta: dict[str, Any]) -> Iterator[Piece]:
    match delta.get("type"):
        case "text_delta" if _word(delta, "text"):
            yield Words(_word(delta, "text"))
        case "thinking_delta" if _word(delta, "thinking"):
            yield Thought(_word(delta, "thinking"))
        case "input_json_delta" if _word(delta, "partial_json"):
            yield CallArguments(_word(delta, "partial_json"))


def _counted(usage: dict[str, Any]) -> Iterator[Piece]:
    given = sum(
        _count(usage, key)
        for key in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    )
    if given or _count(usage, "output_tokens"):
        yield Counted(given, _count(usage, "output_tokens"))


# ── Chat completions ──────────────────────────────────────────────────────────────────────────────


class ChatPieces:
    """Reads the chunks of one chat completion; keeps which call is under way."""

    def __init__(self) -> None:
        self._call: object = None

    def read(self, chunk: dict[str, Any]) -> Iterator[Piece]:
        """Yield what a chunk says, or a completion that came whole."""
        if chunk.get("error"):
            yield Broken(_message(chunk["error"]))
            return
        choices = chunk.get("choices")
        choice = (
            choices[0]
            if isinstance(choices, list) and choices and isinstance(choices[0], dict)
            else {}
        )
        said = _object(choice, "delta") or _object(choice, "message")
        if thought := _word(said, "reasoning_content") or _word(said, "reasoning"):
            yield Thought(thought)
        if text := _word(said, "content"):
            yield Words(text)
        calls = said.get("tool_calls")
        for call in calls if isinstance(calls, list) else []:
            if isinstance(call, dict):
                yield from self._called(call)
        usage = _object(chunk, "usage")
        if usage:
            yield Counted(_count(usage, "prompt_tokens"), _count(usage, "completion_tokens"))
        if reason := choice.get("finish_reason"):
            yield BlockEnded()
            yield Stopped(_REASONS.get(str(reason)))

    def _called(self, call: dict[str, Any]) -> Iterator[Piece]:
        function = _object(call, "function")
        which = call.get("index", call.get("id"))
        name = _word(function, "name")
        if name and which != self._call:
            self._call = which
            yield BlockEnded()
            yield CallBegun(name, _word(call, "id"))
        arguments = function.get("arguments")
        if isinstance(arguments, dict):
            yield CallArguments(json.dumps(arguments, ensure_ascii=False))
        elif isinstance(arguments, str) and arguments:
            yield CallArguments(arguments)


# ── Errors ────────────────────────────────────────────────────────────────────────────────────────


def error_message(body: bytes) -> str:
    """Return what went wrong, as an answer that is no reply says it in whatever shape; empty
    where it says nothing.
    """
    text = body.decode(errors="replace").strip()
    value = loads(text)
    if not isinstance(value, dict):
        return "" if text.startswith("<") else text
    return _message(value.get("error") or value.get("detail") or value.get("message") or "")


def _message(error: Any) -> str:
    if isinstance(error, dict):
        error = error.get("message") or error.get("type") or ""
    return error if isinstance(error, str) else ""


def _object(data: Any, key: str) -> dict[str, Any]:
    value = data.get(key) if isinstance(data, dict) else None
    return value if isinstance(value, dict) else {}


def _word(data: dict[str, Any], key: str) -> str:
    value = data.get(key)
    return value if isinstance(value, str) else ""


def _count(data: dict[str, Any], key: str) -> int:
    value = data.get(key)
    return (
        value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**31 else 0
    )
