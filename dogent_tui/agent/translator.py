"""Turns the CLI's messages into events: the only module that knows the content of the SDK's
messages.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, get_args

import msgspec

from dogent_tui.agent.conversation import (
    ContextUse,
    TurnEnded,
    TurnOutcome,
)
from dogent_tui.agent.events import (
    Compacted,
    Compacting,
    DocumentDelta,
    Event,
    MessageDropped,
    Notice,
    Retrying,
    TextDelta,
    TextFinished,
    ThinkingDelta,
    Todo,
    TodosChanged,
    TodoStatus,
    ToolPreparing,
    ToolResult,
    ToolUse,
    UsageChanged,
    UsedTokens,
)
from dogent_tui.agent.failures import not_compacted, server_status
from dogent_tui.agent.sdk import (
    AssistantMessage,
    ResultMessage,
    StreamEvent,
    SystemMessage,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
)
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.records import Json, JsonDict, at
from dogent_tui.tools.plan import NAME as PLAN
from dogent_tui.tools.server import tool_name

_PLANS = (tool_name(PLAN), "TodoWrite")
"""Tools whose calls are the plan. The CLI's is not offered, but earlier conversations contain
it.
"""

_IMAGE_ERROR = "image_error"
"""`terminal_reason` of a turn whose images or documents the endpoint refused."""

_CUT = frozenset({"aborted_streaming", "aborted_tools"})
"""`terminal_reason`s of a turn cut short by an interrupt, a denial or a signal."""


WRITE = "Write"
"""The tool whose input is a whole text."""

_STEP = 64
_SHARE = 50
"""New input is parsed once it is longer than both `_STEP` characters and a share of all before:
parsing starts from the beginning each time, so a megabyte is parsed about a hundred times and not
once per word.
"""


class StreamedWrite:
    """The input of one call, as far as it has arrived. `path` is empty until it is known."""

    def __init__(self, tool_use_id: str) -> None:
        self.tool_use_id = tool_use_id
        self.path = ""
        self._pieces: list[str] = []
        self._come = 0
        self._read = 0
        self._told = 0

    def add(self, piece: str) -> str:
        """Add the next `piece` of the JSON. Return what is new of the text, often nothing."""
        self._pieces.append(piece)
        self._come += len(piece)
        return self.rest() if self._come - self._read >= max(_STEP, self._read // _SHARE) else ""

    def rest(self) -> str:
        """Return what is new of the text."""
        from pydantic_core import from_json  # imported on use: it takes a tenth of the SDK's time

        self._read = self._come
        self._pieces = ["".join(self._pieces)]
        try:
            fields = from_json(self._pieces[0], allow_partial="trailing-strings")
        except ValueError:  # nothing yet, or not JSON: the call itself will report it
            return ""
        path, text = at(fields, str, "file_path"), at(fields, str, "content")
        if not path or list(fields)[-1] == "file_path":  # possibly truncated
            return ""
        self.path = path
        new, self._told = text[self._told :], max(self._told, len(text))
        return new


class UsageTotals(NamedTuple):
    """The CLI's totals: dollars by its own price list, and tokens."""

    usd: float
    tokens: UsedTokens

    @classmethod
    def of(cls, usd: object, usage: Json | None) -> "UsageTotals":
        """Return the CLI's totals: `usage` is by model."""
        models = [*(usage or {}).values()]
        names = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
        tokens = UsedTokens(*(sum(at(model, int, name) for model in models) for name in names))
        return cls(float(usd) if isinstance(usd, int | float) else 0.0, tokens)


_NOT_THERE = {
    "failed": tr("The MCP server {name} did not start: its tools are missing."),
    "pending": tr("The MCP server {name} has not answered yet: its tools are missing until then."),
    "needs-auth": tr("The MCP server {name} asks for a sign-in: its tools are missing."),
}

_NOTHING_SPENT = UsageTotals(0.0, UsedTokens())


