"""A conversation over the Claude Agent SDK: the only module that knows the SDK's messages, which it
turns into events.
"""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from dogent_tui.agent.authority import Authority
from dogent_tui.agent.changed_text import changed_hunks, part_given
from dogent_tui.agent.cli_process import CliProcess, ConversationOptions
from dogent_tui.agent.cli_transcripts import counted, mentions
from dogent_tui.agent.commands import Commands
from dogent_tui.agent.context_use import compacted, context_use
from dogent_tui.agent.conversation import (
    Ask,
    AskForm,
    ContextUse,
    ServerState,
    TurnEnded,
    TurnOutcome,
)
from dogent_tui.agent.events import (
    Compacting,
    CopiesKept,
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
    ToolOutput,
    ToolPreparing,
    ToolResult,
    ToolUse,
    UsageChanged,
    UsedTokens,
)
from dogent_tui.agent.gate import Gate
from dogent_tui.agent.prompts import STANDING_CHANGED, changed_files, standing_changed
from dogent_tui.agent.save_failures import Keeps, SaveFailures
from dogent_tui.agent.sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    ClaudeSDKError,
    Message,
    ResultMessage,
    StreamEvent,
    SystemMessage,
    SystemPromptPreset,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
)
from dogent_tui.agent.streamed_writes import WRITE, StreamedWrite
from dogent_tui.agent.transport import ProcessTransport
from dogent_tui.agent.user_questions import Asking, understood
from dogent_tui.errors import AgentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.records import Json, JsonDict
from dogent_tui.settings.known_secrets import known_secrets
from dogent_tui.settings.secrets import SHORTEST, spellings
from dogent_tui.sources.ledger import Ledger
from dogent_tui.tools.libraries import Libraries
from dogent_tui.tools.offered import offered_tools
from dogent_tui.tools.plan import NAME as PLAN
from dogent_tui.tools.server import ToolServer, tool_name
from dogent_tui.undo.undo_log import UndoLog

_PLANS = (tool_name(PLAN), "TodoWrite")
"""Tools whose calls are the plan. The CLI's is not offered, but earlier conversations contain
it.
"""

_OURS_EACH_TIME: SystemPromptPreset = {"type": "preset", "preset": "claude_code", "snapshot": False}
"""Not really a preset: only in this way does the SDK take a prompt from a file and also give a
resumed conversation the current prompt. By default it keeps that of its first request (measured),
with outdated wishes and wall.
"""

_AFTER_A_QUESTION = (TextDelta, TextFinished, ThinkingDelta, ToolPreparing, ToolUse)
"""How long to wait for the end of the turn after a call of `AskUserQuestion`, which the CLI
refuses.
"""
_MAKE_ROOM = tr("Use /new to start with an empty context.")
_SERVER_LIMIT_S = 2.0
"""How long to wait for an MCP server that is started manually; it may still connect later."""
_CONTEXT_LIMIT_S = 20.0
"""How long the CLI may take to report what fills the context: it has the endpoint count."""

_IMAGE_ERROR = "image_error"
"""`terminal_reason` of a turn whose images or documents the endpoint refused."""

_CUT = frozenset({"aborted_streaming", "aborted_tools"})
"""`terminal_reason`s of a turn cut short by an interrupt, a denial or a signal."""


