"""Events as chunks of the AI SDK's UI message stream, version 1 (npm package `ai`, 6 and 7).

Rules whose violation breaks a client are enforced here for any order of events: no delta or end
without its start, no output of an unannounced tool call, no null fields, nothing of our own except
in ``data-…``.
"""

import asyncio
import contextlib
import json
import re
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from dogent_tui.agent import events
from dogent_tui.agent.tool_names import tool_kind
from dogent_tui.errors import outside_app
from dogent_tui.faces.bodies import page_input, page_name
from dogent_tui.faces.shared import Chunk, Seen, ToolEvent

_LONGEST_TAIL = 8_000
"""The number of characters of a running call's output per chunk."""
_TAIL_EVERY_S = 0.25
_UNDERSCORE = re.compile("_(.)")
_SCREENS = {"clarification": "form", "outline_edit": "outline", "document_change": "review"}
_ASKED = ("needs_clarification", "needs_outline_edit")
_TOLD: Mapping[type[events.Event], Chunk] = {
    events.Compacted: {"type": "data-compacted"},
    events.Notice: {"type": "data-notice", "transient": True},
    events.Retrying: {"type": "data-retrying", "transient": True},
    events.Stalled: {"type": "data-stalled", "transient": True},
    events.UsageChanged: {"type": "data-usage", "id": "usage"},
}
"""Events sent with all their fields."""
_RESULT_S = 3600.0
_UNTOLD = ("type", "run_id", "seq", "time", "request_id", "tool_use_id", "input", "words")
"""Fields with other names for pages, or not sent."""


