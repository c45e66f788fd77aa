"""The real CLI through the relay to a server of local models."""

import json
from itertools import pairwise

from aiohttp import web

from dogent_tui.agent.authority import Authority
from dogent_tui.agent.events import (
    Notice,
    SessionStarted,
    TextFinished,
    ToolResult,
    ToolUse,
    UsageChanged,
)
from dogent_tui.agent.launch import ClaudeLauncher
from dogent_tui.agent.service import AgentService
from dogent_tui.settings.profiles import Endpoint
from dogent_tui.settings.trust import FolderTrust
from dogent_tui.settings.values import WorkspaceSettings
from dogent_tui.storage.paths import Workspace
from dogent_tui.tools.libraries import Libraries
from tests.e2e.conftest import IN_ONE_LOOP, Listener
from tests.local_models.stand_ins import LLAMA_CPP, StandIn, chat, chat_delta

pytestmark = IN_ONE_LOOP

MODEL = "gpt-oss-20b-mxfp4.gguf"
SMALL = {**LLAMA_CPP, "/props": {"default_generation_settings": {"n_ctx": 24576}}}


def listened(workspace: Workspace, base_url: str) -> Listener:
    endpoint = Endpoint(
        "llama", "local", base_url, model=MODEL, small_model=MODEL, server="llama.cpp"
    )
    libraries = Libraries(workspace, WorkspaceSettings())
    launcher = ClaudeLauncher(
        workspace, endpoint, Authority(workspace), FolderTrust(workspace), libraries
    )
    return Listener(AgentService(launcher, endpoint, cwd=str(workspace.root)), workspace.root)


async def test_a_server_that_only_completes_chats_and_calls_tools_in_its_text(workspace: Workspace):
    """The hardest one: no Messages API, no tool calls of its own, a small window; then it fails,
    and breaks off.
    """
    (workspace.root / "notes.md").write_text("Tea is hot.\n", encoding="utf-8")
    call = json.dumps(
        {"name": "read", "arguments": {"file_path": str(workspace.root / "notes.md")}}
    )
    read = ("<think>Hm.</think>I read it.\n\n```js", "on\n", call[:20], call[20:], "\n```")

    def answer(body):
        last = body["messages"][-1]
        if last["role"] == "tool":
            return chat(
                chat_delta(content="It says: "),
                chat_delta(content=last["content"].splitlines()[0]),
                chat_delta("stop"),
            )
        prompt = last["content"].rpartition("Now ")[2]
        if prompt.startswith("fail"):
            return web.json_response(
                {"error": {"message": f"model '{MODEL}' not found"}}, status=404
            )
        if prompt.startswith("break"):
            return chat(chat_delta(content="Half a "))[:1]
        return chat(*(chat_delta(content=piece) for piece in read), chat_delta("stop"))

    async with StandIn(SMALL) as server:
        server.chat(answer)
        listener = listened(workspace, server.base_url)
        async with listener.service:
            finished = await listener.run("What do the notes say?")
            assert (finished.status, finished.result) == ("completed", "It says: 1\tTea is hot.")
            assert [text.text for text in listener.of(TextFinished)] == [
                "I read it.\n\n",
                "It says: 1\tTea is hot.",
            ]
            assert [use.name for use in listener.of(ToolUse)] == ["Read"]
            assert not listener.of(ToolResult)[0].is_error
            assert listener.of(SessionStarted)[0].model == MODEL
            assert "24,576 tokens" in listener.of(Notice)[0].message
            assert listener.of(UsageChanged)[-1].window == 24576

            failed = await listener.run("Now fail.")
            assert (failed.status, failed.code) == ("failed", "local_model")
            assert (
                failed.reason
                == f"llama.cpp does not have the model {MODEL}: “model '{MODEL}' not found”."
            )
            assert failed.remedy.startswith("Set ANTHROPIC_MODEL to one it has")

            broken = await listener.run("Now break.")
            assert broken.reason == "llama.cpp stopped mid-answer: its answer was cut off."
    for _, body in server.requests:
        assert body["model"] == MODEL
        roles = [message["role"] for message in body["messages"]]
        assert "system" not in roles[1:]
        assert not any(before == after == "user" for before, after in pairwise(roles))
        assert body["max_tokens"] < 24576