class Translator(msgspec.Struct):
    """Turns the SDK's messages into events. Keeps only what is needed of the current message.

    `window` is the size of the context window if the CLI does not know it.
    """

    window: int = 0
    counted_before: UsageTotals = _NOTHING_SPENT
    """The CLI's totals before this turn: they accumulate over turns and processes."""

    _message_id: str = ""
    _texts: dict[int, list[str]] = {}
    _writes: dict[int, StreamedWrite] = {}
    _streamed: set[str] = set()
    _unfinished: bool = False
    _stop_reason: str = ""
    _error: str = ""
    _boundary: Json | None = None
    _compact_error: str = ""
    _owes_summary: bool = False

    _servers: set[tuple[str, str]] = set()
    """The states of MCP servers that were told."""

    _sent: str = ""
    """The id of the user message sent last."""
    _is_ours: bool = False
    """Whether it belongs to the current turn."""
    _tells_begin: bool = False
    """Whether the CLI reports when a message starts or joins a turn."""

    def start_turn(self, message_id: str, *, compacts: bool = False) -> None:
        """Wait for the turn of a user message. `compacts`: it ends with a summary."""
        self._owes_summary = compacts
        self._sent = message_id

    def _forget_turn(self) -> None:
        """Reset after a turn; its unfinished entries stay as they are."""
        self._is_ours = self._unfinished = False
        self._streamed.clear()
        self._error = self._compact_error = self._stop_reason = ""
        self._boundary = None

    def translate(self, message: object) -> Iterator[Event | TurnEnded]:
        """Yield the events for one message of the SDK."""
        match message:
            case StreamEvent(parent_tool_use_id=None, event=event):
                yield from self._stream(event)
            case AssistantMessage(parent_tool_use_id=None):
                yield from self._assistant(message)
            # the summary follows immediately
            case UserMessage(content=content) if self._boundary is not None:
                boundary, self._boundary, self._owes_summary = self._boundary, None, False
                yield compacted(boundary, content if isinstance(content, str) else _texts(content))
                # the size of the next request is not known before it
                yield UsageChanged(context_tokens=0)
            case UserMessage(content=list() as blocks):
                results = [block for block in blocks if isinstance(block, ToolResultBlock)]
                told = message.tool_use_result if len(results) == 1 else None
                for block in results:
                    yield ToolResult(
                        tool_use_id=block.tool_use_id,
                        content=result_text(block.content),
                        is_error=bool(block.is_error),
                        changes=changed_hunks(told),
                    )
            case SystemMessage(subtype=subtype, data=data):
                yield from self._system(subtype, data)
            case ResultMessage():
                yield from self._result(message)
            case _:
                pass

    def _system(self, subtype: str, data: Json) -> Iterator[Event]:
        match subtype:
            case "status":
                error = str(data.get("compact_error") or "")
                self._compact_error = error.removeprefix("Error during compaction: ")
                if data.get("status") == "compacting":
                    yield Compacting()
            case "compact_boundary":
                self._boundary = data.get("compact_metadata") or {}
            case "api_retry":
                self._stop_reason = ""
                yield from self._drop_unfinished()
                yield _retrying(data)
            case "init":
                states = {
                    (one["name"], one["status"]) for one in data.get("mcp_servers") or ()
                } - self._servers
                self._servers |= states
                for name, state in sorted(states):
                    if state in _NOT_THERE:
                        yield Notice(
                            message=_NOT_THERE[state].format(name=one_line(name)),
                            remedy=tr("/mcp shows why, and starts it again."),
                            code="mcp_server",
                        )
            case "command_lifecycle":  # measured with 2.1.330: queued, started, completed
                self._tells_begin = True
                self._is_ours |= data["command_uuid"] == self._sent and data["state"] == "started"

    def _result(self, message: ResultMessage) -> Iterator[Event | TurnEnded]:
        if self._tells_begin and not self._is_ours:
            # a turn that the CLI started itself, because a background command had ended
            self._forget_turn()
            return
        # the CLI began to compact, but the reply came anyway; a failure says itself what to do
        if self._compact_error and not self._owes_summary and not message.is_error:
            yield Notice(**msgspec.structs.asdict(not_compacted(self._compact_error)))
        ended = self._turn_ended(message)
        self._forget_turn()
        yield ended

    def _stream(self, event: Json) -> Iterator[Event]:
        index = int(event.get("index", 0))
        match event.get("type"):
            case "message_start":
                yield from self._drop_unfinished()
                self._message_id = event["message"]["id"]
                self._texts, self._writes, self._stop_reason = {}, {}, ""
                self._streamed.add(self._message_id)
                self._unfinished = True
            case "content_block_start" if event["content_block"]["type"] == "tool_use":
                block = event["content_block"]
                yield ToolPreparing(
                    message_id=self._message_id, tool_use_id=block["id"], name=block["name"]
                )
                if block["name"] == WRITE:
                    self._writes[index] = StreamedWrite(block["id"])
            case "content_block_delta":
                yield from self._delta(index, event["delta"])
            case "content_block_stop" if index in self._writes:
                write = self._writes.pop(index)
                yield from self._written(write, write.rest())
            case "content_block_stop" if index in self._texts:
                yield TextFinished(
                    message_id=self._message_id, block=index, text="".join(self._texts[index])
                )
            case "message_delta" if event["delta"].get("stop_reason"):
                self._stop_reason = event["delta"]["stop_reason"]
                self._unfinished = (
                    # an interrupted stream can end like a complete one, but without a stop reason
                    False
                )

    def _delta(self, index: int, delta: Json) -> Iterator[Event]:
        match delta.get("type"):
            case "text_delta":
                self._texts.setdefault(index, []).append(delta["text"])
                yield TextDelta(message_id=self._message_id, block=index, text=delta["text"])
            case "thinking_delta":
                yield ThinkingDelta(
                    message_id=self._message_id, block=index, text=delta["thinking"]
                )
            case "input_json_delta" if write := self._writes.get(index):
                yield from self._written(write, write.add(delta["partial_json"]))

    def _written(self, write: StreamedWrite, text: str) -> Iterator[Event]:
        if text:
            yield DocumentDelta(
                message_id=self._message_id,
                tool_use_id=write.tool_use_id,
                path=write.path,
                text=text,
            )

    def _assistant(self, message: AssistantMessage) -> Iterator[Event]:
        if message.error is not None or message.model == "<synthetic>":
            self._error = _texts(message.content)
            return
        for position, block in enumerate(message.content):
            if isinstance(block, ToolUseBlock):
                yield ToolUse(tool_use_id=block.id, name=block.name, input=block.input)
                if block.name in _PLANS:
                    yield _todos_changed(block.input)
            elif isinstance(block, TextBlock) and (message.message_id or "") not in self._streamed:
                yield TextFinished(
                    message_id=message.message_id or message.uuid or "",
                    block=position,
                    text=block.text,
                )
        tokens = context_tokens(message.usage or {})
        if tokens:
            yield UsageChanged(context_tokens=tokens)

    def _drop_unfinished(self) -> Iterator[Event]:
        if self._unfinished and self._message_id:
            self._unfinished = False
            yield MessageDropped(message_id=self._message_id)

    def _turn_ended(self, message: ResultMessage) -> TurnEnded:
        now, before = (
            UsageTotals.of(message.total_cost_usd, message.model_usage),
            self.counted_before,
        )
        if now.tokens.total < before.tokens.total:  # its totals started from zero
            before = _NOTHING_SPENT
        self.counted_before = now
        windows = [usage.get("contextWindow", 0) for usage in (message.model_usage or {}).values()]
        outcome, error = _outcome(message), self._error or _errors(message)
        if self._owes_summary:
            outcome, error = "not_compacted", self._compact_error or error
        # 413 refuses any request that is too large, also one without an image
        refuses_media = message.terminal_reason == _IMAGE_ERROR and message.api_error_status != 413
        return TurnEnded(
            outcome=outcome,
            text=message.result or "",
            status=message.api_error_status or server_status(error),
            error=error,
            because=_IMAGE_ERROR if refuses_media else self._stop_reason,
            cost_usd=None if message.total_cost_usd is None else max(0.0, now.usd - before.usd),
            tokens=now.tokens.plus(before.tokens, -1) if message.model_usage else None,
            num_turns=message.num_turns,
            window=self.window or max(windows, default=0),
        )


