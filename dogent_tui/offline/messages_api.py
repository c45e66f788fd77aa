"""The server side of the Messages API: requests parsed, replies serialized as server-sent events or
as JSON.

The wire format is Anthropic's (`POST /v1/messages`); what the CLI actually sends was measured.
Shared by the offline engine and the scripted server of the end-to-end tests. Imports none of our
modules, and not aiohttp.
"""

import json
import math
import secrets
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from dogent_tui.records import Json, JsonDict, Private, Record, at

# ── What a request holds ──────────────────────────────────────────────────────────────────────────


class Text(Record):
    """A text block, of the user or of the model: Markdown in a reply."""

    text: str


class ToolCall(Record):
    """A tool call in a reply, past or to be made. An empty `id` is replaced by a new one when it is
    sent.
    """

    name: str
    input: Json
    id: str = ""


class ToolOutcome(Record):
    """The result of a tool call, as far as it is text."""

    tool_use_id: str
    text: str
    is_error: bool = False


class _Block(Record):
    """A block of a message, of any type; only the fields that are used."""

    type: str = ""
    text: str = ""
    id: str = ""
    name: str = ""
    input: Json = msgspec.field(default_factory=dict)
    tool_use_id: str = ""
    content: Any = ""
    is_error: bool | None = None


class Message(Record):
    """One message of a conversation. `role` is ``user``, ``assistant`` or ``system``."""

    role: str
    content: str | tuple[_Block, ...]

    def _of(self, kind: str) -> Iterator[_Block]:
        blocks = (
            self.content if not isinstance(self.content, str) else (_Block("text", self.content),)
        )
        return (block for block in blocks if block.type == kind)

    @property
    def texts(self) -> list[str]:
        """The text blocks, in order."""
        return [block.text for block in self._of("text")]

    @property
    def text(self) -> str:
        """The text blocks, joined by blank lines, without blank ones."""
        return "\n\n".join(filter(None, map(str.strip, self.texts)))

    @property
    def tool_calls(self) -> list[ToolCall]:
        """The tool calls of this message, in order."""
        return [ToolCall(block.name, block.input, block.id) for block in self._of("tool_use")]

    @property
    def tool_results(self) -> list[ToolOutcome]:
        """The tool results of this message, in the order sent, which may differ from the order of
        the calls.
        """
        return [
            ToolOutcome(block.tool_use_id, _joined_text(block.content), bool(block.is_error))
            for block in self._of("tool_result")
        ]


class _Tool(Record):
    name: str = ""


class _Body(Record):
    messages: tuple[Message, ...]
    model: str = ""
    system: Any = ""
    tools: tuple[_Tool, ...] = ()
    stream: bool = False


class MessagesRequest(Private):
    """A request to `/v1/messages` or `/v1/messages/count_tokens`.

    `size` is the length of its body in bytes.
    """

    model: str
    system: str
    messages: tuple[Message, ...]
    tools: tuple[str, ...] = ()
    stream: bool = False
    size: int = 0
    raw: Json = msgspec.field(default_factory=dict)

    @property
    def input_tokens(self) -> int:
        """An estimate: four bytes per token, which is close for both English and Chinese (three
        bytes per character).
        """
        return self.size // 4

    def last_user_text(self) -> str:
        """Return the newest text typed by a person: the last user message with more than reminders
        and tool results.
        """
        said = (one.text for one in reversed(self.messages) if one.role == "user")
        return next(filter(None, (strip_reminders(text).strip() for text in said)), "")


def parse_request(body: bytes | str) -> MessagesRequest:
    """Parse the body of a request.

    Raises ValueError with a sentence if `body` is not JSON or does not follow the API.
    """
    try:
        data = json.loads(body)
        asked = msgspec.convert(data, _Body)
    except (ValueError, RecursionError, msgspec.ValidationError) as error:
        raise ValueError(f"The request body is not right: {error}") from error
    size = len(body.encode(errors="replace")) if isinstance(body, str) else len(body)
    names, system = tuple(tool.name for tool in asked.tools), _joined_text(asked.system)
    return MessagesRequest(asked.model, system, asked.messages, names, asked.stream, size, data)


