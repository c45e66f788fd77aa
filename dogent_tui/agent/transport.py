"""The CLI's process as the SDK sees it, without the messages to our own tools."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress

from dogent_tui.agent.cli_process import CliProcess
from dogent_tui.agent.sdk import CLIConnectionError, ProcessError, Transport
from dogent_tui.records import Json, JsonDict
from dogent_tui.tools.server import ToolServer

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
                if message.get("type") == "command_lifecycle":  # the SDK would leave it out
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
        self._under_way: dict[object, asyncio.Task[None]] = {}

    def take(self, message: Json) -> bool:
        """Return whether a message from the CLI is for our tools, or cancels one that was; if so,
        handle it.
        """
        control_id, request = message.get("request_id"), message.get("request") or {}
        if message.get("type") == "control_cancel_request" and control_id in self._under_way:
            self._under_way[control_id].cancel()
            return True
        if message.get("type") != "control_request" or request.get("subtype") != "mcp_message":
            return False
        task = asyncio.create_task(self._answer(control_id, request), name="tool-call")
        self._under_way[control_id] = task
        task.add_done_callback(lambda _: self._under_way.pop(control_id, None))
        return True

    async def close(self) -> None:
        """Cancel all calls, and wait until they have ended."""
        tasks = list(self._under_way.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

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
