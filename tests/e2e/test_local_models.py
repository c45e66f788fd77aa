"""The real CLI through the relay to a server of local models."""

import json
from itertools import pairwise

import pytest
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
from dogent_tui.agent.session import session_copies
from dogent_tui.settings.profiles import Endpoint
from dogent_tui.settings.trust import FolderTrust
from dogent_tui.settings.values import WorkspaceSettings
from dogent_tui.storage.paths import Workspace
from dogent_tui.tools.libraries import Libraries
from tests.e2e.conftest import IN_ONE_LOOP, Listener
from tests.local_models.stand_ins import LLAMA_CPP, StandIn, chat, chat_delta, patient  # noqa: F401

pytestmark = IN_ONE_LOOP

MODEL = "gpt-oss-20b-mxfp4.gguf"
SMALL = {**LLAMA_CPP, "/props": {"default_generation_settings": {"n_ctx": 24576}}}


def listened(workspace: Workspace, base_url: str) -> Listener:
    endpoint = Endpoint(
        "llama", "local", base_url, model=MODEL, small_model=MODEL, server="llama.cpp"
    )
    libraries = Libraries(workspace, WorkspaceSettings())
    launcher = ClaudeLauncher(
        workspace,
        endpoint,
        Authority(workspace),
        FolderTrust(workspace),
        libraries,
        session_copies(workspace, "s"),
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


def grammars(path):
    """A call of Read as some families of models write it when their server does not know it."""
    arguments = json.dumps({"file_path": path})
    channel = "<|channel|>commentary to=functions.Read <|constrain|>json<|message|>"
    return {
        "Hermes": f'<tool_call>\n{{"name": "Read", "arguments": {arguments}}}\n</tool_call>',
        "Mistral": f"[TOOL_CALLS]Read[ARGS]{arguments}",
        "GLM": (
            f"<tool_call>Read\n<arg_key>file_path</arg_key>\n<arg_value>{path}</arg_value>\n"
            "</tool_call>"
        ),
        "harmony": f"{channel}{arguments}<|call|>",
        "Llama": f'<|python_tag|>Read.call(file_path="{path}")<|eom_id|>',
    }


def pieces(text, size=7):
    return [text[start : start + size] for start in range(0, len(text), size)]


@pytest.mark.thorough
@pytest.mark.parametrize("family", grammars(""))
async def test_a_call_in_the_text_of_each_family_reads_the_file(workspace: Workspace, family):
    (workspace.root / "notes.md").write_text("Tea is hot.\n", encoding="utf-8")
    call = grammars(str(workspace.root / "notes.md"))[family]

    def answer(body):
        last = body["messages"][-1]
        said = f"It says: {last['content']}" if last["role"] == "tool" else f"I look.\n\n{call}"
        return chat(*(chat_delta(content=piece) for piece in pieces(said)), chat_delta("stop"))

    async with StandIn(LLAMA_CPP) as server:
        server.chat(answer)
        listener = listened(workspace, server.base_url)
        async with listener.service:
            finished = await listener.run("What do the notes say?")
    assert finished.status == "completed"
    assert "Tea is hot." in finished.result
    assert next(text.text for text in listener.of(TextFinished)) == "I look.\n\n"
    assert [(use.name, use.input) for use in listener.of(ToolUse)] == [
        ("Read", {"file_path": str(workspace.root / "notes.md")})
    ]


UNREADABLE = {
    "cut off": '[TOOL_CALLS]Write[ARGS]{"file_path": "out.md", "content": "Half a',
    "broken": "<tool_call>{'name': 'Write', 'arguments': {file_path out.md}}</tool_call>",
    "without a name": "<tool_call>out.md, please</tool_call>",
    "all of its inputs may be left out": "<tool_call>\n<function=list_file_tree>\n<parameter=rea",
}


@pytest.mark.thorough
@pytest.mark.parametrize("call", UNREADABLE.values(), ids=UNREADABLE)
async def test_a_marked_call_that_cannot_be_read_is_asked_for_again(workspace: Workspace, call):
    """The model hears that its call was not understood, and makes it again; nothing is written with
    what was left of it.
    """
    out = workspace.root / "out.md"
    whole = json.dumps({"name": "Write", "arguments": {"file_path": str(out), "content": "Tea."}})

    def answer(body):
        heard = [message for message in body["messages"] if message["role"] == "tool"]
        said = (call, f"<tool_call>{whole}</tool_call>", "It is written.")[len(heard)]
        return chat(*(chat_delta(content=piece) for piece in pieces(said)), chat_delta("stop"))

    async with StandIn(LLAMA_CPP) as server:
        server.chat(answer)
        listener = listened(workspace, server.base_url)
        async with listener.service:
            finished = await listener.run("Write it.")
    assert (finished.status, finished.result) == ("completed", "It is written.")
    refused, written = listener.of(ToolResult)
    assert (refused.is_error, written.is_error) == (True, False)
    assert out.read_text(encoding="utf-8") == "Tea."
    again = server.requests[1][1]["messages"][-1]
    assert again["role"] == "tool", "the model is told why"
    assert again["content"]