def _errors(message: ResultMessage) -> str:
    """The CLI's explanation of an early end, without the diagnostics intended for its
    developers.
    """
    errors = [error for error in message.errors or [] if "ede_diagnostic" not in error]
    return "; ".join(errors) or message.subtype.replace("_", " ")


def _outcome(message: ResultMessage) -> TurnOutcome:
    if message.subtype == "error_max_budget_usd":
        return "budget"
    if message.terminal_reason in _CUT:
        return "cut"
    if message.terminal_reason == "hook_stopped":
        return "stopped"
    if not message.is_error:
        return "completed"
    return (
        "api_error"
        if message.terminal_reason == "api_error" or message.subtype == "success"
        else "error"
    )


def _texts(blocks: Iterable[object]) -> str:
    return "\n".join(block.text for block in blocks if isinstance(block, TextBlock))


def _retrying(data: Json) -> Retrying:
    return Retrying(
        attempt=int(data.get("attempt", 0)),
        max_attempts=int(data.get("max_retries", 0)),
        delay_ms=int(data.get("retry_delay_ms", 0)),
        status=int(data.get("error_status") or 0),
        error=str(data.get("error", "")),
    )


def _todos_changed(tool_input: Json) -> TodosChanged:
    """Return the plan in the input of a tool, which is arbitrary."""
    known: Mapping[str, TodoStatus] = {each: each for each in get_args(TodoStatus)}
    return TodosChanged(
        todos=tuple(
            Todo(at(todo, str, "content"), known.get(at(todo, str, "status"), "pending"))
            for todo in at(tool_input, list, "todos")
        )
    )


