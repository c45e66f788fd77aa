import pytest

from dogent_tui.agent import events as ev
from dogent_tui.agent.tool_names import review_words
from dogent_tui.records import to_json
from dogent_tui.tui.transcript.model import (
    LONGEST_LINE,
    MOST_SHOWN,
    Asked,
    Notice,
    Outcome,
    Plan,
    Reply,
    Thinking,
    ToolCall,
    TranscriptModel,
    UserTurn,
    Waiting,
)


def shown(*events: ev.Event) -> list[object]:
    model = TranscriptModel()
    for event in events:
        model.apply(event)
    return [entry for entry in model.entries if not entry.gone]


def test_a_log_that_breaks_off_within_a_run_says_so() -> None:
    model = TranscriptModel()
    model.apply(ev.RunStarted(prompt=ev.Prompt("Go"), run_id="1"))
    model.apply(ev.TextDelta(message_id="m", block=0, text="Half a", run_id="1"))
    model.close()
    outcome = model.entries[-1]
    assert isinstance(outcome, Outcome)
    assert (outcome.status, outcome.code) == ("interrupted", ev.CLOSED)
    count = len(model.entries)
    model.close()
    assert len(model.entries) == count


def test_streamed_text_is_replaced_by_the_finished_one() -> None:
    delta = ev.TextDelta(message_id="m", block=0, text="Hel")
    model = TranscriptModel()
    assert model.apply(delta) == (0,)
    model.apply(ev.TextDelta(message_id="m", block=0, text="lo"))
    assert model.last_reply() == "Hello"
    model.apply(ev.TextFinished(message_id="m", block=0, text="Hello, world"))
    assert model.last_reply() == "Hello, world"
    assert len(model.entries) == 1


def test_a_dropped_message_goes_whole_and_comes_again() -> None:
    entries = shown(
        ev.TextFinished(message_id="earlier", block=0, text="kept"),
        ev.TextFinished(message_id="m", block=0, text="first"),
        ev.TextDelta(message_id="m", block=1, text="half"),
        ev.ThinkingDelta(message_id="m", block=2, text="hm"),
        ev.ToolPreparing(message_id="m", tool_use_id="t", name="Read"),
        ev.MessageDropped(message_id="m"),
        ev.TextDelta(message_id="n", block=0, text="whole"),
    )
    texts = [
        entry.text
        for entry in entries
        if isinstance(entry, Reply) and not isinstance(entry, Thinking)
    ]
    assert texts == ["kept", "whole"]
    assert not any(isinstance(entry, ToolCall) for entry in entries)


def test_a_tool_call_is_one_entry_from_first_sign_to_result() -> None:
    (call,) = shown(
        ev.ToolPreparing(message_id="m", tool_use_id="t", name="Read", time=1),
        ev.ToolUse(tool_use_id="t", name="Read", input={"file_path": "a"}, time=2),
        ev.PermissionRequested(request_id="r", tool_use_id="t", tool="Read", input={}),
        ev.PermissionDecided(request_id="r", tool_use_id="t", decision="allow"),
        ev.ToolResult(tool_use_id="t", content="text", time=4),
    )
    assert isinstance(call, ToolCall)
    assert (call.state, call.result) == ("done", "text")


def test_what_was_called_after_what_is_asked_about_has_not_started() -> None:
    told = [
        event
        for number in (1, 2)
        for event in (
            ev.ToolPreparing(message_id="m", tool_use_id=f"{number}", name="Bash", time=1),
            ev.ToolUse(tool_use_id=f"{number}", name="Bash", input={}, time=1),
        )
    ]
    told.append(ev.PermissionRequested(request_id="r", tool_use_id="1", tool="Bash", input={}))
    assert [call.state for call in shown(*told)] == ["waiting", "behind"]
    told.append(ev.PermissionDecided(request_id="r", tool_use_id="1", decision="allow", time=9))
    assert [(call.state, call.started) for call in shown(*told)] == [("running", 1), ("running", 9)]


