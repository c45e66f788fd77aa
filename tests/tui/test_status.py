"""What the status bar says."""

import pytest

from dogent_tui.agent.events import (
    Notice,
    PermissionDecided,
    PermissionRequested,
    Prompt,
    QueueChanged,
    QueuedPrompt,
    Retrying,
    RunFinished,
    RunStarted,
    SessionLost,
    SessionStarted,
    Stalled,
    TextDelta,
    ToolUse,
    UiRequested,
    UiSettled,
    UsageChanged,
)
from dogent_tui.tui.status import Status

STARTED = SessionStarted(
    session_id="s", profile="glm", model="glm-4.6", endpoint="custom", cwd="/w"
)


@pytest.fixture
def status() -> Status:
    return Status("~/texts/report", "glm · glm-4.6", clock=lambda: 65.0)


def test_it_says_that_the_run_is_being_stopped_until_it_has_ended(status):
    status.handle(STARTED)
    status.stop()
    assert status.activity == "ready"
    status.handle(RunStarted(prompt=Prompt("Write")))
    status.handle(TextDelta(message_id="m", block=0, text="Tea"))
    status.stop()
    assert status.activity == "stopping 0 s"
    status.handle(RunFinished(status="interrupted", duration_ms=1))
    assert status.activity == "ready"


def test_it_says_who_answers(status):
    status.handle(STARTED)
    assert status.activity == "ready"
    assert status.endpoint == "glm · glm-4.6"
    status.handle(
        SessionStarted(session_id="s", profile="offline", model="x", endpoint="offline", cwd="/w")
    )
    assert "no AI model" in status.endpoint


def test_it_says_what_happens_and_for_how_long(status):
    status.handle(STARTED)
    status.clock = lambda: 0.0
    status.handle(RunStarted(prompt=Prompt("Go")))
    status.clock = lambda: 65.0
    assert status.activity == "thinking 1 min 5 s"
    status.handle(ToolUse(tool_use_id="t", name="mcp__dogent__read_document", input={}))
    assert status.activity.startswith("read document")
    status.handle(TextDelta(message_id="m", block=0, text="x"))
    assert status.activity.startswith("writing")
    status.handle(Retrying(attempt=2, max_attempts=3, delay_ms=1000))
    assert status.activity.startswith("asking again (2 of 3), ")
    status.handle(Stalled(seconds=12))
    assert "nothing received for 12 s" in status.activity
    status.handle(Stalled(seconds=0))
    assert "nothing" not in status.activity
    status.handle(RunFinished(status="completed", duration_ms=1))
    assert status.activity == "ready"


def test_a_question_comes_first(status):
    status.handle(RunStarted(prompt=Prompt("Go")))
    status.handle(PermissionRequested(request_id="1", tool_use_id="t", tool="Bash", input={}))
    assert status.activity == "waiting for you"
    status.handle(PermissionDecided(request_id="1", tool_use_id="t", decision="allow"))
    assert status.activity != "waiting for you"


def test_the_time_in_which_a_question_waits_does_not_count(status):
    status.clock = lambda: 0.0
    status.handle(STARTED)
    status.handle(RunStarted(prompt=Prompt("Go")))
    status.clock = lambda: 5.0
    status.handle(PermissionRequested(request_id="1", tool_use_id="t", tool="Bash", input={}))
    status.clock = lambda: 8.0
    status.handle(PermissionRequested(request_id="2", tool_use_id="u", tool="Bash", input={}))
    status.clock = lambda: 60.0
    status.handle(PermissionDecided(request_id="1", tool_use_id="t", decision="allow"))
    assert status.waiting
    assert status.elapsed_s == 5
    status.handle(PermissionDecided(request_id="2", tool_use_id="u", decision="allow"))
    status.clock = lambda: 61.0
    assert status.activity == "thinking 6 s"


def test_context_and_queue(status):
    status.handle(UsageChanged(context_tokens=1500))
    assert status.context() == "context 1.5k tokens"
    status.handle(UsageChanged(context_tokens=50_000, window=200_000))
    assert status.context() == "context 25 %"
    status.handle(QueueChanged(prompts=(QueuedPrompt(id="1", prompt=Prompt("Next")),)))
    assert status.parts(200)[1] == "context 25 %  ·  1 queued"


