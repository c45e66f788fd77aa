"""Small requests to an endpoint of models."""

import asyncio
import json

from aiohttp import web
from aiohttp.test_utils import TestServer

from dogent_tui.web.messages_probe import list_models


async def test_a_list_of_models_that_arrives_in_pieces_is_read_to_its_end() -> None:
    body = json.dumps({"data": [{"id": f"model-{number}"} for number in range(3)]}).encode()
    is_read = asyncio.Event()

    async def models(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(body[:20])
        asyncio.get_running_loop().call_later(0.05, is_read.set)
        await is_read.wait()
        await response.write(body[20:])
        return response

    app = web.Application()
    app.router.add_get("/v1/models", models)
    async with TestServer(app) as server:
        found = await list_models(str(server.make_url("/")), {}, timeout_s=20)
    assert found == ("model-0", "model-1", "model-2")
