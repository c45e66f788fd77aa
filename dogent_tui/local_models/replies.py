"""The reply for the CLI: the chunks of a local server's chat completion, with calls in its text
turned into real ones.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from dogent_tui.local_models.call_json import Tools, arguments_of
from dogent_tui.local_models.text_calls import CallFinder
from dogent_tui.offline.messages_api import (
    MessagesRequest,
    ReplyBlock,
    ReplyStream,
    ReplyText,
    ReplyThinking,
    ReplyToolUse,
    StopReason,
)
from dogent_tui.records import at

_COUNTS = {"input_tokens": "prompt_tokens", "output_tokens": "completion_tokens"}
NO_ANSWER = "(The model gave no answer.)"
_REASONS: dict[str, StopReason] = {"length": "max_tokens", "content_filter": "refusal"}
"""Why a model stopped, unless its reply tells."""


class UpstreamError(ValueError):
    """The server reports a failure in the middle of its answer."""


class LocalReply:
    """Turns chunks into server-sent events. `begin` comes first, `finish` last; each returns what
    can be written.

    Thinking and text are passed on as they arrive. The server's own calls are held until the end,
    so that mistakes in their arguments can be repaired.
    """

    def __init__(self, request: MessagesRequest, tools: Tools) -> None:
        self._stream = ReplyStream(request)
        self._tools = tools
        self._finder = CallFinder(tools)
        self._open = False
        self._latest: dict[int, tuple[str, list[str], list[str]]] = {}
        self._calls: list[tuple[str, list[str], list[str]]] = []
        self.reason = ""
        """Why the model stopped, empty until the server says so."""
        self._usage: dict[str, int] = {}
        self.blocks: list[ReplyBlock] = []
        """The reply so far, for a request that does not stream."""
        self.broken = ""
        """The failure in the middle of the answer."""

    def begin(self) -> bytes:
        """Open the message."""
        return self._stream.start()

    def take(self, chunk: dict[str, Any]) -> Iterator[bytes]:
        """Process the next chunk, or a complete completion. Raises UpstreamError."""
        if chunk.get("error"):
            raise UpstreamError(said_of(chunk) or "it does not say what went wrong")
        counted = {name: at(chunk, int, "usage", theirs) for name, theirs in _COUNTS.items()}
        self._usage |= {name: count for name, count in counted.items() if count > 0}
        choice = at(chunk, dict, "choices", 0)
        said = at(choice, dict, "delta") or at(choice, dict, "message")
        if thought := at(said, str, "reasoning_content") or at(said, str, "reasoning"):
            yield from self._put([ReplyThinking(thought)])
        if text := at(said, str, "content"):
            yield from self._put(self._finder.feed(text) if self._tools else [ReplyText(text)])
        for position, call in enumerate(at(said, list, "tool_calls")):
            self._keep(at(call, int, "index") or position, call)
        self.reason = self.reason or at(choice, str, "finish_reason")

    def finish(self) -> Iterator[bytes]:
        """End the message."""
        yield from self._put(self._finder.finish())
        yield from self._put([self._call(*call) for call in self._calls])
        if all(isinstance(block, ReplyThinking) for block in self.blocks):
            yield from self._put([ReplyText(NO_ANSWER)])
        yield from self._close()
        called = any(isinstance(block, ReplyToolUse) for block in self.blocks)
        yield self._stream.finish(None if called else _REASONS.get(self.reason), self._usage)

    def _keep(self, index: int, call: Any) -> None:
        """A call begins with its id and name. Some servers give every call the index 0, others
        every part an id.
        """
        identity, name = at(call, str, "id"), at(call, str, "function", "name")
        latest = self._latest.get(index)
        if latest is None or (name and identity not in ("", latest[0])):
            latest = self._latest[index] = (identity, [], [])
            self._calls.append(latest)
        _, names, pieces = latest
        names.append(name)
        whole = at(call, dict, "function", "arguments")
        pieces.append(json.dumps(whole) if whole else at(call, str, "function", "arguments"))

    def _call(self, identity: str, names: list[str], pieces: list[str]) -> ReplyToolUse:
        name, written = next(filter(None, names), "unnamed"), "".join(pieces)
        arguments = arguments_of(written)
        if arguments is None:
            return self._tools.refused(name, written)
        return self._tools.call(name, arguments, identity)

    def _put(self, blocks: Iterable[ReplyBlock]) -> Iterator[bytes]:
        for block in blocks:
            if isinstance(block, ReplyToolUse):
                yield from self._close()
                yield from self._stream.block(block)
                self.blocks.append(block)
            else:
                yield from self._add(block)

    def _add(self, block: ReplyText | ReplyThinking) -> Iterator[bytes]:
        """Text never begins with line breaks: they may be all there is before a call."""
        text, last = block.text, self.blocks[-1] if self._open else None
        if isinstance(last, type(block)):
            self.blocks[-1] = type(block)(last.text + text)
        elif not text.strip():
            return
        else:
            yield from self._close()
            yield self._stream.open(block)
            self._open, text = True, text.lstrip("\n")
            self.blocks.append(type(block)(text))
        yield self._stream.add(text)

    def _close(self) -> Iterator[bytes]:
        if self._open:
            yield self._stream.close()
        self._open = False


def said_of(answer: Any) -> str:
    """Return the error message in an answer that is not a reply, in any format; empty if there is
    none.
    """
    error = answer
    if isinstance(answer, dict):
        error = answer.get("error") or answer.get("detail") or answer.get("message")
    return at(error, str) or at(error, str, "message") or at(error, str, "type")
