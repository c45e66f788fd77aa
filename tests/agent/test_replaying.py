"""The log of any conversation gives the transcript that was on the screen."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dogent_tui.agent.events import (
    CopiesKept,
    Event,
    Interrupted,
    MessageDropped,
    Notice,
    PermissionDecided,
    PermissionRequested,
    Prompt,
    Retrying,
    RunFinished,
    RunStarted,
    SessionLost,
    Stalled,
    TextDelta,
    TextFinished,
    ThinkingDelta,
    Todo,
    TodosChanged,
    ToolOutput,
    ToolPreparing,
    ToolResult,
    ToolUse,
    UiAnswer,
    UiRequested,
    UiSettled,
    UsageChanged,
)
from dogent_tui.agent.recorder import Redactor
from dogent_tui.agent.replay import replay_log
from dogent_tui.storage.session_log import SessionLog
from dogent_tui.tui.transcript.model import Reply, TranscriptModel

KEY = "\u2603 a key that is nowhere"
"""Nothing said begins as it does: the beginning of a key is held back until the rest comes."""
WORDS = st.text(st.characters(codec="utf-8", exclude_characters=KEY[0]), max_size=12)
"""Brackets, quotes, newlines, control characters: what a JSON line has to carry."""


@st.composite
def text_of(draw, message: str, block: int) -> list[Event]:
    """A text that streams, and is finished, dropped or cut."""
    pieces = draw(st.lists(WORDS, min_size=1, max_size=5))
    kind = draw(st.sampled_from([TextDelta, TextDelta, ThinkingDelta]))
    events: list[Event] = [kind(message_id=message, block=block, text=piece) for piece in pieces]
    if draw(st.booleans()):
        events.insert(
            draw(st.integers(0, len(events))),
            draw(st.sampled_from([WAITING, SILENT, UsageChanged(context_tokens=5)])),
        )
    end = draw(st.sampled_from(["finished", "dropped", "cut"]))
    if end == "finished" and kind is TextDelta:
        events.append(TextFinished(message_id=message, block=block, text=draw(WORDS)))
    elif end == "dropped":
        events.append(MessageDropped(message_id=message))
    return events


WAITING = Retrying(attempt=1, max_attempts=3, delay_ms=100, status=529)
SILENT = Stalled(seconds=10)


@st.composite
def call_of(draw, message: str, call: str) -> list[Event]:
    """A tool call: asked about or not, with output or without, ended, denied or cut."""
    name = draw(st.sampled_from(["Bash", "Write", "TodoWrite", "mcp__dogent__ui_request"]))
    events: list[Event] = []
    if draw(st.booleans()):
        events.append(ToolPreparing(message_id=message, tool_use_id=call, name=name))
    if draw(st.booleans()):
        return [*events, MessageDropped(message_id=message)]
    events.append(ToolUse(tool_use_id=call, name=name, input={"command": draw(WORDS)}))
    if draw(st.booleans()):
        events.append(
            PermissionRequested(request_id=f"q{call}", tool_use_id=call, tool=name, input={})
        )
        decision = draw(st.sampled_from(["allow", "deny", "cancelled"]))
        events.append(PermissionDecided(request_id=f"q{call}", tool_use_id=call, decision=decision))
    events += [
        ToolOutput(tool_use_id=call, text=piece) for piece in draw(st.lists(WORDS, max_size=3))
    ]
    if draw(st.booleans()):
        events.append(CopiesKept(tool_use_id=call, paths=("a",)))
        events.append(
            ToolResult(tool_use_id=call, content=draw(WORDS), is_error=draw(st.booleans()))
        )
    return events


@st.composite
def conversations(draw) -> list[Event]:
    events: list[Event] = []
    for number in range(draw(st.integers(1, 3))):
        run: list[Event] = [RunStarted(prompt=Prompt(draw(WORDS)))]
        for step in range(draw(st.integers(0, 4))):
            name = f"{number}-{step}"
            run += draw(
                st.one_of(
                    text_of(f"m{name}", draw(st.integers(0, 2))),
                    call_of(f"m{name}", f"t{name}"),
                    st.just([TodosChanged(todos=(Todo(name, "pending"),))]),
                    st.just(
                        [
                            UiRequested(
                                request_id=name, kind="clarification", payload={"title": name}
                            )
                        ]
                    ),
                    st.just([Notice(level="warning", message=name)]),
                )
            )
        run += draw(
            st.sampled_from(
                [
                    [],
                    [Interrupted(), RunFinished(status="interrupted", duration_ms=1)],
                    [RunFinished(status="completed", duration_ms=1, cost_usd=0.5)],
                    [
                        SessionLost(message="gone"),
                        RunFinished(status="failed", duration_ms=1, reason="x"),
                    ],
                    [UiSettled(request_id=f"{number}-0", answer=UiAnswer(answers={"a": "b"}))],
                ]
            )
        )
        events += [replace(event, run_id=f"r{number}") for event in run]
    return [replace(event, seq=seq, time=100.0 + seq) for seq, event in enumerate(events)]


def entries(events) -> list:
    model = TranscriptModel()
    for event in events:
        model.apply(event)
    model.close()
    for entry in model.entries:
        if isinstance(entry, Reply):
            assert entry.text is not None  # joins what came
    # of what was dropped nothing is seen
    return [entry for entry in model.entries if not getattr(entry, "gone", False)]


@given(conversations())
def test_the_log_gives_the_transcript_that_was_on_the_screen(tmp_path_factory, events):
    log = SessionLog(tmp_path_factory.mktemp("log") / "a.jsonl")
    redactor = Redactor([KEY])
    for event in events:
        for line in redactor.lines(event):
            log.append(line)
    log.close()
    assert entries(replay_log(log.path)[0]) == entries(events)