def strip_reminders(text: str) -> str:
    """Return `text` without its ``<system-reminder>…</system-reminder>`` parts and the line breaks
    they leave at the end.
    """
    opening, closing = "<system-reminder>", "</system-reminder>"
    first, *rest = text.split(opening)
    kept = (part.partition(closing)[2] if closing in part else opening + part for part in rest)
    return (first + "".join(kept)).rstrip("\n") if rest else text


def _joined_text(content: Any) -> str:
    """Return the text of `content`, which may be a string or a list of blocks."""
    parts = (part for part in at(content, list) if at(part, str, "type") == "text")
    return at(content, str) or "\n\n".join(at(part, str, "text") for part in parts)


# ── What a reply holds ────────────────────────────────────────────────────────────────────────────


class ReplyThinking(Record):
    """The thinking before a reply."""

    text: str


ReplyText: TypeAlias = Text
ReplyToolUse: TypeAlias = ToolCall
UNREADABLE = "unreadable_arguments"
"""The field with a local model's arguments if they cannot be parsed: the call is refused, and the
model sees why.
"""

ReplyBlock: TypeAlias = ReplyText | ReplyThinking | ReplyToolUse


class ApiError(Record):
    """An error of the API. `kind` defaults to the one for `status`."""

    status: int
    message: str
    kind: str = ""
    headers: Mapping[str, str] = msgspec.field(default_factory=dict)

    def as_json(self) -> JsonDict:
        """Return the body: ``{"type": "error", "error": {"type", "message"}, "request_id"}``."""
        otherwise = "api_error" if self.status >= 500 else "invalid_request_error"
        kind = self.kind or _ERROR_KINDS.get(self.status, otherwise)
        error = {"type": kind, "message": self.message}
        return {"type": "error", "error": error, "request_id": f"req_{secrets.token_hex(12)}"}


_ERROR_KINDS = {401: "authentication_error", 403: "permission_error", 404: "not_found_error"}
_ERROR_KINDS |= {413: "request_too_large", 429: "rate_limit_error", 529: "overloaded_error"}
"""Anthropic's error types by HTTP status."""

Content: TypeAlias = list[JsonDict]
Usage: TypeAlias = Mapping[str, int]
StopReason: TypeAlias = Literal[
    "end_turn", "tool_use", "max_tokens", "refusal", "model_context_window_exceeded"
]


_TEXT = ReplyText("")


