"""Events as chunks of the AI SDK's UI message stream, version 1 (npm package `ai`, 6 and 7).

The rules that break a client are kept here whatever the order of events: no delta or end without its start, no output of a tool
call that was not announced, no field that is null, nothing of our own but in ``data-…``.
"""

import time
from collections.abc import Iterator
from typing import Any, TypeAlias

import msgspec

from dogent_tui.agent import events
from dogent_tui.faces.seed_names import action, page_input, page_name

Chunk: TypeAlias = dict[str, Any]

_LONGEST_TAIL = 8_000
"""Characters of what a running call wrote so far, in one chunk."""
_TAIL_EVERY_S = 0.25
_SCREENS = {"clarification": "data-form", "outline_edit": "data-outline", "document_change": "data-review"}


class MessageChunks:
    """Makes the chunks of one message of the assistant: what happens from `RunStarted` to `events.RunFinished`.

    `session_id` goes into its metadata. `page_runs_tools`: a call that asks is given to the page as one of its own, which it
    runs by ``execute-tool``; else, and where a call does not ask, its tool is one that the provider runs.
    """

    def __init__(self, session_id: str, *, page_runs_tools: bool = False) -> None:
        self._session_id = session_id
        self._page_runs_tools = page_runs_tools
        self._message = ""
        self._open: dict[tuple[str, str], str] = {}
        self._texts: dict[tuple[str, int], str] = {}
        self._begun: set[str] = set()
        self._called: set[str] = set()
        self._unsaid: dict[str, events.ToolUse] = {}
        self._of_page: set[str] = set()
        self._answered: set[str] = set()
        self._tails: dict[str, tuple[str, float]] = {}

    def start(self, message_id: str) -> list[Chunk]:
        """Return the chunks with which a response begins; `message_id` names the message that is continued, or a new one."""
        about = {"sessionId": self._session_id}
        return [{"type": "start", "messageId": message_id, "messageMetadata": about}, {"type": "start-step"}]

    def pause(self) -> list[Chunk]:
        """Return the chunks with which a response ends while the run waits for the user."""
        return [*self._close(), {"type": "finish-step"}, {"type": "finish", "finishReason": "tool-calls"}]

    def of(self, event: events.Event) -> list[Chunk]:
        """Return the chunks for an event, often none."""
        return [*self._of(event)]

    def _of(self, event: events.Event) -> Iterator[Chunk]:
        match event:
            case events.TextDelta() | events.ThinkingDelta():
                yield from self._delta(event)
            case events.TextFinished():
                yield from self._finished_text(event)
            case events.MessageDropped(message_id=message_id):
                yield from self._close(message_id)
                yield {"type": "data-dropped", "id": message_id, "data": {"messageId": message_id}}
            case events.ToolPreparing() | events.ToolUse() | events.ToolOutput() | events.ToolResult():
                yield from self._tool(event)
            case events.PermissionRequested():
                yield from self._permission(event)
            case events.PermissionDecided():
                yield from self._decided(event)
            case events.UiRequested():
                yield from self._close()
                asked = {"id": event.request_id, "kind": event.kind, "status": "pending", **event.payload}
                yield {"type": _SCREENS[event.kind], "id": event.request_id, "data": asked}
            case events.RunFinished():
                yield from self._end(event)
            case _:
                yield from _notes(event)

    def _delta(self, event: events.TextDelta | events.ThinkingDelta) -> Iterator[Chunk]:
        kind = "text" if isinstance(event, events.TextDelta) else "reasoning"
        yield from self._step(event.message_id)
        name = f"{event.message_id}:{event.block}"
        if (kind, name) not in self._open:
            self._open[kind, name] = event.message_id
            yield {"type": f"{kind}-start", "id": name}
        if kind == "text":
            key = (event.message_id, event.block)
            self._texts[key] = self._texts.get(key, "") + event.text
        yield {"type": f"{kind}-delta", "id": name, "delta": event.text}

    def _finished_text(self, event: events.TextFinished) -> Iterator[Chunk]:
        streamed = self._texts.pop((event.message_id, event.block), "")
        name = f"{event.message_id}:{event.block}"
        rest = event.text.removeprefix(streamed)
        if event.text.startswith(streamed) and rest:
            yield from self._delta(events.TextDelta(message_id=event.message_id, block=event.block, text=rest))
        if self._open.pop(("text", name), None) is not None:
            yield {"type": "text-end", "id": name}
        self._texts.pop((event.message_id, event.block), None)
        if not event.text.startswith(streamed):
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

    def _about(self, call: str) -> Chunk:
        return {} if call in self._of_page else {"dynamic": True, "providerExecuted": True}

    def _tool(self, event: events.ToolPreparing | events.ToolUse | events.ToolOutput | events.ToolResult) -> Iterator[Chunk]:
        call = event.tool_use_id
        if isinstance(event, events.ToolPreparing):
            if call not in self._begun and not self._page_runs_tools:  # else it is not known yet whose tool it will be
                yield from self._step(event.message_id)
                self._begun.add(call)
                yield {"type": "tool-input-start", "toolCallId": call, "toolName": page_name(event.name), **self._about(call)}
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
        """Say what a call is, once."""
        event = self._unsaid.pop(call, None)
        if event is not None:
            self._called.add(call)
            named = {"toolName": page_name(event.name), "input": page_input(event.name, event.input)}
            yield {"type": "tool-input-available", "toolCallId": call, **named, **self._about(call)}

    def _came(self, event: events.ToolOutput | events.ToolResult) -> Iterator[Chunk]:
        call = event.tool_use_id
        if isinstance(event, events.ToolOutput):
            tail, last = self._tails.get(call, ("", 0.0))
            tail, now = (tail + event.text)[-_LONGEST_TAIL:], time.monotonic()
            due = now - last >= _TAIL_EVERY_S
            self._tails[call] = (tail, now if due else last)
            if due:
                yield {**self._output(call, tail), "preliminary": True}
            return
        self._answered.add(call)
        self._tails.pop(call, None)
        if event.is_error:
            yield {"type": "tool-output-error", "toolCallId": call, "errorText": event.content, **self._about(call)}
        else:
            yield self._output(call, event.content)

    def _output(self, call: str, output: str) -> Chunk:
        return {"type": "tool-output-available", "toolCallId": call, "output": output, **self._about(call)}

    def _permission(self, event: events.PermissionRequested) -> Iterator[Chunk]:
        yield from self._close()
        call = event.tool_use_id or event.request_id
        if call not in self._called:
            self._unsaid.setdefault(call, events.ToolUse(tool_use_id=call, name=event.tool, input=event.input))
            if self._page_runs_tools:
                self._of_page.add(call)
        yield from self._use(call)
        told = msgspec.to_builtins(event, enc_hook=str)
        for name in ("type", "run_id", "seq", "time", "request_id", "tool_use_id", "input", "words", "happened"):
            del told[name]
        data = {
            "id": event.request_id,
            "toolCallId": call,
            "toolName": page_name(event.tool),
            "action": action(event.tool),
            "reason": event.words or " ".join(event.reasons),
            "parameters": page_input(event.tool, event.input),
            "timestamp": round(event.time * 1000),
            "status": "pending",
            "alreadyRan": event.happened,
        }
        yield {"type": "data-permission", "id": event.request_id, "data": told | data}
        if call not in self._of_page and call not in self._answered:
            yield {"type": "tool-approval-request", "approvalId": event.request_id, "toolCallId": call}

    def _decided(self, event: events.PermissionDecided) -> Iterator[Chunk]:
        status = {"allow": "approved", "deny": "denied"}.get(event.decision, "cancelled")
        answer = {"id": event.request_id, "status": status, "scope": event.scope, "message": event.message}
        yield {"type": "data-permission-decided", "id": event.request_id, "data": answer}
        call = event.tool_use_id
        if event.decision == "deny" and call in self._called and call not in self._answered:
            self._answered.add(call)
            yield {"type": "tool-output-denied", "toolCallId": call}

    def _end(self, event: events.RunFinished) -> Iterator[Chunk]:
        yield from self._close()
        yield {"type": "finish-step"}
        told: Chunk = {"status": event.status, "durationMs": event.duration_ms}
        if event.reason:
            told["reason"] = event.reason
        if event.cost_usd is not None:
            told["costUsd"] = event.cost_usd
        if event.status == "failed":
            yield {"type": "message-metadata", "messageMetadata": told}
            yield {"type": "error", "errorText": f"{event.reason} {event.remedy}".strip() or "The run failed."}
            return
        reasons = {"completed": "stop", "needs_clarification": "tool-calls", "needs_outline_edit": "tool-calls"}
        if event.status in ("aborted", "interrupted"):
            yield {"type": "message-metadata", "messageMetadata": told}
            yield {"type": "abort", "reason": event.reason or event.status}
        yield {"type": "finish", "finishReason": reasons.get(event.status, "other"), "messageMetadata": told}