def test_a_lost_session_stays_visible_after_its_run(status):
    status.handle(RunStarted(prompt=Prompt("Go")))
    status.handle(SessionLost(message="Gone."))
    status.handle(RunFinished(status="failed", duration_ms=1))
    assert status.activity == "not connected"


@pytest.mark.parametrize("width", [30, 40, 60, 80, 200])
def test_who_answers_is_said_in_every_width_that_has_room_for_it(status, width):
    status.handle(STARTED)
    left, right = status.parts(width)
    assert "glm · glm-4.6" in left
    if width >= 60:
        assert "report" in left
    assert len(left) + len(right) + 2 <= max(width, 30)


@pytest.mark.parametrize("width", [24, 34, 38, 60, 80, 200])
def test_what_happens_the_context_and_the_queue_stay_in_every_width(status, width):
    status.handle(STARTED)
    status.clock = lambda: 0.0
    status.handle(RunStarted(prompt=Prompt("Go")))
    status.clock = lambda: 12.0
    status.handle(TextDelta(message_id="m", block=0, text="x"))
    status.handle(UsageChanged(context_tokens=50_000, window=200_000))
    status.handle(QueueChanged(prompts=(QueuedPrompt(id="1", prompt=Prompt("Next")),)))
    left, right = status.parts(width)
    assert left.startswith("writing 12 s")
    assert "25 %" in right
    assert "1" in right.split("%")[1]
    assert ("glm" in left) is (width >= 34)
    assert ("report" in left) is (width >= 80)
    assert len(left) + len(right) + 1 <= width


def test_a_narrow_bar_says_that_there_is_no_model(status):
    status.handle(
        SessionStarted(session_id="s", profile="offline", model="", endpoint="offline", cwd="/w")
    )
    status.handle(UsageChanged(context_tokens=50_000, window=200_000))
    status.handle(QueueChanged(prompts=(QueuedPrompt(id="1", prompt=Prompt("Next")),)))
    assert status.parts(38)[0].endswith("no AI model")
    assert status.parts(8) == ("", "25 % · +1")


@pytest.mark.parametrize(
    ("width", "said"), [(200, "every change reviewed"), (60, "reviewed"), (38, "rev")]
)
def test_it_says_that_every_change_is_reviewed(status, width, said):
    status.handle(STARTED)
    status.handle(UsageChanged(context_tokens=50_000, window=200_000))
    assert "rev" not in status.parts(width)[1]
    status.review_mode.on = True
    assert said in status.parts(width)[1]


def test_a_review_within_a_run_waits_for_the_user(status):
    status.handle(RunStarted(prompt=Prompt("Go")))
    status.handle(UiRequested(request_id="1", kind="document_change", payload={}, in_run=True))
    assert status.activity == "waiting for you"
    status.handle(UiSettled(request_id="1"))
    assert not status.waiting
    status.handle(UiRequested(request_id="2", kind="clarification", payload={}))
    assert not status.waiting


def test_it_says_what_is_not_saved_as_long_as_it_is_so(status):
    for code in ("not_recorded", "draft_not_kept"):
        status.handle(Notice(level="warning", message="", code=code))
    assert "! not saved: conversation and draft" in status.parts(120)[1]
    assert status.parts(20)[1].startswith("!")
    status.handle(Notice(level="info", message="", code="draft_not_kept", why="disk full"))
    assert "! not saved: conversation and draft (disk full)" in status.parts(120)[1]
    assert status.parts(50)[1].startswith("! not saved (disk full)")
    assert status.parts(24)[1].startswith("! not saved")  # a mark alone would say nothing
    status.handle(Notice(level="info", message="", code="not_recorded_over"))
    assert "! not saved: draft" in status.parts(120)[1]
    status.handle(Notice(level="info", message="", code="draft_not_kept_over"))
    assert "!" not in status.parts(120)[1]
