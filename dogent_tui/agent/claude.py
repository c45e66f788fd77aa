"""A conversation over the Claude Agent SDK: its client connected to our process of the CLI, with
our tools' calls taken out of the stream in between.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from dogent_tui.agent.authority import Authority
from dogent_tui.agent.cli_process import CliProcess, ConversationOptions
from dogent_tui.agent.cli_transcripts import counted, mentions
from dogent_tui.agent.commands import Commands
from dogent_tui.agent.conversation import (
    Ask,
    AskForm,
    ContextUse,
    ServerState,
    TurnEnded,
)
from dogent_tui.agent.events import (
    CopiesKept,
    Event,
    TextDelta,
    TextFinished,
    ThinkingDelta,
    ToolOutput,
    ToolPreparing,
    ToolResult,
    ToolUse,
)
from dogent_tui.agent.gate import Gate
from dogent_tui.agent.prompts import INSTRUCTIONS_CHANGED, changed_files, instructions_changed
from dogent_tui.agent.save_failures import SaveFailures, Saver
from dogent_tui.agent.sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    ClaudeSDKError,
    CLIConnectionError,
    Message,
    ProcessError,
    SystemMessage,
    SystemPromptPreset,
    Transport,
)
from dogent_tui.agent.translator import (
    Translator,
    UsageTotals,
    context_use,
    part_given,
)
from dogent_tui.agent.ui_requests import OfferedRequest, ReviewMode, parse_request, understood
from dogent_tui.agent.write_reviews import Reviewing
from dogent_tui.errors import AgentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.records import Json, JsonDict
from dogent_tui.settings.known_secrets import known_secrets
from dogent_tui.settings.secrets import SHORTEST, spellings
from dogent_tui.sources.ledger import Ledger
from dogent_tui.tools.libraries import Libraries
from dogent_tui.tools.offered import offered_tools
from dogent_tui.tools.server import ToolServer, tool_name
from dogent_tui.tools.ui_request import ui_request_tool
from dogent_tui.undo.undo_log import UndoLog

_OURS_EACH_TIME: SystemPromptPreset = {"type": "preset", "preset": "claude_code", "snapshot": False}
"""Not really a preset: only in this way does the SDK take a prompt from a file and also give a
resumed conversation the current prompt. By default it keeps that of its first request (measured),
with outdated instructions and wall.
"""

_AFTER_A_QUESTION = (TextDelta, TextFinished, ThinkingDelta, ToolPreparing, ToolUse)
"""How long to wait for the end of the turn after a call of `AskUserQuestion`, which the CLI
refuses.
"""
_SERVER_LIMIT_S = 2.0
"""How long to wait for an MCP server that is started manually; it may still connect later."""
_CONTEXT_LIMIT_S = 20.0
"""How long the CLI may take to report what fills the context: it has the endpoint count."""


_RECEIVED = {"jsonrpc": "2.0", "result": {}}
"""The control channel's answer to a notification."""


class ProcessTransport(Transport):
    """See `claude_agent_sdk.Transport`. `tools` answers what the CLI asks the server with that
    name.
    """

    def __init__(self, process: CliProcess, tools: ToolServer) -> None:
        self._process = process
        self._calls = _ToolCalls(process, tools)

    async def connect(self) -> None:
        """Do nothing: it was started before the SDK was imported."""

    async def write(self, data: str) -> None:
        """Write to its input. Raises CLIConnectionError if it is gone."""
        try:
            await self._process.write(data)
        except OSError as error:
            raise CLIConnectionError(str(error) or type(error).__name__) from error

    async def read_messages(self) -> AsyncIterator[JsonDict]:
        """Yield the messages for the SDK until the end. Raises ProcessError if the process
        fails.
        """
        try:
            async for message in self._process.messages():
                if message.get("type") == "command_lifecycle":  # the SDK would omit it
                    yield {**message, "type": "system", "subtype": message["type"]}
                elif not self._calls.take(message):
                    yield message
        except ValueError as error:
            raise CLIConnectionError(str(error)) from error
        if status := await self._process.wait():
            raise ProcessError("The agent process failed", exit_code=status)

    async def close(self) -> None:
        """Cancel the calls of our tools, and end it."""
        await self._calls.close()
        await self._process.close()

    def is_ready(self) -> bool:
        """Return whether it runs."""
        return self._process.is_running

    async def end_input(self) -> None:
        """Close its input, which ends it."""
        self._process.end_input()


