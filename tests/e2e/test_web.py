"""The web through the real CLI: whose tools the model is offered, a search and a fetch, and
private addresses.
"""

import json

import pytest_asyncio

from dogent_tui.agent.events import (
    PermissionAnswer,
    PermissionRequested,
    Prompt,
    RunFinished,
    ToolResult,
)
from dogent_tui.web.profiles import WebAccess, WebProfile
from tests.e2e.conftest import IN_ONE_LOOP
from tests.web.search_server import SearchServer

pytestmark = IN_ONE_LOOP

SEARCH = "mcp__dogent__web_search"
FETCH = "mcp__dogent__web_fetch"
OURS = {SEARCH, FETCH}
NATIVE = {"WebSearch", "WebFetch"}
KEY = "sk-of-the-provider"


@pytest_asyncio.fixture(loop_scope="module")
async def server():
    async with SearchServer() as server:
        yield server


def offered(api):
    return set(api.requests[0].tools)


async def test_without_a_web_profile_the_native_tools_are_offered(api, agent):
    api.say("Hello.")
    await agent.run("Hi")
    assert offered(api) & (OURS | NATIVE) == NATIVE


async def test_with_one_ours_are_and_a_private_page_needs_the_persons_word(
    api, server, open_service
):
    server.answers(
        {
            "web": {
                "results": [
                    {"title": "Otters", "url": "https://a.example/", "description": "They swim."}
                ]
            }
        }
    )
    page = f"{server.url}/otters"
    profile = WebProfile("brave", name="mine", api_key=KEY, endpoint=server.url)
    async with open_service(web=WebAccess(profile)) as agent:
        api.call(SEARCH, {"query": "otters", "num_results": 3})
        api.call(FETCH, {"url": page})
        api.say("I found otters, but not the page.")
        assert (await agent.run("What do otters do?")).status == "completed"
        assert offered(api) & (OURS | NATIVE) == OURS
        found, refused = agent.of(ToolResult)
        assert json.loads(found.content)["results"] == [
            {"title": "Otters", "url": "https://a.example/", "snippet": "They swim."}
        ]
        assert server.asked[0].params == {"q": "otters", "count": "3"}
        assert refused.is_error
        assert refused.content.startswith(
            "The address 127.0.0.1 is not public. It is opened only if the user names it"
        )
        assert agent.of(PermissionRequested) == []

        server.answers(
            "<html><title>Otters</title><body><h1>Otters</h1><p>They swim.</p></body></html>",
            Content_Type="text/html",
        )
        api.call(FETCH, {"url": page})
        api.say("They swim.")
        await agent.service.submit(Prompt(f"Read {page}, please."))
        question = await agent.heard(PermissionRequested)
        assert question.sentence == f"Open {page}"
        await agent.service.reply(question.request_id, PermissionAnswer("allow"))
        await agent.heard(RunFinished, 2)
        read = agent.of(ToolResult)[2]
        assert read.content.startswith(f"From the web: {page} · text/html · fetched 20")
        assert "They swim." in read.content
    assert KEY not in str([request.messages for request in api.requests])
