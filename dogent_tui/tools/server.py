"""The in-process MCP server `dogent`: the CLI's messages arrive over the control channel
(`agent/claude.py`).

It answers everything a tools-only server has to, like the SDK's own, which takes 0.6 s to import
(`mcp`, mostly its HTTP part). A test compares the two. Format:
https://modelcontextprotocol.io/specification/2025-11-25/server/tools
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Annotated, Any, NamedTuple, TypeAlias, TypeVar

import msgspec
from msgspec import Meta

from dogent_tui import __version__
from dogent_tui.errors import DogentError
from dogent_tui.records import Json, JsonDict

MOST_CHARS = 40_000
"""The length of an answer. The CLI writes results of more than 50,000 characters to a file
(measured).
"""

SERVER = "dogent"
"""The CLI's prefix for the names of our tools: ``mcp__dogent__NAME``."""

_METHOD_NOT_FOUND = {"code": -32601, "message": "Method not found"}
"""https://www.jsonrpc.org/specification#error_object"""

_CANCELLED = {"code": -32800, "message": "Request cancelled"}
"""The answer of the SDK's server."""

Reason: TypeAlias = Annotated[
    str, Meta(description="Why, in one sentence: the user decides by it.")
]
"""The field of tools that ask every time."""

_Input = TypeVar("_Input", bound=msgspec.Struct)


class ToolFailure(Exception):  # noqa: N818  (the model reads it, and goes on)
    """A call failed; the message tells the model why."""


class Tool(NamedTuple):
    """A tool of ours: `schema` is the JSON Schema of its input, `handler` takes a valid input and
    returns a `result`.
    """

    name: str
    description: str
    schema: Json
    handler: Callable[[JsonDict], Awaitable[JsonDict]]

    @property
    def listed(self) -> JsonDict:
        """Return its description for the client."""
        return {"name": self.name, "description": self.description, "inputSchema": self.schema}


def typed_tool(
    name: str,
    description: str,
    kind: type[_Input],
    answer: Callable[[_Input, Json], Awaitable[str]],
    undone: str,
) -> Tool:
    """Return a tool whose input is a `kind`, which also provides the schema.

    `answer` takes the input, decoded and raw, and returns a text, or raises a ToolFailure or a
    DogentError whose message is returned to the model. `undone` tells what did not happen if the
    input is invalid.
    """

    async def handle(payload: JsonDict) -> JsonDict:
        said = {key: value for key, value in payload.items() if value is not None}
        try:
            return result(await answer(msgspec.convert(said, kind, strict=False), payload))
        except msgspec.ValidationError as error:
            return result(f"{undone}: the input is not right. {error}.", is_error=True)
        except (DogentError, ToolFailure) as error:
            return result(str(error), is_error=True)

    return Tool(name, description, schema_of(kind), handle)


def schema_of(kind: type[msgspec.Struct]) -> JsonDict:
    """Return the JSON Schema of an input, without parts that only cost the model tokens."""
    (schema,), parts = msgspec.json.schema_components([kind], ref_template="{name}")

    def plain(value: Any) -> Any:
        if isinstance(value, list):
            return [plain(each) for each in value]
        if not isinstance(value, dict):
            return value
        if "$ref" in value:
            return plain(parts[value["$ref"]])
        named = {key: each for key, each in value.items() if key not in ("title", "default")}
        if "properties" in value:  # its keys are names of fields
            fields = value["properties"].items()
            named["properties"] = {key: plain(each) for key, each in fields}
            return named
        return {key: plain(each) for key, each in named.items()}

    made: JsonDict = plain(schema)
    return made


class ToolServer:
    """Answers the messages of one client, which may call several tools at once."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._calls: dict[object, asyncio.Task[JsonDict]] = {}

    async def answer(self, message: Json) -> JsonDict | None:
        """Answer a message.

        Args:
            message: a JSON-RPC request (with ``id``) or notification.

        Returns:
            The JSON-RPC response to a request. An error in a tool is its result, for the model to
            read.

        Raises:
            KeyError: the message violates MCP.
        """
        method, params = message["method"], message.get("params") or {}
        if method == "notifications/cancelled" and params.get("requestId") in self._calls:
            self._calls[params["requestId"]].cancel()
        if "id" not in message:
            return None
        return {"jsonrpc": "2.0", "id": message["id"]} | await self._answered(
            message["id"], method, params
        )

    async def _answered(self, request_id: object, method: str, params: Json) -> JsonDict:
        """Return the ``result`` or the ``error`` of a response."""
        match method:
            case "initialize":
                about = {"name": SERVER, "version": __version__}
                return {
                    "result": {
                        "protocolVersion": params["protocolVersion"],
                        "capabilities": {"tools": {"listChanged": False}},
                        "serverInfo": about,
                    }
                }
            case "ping":
                return {"result": {}}
            case "tools/list":
                return {"result": {"tools": [tool.listed for tool in self._tools.values()]}}
            case "tools/call":
                called = self._call(params["name"], params.get("arguments") or {})
                told = await self._unless_cancelled(request_id, called)
                if told is None:
                    return {"error": _CANCELLED}
                return {"result": {"content": told["content"], "isError": told["is_error"]}}
        return {"error": {**_METHOD_NOT_FOUND, "data": method}}

    async def _unless_cancelled(
        self, request_id: object, called: Coroutine[Any, Any, JsonDict]
    ) -> JsonDict | None:
        """Return the result of a call; None if the client cancels it."""
        task = self._calls[request_id] = asyncio.create_task(called)
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            task.cancel()
            raise
        finally:
            del self._calls[request_id]
        return None if task.cancelled() else task.result()

    async def _call(self, name: str, given: JsonDict) -> JsonDict:
        if (tool := self._tools.get(name)) is None:
            return result(f"Tool '{name}' not found", is_error=True)
        try:
            return await tool.handler(given)
        except Exception as error:  # the model reads it, whatever it is
            return result(str(error), is_error=True)


def tool_name(name: str) -> str:
    """Return the name of our tool `name` for the CLI and the model."""
    return f"mcp__{SERVER}__{name}"


def as_json(value: Any) -> str:
    """Return `value` on one line."""
    return msgspec.json.encode(value, enc_hook=str).decode()


def fitting(rows: Iterable[Any]) -> list[str]:
    """Return the first of `rows` as JSON, as many as fit into an answer."""
    room, written = MOST_CHARS, list[str]()
    for row in map(as_json, rows):
        room -= len(row) + 2
        if room < 0:
            break
        written.append(row)
    return written


def with_rows(known: Json, name: str, rows: Iterable[str]) -> str:
    """Return the JSON of `known` with the JSON of `rows` under `name`, one a line."""
    lines = ",\n".join(rows)
    return f'{as_json(known)[:-1]},"{name}":[{lines and chr(10)}{lines}]}}'


def result(text: str, *, is_error: bool = False) -> JsonDict:
    """Return a tool's text as a `result`."""
    return {"content": [{"type": "text", "text": text}], "is_error": is_error}