_ERROR_TAGS = ("<tool_use_error>", "</tool_use_error>")
"""What the CLI wraps around a tool's error for the model."""


_BY_HOOK = re.compile(r"\APreToolUse:\S+ hook error: ")
"""What it puts before the reason of a call denied by the policy."""
_NO_OUTPUT = re.compile(r"\(\S+ completed with no output\)")
"""What it tells the model in place of an empty result (measured with 2.1.332)."""


def result_text(content: str | list[JsonDict] | None) -> str:
    """Return a tool result as text; other content is named by its type."""
    if isinstance(content, list):
        content = "\n".join(
            str(block.get("text", "")) if block.get("type") == "text" else f"[{block.get('type')}]"
            for block in content
        )
    text = _BY_HOOK.sub("", content or "", count=1)
    if _NO_OUTPUT.fullmatch(text):
        return ""
    return (
        text.removeprefix(_ERROR_TAGS[0]).removesuffix(_ERROR_TAGS[1])
        if text.startswith(_ERROR_TAGS[0])
        else text
    )


def context_tokens(usage: Json) -> int:
    """Return how many tokens of the context window a request and its answer took (all three
    kinds of input, and the output).
    """
    keys = (
        "input_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
        "output_tokens",
    )
    return sum(int(usage.get(key) or 0) for key in keys)


_MOST = 100_000
"""The length of a change in characters; a longer one can be read in the file."""