class MessageChunks:
    """Creates the chunks of one assistant message: what happens from `RunStarted` to
    `events.RunFinished`.

    `session_id` goes into its metadata. `page_runs_tools`: a call that asks is presented to the
    page as one of its own, which it runs with ``execute-tool``; all other calls are presented as
    run by the provider.
    """

    def __init__(self, session_id: str, *, page_runs_tools: bool = False) -> None:
        self._about = {"sessionId": session_id}
        self._page_runs_tools = page_runs_tools
        self._message = ""
        self._seen = Seen(_LONGEST_TAIL)
        self._open: dict[tuple[str, str], str] = {}
        self._begun: set[str] = set()
        self._unsaid: dict[str, events.ToolUse] = {}
        self._called: set[str] = set()
        self._answered: set[str] = set()
        self._of_page: set[str] = set()
        self._last_tail: dict[str, float] = {}

    def start(self, message_id: str) -> list[Chunk]:
        """Return the chunks that begin a response; `message_id` is the continued message, or a new
        one.
        """
        start = {"type": "start", "messageId": message_id, "messageMetadata": self._about}
        return [start, {"type": "start-step"}]

    def pause(self) -> list[Chunk]:
        """Return the chunks that end a response while the run waits for the user."""
        finish = {"type": "finish", "finishReason": "tool-calls"}
        return [*self._close(), {"type": "finish-step"}, finish]

    def of(self, event: events.Event) -> Iterator[Chunk]:
        """Yield the chunks for an event, often none."""
        match event:
            case events.TextDelta() | events.ThinkingDelta():
                yield from self._delta(event)
            case events.TextFinished():
                yield from self._finished_text(event)
            case events.MessageDropped(message_id=message_id):
                self._seen.drop(message_id)
                yield from self._close(message_id)
                yield {"type": "data-dropped", "id": message_id, "data": {"messageId": message_id}}
            case _ if isinstance(event, ToolEvent):
                yield from self._tool(event)
            case events.PermissionRequested():
                yield from self._permission(event)
            case events.PermissionDecided():
                yield from self._decided(event)
            case events.UiRequested(request_id=request_id):
                yield from self._close()
                asked = {"id": request_id, "kind": event.kind, "status": "pending", **event.payload}
                yield {"type": f"data-{_SCREENS[event.kind]}", "id": request_id, "data": asked}
            case events.RunFinished():
                yield from self._end(event)
            case _:
                yield from _notes(event)

    def _delta(self, event: events.TextDelta | events.ThinkingDelta) -> Iterator[Chunk]:
        kind, name = "reasoning", f"{event.message_id}:{event.block}"
        if isinstance(event, events.TextDelta):
            kind = "text"
            self._seen.delta(event)
        yield from self._step(event.message_id)
        if (kind, name) not in self._open:
            self._open[kind, name] = event.message_id
            yield {"type": f"{kind}-start", "id": name}
        yield {"type": f"{kind}-delta", "id": name, "delta": event.text}

    def _finished_text(self, event: events.TextFinished) -> Iterator[Chunk]:
        name = f"{event.message_id}:{event.block}"
        continues, rest = self._seen.rest(event)
        if continues and rest:
            message, block = event.message_id, event.block
            yield from self._delta(events.TextDelta(message_id=message, block=block, text=rest))
            self._seen.drop(message)
        if self._open.pop(("text", name), None) is not None:
            yield {"type": "text-end", "id": name}
        if not continues:
            yield {"type": "data-text", "id": name, "data": {"id": name, "text": event.text}}

    def _step(self, message_id: str) -> Iterator[Chunk]:
        """Begin another step with each message of the model."""
        if self._message and message_id != self._message:
            yield from self._close()
            yield {"type": "finish-step"}
            yield {"type": "start-step"}
        self._message = message_id

    def _close(self, message_id: str = "") -> Iterator[Chunk]:
        for (kind, name), of in [*self._open.items()]:
            if not message_id or of == message_id:
                del self._open[kind, name]
                yield {"type": f"{kind}-end", "id": name}

    # ── Tools ─────────────────────────────────────────────────────────────────────────────────────

    def _chunk(self, kind: str, call: str, **values: Any) -> Chunk:
        """Return a chunk about a call."""
        whose = {} if call in self._of_page else {"dynamic": True, "providerExecuted": True}
        return {"type": kind, "toolCallId": call, **values, **whose}

    def _tool(self, event: ToolEvent) -> Iterator[Chunk]:
        call = event.tool_use_id
        if isinstance(event, events.ToolPreparing):
            known = self._begun | self._called | self._unsaid.keys()
            # otherwise it may be the page's own
            if call not in known and not self._page_runs_tools:
                yield from self._step(event.message_id)
                self._begun.add(call)
                yield self._chunk("tool-input-start", call, toolName=page_name(event.name))
        elif isinstance(event, events.ToolUse):
            if call not in self._called:
                self._unsaid[call] = event
                if not self._page_runs_tools:
                    yield from self._use(call)
        elif call not in self._answered:
            yield from self._use(call)
            if call in self._called:
                yield from self._came(event)

    def _use(self, call: str) -> Iterator[Chunk]:
        """Announce a call, once."""
        if (event := self._unsaid.pop(call, None)) is not None:
            self._called.add(call)
            name, given = page_name(event.name), page_input(event.name, event.input)
            yield self._chunk("tool-input-available", call, toolName=name, input=given)

    def _came(self, event: events.ToolOutput | events.ToolResult) -> Iterator[Chunk]:
        call = event.tool_use_id
        if isinstance(event, events.ToolOutput):
            tail, now = self._seen.tail(event), time.monotonic()
            if now - self._last_tail.get(call, 0.0) >= _TAIL_EVERY_S:
                self._last_tail[call] = now
                yield self._chunk("tool-output-available", call, output=tail, preliminary=True)
            return
        self._answered.add(call)
        self._seen.end(call)
        if event.is_error:
            yield self._chunk("tool-output-error", call, errorText=event.content)
        else:
            output = result_data(event.content) if call in self._of_page else event.content
            yield self._chunk("tool-output-available", call, output=output)

    def _permission(self, event: events.PermissionRequested) -> Iterator[Chunk]:
        call = event.tool_use_id or event.request_id
        if event.in_run:
            yield from self._close()
            if call not in self._called:
                used = events.ToolUse(tool_use_id=call, name=event.tool, input=event.input)
                self._unsaid.setdefault(call, used)
                if self._page_runs_tools:
                    self._of_page.add(call)
            yield from self._use(call)
        data = {
            **_fields(event),
            "id": event.request_id,
            "toolCallId": call,
            "toolName": page_name(event.tool),
            "action": tool_kind(event.tool),
            "reason": event.words or " ".join(event.reasons),
            "parameters": page_input(event.tool, event.input),
            "timestamp": round(event.time * 1000),
            "status": "pending",
        }
        yield {"type": "data-permission", "id": event.request_id, "data": data}
        if event.in_run and call not in self._of_page and call not in self._answered:
            asked = event.request_id
            yield {"type": "tool-approval-request", "approvalId": asked, "toolCallId": call}

    def _decided(self, event: events.PermissionDecided) -> Iterator[Chunk]:
        status = {"allow": "approved", "deny": "denied"}.get(event.decision, "cancelled")
        call, asked = event.tool_use_id, event.request_id
        answer = {"id": asked, "status": status, "scope": event.scope, "message": event.message}
        yield {"type": "data-permission-decided", "id": asked, "data": answer}
        if event.decision == "deny" and call in self._called and call not in self._answered:
            self._answered.add(call)
            yield {"type": "tool-output-denied", "toolCallId": call}

    def _end(self, event: events.RunFinished) -> Iterator[Chunk]:
        yield from self._close()
        yield {"type": "finish-step"}
        known = {"reason": event.reason or None, "costUsd": event.cost_usd}
        told: Chunk = {"status": event.status, "durationMs": event.duration_ms}
        told |= {name: value for name, value in known.items() if value is not None}
        if event.status != "completed":
            yield {"type": "message-metadata", "messageMetadata": told}
        if event.status == "failed":
            words = outside_app(event.reason, event.remedy)
            yield {"type": "error", "errorText": words or "The run failed."}
            return
        if event.status in ("aborted", "interrupted"):
            yield {"type": "abort", "reason": event.reason or event.status}
        reason = "tool-calls" if event.status in _ASKED else "other"
        reason = "stop" if event.status == "completed" else reason
        yield {"type": "finish", "finishReason": reason, "messageMetadata": told}