def _notes(event: events.Event) -> Iterator[Chunk]:
    """Yield what is told beside the message: the plan, usage, what waits, and remarks, which are not kept."""
    match event:
        case events.TodosChanged(todos=todos):
            yield {"type": "data-todos", "id": "todos", "data": msgspec.to_builtins(todos)}
        case events.UsageChanged():
            usage = {"contextTokens": event.context_tokens, "window": event.window}
            yield {"type": "data-usage", "id": "usage", "data": usage}
        case events.QueueChanged(prompts=prompts):
            waiting = [{"id": each.id, "text": each.prompt.text} for each in prompts]
            yield {"type": "data-queue", "id": "queue", "data": waiting}
        case events.Notice():
            words = {"level": event.level, "message": event.message, "remedy": event.remedy, "code": event.code}
            yield {"type": "data-notice", "data": words, "transient": True}
        case events.SessionLost():
            words = {"level": "error", "message": event.message, "remedy": event.remedy, "code": "session_lost"}
            yield {"type": "data-notice", "data": words, "transient": True}
        case events.Compacted():
            sizes = {"before": event.before_tokens, "after": event.after_tokens, "byUser": event.by_user}
            yield {"type": "data-compacted", "data": {"summary": event.summary, **sizes}}
        case events.Retrying():
            again = {"attempt": event.attempt, "of": event.max_attempts, "delayMs": event.delay_ms, "status": event.status}
            yield {"type": "data-retrying", "data": again, "transient": True}
        case events.Stalled(seconds=seconds):
            yield {"type": "data-stalled", "data": {"seconds": seconds}, "transient": True}
        case events.UiSettled():
            settled = {"id": event.request_id, "status": "abandoned" if event.answer is None else "answered"}
            yield {"type": "data-settled", "id": event.request_id, "data": settled}