class ClaudeConversation:
    """One session of the real CLI. See `dogent_tui.agent.conversation.Conversation`."""

    def __init__(
        self,
        options: ConversationOptions,
        process: CliProcess,
        authority: Authority,
        ask: Ask,
        form: AskForm,
        libraries: Libraries,
        copies: UndoLog,
    ) -> None:
        choice = options.choice
        self.session_id = choice.session_id
        self._secrets = options.endpoint.secrets
        self._ledger = ledger = Ledger(
            choice.session_id,
            choice.fork_of,
            dropped=choice.dropped,
            holds_key=self._holds_key,
        )
        self._root = options.cwd
        self._asking = asking = Asking(
            form,
            libraries,
            at_screen=options.at_screen,
            review_mode=options.review_mode,
            ledger=ledger,
        )
        self._at_screen = options.at_screen
        self._offering: asyncio.Task[None] | None = None
        self._inbox: asyncio.Queue[Event | Message | None] = asyncio.Queue()
        self._commands = Commands(
            authority,
            ask,
            options.cwd,
            copies,
            self._inbox.put_nowait,
            self.interrupt,
            options.config_dir / "shell-snapshots",
            asking.reviewing,
        )
        self._gate = gate = Gate(
            authority,
            ask,
            options.cwd,
            copies,
            libraries.requests,
            asking.reviewing,
            self._commands.wrapped,
            ledger,
        )
        keeps: dict[str, Keeps] = {"seen_not_kept": ledger, "undo_not_kept": copies}
        self._save_failures = SaveFailures(self._inbox.put_nowait, keeps)
        for notice in options.notices:
            self._inbox.put_nowait(notice)
        libraries.listener = self._hear_progress
        self._is_asked = False
        self._earlier = self._continues = choice.continues
        self._told = self._in_prompt = options.standing
        self._read_standing = options.read_standing
        self._servers = options.servers
        self._process = process
        ours = [*asking.tools(), *offered_tools(libraries)]
        self._client = ClaudeSDKClient(
            ClaudeAgentOptions(
                system_prompt=_OURS_EACH_TIME,
                hooks={**gate.hooks(), **asking.hooks()},
                can_use_tool=gate.can_use_tool,
            ),
            ProcessTransport(process, ToolServer(ours)),
        )
        self._translator = Translator(window=options.endpoint.window)

    async def connect(self) -> None:
        """Start the CLI. Raises AgentError where it does not start."""
        try:
            await asyncio.gather(self._client.connect(), self._commands.start())
            if self._continues:
                told = await asyncio.to_thread(counted, self._continues)
                self._translator.counted_before = Spent.of(
                    told.get("totalCostUSD"), told.get("modelUsage")
                )
            await asyncio.to_thread(self._process.servers_were_read)
            if self._at_screen:
                self._offering = asyncio.create_task(
                    asyncio.to_thread(self._commands.offer_leftovers), name="leftovers"
                )
        except Exception as error:  # the SDK raises generic ones too if it does not answer
            raise self._process.did_not_start(error) from error

    async def send(self, text: str, message_id: str) -> None:
        """Send a user message, stored in the CLI's transcript under `message_id`. Raises AgentError
        if the CLI is gone.
        """
        self._translator.start_turn(message_id)
        self._is_asked = False
        await asyncio.to_thread(self._ledger.begin, message_id.replace("-", "")[:12])
        self._save_failures.look()
        changed = await asyncio.to_thread(self._ledger.changed)
        if changed:
            places = [
                str(path.relative_to(self._root) if path.is_relative_to(self._root) else path)
                for path in changed
            ]
            text = f"{text}\n\n{changed_files(places)}"
        if note := await asyncio.to_thread(self._what_changed):
            text = f"{text}\n\n{note}"
        await self._query(_user_message(text, message_id, client_composed=True))

    async def compact(self, focus: str, message_id: str) -> None:
        """See `Conversation.compact`."""
        self._translator.start_turn(message_id, compacts=True)
        await asyncio.to_thread(self._ledger.begin, message_id.replace("-", "")[:12])
        await self._query(_user_message(f"/compact {one_line(focus)}".rstrip(), message_id))

    async def servers(self) -> Sequence[ServerState]:
        """See `Conversation.servers`."""
        try:
            told = await asyncio.wait_for(self._client.get_mcp_status(), _SERVER_LIMIT_S)
        except Exception as error:
            said = tr("The agent process did not report on its MCP servers.")
            raise AgentError(said, tr("Try again in a moment.")) from error
        return [_server_state(each) for each in told["mcpServers"] if each["name"] in self._servers]

    async def switch_server(self, name: str, *, on: bool) -> None:
        """See `Conversation.switch_server`."""
        self._process.give_time(name)
        try:
            await asyncio.wait_for(self._client.toggle_mcp_server(name, on), _SERVER_LIMIT_S)
        except TimeoutError:  # it keeps trying
            return
        except Exception as error:
            raise AgentError(
                self._process.redacted(str(error)), tr("Look at its command in mcp.json.")
            ) from error

    async def _query(self, message: AsyncIterator[JsonDict]) -> None:
        try:
            await self._client.query(message)
        except Exception as error:
            raise AgentError(
                tr("The agent process has exited."), tr("Send the prompt again.")
            ) from error

    def _what_changed(self) -> str:
        """Return the note about how the user's wishes differ from what the model was told, and
        consider it told.
        """
        try:
            now = self._read_standing()
        except OSError:
            return ""
        # A message from an earlier process is older than the system prompt, but comes after it.
        earlier, self._earlier = self._earlier, ""
        known = None if earlier and mentions(earlier, STANDING_CHANGED) else self._told
        self._told = now
        return standing_changed(known, now)

    async def context(self) -> ContextUse:
        """See `Conversation.context`."""
        try:
            return context_use(
                await asyncio.wait_for(self._client.get_context_usage(), _CONTEXT_LIMIT_S)
            )
        except Exception as error:
            raise AgentError(
                tr("The agent process did not say what fills the context."),
                tr("Try again in a moment."),
            ) from error

    async def messages(self) -> AsyncIterator[Event | TurnEnded]:
        """Yield everything the CLI says, as events, until it ends. Raises AgentError with its last
        words if it failed.
        """
        receiving = asyncio.create_task(self._receive(), name="agent-messages")
        try:
            while (message := await self._inbox.get()) is not None:
                for said in (*self._gate.take_heard(), *self._asking.take_heard()):
                    yield said
                for event in (
                    (message,)
                    if isinstance(message, Event)
                    else self._translator.translate(message)
                ):
                    await self._note(event, message)
                    if self._is_asked and isinstance(event, _AFTER_A_QUESTION):
                        continue
                    if isinstance(event, ToolUse) and (asked := understood(event)):
                        event, self._is_asked = asked, True
                        await self.interrupt()
                    if isinstance(event, ToolResult) and self._asking.reviewing.is_reviewed(
                        event.tool_use_id
                    ):
                        event = replace(event, is_error=False)  # a reviewed call did not fail
                    yield event
            await receiving
        except ClaudeSDKError as error:
            words = self._process.last_words() or self._process.redacted(str(error))
            raise AgentError(words) from error
        finally:
            receiving.cancel()

    async def _note(self, event: Event | TurnEnded, message: object) -> None:
        """Tell the ledger and the gate what `event`, which came with `message`, says about files
        and calls.
        """
        if isinstance(event, CopiesKept):  # done by a command
            await asyncio.to_thread(self._ledger.expect, map(Path, event.paths))
        elif isinstance(event, ToolResult):
            part = part_given(getattr(message, "tool_use_result", None), event.content)
            await self._gate.after_tool(event.tool_use_id, is_error=event.is_error, part=part)
            self._save_failures.look()
        elif isinstance(event, TurnEnded):
            await self._gate.after_turn()
            self._save_failures.look()

    async def _receive(self) -> None:
        """Put what the CLI says into the inbox, to which our own tools add their progress."""
        try:
            async for message in self._client.receive_messages():
                if isinstance(message, SystemMessage) and message.subtype == "compact_boundary":
                    # what was told since is only in a summary, if at all
                    self._told = self._in_prompt
                self._inbox.put_nowait(message)
        finally:
            self._inbox.put_nowait(None)

    def _hear_progress(self, tool: str, payload: Json, text: str) -> None:
        tool_use_id = self._gate.call_of(tool_name(tool), payload)
        if tool_use_id:
            self._inbox.put_nowait(ToolOutput(tool_use_id=tool_use_id, text=f"{text}\n"))

    async def interrupt(self) -> None:
        """Stop the current turn. If the CLI is gone or does not answer, there is nothing to
        stop.
        """
        with contextlib.suppress(Exception):
            await self._client.interrupt()

    async def close(self) -> None:
        """End the CLI and wait for it."""
        with contextlib.suppress(Exception):
            await self._client.disconnect()
        await self._process.close()  # if the SDK did not get to it
        await asyncio.to_thread(self._ledger.leave_no_key)
        await self._save_failures.close()
        await self._commands.close()

    def kill(self) -> None:
        """See `CliProcess.kill`."""
        self._process.kill()

    @property
    def pid(self) -> int | None:
        """The process id of the CLI."""
        return self._process.pid

    def _holds_key(self, content: bytes) -> bool:
        secrets = {
            secret for secret in (*known_secrets(), *self._secrets) if len(secret) >= SHORTEST
        }
        return any(
            spelled.encode(errors="surrogatepass") in content
            for secret in secrets
            for spelled in spellings(secret)
        )