def changed_hunks(told: object) -> tuple[tuple[str, str], ...]:
    """Return the old and the new text of each changed place of a file, with the lines around it.

    `told` is the ``toolUseResult`` of the CLI's transcript, whose ``structuredPatch`` contains the
    hunks. Of a file written as it was, two empty texts. Empty for a new file, and for any other
    result: the format is internal to the CLI and may change.
    """
    if (before := at(told, str, "originalFile")) and before == at(told, str, "content"):
        return (("", ""),)
    patch = at(told, list, "structuredPatch")
    hunks = tuple(_sides(lines) for hunk in patch if (lines := at(hunk, list, "lines")))
    return hunks if sum(len(old) + len(new) for old, new in hunks) <= _MOST else ()


def part_given(told: object, result: str) -> tuple[int, int, int] | None:
    """Return the start and end of the part of a text that a tool returned, counted from 0, and the
    total.

    In lines for the CLI's own Read, whose ``toolUseResult`` is `told`; in characters for our reader
    of Markdown files. None for any other result.
    """
    if file := at(told, dict, "file"):
        start, total = at(file, int, "startLine"), at(file, int, "totalLines")
        return (start - 1, start - 1 + at(file, int, "numLines"), total) if start else None
    try:
        known = at(json.loads(result.partition("\n")[0]), dict)
    except ValueError:
        return None
    if not {"path", "size", "modified"} <= known.keys():
        return None
    total = int(known.get("characters", 1))
    return int(known.get("offset", 0)), int(known.get("next_offset", total)), total


def _sides(lines: list[Any]) -> tuple[str, str]:
    signed = [line for line in lines if isinstance(line, str)]
    old = [line[1:] for line in signed if line[:1] in (" ", "-")]
    new = [line[1:] for line in signed if line[:1] in (" ", "+")]
    return "\n".join(old), "\n".join(new)


_SUMMARY = re.compile(
    r"(?:\A|.*\n)Summary:\n(.*?)(?:\n\nIf you need specific details from before compaction.*)?\Z",
    re.DOTALL,
)
"""The summary within the CLI's message to the model."""


def compacted(boundary: Mapping[str, Any], text: str) -> Compacted:
    """Return the event for a summary: `boundary` is its metadata, `text` the message that replaces
    the others.
    """
    found = _SUMMARY.match(text)
    return Compacted(
        summary=(found[1] if found else text).strip(),
        by_user=boundary.get("trigger") == "manual",
        before_tokens=int(boundary.get("pre_tokens") or 0),
        after_tokens=int(boundary.get("post_tokens") or 0),
    )


_SYSTEM_PROMPT, _TOOLS_OF_CLI, _TOOLS_OF_MCP, _MESSAGES = (
    "system_prompt",
    "system_tools",
    "mcp_tools",
    "messages",
)
"""The known categories in the CLI's answer."""


def context_use(told: Mapping[str, Any]) -> ContextUse:
    """Return the CLI's answer about the context. What is counted with the messages without being
    part of them is its notes.
    """
    categories = {
        str(each.get("id")): int(each.get("tokens") or 0) for each in told.get("categories") or ()
    }
    parts = told.get("messageBreakdown") or {}
    prompts, replies, calls = (
        int(parts.get(name) or 0)
        for name in ("userMessageTokens", "assistantMessageTokens", "toolCallTokens")
    )
    results = {
        str(each.get("name")): tokens
        for each in parts.get("toolCallsByType") or ()
        if (tokens := int(each.get("resultTokens") or 0))
    }
    history = prompts + replies + calls + sum(results.values())
    return ContextUse(
        total=int(told.get("totalTokens") or 0),
        window=int(told.get("rawMaxTokens") or told.get("maxTokens") or 0),
        compacts_at=int(told.get("autoCompactThreshold") or 0)
        if told.get("isAutoCompactEnabled")
        else 0,
        system_prompt=categories.get(_SYSTEM_PROMPT, 0),
        tools=categories.get(_TOOLS_OF_CLI, 0) + categories.get(_TOOLS_OF_MCP, 0),
        prompts=prompts,
        replies=replies,
        calls=calls,
        notes=max(0, categories.get(_MESSAGES, 0) - history),
        results=results,
    )
