"""Whatever ends us, or fills or locks the disk: nothing that was said is lost but what was on
its way.
"""

import asyncio
import json
import multiprocessing
import os
import resource
import signal
from pathlib import Path

import pytest

from dogent_tui.agent import recorder, save_failures
from dogent_tui.agent.conversation import SessionChoice, TurnEnded
from dogent_tui.agent.events import (
    Notice,
    Prompt,
    QueuedPrompt,
    RunFinished,
    SessionStarted,
    TextDelta,
    TextFinished,
    ToolPreparing,
    ToolUse,
)
from dogent_tui.agent.recorder import Recorder
from dogent_tui.agent.replay import replay_log
from dogent_tui.agent.service import AgentService
from dogent_tui.agent.session import SessionOptions, open_session
from dogent_tui.agent.ui_requests import Clarification, Question, ui_requested
from dogent_tui.records import to_json
from dogent_tui.settings.profiles import Endpoint
from dogent_tui.storage.history import History, HistoryEntry
from dogent_tui.storage.paths import Workspace
from dogent_tui.storage.session_log import SessionHold, metadata_file, read_lines
from dogent_tui.storage.sessions import latest_session, list_sessions, open_log
from dogent_tui.tui.transcript.model import Asked, ToolCall, TranscriptModel, UserTurn
from tests.agent.fake_conversation import FakeLauncher, permission

ENDED = TurnEnded("completed", text="Tea is hot.")
SAID = TextFinished(message_id="m", block=0, text="Tea is hot.")
WRITES = ToolUse(tool_use_id="w", name="Write", input={"file_path": "tea.md", "content": "Tea"})


@pytest.fixture
def workspace(tmp_path) -> Workspace:
    return Workspace(tmp_path)


def in_child(target, *arguments) -> int:
    """Run `target` in a separate process, which may be killed, and return how it ended."""
    child = multiprocessing.get_context("fork").Process(target=target, args=arguments)
    child.start()
    child.join(60)
    assert child.exitcode is not None, "it hangs"
    return child.exitcode


# ── Killed ────────────────────────────────────────────────────────────────────────────────────────


async def idle(service, launcher):
    launcher.conversation.arrive(SAID, ENDED)
    return "run_finished"


async def streaming(service, launcher):
    launcher.conversation.arrive(TextDelta(message_id="m", block=0, text="Tea is"))
    return "text_delta"


async def form_open(service, launcher):
    launcher.conversation.arrive(
        ui_requested(Clarification("Before", (Question("length", "How long?"),))), ENDED
    )
    return "run_finished"


async def permission_open(service, launcher):
    launcher.conversation.arrive(
        ToolUse(tool_use_id="d", name="Bash", input={"command": "rm tea.md"})
    )
    service._asking = asyncio.create_task(
        launcher.ask(permission("d", "Bash", {"command": "rm tea.md"}, sentence="Delete tea.md"))
    )
    return "permission_requested"


async def writing(service, launcher):
    launcher.conversation.arrive(
        ToolPreparing(message_id="m", tool_use_id="w", name="Write"), WRITES
    )
    return "tool_use"


def live_and_die(workspace: Workspace, state) -> None:
    """Be a window with a conversation in it, and be killed in the middle of it."""

    async def live() -> None:
        launcher = FakeLauncher()
        service = AgentService(
            launcher,
            Endpoint("offline", "offline"),
            cwd=str(workspace.root),
            session=SessionChoice("s"),
        )
        recording = asyncio.create_task(
            Recorder(workspace, "s", hold=SessionHold()).record(service.events())
        )
        async with service:
            await service.submit(Prompt("Write on tea"))
            while not launcher.started:
                await asyncio.sleep(0.01)
            await launcher.conversation.received.wait()
            await service.submit(Prompt("And then coffee"))
            last = await state(service, launcher)
            while not _is_written(workspace, last):
                await asyncio.sleep(0.01)
            os.kill(os.getpid(), signal.SIGKILL)
        recording.cancel()

    asyncio.run(live())


