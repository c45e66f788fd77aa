"""A provider on this machine, and profiles that lead to it."""

import asyncio
import json
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

SEEN = {"summary": "A red square.", "tags": ["square", "red"], "text": "Hello"}
KEY = "sk-very-secret-0123456789"


class Provider:
    """Answers each request with what `replies` holds for it, and keeps what was asked."""

    def __init__(self):
        self.requests = []
        self.replies = []
        self.url = ""
        self.arrived = asyncio.Event()

    def say(self, text, **choice):
        self.replies.append(
            {
                "choices": [
                    {
                        "message": {"role": "assistant", "content": text},
                        "finish_reason": "stop",
                        **choice,
                    }
                ]
            }
        )

    async def handle(self, request):
        self.requests.append(
            (request.path, dict(request.headers), json.loads(await request.read()))
        )
        self.arrived.set()
        reply = self.replies.pop(0)
        if callable(reply):
            return await reply(request)
        return reply if isinstance(reply, web.StreamResponse) else web.json_response(reply)


@asynccontextmanager
async def serving():
    """Give a provider that listens."""
    found = Provider()
    app = web.Application(client_max_size=1 << 28)
    app.router.add_route("*", "/{path:.*}", found.handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0, handler_cancellation=True)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    found.url = "http://{}:{}".format(*runner.addresses[0])
    try:
        yield found
    finally:
        await runner.cleanup()


@pytest.fixture
async def provider():
    async with serving() as found:
        yield found


@pytest.fixture
def dot(home):
    """The folder of the user's profiles."""
    folder = home / ".dogent"
    folder.mkdir()
    return folder


@pytest.fixture
def write_profiles(dot):
    def write(**named):
        (dot / "vision.json").write_text(json.dumps({"profiles": named}), encoding="utf-8")

    return write
