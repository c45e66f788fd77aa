"""JSON-RPC messages on standard input and output, one a line. What is no message is answered as
JSON-RPC 2.0 asks for, where the SDK's own transport ends with the first line that is no object.
"""

import asyncio
import json
from typing import Any

_LARGEST_LINE = 64 << 20
_TOO_LARGE = b"\0"
"""Stands for a line that was too long to keep: it is not JSON."""


class LineTransport:
    """See `acp.Transport`: messages between a reader and a writer of bytes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._sending = asyncio.Lock()

    async def send(self, message: dict[str, Any]) -> None:
        """Write `message`, the lines in the order in which they were sent."""
        line = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
        async with self._sending:
            self._writer.write(line + b"\n")
            await self._writer.drain()

    async def receive(self) -> dict[str, Any] | None:
        """Return the next message, None at the end of the input."""
        while line := await self._line():
            if not line.strip():
                continue
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                await self.send(_error(-32700, "Parse error"))
                continue
            if isinstance(message, dict) and _is_message(message):
                return message
            told = message.get("id") if isinstance(message, dict) else None
            await self.send(_error(-32600, "Invalid request", told))
        return None

    async def close(self) -> None:
        """Close the output."""
        self._writer.close()

    async def _line(self) -> bytes:
        size, parts = 0, list[bytes]()
        while True:
            try:
                parts.append(await self._reader.readuntil())
            except asyncio.LimitOverrunError as more:
                parts.append(await self._reader.readexactly(more.consumed))
                size += more.consumed
                if size > _LARGEST_LINE:  # read to its end, and not kept
                    parts = [_TOO_LARGE]
                continue
            except asyncio.IncompleteReadError as end:
                parts.append(end.partial)
            return b"".join(parts)


def _is_message(message: dict[str, Any]) -> bool:
    """Whether it is a request, a notification or an answer, as far as its shape goes."""
    named = isinstance(message.get("method"), str)
    answers = "method" not in message and bool({"result", "error"} & message.keys())
    return (named or answers) and isinstance(message.get("id"), str | int | None)


def _error(code: int, words: str, told: object = None) -> dict[str, Any]:
    number = told if isinstance(told, str | int) else None
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": words}}