def _is_written(workspace: Workspace, kind: str) -> bool:
    record = latest_session(workspace)
    finished = kind != "run_finished" or any(
        entry.status != "started" for entry in History(workspace.history_file).entries()
    )
    return (
        record is not None
        and finished
        and any(f'"type":"{kind}"' in line for line in read_lines(record.path))
    )


@pytest.mark.parametrize(
    "state",
    [idle, streaming, form_open, permission_open, writing],
    ids=lambda state: state.__name__,
)
def test_a_kill_costs_nothing_that_was_said(workspace, state):
    assert in_child(live_and_die, workspace, state) == -signal.SIGKILL
    record = latest_session(workspace)
    assert (record.session_id, record.title) == ("s", "Write on tea")
    assert SessionHold().take(record.path), "the dead window still has it"
    events = replay_log(record.path)[0]
    model = TranscriptModel()
    for event in events:
        model.apply(event)
    model.close()
    prompts = [entry.prompt.text for entry in model.entries if isinstance(entry, UserTurn)]
    assert prompts[0] == "Write on tea"
    assert not [entry for entry in model.entries if isinstance(entry, ToolCall) and entry.active]
    assert History(workspace.history_file).recall()[0] == "Write on tea"
    again = AgentService(FakeLauncher(), Endpoint("offline", "offline"), cwd=str(workspace.root))
    again.restore(events)
    assert bool(again.requests) == (state is form_open)
    if state is idle:
        assert model.last_reply() == "Tea is hot."
        assert [e.status for e in History(workspace.history_file).entries()][:2] == [
            "started",
            "completed",
        ]
    elif state is streaming:
        assert model.last_reply() == "Tea is"
    elif state is form_open:
        assert [entry.state for entry in model.entries if isinstance(entry, Asked)] == ["open"]
    else:
        (call,) = [entry for entry in model.entries if isinstance(entry, ToolCall)]
        assert call.state == "stopped"
        assert call.input
    if state is not idle:
        waiting = [prompt for event in events for prompt in getattr(event, "prompts", ())]
        assert waiting == [QueuedPrompt(id=waiting[0].id, prompt=Prompt("And then coffee"))]


# ── A power cut ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "left", ["", '{"session_id": "s", "sta', None], ids=["empty", "cut", "gone"]
)
def test_a_page_that_a_power_cut_took_is_told_by_the_log(workspace, left):
    log = open_log(workspace, "s")
    log.append(
        to_json(
            SessionStarted(
                session_id="s", profile="", model="", endpoint="offline", cwd=str(workspace.root)
            )
        )
    )
    log.append(to_json(RunStartedOf("Write on tea")))
    log.close()
    page = metadata_file(log.path)
    page.unlink() if left is None else page.write_text(left)
    # written, and not renamed any more
    (page.parent / ".dogent-0123456789ab.tmp").write_text('{"session_id": "s", ')
    (record,) = list_sessions(workspace)
    assert (record.session_id, record.title, record.workspace) == (
        "s",
        "Write on tea",
        str(workspace.root),
    )
    again = open_log(workspace, "s")
    assert again.path == log.path


def test_a_log_that_ends_in_what_a_power_cut_left_loses_that_and_continues(workspace):
    log = open_log(workspace, "s")
    for number in range(3):
        log.append(to_json(TextFinished(message_id="m", block=number, text=str(number))))
    log.close()
    for left in (b'{"type": "text_fin', b"\0" * 5000, b'{"type": "text_delta", "text": "\xe8', b""):
        with log.path.open("ab") as file:
            file.write(left)
        before = [event.text for event in replay_log(log.path)[0]]
        again = open_log(workspace, "s")
        again.append(to_json(TextFinished(message_id="m", block=9, text="on")))
        again.close()
        assert [event.text for event in replay_log(log.path)[0]] == [*before, "on"]
    assert before == ["0", "1", "2", "on", "on", "on"]