def _server_state(told: Json) -> ServerState:
    tools = tuple(str(tool.get("name")) for tool in told.get("tools") or ())
    return ServerState(told["name"], told["status"], str(told.get("error") or ""), tools)


async def _user_message(
    text: str, message_id: str, *, client_composed: bool = False
) -> AsyncIterator[JsonDict]:
    """Yield a message as the SDK sends one, with our own id (measured: the transcript contains it,
    and a fork keeps it).

    `client_composed`: it reaches the model unchanged. Otherwise the CLI runs text that begins with
    a slash as one of its commands.
    """
    message = {
        "type": "user",
        "message": {"role": "user", "content": text},
        "parent_tool_use_id": None,
        "uuid": message_id,
    }
    yield {**message, "client_composed": True} if client_composed else message


class Spent(NamedTuple):
    """The CLI's totals: dollars by its own price list, and tokens."""

    usd: float
    tokens: UsedTokens

    @classmethod
    def of(cls, usd: object, usage: Json | None) -> "Spent":
        """Return the CLI's totals: `usage` is by model."""
        models = [model for model in (usage or {}).values() if isinstance(model, Mapping)]
        names = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
        tokens = UsedTokens(*(sum(int(model.get(name) or 0) for model in models) for name in names))
        return cls(float(usd) if isinstance(usd, int | float) else 0.0, tokens)


