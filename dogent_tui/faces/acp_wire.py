"""JSON-RPC messages on standard input and output, one a line. What is no message is answered as
JSON-RPC 2.0 asks for, where the SDK's own transport ends with the first line that is no object.
"""

import asyncio
import json
from typing import Any


class LineTransport:
    """See `acp.Transport`: messages between a reader, whose limit is the longest line, and a
    writer of bytes.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, message: dict[str, Any]) -> None:
        """Write `message`, the lines in the order in which they were sent."""
        line = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
        self._writer.write(line + b"\n")
        await self._writer.drain()

    async def receive(self) -> dict[str, Any] | None:
        """Return the next message, None at the end of the input."""
        while True:
            try:
                line = await self._reader.readline()
                message = json.loads(line) if line.strip() else None
            except (ValueError, RecursionError):  # a line that is too long is a ValueError, too
                await self._refuse(-32700, "Parse error")
                continue
            if not line or (isinstance(message, dict) and _is_message(message)):
                return message
            if line.strip():
                told = message.get("id") if isinstance(message, dict) else None
                await self._refuse(-32600, "Invalid request", told)

    async def close(self) -> None:
        """Close the output."""
        self._writer.close()

    async def _refuse(self, code: int, words: str, told: object = None) -> None:
        number = told if isinstance(told, str | int) else None
        error = {"code": code, "message": words}
        await self.send({"jsonrpc": "2.0", "id": number, "error": error})


def _is_message(message: dict[str, Any]) -> bool:
    """Whether it is a request, a notification or an answer, as far as its shape goes."""
    named = isinstance(message.get("method"), str)
    answers = "method" not in message and bool({"result", "error"} & message.keys())
    return (named or answers) and isinstance(message.get("id"), str | int | None)
