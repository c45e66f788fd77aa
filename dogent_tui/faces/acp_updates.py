"""Events as updates of the Agent Client Protocol, version 1 (PyPI `agent-client-protocol` 0.12).

Texts, tool calls and the plan are known by their ids, so that each update may be taken for the
whole state of its thing.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dogent_tui.agent import events
from dogent_tui.agent.tool_names import friendly_name, input_summary, path_in, tool_kind
from dogent_tui.faces.seen import TOOL_EVENTS, Chunk, Seen, TextEvent, ToolEvent
from dogent_tui.language import tr
from dogent_tui.plain import one_line

_LONGEST_RESULT = 20_000
"""Characters of a result that an editor gets."""
_LONGEST_TAIL = 4_000
_HUNK = re.compile(r"^@@.*@@.*$", re.MULTILINE)


class Updates:
    """Makes the updates of one session in the folder `root`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._seen = Seen(_LONGEST_TAIL)
        self._calls: dict[str, events.ToolUse] = {}
        self._is_titled = False

    def of(self, event: events.Event, *, replayed: bool = False) -> list[Chunk]:
        """Return the updates for an event, often none. `replayed`: the editor has not seen the
        prompts, either.
        """
        return [*self._of(event, replayed)]

    def _of(self, event: events.Event, replayed: bool) -> Iterator[Chunk]:
        match event:
            case events.RunStarted():
                yield from self._begun(event, replayed)
            case events.TextDelta() | events.TextFinished() | events.ThinkingDelta():
                if text := self._text(event):
                    kind = "thought" if isinstance(event, events.ThinkingDelta) else "message"
                    yield said(text, event.message_id, f"agent_{kind}_chunk")
            case events.MessageDropped(message_id=message_id):
                self._seen.drop(message_id)
            case _ if isinstance(event, TOOL_EVENTS):
                yield self._tool(event)
            case events.TodosChanged(todos=todos):
                plan = [{"content": each.content, "status": each.status} for each in todos]
                entries = [{**each, "priority": "medium"} for each in plan]
                yield {"sessionUpdate": "plan", "entries": entries}
            case events.UsageChanged(window=window) if window:
                used = event.context_tokens
                yield {"sessionUpdate": "usage_update", "used": used, "size": window}
            case _ if words := _told(event):
                yield said(f"\n\n{words}\n\n", f"told-{event.seq}")

    def _text(self, event: TextEvent) -> str:
        if isinstance(event, events.TextFinished):
            continues, rest = self._seen.rest(event)
            return rest if continues else f"\n\n{rest}"
        if isinstance(event, events.TextDelta):
            self._seen.delta(event)
        return event.text

    def _begun(self, event: events.RunStarted, replayed: bool) -> Iterator[Chunk]:
        if replayed:
            yield said(event.prompt.text, event.run_id, "user_message_chunk")
        if not self._is_titled and (title := one_line(event.prompt.text)[:80]):
            self._is_titled = True
            yield {"sessionUpdate": "session_info_update", "title": title}

    def _tool(self, event: ToolEvent) -> Chunk:
        match event:
            case events.ToolPreparing(name=name):
                known = {"title": friendly_name(name), "kind": tool_kind(name), "status": "pending"}
                return {"sessionUpdate": "tool_call", "toolCallId": event.tool_use_id, **known}
            case events.ToolUse():
                self._calls[event.tool_use_id] = event
                return self._used(event)
            case events.ToolOutput():
                return progress(event.tool_use_id, content=[text_of(self._seen.tail(event))])
            case events.ToolResult():
                return self._returned(event)

    def _used(self, event: events.ToolUse) -> Chunk:
        path, line = self._path(event.input), event.input.get("offset")
        place = {"path": path, **({"line": line} if isinstance(line, int) and line > 0 else {})}
        summary = input_summary(event.input, str(self._root))
        return {
            "sessionUpdate": "tool_call",
            "toolCallId": event.tool_use_id,
            "title": f"{friendly_name(event.name)} {summary}".rstrip(),
            "kind": tool_kind(event.name),
            "status": "in_progress",
            "locations": [place] if path else [],
            "rawInput": dict(event.input),
        }

    def _returned(self, event: events.ToolResult) -> Chunk:
        self._seen.end(event.tool_use_id)
        used = self._calls.pop(event.tool_use_id, None)
        path = self._path(used.input) if used is not None else ""
        content = [diff_of(path, old, new) for old, new in event.changes if path]
        text = event.content[:_LONGEST_RESULT] + "…" * (len(event.content) > _LONGEST_RESULT)
        status = "failed" if event.is_error else "completed"
        return progress(event.tool_use_id, status=status, content=content or [text_of(text)])

    def asked(self, event: events.PermissionRequested) -> Chunk:
        """Return the call about which an editor asks: the sentence, why, where, and what would
        change.
        """
        path = self._path(event.input) or next((target.path for target in event.targets), "")
        words = "\n".join([*event.reasons, event.words]).strip()
        content = [text_of(words)] if words else []
        if command := event.input.get("command"):
            content.append(text_of(f"```sh\n{command}\n```"))
        return {
            "toolCallId": event.tool_use_id or event.request_id,
            "title": event.sentence or friendly_name(event.tool),
            "kind": tool_kind(event.tool),
            "status": "pending",
            "content": content + (diffs_of(event.diff, path) if path else []),
            "locations": [{"path": target.path} for target in event.targets],
            "rawInput": dict(event.input),
        }

    def _path(self, values: Mapping[str, Any]) -> str:
        return str(self._root / path) if (path := path_in(values)) else ""


def _told(event: events.Event) -> str:
    """Return what an event says to the user in words of its own, mostly nothing."""
    match event:
        case events.RunFinished(status="failed" | "aborted"):
            return f"{event.reason} {event.remedy}".rstrip()
        case events.Compacted():
            return tr("The conversation was compacted: the agent continues with a summary of it.")
        case events.Notice(level="warning" | "error") | events.SessionLost():
            return f"{event.message} {event.remedy}".rstrip()
    return ""


def said(text: str, message_id: str, kind: str = "agent_message_chunk") -> Chunk:
    """Return a piece of a message."""
    content = {"type": "text", "text": text}
    return {"sessionUpdate": kind, "content": content, "messageId": message_id}


def progress(call: str, **values: Any) -> Chunk:
    """Return what is new of a call."""
    return {"sessionUpdate": "tool_call_update", "toolCallId": call, **values}


def text_of(text: str) -> Chunk:
    """Return a text as content of a call."""
    return {"type": "content", "content": {"type": "text", "text": text}}


def diff_of(path: str, old: str, new: str) -> Chunk:
    """Return a change as content of a call."""
    return {"type": "diff", "path": path, "oldText": old, "newText": new}


def diffs_of(diff: str, path: str) -> list[Chunk]:
    """Return a unified diff as content of a call, one for each hunk: the lines before, and
    after.
    """
    hunks = [hunk.strip("\n").split("\n") for hunk in _HUNK.split(diff)[1:]]
    return [diff_of(path, _side(hunk, "-"), _side(hunk, "+")) for hunk in hunks]


def _side(hunk: list[str], sign: str) -> str:
    return "\n".join(line[1:] for line in hunk if line[:1] in (" ", sign))
