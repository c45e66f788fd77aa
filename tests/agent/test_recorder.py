"""What is written down of a session, where an earlier one left something open."""

import asyncio

import pytest

from dogent_tui.agent.events import (
    DocumentDelta,
    Prompt,
    RunFinished,
    RunStarted,
    SessionStarted,
    UiAnswer,
    UiRequested,
    UiSettled,
)
from dogent_tui.agent.recorder import Recorder
from dogent_tui.agent.replay import replay_log
from dogent_tui.agent.service import AgentService
from dogent_tui.agent.ui_requests import Clarification, Question, ui_requested
from dogent_tui.settings.profiles import Endpoint
from dogent_tui.storage.history import History
from dogent_tui.storage.paths import Workspace
from dogent_tui.storage.sessions import latest_session
from tests.agent.fake_conversation import FakeLauncher

REQUEST = ui_requested(Clarification("Before I write", (Question("length", "How long?"),)))


@pytest.fixture
def workspace(tmp_path) -> Workspace:
    return Workspace(tmp_path)


async def earlier(workspace: Workspace, *, crashed: bool):
    """Record a session that asked and then ended, or was killed while its run waited."""
    run = {"run_id": "r1", "seq": 1}

    async def events():
        yield SessionStarted(
            session_id="s1", profile="", model="", endpoint="offline", cwd="", resumed=False
        )
        yield RunStarted(prompt=Prompt("Write a report"), **run)
        yield UiRequested(
            request_id="q1", kind=REQUEST.kind, payload=REQUEST.payload, in_run=crashed, **run
        )
        if not crashed:
            yield RunFinished(status="needs_clarification", duration_ms=9, **run)

    await Recorder(workspace, "s1").record(events())
    return latest_session(workspace)


@pytest.mark.parametrize("crashed", [False, True])
async def test_what_is_abandoned_after_a_restart_is_in_the_history_and_stays_abandoned(
    workspace, crashed
):
    record = await earlier(workspace, crashed=crashed)
    service = AgentService(FakeLauncher(), Endpoint("offline", "offline"), cwd=str(workspace.root))
    service.restore(replay_log(record.path)[0])
    recording = asyncio.create_task(Recorder(workspace, "s1").record(service.events()))
    async with service:
        (request,) = service.requests
        await service.reply(request.request_id, UiAnswer())
    await recording
    entries = [(entry.status, entry.prompt) for entry in History(workspace.history_file).entries()]
    begun = ["started"] if crashed else ["started", "needs_clarification"]
    assert entries == [(status, "Write a report") for status in (*begun, "interrupted")]
    assert any(isinstance(event, UiSettled) for event in replay_log(record.path)[0])
    again = AgentService(FakeLauncher(), Endpoint("offline", "offline"), cwd=str(workspace.root))
    again.restore(replay_log(record.path)[0])
    assert again.requests == ()


async def test_what_streams_into_a_document_is_not_kept_twice(workspace):
    async def events():
        yield RunStarted(prompt=Prompt("Write a report"), run_id="r1", seq=1)
        yield DocumentDelta(
            run_id="r1", seq=2, message_id="m", tool_use_id="t", path="a.md", text="streamed"
        )

    await Recorder(workspace, "s1").record(events())
    assert "streamed" not in latest_session(workspace).path.read_text(encoding="utf-8")