class _ToolCalls:
    """The CLI's messages to our tool server, each answered in a task of its own: a tool may take
    minutes.
    """

    def __init__(self, process: CliProcess, tools: ToolServer) -> None:
        self._process = process
        self._tools = tools
        self._under_way: set[asyncio.Task[None]] = set()

    def take(self, message: Json) -> bool:
        """Return whether a message from the CLI is for our tools; if so, handle it. Even that a
        call is cancelled is one of these (measured).
        """
        request = message.get("request") or {}
        if message.get("type") != "control_request" or request.get("subtype") != "mcp_message":
            return False
        task = asyncio.create_task(self._answer(message["request_id"], request), name="tool-call")
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return True

    async def close(self) -> None:
        """Cancel all calls, and wait until they have ended."""
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)

    async def _answer(self, control_id: object, request: Json) -> None:
        response: JsonDict = {"subtype": "success", "request_id": control_id}
        try:
            answered = await self._tools.answer(request["message"])
            response["response"] = {"mcp_response": answered or _RECEIVED}
        except Exception as error:  # the CLI would wait for an answer
            response |= {"subtype": "error", "error": f"{type(error).__name__}: {error}"}
        line = json.dumps({"type": "control_response", "response": response})
        with suppress(OSError):  # it has already ended
            await self._process.write(f"{line}\n")


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
        # If no one can review, nothing waits for a review: the policy decides as usual.
        mode = options.review_mode if options.at_screen else ReviewMode()
        self._reviewing = reviewing = Reviewing(form, libraries, mode, ledger)
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
            reviewing,
        )
        self._gate = gate = Gate(
            authority,
            ask,
            options.cwd,
            copies,
            libraries.requests,
            reviewing,
            self._commands.wrapped,
            ledger,
        )
        savers: dict[str, Saver] = {"seen_not_kept": ledger, "undo_not_kept": copies}
        self._save_failures = SaveFailures(self._inbox.put_nowait, savers)
        for notice in options.notices:
            self._inbox.put_nowait(notice)
        libraries.listener = self._hear_progress
        self._is_asked = False
        self._earlier = self._continues = choice.continues
        self._told = self._in_prompt = options.instructions
        self._read_instructions = options.read_instructions
        self._servers = options.servers
        self._process = process
        ours = [ui_request_tool(OfferedRequest, parse_request)]
        if options.at_screen:  # a change is proposed only if a user can review it during the turn
            ours.append(reviewing.tool())
        self._client = ClaudeSDKClient(
            ClaudeAgentOptions(
                system_prompt=_OURS_EACH_TIME,
                hooks=gate.hooks(),
                can_use_tool=gate.can_use_tool,
            ),
            ProcessTransport(process, ToolServer([*ours, *offered_tools(libraries)])),
        )
        self._translator = Translator(window=options.endpoint.window)

    async def connect(self) -> None:
        """Start the CLI. Raises AgentError where it does not start."""
        try:
            await asyncio.gather(self._client.connect(), self._commands.start())
            if self._continues:
                told = await asyncio.to_thread(counted, self._continues)
                self._translator.counted_before = UsageTotals.of(
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
        """Return the note about how the instructions differ from what the model was given, and
        consider it told.
        """
        try:
            now = self._read_instructions()
        except OSError:
            return ""
        # A message from an earlier process is older than the system prompt, but comes after it.
        earlier, self._earlier = self._earlier, ""
        known = None if earlier and mentions(earlier, INSTRUCTIONS_CHANGED) else self._told
        self._told = now
        return instructions_changed(known, now)

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
                for said in self._gate.take_events():
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
                    if isinstance(event, ToolResult) and self._reviewing.is_reviewed(
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
