"""Events as updates of the Agent Client Protocol, version 1 (PyPI `agent-client-protocol` 0.12).

Texts, tool calls and the plan are known by their ids, so that each update may be taken for the whole state of its thing.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from acp import schema
from acp.helpers import text_block, tool_content, tool_diff_content

from dogent_tui.agent import events
from dogent_tui.agent.tool_names import friendly_name, input_summary
from dogent_tui.language import tr
from dogent_tui.plain import one_line

Update: TypeAlias = (
    schema.UserMessageChunk
    | schema.AgentMessageChunk
    | schema.AgentThoughtChunk
    | schema.ToolCallStart
    | schema.ToolCallProgress
    | schema.AgentPlanUpdate
    | schema.UsageUpdate
    | schema.SessionInfoUpdate
)

_LONGEST_RESULT = 20_000
"""Characters of a result that an editor gets."""
_LONGEST_TAIL = 4_000
_KINDS: Mapping[str, Any] = {
    **dict.fromkeys(("Read", "NotebookRead", "read_document", "read_markdown_file", "analyze_media"), "read"),
    **dict.fromkeys(("Write", "Edit", "MultiEdit", "NotebookEdit", "propose_document_change"), "edit"),
    **dict.fromkeys(("Glob", "Grep", "LS", "search_markdown_files", "search_markdown_content", "list_file_tree"), "search"),
    **dict.fromkeys(("WebFetch", "WebSearch", "web_fetch", "web_search"), "fetch"),
    "Bash": "execute",
    "TodoWrite": "think",
}
_PATHS = ("file_path", "path", "notebook_path", "md_path")
_HUNK = re.compile(r"^@@.*@@.*$", re.MULTILINE)


class Updates:
    """Makes the updates of one session in the folder `root`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._texts: dict[tuple[str, int], str] = {}
        self._calls: dict[str, events.ToolUse] = {}
        self._tails: dict[str, str] = {}
        self._is_titled = False

    def of(self, event: events.Event, *, replayed: bool = False) -> list[Update]:
        """Return the updates for an event, often none. `replayed`: the editor has not seen the prompts, either."""
        if isinstance(event, events.RunStarted):
            return [*self._begun(event, replayed)]
        return [*self._of(event)]

    def _begun(self, event: events.RunStarted, replayed: bool) -> Iterator[Update]:
        self._texts.clear()
        text = event.prompt.text
        if replayed:
            yield schema.UserMessageChunk(session_update="user_message_chunk", content=text_block(text), message_id=event.run_id)
        if not self._is_titled and (title := one_line(text)[:80]):
            self._is_titled = True
            yield schema.SessionInfoUpdate(session_update="session_info_update", title=title)

    def _of(self, event: events.Event) -> Iterator[Update]:
        match event:
            case events.TextDelta():
                key = (event.message_id, event.block)
                self._texts[key] = self._texts.get(key, "") + event.text
                yield _said(event.text, event.message_id)
            case events.TextFinished():
                streamed = self._texts.pop((event.message_id, event.block), "")
                if rest := event.text.removeprefix(streamed) if event.text.startswith(streamed) else event.text:
                    yield _said(rest if event.text.startswith(streamed) else f"\n\n{rest}", event.message_id)
            case events.ThinkingDelta():
                thought = text_block(event.text)
                yield schema.AgentThoughtChunk(session_update="agent_thought_chunk", content=thought, message_id=event.message_id)
            case events.ToolPreparing() | events.ToolUse() | events.ToolOutput() | events.ToolResult():
                yield from self._tool(event)
            case events.TodosChanged(todos=todos):
                entries = [schema.PlanEntry(content=each.content, priority="medium", status=each.status) for each in todos]
                yield schema.AgentPlanUpdate(session_update="plan", entries=entries)
            case events.UsageChanged(window=window) if window:
                yield schema.UsageUpdate(session_update="usage_update", used=event.context_tokens, size=window)
            case events.MessageDropped(message_id=message_id):
                self._texts = {key: text for key, text in self._texts.items() if key[0] != message_id}
            case _ if words := _told(event):
                yield _said(f"\n\n{words}\n\n", f"told-{event.seq}")

    # ── Tools ─────────────────────────────────────────────────────────────────────────────────────

    def _tool(self, event: events.ToolPreparing | events.ToolUse | events.ToolOutput | events.ToolResult) -> Iterator[Update]:
        call = event.tool_use_id
        match event:
            case events.ToolPreparing(name=name):
                yield schema.ToolCallStart(
                    session_update="tool_call", tool_call_id=call, title=friendly_name(name), kind=kind_of(name), status="pending"
                )
            case events.ToolUse(name=name):
                self._calls[call] = event
                yield schema.ToolCallStart(
                    session_update="tool_call",
                    tool_call_id=call,
                    title=f"{friendly_name(name)} {input_summary(event.input, str(self._root))}".rstrip(),
                    kind=kind_of(name),
                    status="in_progress",
                    locations=self._locations(event.input),
                    raw_input=dict(event.input),
                )
            case events.ToolOutput(text=text):
                tail = self._tails[call] = (self._tails.get(call, "") + text)[-_LONGEST_TAIL:]
                yield _progress(call, content=[tool_content(text_block(tail))])
            case events.ToolResult():
                self._tails.pop(call, None)
                used = self._calls.pop(call, None)
                path = self._path(used.input) if used is not None else ""
                shown = event.content if len(event.content) <= _LONGEST_RESULT else f"{event.content[:_LONGEST_RESULT]}…"
                content: list[Any] = [tool_diff_content(path, new, old) for old, new in event.changes if path]
                content = content or [tool_content(text_block(shown))]
                yield _progress(call, status="failed" if event.is_error else "completed", content=content)

    def asked(self, event: events.PermissionRequested) -> schema.ToolCallUpdate:
        """Return the call about which an editor asks: the sentence, why, where, and what would change."""
        path = self._path(event.input) or next((target.path for target in event.targets), "")
        words = "\n".join([*event.reasons, *([event.words] if event.words else [])])
        content: list[Any] = [tool_content(text_block(words))] if words else []
        if command := event.input.get("command"):
            content.append(tool_content(text_block(f"```sh\n{command}\n```")))
        content += diff_blocks(event.diff, path) if path else []
        return schema.ToolCallUpdate(
            tool_call_id=event.tool_use_id or event.request_id,
            title=event.sentence or friendly_name(event.tool),
            kind=kind_of(event.tool),
            status="pending",
            content=content,
            locations=[schema.ToolCallLocation(path=target.path) for target in event.targets],
            raw_input=dict(event.input),
        )

    def _path(self, values: Mapping[str, Any]) -> str:
        found = next((values[key] for key in _PATHS if isinstance(values.get(key), str)), "")
        return str(self._root / found) if found else ""

    def _locations(self, values: Mapping[str, Any]) -> list[schema.ToolCallLocation]:
        path, line = self._path(values), values.get("offset")
        return [schema.ToolCallLocation(path=path, line=line if isinstance(line, int) and line > 0 else None)] if path else []


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


def kind_of(tool: str) -> Any:
    """Return the protocol's kind of a tool."""
    return _KINDS.get(tool.removeprefix("mcp__dogent__"), "other")


def diff_blocks(diff: str, path: str) -> list[schema.FileEditToolCallContent]:
    """Return a unified diff as the protocol's blocks, one for each hunk: the lines before, and after."""
    blocks = []
    for hunk in _HUNK.split(diff)[1:]:
        lines = hunk.strip("\n").split("\n")
        old = "\n".join(line[1:] for line in lines if line[:1] in (" ", "-"))
        new = "\n".join(line[1:] for line in lines if line[:1] in (" ", "+"))
        blocks.append(tool_diff_content(path, new, old))
    return blocks


def _said(text: str, message_id: str) -> schema.AgentMessageChunk:
    return schema.AgentMessageChunk(session_update="agent_message_chunk", content=text_block(text), message_id=message_id)


def _progress(call: str, **values: Any) -> schema.ToolCallProgress:
    return schema.ToolCallProgress(session_update="tool_call_update", tool_call_id=call, **values)