def test_a_denied_call_stays_denied_and_the_run_is_told_once() -> None:
    call, outcome = shown(
        ev.PermissionRequested(
            request_id="r", tool_use_id="t", tool="Bash", input={"command": "rm x"}, run_id="1"
        ),
        ev.PermissionDecided(request_id="r", tool_use_id="t", decision="deny", run_id="1"),
        ev.ToolResult(tool_use_id="t", content="denied", is_error=True, run_id="1"),
        ev.Aborted(reason="You denied it.", run_id="1"),
        ev.RunFinished(status="aborted", duration_ms=1, reason="", run_id="1"),
    )
    assert isinstance(call, ToolCall)
    assert isinstance(outcome, Outcome)
    assert (call.state, outcome.reason, outcome.duration_ms) == ("denied", "You denied it.", 1)


def test_the_plan_is_drawn_once_a_run_and_not_as_a_card() -> None:
    todo = ev.Todo("write", "pending")
    (plan,) = shown(
        ev.ToolUse(tool_use_id="t", name="TodoWrite", input={}, run_id="1"),
        ev.TodosChanged(todos=(todo,), run_id="1"),
        ev.ToolResult(tool_use_id="t", content="ok", run_id="1"),
        ev.TodosChanged(todos=(ev.Todo("write", "completed"),), run_id="1"),
    )
    assert isinstance(plan, Plan)
    assert plan.todos[0].status == "completed"


def test_retries_are_one_line_that_goes_when_text_comes() -> None:
    retries = [
        ev.Retrying(attempt=number, max_attempts=10, delay_ms=500, status=529)
        for number in (1, 2, 3)
    ]
    (line,) = shown(*retries)
    assert isinstance(line, Waiting)
    assert line.reason == retries[-1]
    assert not any(
        isinstance(entry, Waiting)
        for entry in shown(*retries, ev.TextDelta(message_id="m", block=0, text="x"))
    )
    assert shown(ev.Stalled(seconds=20), ev.Stalled(seconds=0)) == []


def test_the_end_of_a_run_or_session_stops_what_is_open() -> None:
    running = ev.ToolUse(tool_use_id="t", name="Bash", input={})
    call, _outcome = shown(
        running, ev.Interrupted(), ev.RunFinished(status="interrupted", duration_ms=5)
    )
    assert isinstance(call, ToolCall)
    assert call.state == "stopped"
    call, notice = shown(running, ev.SessionLost(message="The agent ended.", remedy="Send again."))
    assert isinstance(call, ToolCall)
    assert call.state == "stopped"
    assert notice == Notice("error", "The agent ended.", "Send again.")


def test_why_the_agent_did_not_start_is_told_once() -> None:
    failed = ev.RunFinished(
        status="failed", duration_ms=5, reason="No agent.", remedy="Send again."
    )
    notice, outcome = shown(ev.SessionLost(message="No agent.", remedy="Send again."), failed)
    assert notice == Notice("error", "No agent.", "Send again.")
    assert isinstance(outcome, Outcome)
    assert (outcome.status, outcome.reason, outcome.remedy) == ("failed", "", "")
    (alone,) = shown(failed)
    assert isinstance(alone, Outcome)
    assert (alone.reason, alone.remedy) == ("No agent.", "Send again.")


@pytest.mark.parametrize(
    ("content", "left"),
    [("one\n(stopped)", "one"), ("(stopped)", None)],
    ids=["output", "no output"],
)
def test_a_shell_command_that_the_user_stopped_did_not_fail(content: str, left: str | None) -> None:
    (call,) = shown(
        ev.ToolUse(tool_use_id="t", name=ev.SHELL_TOOL, input={"command": "sleep 9"}),
        ev.ToolResult(tool_use_id="t", content=content, is_error=True),
    )
    assert isinstance(call, ToolCall)
    assert (call.state, call.result) == ("stopped", left)


