"""Any order of events gives a stream that the AI SDK takes, in both versions: nothing unknown,
nothing before its start.
"""

import asyncio
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer
from aiohttp_sse import sse_response
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dogent_tui.agent import events
from dogent_tui.agent.session import SessionOptions
from dogent_tui.faces import http
from dogent_tui.faces.chats import Chats
from dogent_tui.faces.chunks import MessageChunks, Turn
from dogent_tui.faces.http import ChatServer
from dogent_tui.faces.page.routes import PageCode
from dogent_tui.faces.request_guard import RequestGuard
from dogent_tui.faces.shared import Chunk
from dogent_tui.storage.paths import Workspace
from tests.faces.conftest import IN_ONE_LOOP, Page, parsed

pytestmark = [IN_ONE_LOOP, pytest.mark.slow]

MESSAGES, CALLS, REQUESTS = (
    st.sampled_from(["m1", "m2"]),
    st.sampled_from(["c1", "c2", "c3"]),
    st.sampled_from(["q1", "q2"]),
)
WORDS = st.text(st.characters(codec="utf-8"), max_size=6)
TOOLS = st.sampled_from(
    ["Bash", "mcp__dogent__read_markdown_file", "mcp__dogent__propose_document_change", ""]
)
INPUTS = st.dictionaries(
    st.sampled_from(["path", "command", "reason"]), WORDS | st.none() | st.integers(), max_size=2
)
BLOCKS = st.integers(0, 1)
STATUSES = st.sampled_from(
    ["completed", "needs_clarification", "needs_outline_edit", "aborted", "interrupted", "failed"]
)
KINDS = st.sampled_from(["clarification", "outline_edit", "document_change"])


def of(made: type[events.Event], /, **values: Any) -> st.SearchStrategy[events.Event]:
    return st.builds(made, **values)


EVENT = st.one_of(
    of(events.RunStarted, prompt=st.builds(events.Prompt, WORDS)),
    of(events.TextDelta, message_id=MESSAGES, block=BLOCKS, text=WORDS),
    of(events.TextFinished, message_id=MESSAGES, block=BLOCKS, text=WORDS),
    of(events.ThinkingDelta, message_id=MESSAGES, block=BLOCKS, text=WORDS),
    of(events.MessageDropped, message_id=MESSAGES),
    of(events.ToolPreparing, message_id=MESSAGES, tool_use_id=CALLS, name=TOOLS),
    of(events.ToolUse, tool_use_id=CALLS, name=TOOLS, input=INPUTS),
    of(events.ToolOutput, tool_use_id=CALLS, text=WORDS),
    of(events.ToolResult, tool_use_id=CALLS, content=WORDS, is_error=st.booleans()),
    of(events.TodosChanged, todos=st.just((events.Todo("x", "pending"),))),
    of(
        events.PermissionRequested,
        request_id=REQUESTS,
        tool_use_id=CALLS | st.just(""),
        tool=TOOLS,
        input=INPUTS,
        words=WORDS,
        happened=st.booleans(),
    ),
    of(
        events.PermissionDecided,
        request_id=REQUESTS,
        tool_use_id=CALLS | st.just(""),
        decision=st.sampled_from(["allow", "deny", "cancelled"]),
    ),
    of(
        events.UiRequested,
        request_id=REQUESTS,
        kind=KINDS,
        payload=st.just({"title": "x"}),
        in_run=st.booleans(),
    ),
    of(events.UiSettled, request_id=REQUESTS, answer=st.none() | st.just(events.UiAnswer())),
    of(events.UsageChanged, context_tokens=st.integers(0, 9), window=st.integers(0, 9)),
    of(events.QueueChanged),
    of(events.Retrying, attempt=st.just(1), max_attempts=st.just(2), delay_ms=st.just(3)),
    of(events.Stalled, seconds=st.integers(0, 9)),
    of(events.Notice, level=st.just("warning"), message=WORDS),
    of(events.SessionLost, message=WORDS),
    of(events.Interrupted),
)
END = of(
    events.RunFinished,
    status=STATUSES,
    duration_ms=st.just(1),
    reason=WORDS,
    cost_usd=st.none() | st.floats(0, 9),
)
RUN = st.tuples(st.lists(EVENT, max_size=25), END, st.booleans())


def stream_of(run: tuple[list[events.Event], events.Event, bool]) -> list[Chunk]:
    """Return all chunks of a response."""
    happened, end, page_runs_tools = run
    made = MessageChunks("s1", page_runs_tools=page_runs_tools)
    return [*made.start("r1"), *(chunk for event in [*happened, end] for chunk in made.of(event))]


@pytest.mark.thorough
async def test_any_order_of_events_is_taken(page: Page) -> None:
    loop, runs = asyncio.get_running_loop(), 40

    @settings(
        max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )
    @given(st.lists(RUN, min_size=runs, max_size=runs))
    def examples(given_runs: list[Any]) -> None:
        streams = [stream_of(run) for run in given_runs]
        told = asyncio.run_coroutine_threadsafe(page("assemble", streams=streams), loop).result(60)
        for (_, end, _), stream, seen in zip(given_runs, streams, told["results"], strict=True):
            failed = end.status == "failed"
            assert seen["status"] == ("error" if failed else "ready"), (seen["error"], stream)
            assert seen["error"] == (stream[-1]["errorText"] if failed else None)

    await asyncio.to_thread(examples)


@pytest.mark.thorough
@pytest.mark.parametrize("at", range(5))
async def test_what_is_cut_anywhere_ends_with_an_error(page: Page, at: int) -> None:
    happened = [
        events.TextDelta(message_id="m", block=0, text="Half"),
        events.ToolPreparing(message_id="m", tool_use_id="c", name="Bash"),
        events.ToolUse(tool_use_id="c", name="Bash", input={"command": "ls"}),
        events.PermissionRequested(request_id="q", tool_use_id="c", tool="Bash", input={}),
    ]
    turn = Turn(MessageChunks("s"), "r")
    for event in happened[:at]:
        turn.hear(event)
    turn.cut("It was cut. Send it again.")
    stream = [chunk async for batch in turn.read(0, "", pauses=True) for chunk in batch]
    [seen] = (await page("assemble", streams=[stream]))["results"]
    assert (seen["status"], seen["error"]) == ("error", "It was cut. Send it again.")


async def test_what_follows_a_ping_of_the_server_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = Turn(MessageChunks("s"), "r")
    chats = Chats(Workspace(tmp_path), SessionOptions())
    monkeypatch.setattr(chats, "get", lambda _: SimpleNamespace(turn=turn))
    monkeypatch.setattr(http, "sse_response", partial(sse_response, ping_interval=0.01))
    app = ChatServer(chats).application(RequestGuard("token", ()), PageCode("token"))
    headers = {"authorization": "Bearer token"}
    async with TestClient(TestServer(app)) as client:
        answer = await client.get("/api/chat/c/stream", headers=headers)
        came = await answer.content.readuntil(b": ping")
        turn.hear(events.TextDelta(message_id="m", block=0, text="Hello"))
        turn.hear(events.RunFinished(status="completed", duration_ms=1))
        chunks = parsed((came + await answer.read()).decode())
    kinds = [chunk["type"] for chunk in chunks]
    assert kinds[:4] == ["start", "start-step", "text-start", "text-delta"]
