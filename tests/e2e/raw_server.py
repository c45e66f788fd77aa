"""An endpoint that says whatever bytes a test gives it, or nothing at all: what is between users
and a Messages API.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

EVENTS = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
_MESSAGE = {
    "id": "m",
    "type": "message",
    "role": "assistant",
    "content": [],
    "model": "m",
    "usage": {},
}
_BEGUN = (
    {"type": "message_start", "message": _MESSAGE},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Half a "}},
)
_OVERLOADED = {
    "type": "error",
    "error": {"type": "overloaded_error", "message": "Too many at once"},
}


def _events(*events: dict) -> bytes:
    return (
        EVENTS
        + "".join(
            f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events
        ).encode()
    )


def _page(words: str) -> bytes:
    return f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(words)}\r\n\r\n{words}".encode()  # noqa: E501


PORTAL = _page(
    "<!DOCTYPE html><html><head><title>Guest &amp; Visitor WiFi</title></head><body>Sign"
    " in</body></html>"
)
REDIRECT = (
    b"HTTP/1.1 302 Found\r\nLocation:"
    b" http://user:secret@portal.example:81/login?key=1\r\nContent-Length: 0\r\n\r\n"
)
GARBAGE = bytes(range(128, 256)) * 3
NO_JSON = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\nwhat"
CUT = _events(*_BEGUN)
OVERLOAD = _events(*_BEGUN, _OVERLOADED)


@asynccontextmanager
async def saying(answer: bytes | None, *, then_silent: bool = False) -> AsyncIterator[str]:
    """Answer every request with `answer` and give the address; None: take connections and say
    nothing.

    The connection is closed after the answer, unless `then_silent`.
    """
    at_end = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            if answer is not None:
                head = await reader.readuntil(b"\r\n\r\n")
                lengths = [
                    int(line[15:])
                    for line in head.lower().split(b"\r\n")
                    if line.startswith(b"content-length:")
                ]
                await reader.readexactly(sum(lengths))
                writer.write(answer)
                await writer.drain()
            if answer is None or then_silent:
                await at_end.wait()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        at_end.set()
        server.close()