class Turn:
    """The output of one run. Readers may begin anywhere, even after its end."""

    def __init__(self, chunks: MessageChunks, run_id: str) -> None:
        self.chunks = chunks
        self.run_id = run_id
        self.said: list[Chunk] = []
        self.waiting: set[str] = set()
        self.results: dict[str, events.ToolResult] = {}
        self.paused_at = 0
        self.readers = 0
        self.is_over = False
        self._changed = asyncio.Event()

    def hear(self, event: events.Event) -> None:
        """Process an event of the run. Nothing follows its end."""
        if self.is_over:
            return
        match event:
            case events.PermissionRequested(in_run=True) | events.UiRequested(in_run=True):
                self.waiting.add(event.request_id)
            case events.PermissionDecided() | events.UiSettled():
                self.waiting.discard(event.request_id)
            case events.ToolResult(tool_use_id=call):
                self.results[call] = event
            case events.RunFinished():
                self.is_over = True
        self._say(self.chunks.of(event))

    def cut(self, words: str) -> None:
        """End the output with an error: a stream that just ends looks like a success to the
        client.
        """
        if not self.is_over:
            self.is_over = True
            self._say([{"type": "error", "errorText": words}])

    def _say(self, chunks: Iterable[Chunk]) -> None:
        self.said += chunks
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def read(self, start: int, message_id: str, pauses: bool) -> AsyncIterator[list[Chunk]]:
        """Yield the chunks from `start` on, until the run ends, or waits for the user if it then
        `pauses`.

        `message_id` is the continued message, "" for a new one.
        """
        yield self.chunks.start(message_id or self.run_id)
        place = start
        while place < len(self.said) or not self._rests(pauses):
            if place == len(self.said):
                await self._changed.wait()
            if new := self.said[place:]:
                place += len(new)
                yield new
        if not self.is_over:
            self.paused_at = place
            yield self.chunks.pause()

    def _rests(self, pauses: bool) -> bool:
        return self.is_over or (pauses and bool(self.waiting))

    async def result(self, call: str) -> events.ToolResult | None:
        """Return the result of a call once available; None if the run ends without it."""
        async with asyncio.timeout(_RESULT_S):
            while call not in self.results and not self.is_over:
                await self._changed.wait()
        return self.results.get(call)


def result_data(content: str) -> Any:
    """Return the result of a call as data: our tools answer with JSON, followed by the content of a
    file.
    """
    head, _, rest = content.partition("\n\n")
    for text, more in ((content, {}), (head, {"content": rest})):
        with contextlib.suppress(json.JSONDecodeError):
            found = json.loads(text)
            return {**found, **more} if isinstance(found, dict) else found
    return content


def _notes(event: events.Event) -> Iterator[Chunk]:
    """Yield what is sent next to the message: the plan, usage, open questions, and transient
    remarks.
    """
    match event:
        case events.TodosChanged(todos=todos):
            yield {"type": "data-todos", "id": "todos", "data": msgspec.to_builtins(todos)}
        case events.QueueChanged(prompts=prompts):
            waiting = [{"id": each.id, "text": each.prompt.text} for each in prompts]
            yield {"type": "data-queue", "id": "queue", "data": waiting}
        case events.UiSettled(request_id=request_id):
            status = "abandoned" if event.answer is None else "answered"
            settled = {"id": request_id, "status": status}
            yield {"type": "data-settled", "id": request_id, "data": settled}
        case events.SessionLost(message=message, remedy=remedy):
            yield from _notes(events.Notice(level="error", message=message, remedy=remedy))
        case _ if type(event) in _TOLD:
            yield {**_TOLD[type(event)], "data": _fields(event)}


def _fields(event: events.Event) -> Chunk:
    """Return the fields of an event, with names in the style of pages."""
    if isinstance(event, events.Notice):
        event = msgspec.structs.replace(event, remedy=outside_app("", event.remedy))
    told: Chunk = msgspec.to_builtins(event, enc_hook=str)
    return {
        _UNDERSCORE.sub(lambda found: found[1].upper(), name): value
        for name, value in told.items()
        if name not in _UNTOLD
    }