def RunStartedOf(text: str):  # noqa: N802
    from dogent_tui.agent.events import RunStarted

    return RunStarted(prompt=Prompt(text), run_id="r")


# ── A full disk ───────────────────────────────────────────────────────────────────────────────────


def record_on_a_full_disk(workspace: Workspace, told: Path) -> None:
    """Record, with a disk that is full in the middle and has room again afterwards."""

    async def events():
        yield SessionStarted(session_id="s", profile="", model="", endpoint="offline", cwd="")
        yield RunStartedOf("Write on tea")
        yield TextDelta(message_id="m", block=0, text="Tea ")
        limit = latest_session(workspace).path.stat().st_size + 20
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        yield TextDelta(message_id="m", block=0, text="is lost " * 9)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        yield TextFinished(message_id="m", block=0, text="Tea is hot.")
        yield RunFinished(status="completed", duration_ms=1, run_id="r")

    notices: list[Notice] = []
    asyncio.run(Recorder(workspace, "s", notify=notices.append).record(events()))
    told.write_text("\n".join(notice.code for notice in notices))


def test_what_a_full_disk_did_not_take_is_written_when_it_has_room(workspace, tmp_path):
    told = tmp_path / "told"
    assert in_child(record_on_a_full_disk, workspace, told) == 0
    assert told.read_text().splitlines() == ["not_recorded", "not_recorded_over"]
    events = replay_log(latest_session(workspace).path)[0]
    kinds = [event.type for event in events]
    assert kinds == [
        "session_started",
        "run_started",
        "text_delta",
        "text_finished",
        "run_finished",
    ]
    assert "is lost " in "".join(read_lines(latest_session(workspace).path))
    assert [entry.status for entry in History(workspace.history_file).entries()] == [
        "started",
        "completed",
    ]


def append_on_a_full_disk(file: Path) -> None:
    history = History(file)
    for room in range(0, 400, 7):
        resource.setrlimit(
            resource.RLIMIT_FSIZE, (file.stat().st_size + room, resource.RLIM_INFINITY)
        )
        try:
            history.append(HistoryEntry("2026-01-01", "completed", f"with room {room}"))
            written = room
        except OSError:
            written = None
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        prompts = [entry.prompt for entry in history.entries()]
        assert prompts[:3] == ["p0", "p1", "p2"], (room, prompts)
        if written is None:
            history.append(HistoryEntry("2026-01-01", "completed", f"again {room}"))
            assert history.entries()[-1].prompt == f"again {room}"
        else:
            assert prompts[-1] == f"with room {room}"


def test_a_disk_that_is_full_at_any_place_of_an_entry_costs_no_other(workspace):
    history = History(workspace.history_file)
    for number in range(3):
        history.append(HistoryEntry("2026-01-01", "completed", f"p{number}", summary="x" * 50))
    assert in_child(append_on_a_full_disk, workspace.history_file) == 0
    json.loads(workspace.history_file.read_text())


# ── A home that cannot be written, and a clock that goes backwards ────────────────────────────────


def test_without_a_home_that_can_be_written_a_session_opens_and_says_so(
    workspace, tmp_path, monkeypatch
):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DOGENT_HOME", str(tmp_path / "file" / "home"))
    opened = open_session(workspace, SessionOptions())
    assert opened.endpoint.kind == "offline"
    assert "home_not_writable" in [warning.code for warning in opened.warnings]
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("DOGENT_HOME", str(tmp_path / "home"))
    assert "home_not_writable" not in [
        warning.code for warning in open_session(workspace, SessionOptions()).warnings
    ]