class ReplyStream:
    """Serializes one reply, event by event: `start`, then `block` for each block, then `finish`.

    A block whose pieces are not known at once is built with `open`, `add` and `close`. Each method
    returns complete server-sent events, ready to be written.
    """

    def __init__(self, request: MessagesRequest) -> None:
        self._request = request
        self._index = -1
        self._sent = 0
        self._called = False
        self._open: ReplyBlock = _TEXT

    def start(self) -> bytes:
        """Return the event that opens the message."""
        return event("message_start", {"message": _message_json(self._request, [], None, 1)})

    def block(self, block: ReplyBlock) -> Iterator[bytes]:
        """Yield the events of a complete block, its content in pieces: see `split`."""
        yield self.open(block)
        match block:
            case ReplyToolUse(_, given):
                yield from map(self.add, split(json.dumps(given, ensure_ascii=False)))
            case _:
                yield from map(self.add, split(block.text))
        yield self.close()

    def open(self, block: ReplyBlock = _TEXT) -> bytes:
        """Return the event that opens a block like this one, whose content follows."""
        self._index, self._open = self._index + 1, block
        self._called |= isinstance(block, ReplyToolUse)
        return event(
            "content_block_start", {"index": self._index, "content_block": _emptied(block)}
        )

    def add(self, piece: str) -> bytes:
        """Return the event that adds `piece` to the open block: to its text, or to the JSON of its
        arguments.
        """
        self._sent += len(piece)
        return self._delta(*_DELTAS[type(self._open)], piece)

    def close(self) -> bytes:
        """Return the events that close the open block; thinking is signed."""
        is_signed = isinstance(self._open, ReplyThinking)
        signed = ("signature_delta", "signature", secrets.token_hex(16))
        ended = event("content_block_stop", {"index": self._index})
        return (self._delta(*signed) if is_signed else b"") + ended

    def finish(self, stop_reason: StopReason | None = None, usage: Usage | None = None) -> bytes:
        """Return the events that end the message. The reason defaults to ``tool_use`` after a call,
        otherwise ``end_turn``.

        `usage` contains counted tokens; otherwise the output is estimated.
        """
        reason = stop_reason or ("tool_use" if self._called else "end_turn")
        usage = usage or {"output_tokens": max(1, self._sent // 4)}
        delta = {"stop_reason": reason, "stop_sequence": None}
        ended = event("message_delta", {"delta": delta, "usage": usage})
        return ended + event("message_stop", {})

    def _delta(self, kind: str, key: str, piece: str) -> bytes:
        delta = {"type": kind, key: piece}
        return event("content_block_delta", {"index": self._index, "delta": delta})


_DELTAS: Mapping[type[ReplyBlock], tuple[str, str]] = {
    ReplyText: ("text_delta", "text"),
    ReplyThinking: ("thinking_delta", "thinking"),
    ReplyToolUse: ("input_json_delta", "partial_json"),
}
"""Kind of block → the kind of its pieces, and their key."""


def event(name: str, data: Json) -> bytes:
    """Return one server-sent event. Lone surrogates, which UTF-8 cannot represent, become question
    marks.
    """
    body = json.dumps({"type": name, **data}, ensure_ascii=False)
    return f"event: {name}\ndata: {body}\n\n".encode(errors="replace")


def error_event(error: ApiError) -> bytes:
    """Return the event that reports `error` in the middle of a stream."""
    return event("error", {"error": error.as_json()["error"]})


def reply_events(request: MessagesRequest, blocks: Sequence[ReplyBlock]) -> Iterator[bytes]:
    """Yield the events of a complete reply."""
    stream = ReplyStream(request)
    yield stream.start()
    for block in blocks:
        yield from stream.block(block)
    yield stream.finish()


def reply_json(request: MessagesRequest, blocks: Sequence[ReplyBlock]) -> JsonDict:
    """Return a complete reply as the JSON object for a request without ``stream``."""
    content = [_as_json(block) for block in blocks]
    reason = "tool_use" if any(isinstance(block, ReplyToolUse) for block in blocks) else "end_turn"
    tokens = max(1, len(json.dumps(content, ensure_ascii=False)) // 4)
    return _message_json(request, content, reason, tokens)


def _as_json(block: ReplyBlock) -> JsonDict:
    match block:
        case ReplyText(text):
            return {"type": "text", "text": text}
        case ReplyThinking(text):
            return {"type": "thinking", "thinking": text, "signature": secrets.token_hex(16)}
        case ReplyToolUse(name, given, identity):
            made = identity or f"toolu_{secrets.token_hex(12)}"
            return {"type": "tool_use", "id": made, "name": name, "input": dict(given)}


def _emptied(block: ReplyBlock) -> JsonDict:
    match block:
        case ReplyThinking():
            return {"type": "thinking", "thinking": "", "signature": ""}
        case ReplyToolUse(name, _, identity):
            return _as_json(ReplyToolUse(name, {}, identity))
    return _as_json(_TEXT)


def models_json(name: str) -> JsonDict:
    """Return the body of ``GET /v1/models`` for one model."""
    created = "2025-10-01T00:00:00Z"
    model = {"type": "model", "created_at": created, "id": name, "display_name": name}
    return {"data": [model], "has_more": False}


_MOST_PIECES, _LEAST_PIECE = 60, 48


def split(text: str) -> Iterator[str]:
    """Yield `text` in at most `_MOST_PIECES` parts of at least `_LEAST_PIECE` characters, except
    the last.
    """
    size = max(_LEAST_PIECE, math.ceil(len(text) / _MOST_PIECES))
    return (text[start : start + size] for start in range(0, len(text), size))


def _message_json(
    request: MessagesRequest, content: Content, reason: str | None, tokens: int
) -> JsonDict:
    usage = {"input_tokens": request.input_tokens, "output_tokens": tokens}
    usage |= dict.fromkeys(("cache_creation_input_tokens", "cache_read_input_tokens"), 0)
    made: JsonDict = {"id": f"msg_{secrets.token_hex(12)}", "type": "message"}
    made |= {"role": "assistant", "model": request.model, "content": content, "usage": usage}
    return made | {"stop_reason": reason, "stop_sequence": None}