def test_a_call_whose_change_is_reviewed_waits_for_the_user() -> None:
    proposed = ev.ToolUse(
        tool_use_id="t",
        name="mcp__dogent__propose_document_change",
        input={"path": "tea.md"},
        run_id="1",
    )
    asked = ev.UiRequested(
        request_id="r", kind="document_change", payload={"title": "tea.md"}, in_run=True, run_id="1"
    )
    call, _asked = shown(proposed, asked)
    assert isinstance(call, ToolCall)
    assert (call.state, call.moves) == ("waiting", False)
    call, _asked = shown(proposed, asked, ev.UiSettled(request_id="r", run_id="1"))
    assert isinstance(call, ToolCall)
    assert call.state == "running"


def test_a_replayed_log_gives_the_same_entries() -> None:
    log: list[ev.Event] = [
        ev.RunStarted(prompt=ev.Prompt("go"), run_id="1"),
        ev.ThinkingDelta(message_id="m", block=0, text="hm\r\n", time=1.0, run_id="1"),
        ev.TextDelta(message_id="m", block=1, text="a\r", run_id="1", time=3.0),
        ev.TextDelta(message_id="m", block=1, text="\nb", run_id="1"),
        ev.ToolUse(tool_use_id="t", name="Read", input={"path": "a"}, run_id="1"),
        ev.RunFinished(status="completed", duration_ms=9, run_id="1"),
    ]
    entries = shown(*log)
    assert entries == shown(*[ev.from_json(to_json(event)) for event in log])
    assert isinstance(entries[0], UserTurn)
    thinking, reply = entries[1:3]
    assert isinstance(thinking, Thinking)
    assert (thinking.text, thinking.ended - thinking.started) == ("hm\n", 2.0)
    assert isinstance(reply, Reply)
    assert reply.text == "a\nb"


def test_what_a_command_writes_grows_until_its_result_replaces_it():
    model = TranscriptModel()
    model.apply(ev.ToolUse(tool_use_id="s", name=ev.SHELL_TOOL, input={"command": "make"}))
    for text in ("one\n", "two\n"):
        model.apply(ev.ToolOutput(tool_use_id="s", text=text))
    (call,) = model.entries
    assert (call.result, call.state, call.of_the_user) == ("one\ntwo\n", "running", True)
    model.apply(ev.ToolResult(tool_use_id="s", content="one\ntwo\n(exit status 2)", is_error=True))
    assert (call.result, call.state) == ("one\ntwo\n(exit status 2)", "failed")


def test_a_review_says_what_came_of_it() -> None:
    (asked,) = shown(
        ev.UiRequested(
            request_id="r", kind="document_change", payload={"title": "tea.md", "summary": "Louder"}
        ),
        ev.UiSettled(
            request_id="r",
            answer=ev.UiAnswer(
                review=(
                    "The user reviewed your change: 1 of 2 hunks written to tea.md.\nHunk 2:"
                    " rejected."
                )
            ),
        ),
    )
    assert isinstance(asked, Asked)
    assert (asked.title, asked.detail, asked.state) == (
        "tea.md",
        "1 of 2 hunks written to tea.md",
        "answered",
    )
    for said in (
        "1 of 1 hunk written to tea.md",
        "nothing was written to tea.md",
        "what another version says",
    ):
        assert review_words(f"The user reviewed your change: {said}.") == said


@pytest.mark.parametrize("streamed", [True, False])
def test_a_reply_beyond_all_measure_is_shown_in_part_and_copied_as_it_is(streamed) -> None:
    model = TranscriptModel()
    line = "文" * (LONGEST_LINE + 5)
    text = f"{line}\nshort\n" + "x" * MOST_SHOWN
    if streamed:
        for start in range(0, len(text), 100_000):
            model.apply(ev.TextDelta(message_id="m", block=0, text=text[start : start + 100_000]))
    else:
        model.apply(ev.TextFinished(message_id="m", block=0, text=text))
    reply = model.entries[0]
    assert isinstance(reply, Reply)
    assert reply.text.split("\n")[:2] == [f"{'文' * LONGEST_LINE} …", "short"]
    assert model.last_reply().startswith(line)
    assert max(map(len, reply.text.split("\n"))) == LONGEST_LINE + 2
    if not streamed:
        assert reply.text.endswith(
            f"… {LONGEST_LINE + 12:,} more characters; /export-session has them all"
        )