async def test_without_a_home_that_can_be_written_the_history_of_the_folder_is_kept(
    workspace, tmp_path, monkeypatch
):
    (tmp_path / "file").write_text("")
    # root may write what is read-only; nobody can this
    monkeypatch.setenv("DOGENT_HOME", str(tmp_path / "file" / "home"))
    notices: list[Notice] = []

    async def events():
        yield RunStartedOf("Write on tea")
        yield TextFinished(message_id="m", block=0, text="Tea is hot.")
        yield RunFinished(status="completed", duration_ms=1, run_id="r", result="Tea is hot.")

    await Recorder(workspace, "s", notify=notices.append, hold=SessionHold()).record(events())
    assert [notice.code for notice in notices] == ["not_recorded"]
    assert "Errno" not in notices[0].message
    assert str(tmp_path / "file") in notices[0].message
    assert [entry.status for entry in History(workspace.history_file).entries()] == [
        "started",
        "completed",
    ]


def append_without_a_home(file: Path, who: str) -> None:
    for number in range(40):
        History(file).append(HistoryEntry("2026-01-01", "completed", f"{who} {number}"))


def test_windows_without_a_home_lose_nothing_of_each_other(workspace, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DOGENT_HOME", str(tmp_path / "file" / "home"))
    workspace.dot.mkdir()
    context = multiprocessing.get_context("fork")
    windows = [
        context.Process(target=append_without_a_home, args=(workspace.history_file, who))
        for who in "ab"
    ]
    for window in windows:
        window.start()
    for window in windows:
        window.join(60)
        assert window.exitcode == 0
    assert len(json.loads(workspace.history_file.read_text())) == 80


async def test_a_clock_that_goes_backwards_changes_no_order(workspace):
    log = open_log(workspace, "s")
    for number, time in enumerate((5000.0, 4000.0, 3000.0, 0.0, -5.0)):
        log.append(to_json(TextDelta(message_id="m", block=number, text=str(number), time=time)))
    log.close()
    os.utime(log.path, (5, 5))
    later = open_log(workspace, "later")
    later.append("{}")
    later.close()
    os.utime(later.path, (1, 1))
    assert {record.session_id for record in list_sessions(workspace)} == {"s", "later"}
    assert [event.text for event in replay_log(log.path)[0]] == list("01234")

    async def events():
        yield RunStartedOf("before")
        yield RunFinished(status="completed", duration_ms=1, run_id="r", time=-1e6)

    await Recorder(workspace, "s").record(events())
    history = History(workspace.history_file)
    assert [entry.status for entry in history.entries()] == ["started", "completed"]
    assert history.recall() == ["before"]


async def test_the_disk_is_tried_again_while_nothing_happens(workspace, tmp_path, monkeypatch):
    """And what is too much for the memory leaves a mark in the conversation."""
    monkeypatch.setattr(save_failures, "_TRY_AGAIN_S", 0.01)
    monkeypatch.setattr(recorder, "_MOST_WAITING", 2_000)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DOGENT_HOME", str(tmp_path / "file" / "home"))
    notices: list[Notice] = []
    taken, ended = asyncio.Event(), asyncio.Event()

    async def events():
        yield RunStartedOf("Write on tea")
        for number in range(40):
            yield TextFinished(message_id=f"m{number}", block=0, text=f"{number} " * 50)
        taken.set()
        await ended.wait()

    recording = asyncio.create_task(
        Recorder(workspace, "s", notify=notices.append).record(events())
    )
    await taken.wait()
    assert [notice.code for notice in notices] == ["not_recorded", "history_not_kept"][
        : len(notices)
    ]
    monkeypatch.setenv("DOGENT_HOME", str(tmp_path / "home"))
    while "not_recorded_over" not in [notice.code for notice in notices]:
        await asyncio.sleep(0)
    ended.set()
    await recording
    gap, *kept = replay_log(latest_session(workspace).path)[0]
    assert (gap.type, gap.code) == ("notice", "gap")
    assert [event.text[:2] for event in kept][-1] == "39"
    assert len(kept) < 40
