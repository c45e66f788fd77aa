"""The reply as the CLI gets it: the pieces that a local server sent, with the calls in its text
made calls.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from dogent_tui.local_models.call_json import UNREADABLE, Tools, arguments_of
from dogent_tui.local_models.reading import (
    BlockEnded,
    Broken,
    CallArguments,
    CallBegun,
    Counted,
    Piece,
    Stopped,
    Thought,
    Words,
)
from dogent_tui.local_models.text_calls import CallFinder
from dogent_tui.offline.messages_api import (
    MessagesRequest,
    ReplyBlock,
    ReplyStream,
    ReplyText,
    ReplyThinking,
    ReplyToolUse,
    split,
)

_PIECES, _LEAST = 60, 48
NO_ANSWER = "(The model gave no answer.)"


class ReplyWriter:
    """Makes server-sent events of pieces. `begin` comes first, `finish` last; each gives what is
    ready to be written.

    Thinking, text and calls are blocks of their own, one open at a time. The arguments of a call
    are held until they are whole, so that what models do to them can be set right; that a call
    begins is told at once.
    """

    def __init__(self, request: MessagesRequest, tools: Tools) -> None:
        self._stream = ReplyStream(request)
        self._tools = tools
        self._finder = CallFinder(tools)
        self._open: Literal["", "text", "thinking", "tool_use"] = ""
        self._blank = ""
        self._arguments: list[str] = []
        self._calls = 0
        self._said = False
        self._reason: Stopped | None = None
        self._count = Counted()
        self.broken = ""
        """What the server said went wrong in the middle of its answer."""

    def begin(self, first: Piece | None = None) -> bytes:
        """Open the message, whose `first` piece may count the tokens of the request."""
        return self._stream.start(first.given if isinstance(first, Counted) else 0)

    def take(self, piece: Piece) -> Iterator[bytes]:
        """Take the next piece."""
        match piece:
            case Words(text):
                yield from self._close_call()
                yield from self._found(
                    self._finder.feed(text) if self._tools else [ReplyText(text)]
                )
            case Thought(text):
                yield from self._close_call()
                yield from self._think(text)
            case CallBegun(name, identity):
                yield from self._rest()
                yield from self._begin_call(name, identity)
            case CallArguments(text):
                self._arguments.append(text)
            case BlockEnded():
                yield from self._close_call()
            case Counted(given, made):
                self._count = Counted(given or self._count.given, made or self._count.made)
            case Stopped():
                self._reason = piece
            case Broken(message):
                self.broken = message or "it does not say what went wrong"

    def finish(self) -> Iterator[bytes]:
        """End the message."""
        yield from self._rest()
        yield from self._close()
        if not self._said:
            yield from self._text(NO_ANSWER)
            yield from self._close()
        reason = "tool_use" if self._calls else self._reason.reason if self._reason else None
        counted = {"input_tokens": self._count.given, "output_tokens": self._count.made}
        yield self._stream.finish(
            reason, {key: value for key, value in counted.items() if value} or None
        )

    @property
    def stopped(self) -> bool:
        """Whether the server said that the model has stopped: else its answer was cut off."""
        return self._reason is not None

    def _rest(self) -> Iterator[bytes]:
        """What is held, and begins no more."""
        yield from self._close_call()
        yield from self._found(self._finder.finish())
        self._finder = CallFinder(self._tools)

    def _found(self, blocks: list[ReplyBlock]) -> Iterator[bytes]:
        for block in blocks:
            match block:
                case ReplyText(text):
                    yield from self._words(text)
                case ReplyThinking(text):
                    yield from self._think(text)
                case ReplyToolUse(name, arguments):
                    yield from self._begin_call(name, "")
                    self._arguments.append(json.dumps(arguments, ensure_ascii=False))
                    yield from self._close_call()

    def _words(self, text: str) -> Iterator[bytes]:
        """Say `text`. A block does not begin with blanks: they may be all there is before a
        call.
        """
        if self._open != "text" and not text.strip():
            self._blank += text
            return
        yield from self._text(
            text
            if self._open == "text"
            else (self._blank + text if self._said else text.lstrip("\n"))
        )

    def _text(self, text: str) -> Iterator[bytes]:
        if self._open != "text":
            yield from self._close()
            yield self._stream.open_text()
            self._open = "text"
        self._blank, self._said = "", True
        yield self._stream.text(text)

    def _think(self, text: str) -> Iterator[bytes]:
        if self._open != "thinking":
            yield from self._close()
            yield self._stream.open_thinking()
            self._open = "thinking"
        yield self._stream.thinking(text)

    def _begin_call(self, name: str, identity: str) -> Iterator[bytes]:
        yield from self._close()
        yield self._stream.open_tool_use(self._tools.named(name) or name or "unnamed", identity)
        self._open, self._said, self._blank = "tool_use", True, ""
        self._calls += 1

    def _close_call(self) -> Iterator[bytes]:
        if self._open == "tool_use":
            text = json.dumps(self._whole_arguments(), ensure_ascii=False)
            yield from map(self._stream.arguments, split(text, _PIECES, _LEAST))
            yield self._stream.close()
            self._open = ""
        self._arguments.clear()

    def _whole_arguments(self) -> dict[str, Any]:
        text = "".join(self._arguments)
        arguments = arguments_of(text)
        return {UNREADABLE: text[:2000]} if arguments is None else arguments

    def _close(self) -> Iterator[bytes]:
        yield from self._close_call()
        if self._open == "thinking":
            yield self._stream.sign()
        if self._open:
            yield self._stream.close()
        self._open = ""


def whole_blocks(written: Iterable[bytes]) -> list[ReplyBlock]:
    """Return what a `ReplyWriter` wrote as blocks, for a request that does not stream."""
    blocks: list[dict[str, str]] = []
    for part in b"".join(written).split(b"\n\n"):
        event = json.loads(part.partition(b"\ndata: ")[2] or b"{}")
        if event.get("type") == "content_block_start":
            begun = event["content_block"]
            blocks.append(
                {
                    "type": begun["type"],
                    "name": begun.get("name", ""),
                    "id": begun.get("id", ""),
                    "said": "",
                }
            )
        elif event.get("type") == "content_block_delta":
            delta = event["delta"]
            blocks[-1]["said"] += (
                delta.get("text") or delta.get("thinking") or delta.get("partial_json") or ""
            )
    return [_block(block) for block in blocks]


def _block(block: dict[str, str]) -> ReplyBlock:
    if block["type"] == "tool_use":
        return ReplyToolUse(block["name"], json.loads(block["said"]), block["id"])
    return ReplyText(block["said"]) if block["type"] == "text" else ReplyThinking(block["said"])