_NOTHING_SPENT = Spent(0.0, UsedTokens())


@dataclass(slots=True)
class Translator:
    """Turns the SDK's messages into events. Keeps only what is needed of the current message.

    `window` is the size of the context window if the CLI does not know it.
    """

    window: int = 0
    counted_before: Spent = _NOTHING_SPENT
    """The CLI's totals before this turn: they accumulate over turns and processes."""

    _message_id: str = ""
    _texts: dict[int, list[str]] = field(default_factory=dict)
    _writes: dict[int, StreamedWrite] = field(default_factory=dict)
    _streamed: set[str] = field(default_factory=set)
    _unfinished: bool = False
    _stop_reason: str = ""
    _error: str = ""
    _boundary: Json | None = None
    _compact_error: str = ""
    _owes_summary: bool = False

    _sent: str = ""
    """The id of the user message that was sent last."""
    _is_ours: bool = False
    """Whether it belongs to the turn under way."""
    _tells_begin: bool = False
    """Whether the CLI tells when a message begins a turn, or joins one."""

    def start_turn(self, message_id: str, *, compacts: bool = False) -> None:
        """Wait for the turn of a user message. `compacts`: it is to end with a summary."""
        self._owes_summary = compacts
        self._sent = message_id

    def _forget_turn(self) -> None:
        """Forget the turn that has ended: what it left unfinished stays as it is."""
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
                self._compact_error = str(data.get("compact_error") or "")
                if data.get("status") == "compacting":
                    yield Compacting()
            case "compact_boundary":
                self._boundary = data.get("compact_metadata") or {}
            case "api_retry":
                self._stop_reason = ""
                yield from self._drop_unfinished()
                yield _retrying(data)
            case "command_lifecycle":  # measured with 2.1.330: queued, started, completed
                self._tells_begin = True
                self._is_ours |= data["command_uuid"] == self._sent and data["state"] == "started"

    def _result(self, message: ResultMessage) -> Iterator[Event | TurnEnded]:
        if self._tells_begin and not self._is_ours:
            # a turn that the CLI began itself, because a command in the background had ended
            self._forget_turn()
            return
        # the CLI began to compact, but the reply came anyway
        if self._compact_error and not self._owes_summary:
            words = tr(
                "The conversation could not be compacted: {error}", error=self._compact_error
            )
            yield Notice(level="warning", code="not_compacted", message=words, remedy=_MAKE_ROOM)
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
        now, before = Spent.of(message.total_cost_usd, message.model_usage), self.counted_before
        if now.tokens.total < before.tokens.total:  # its totals started from zero
            before = _NOTHING_SPENT
        self.counted_before = now
        windows = [usage.get("contextWindow", 0) for usage in (message.model_usage or {}).values()]
        return TurnEnded(
            outcome="error" if self._owes_summary else _outcome(message),
            text=message.result or "",
            status=message.api_error_status or 0,
            error=(self._compact_error if self._owes_summary else "")
            or self._error
            or _errors(message),
            because=_IMAGE_ERROR if message.terminal_reason == _IMAGE_ERROR else self._stop_reason,
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
    todos = tool_input.get("todos")
    return TodosChanged(
        todos=tuple(
            Todo(
                str(todo.get("content", "")),
                _todo_status(todo.get("status")),
                str(todo.get("activeForm", "")),
            )
            for todo in (todos if isinstance(todos, list) else [])
            if isinstance(todo, dict)
        )
    )


def _todo_status(status: object) -> TodoStatus:
    """Return the status as one of ours: the input of a tool is arbitrary."""
    return (
        "completed"
        if status == "completed"
        else "in_progress"
        if status == "in_progress"
        else "pending"
    )


_ERROR_TAGS = ("<tool_use_error>", "</tool_use_error>")
"""What the CLI wraps around a tool's error for the model."""


_BY_HOOK = re.compile(r"\APreToolUse:\S+ hook error: ")
"""What it puts before the reason of a call denied by the policy."""


def result_text(content: str | list[JsonDict] | None) -> str:
    """Return a tool result as text; other content is named by its type."""
    if isinstance(content, list):
        content = "\n".join(
            str(block.get("text", "")) if block.get("type") == "text" else f"[{block.get('type')}]"
            for block in content
        )
    text = _BY_HOOK.sub("", content or "", count=1)
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
