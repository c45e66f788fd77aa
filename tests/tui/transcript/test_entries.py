from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dogent_tui.agent import events as ev
from dogent_tui.agent.tool_names import friendly_name, input_summary
from dogent_tui.tui.transcript import model
from dogent_tui.tui.transcript.entries import Look, entry_lines, foldable
from dogent_tui.tui.widgets import duration

_text = st.one_of(
    st.text(max_size=80),
    st.sampled_from(["a\nb\tc", "x" * 3000, "漢字" * 60, "[/b]\x1b[0m", "line\n" * 400]),
)
_input = st.dictionaries(
    st.sampled_from(["path", "content", "old_string", "new_string", "edits", "command", "odd key"]),
    st.one_of(
        _text,
        st.integers(),
        st.none(),
        st.lists(st.dictionaries(st.just("old_string"), _text), max_size=3),
    ),
)
_decided = st.builds(
    ev.PermissionDecided,
    request_id=st.just("r"),
    tool_use_id=st.just("t"),
    decision=st.sampled_from(["allow", "deny", "cancelled"]),
    scope=st.sampled_from(["once", "session", "always"]),
    message=_text,
)
_entries = st.one_of(
    _text.map(lambda text: model.UserTurn(ev.Prompt(text))),
    st.builds(model.Notice, st.sampled_from(["info", "warning", "error"]), _text, _text),
    st.builds(model.Outcome, st.sampled_from(["completed", "failed", "aborted", "interrupted"]),
        _text, _text, st.none()),
    st.builds(model.Asked, st.sampled_from(["clarification", "outline_edit", "document_change"]),
        _text, _text),
    st.builds(
        model.ToolCall, st.just("t"), st.one_of(_text, st.just("Bash")),
        state=st.sampled_from(["preparing", "running", "waiting", "done", "failed", "denied",
            "stopped"]),
        input=_input, result=st.one_of(st.none(), _text), decided=st.none() | _decided,
        depth=st.integers(0, 9),
        kept=st.lists(_text.filter(bool), max_size=2).map(tuple),
    ),
    st.lists(st.builds(ev.Todo, _text, st.sampled_from(["pending", "in_progress",
        "completed"]))).map(
        lambda todos: model.Plan(tuple(todos))
    ),
    _text.map(lambda text: model.Thinking("m", True, text)),
    _text.map(lambda text: model.Waiting(ev.Retrying(attempt=1, max_attempts=3, delay_ms=400,
        status=529, error=text))),
)  # fmt: skip


@given(_entries, st.integers(20, 100), st.booleans())
def test_no_entry_is_wider_than_its_width_or_draws_a_control(
    entry: model.Entry, width: int, unfolded: bool
) -> None:
    for line in entry_lines(entry, Look(width, unfolded=unfolded)):
        assert line.width <= width
        assert not any(ord(character) < 32 for character in line.text)
        assert 0 <= line.decoration <= len(line.text)


def drawn(entry: model.Entry, *, unfolded: bool = False, now: float = 0.0) -> list[str]:
    return [
        line.text.rstrip()
        for line in entry_lines(entry, Look(70, unfolded=unfolded, cwd="/texts", now=now))
    ]


@pytest.mark.parametrize(
    ("outcome", "shown"),
    [
        (
            model.Outcome("completed", duration_ms=65_000, cost_usd=0.5),
            ["✓ done in 1 min 5 s · $0.50"],
        ),
        (model.Outcome("interrupted", duration_ms=400), ["■ stopped by you after 0.4 s"]),
        (
            model.Outcome("interrupted", duration_ms=400, code="closed"),
            ["■ cut off when dogent-tui ended after 0.4 s"],
        ),
        (model.Outcome("aborted", "You denied Run.", duration_ms=20_000), ["✗ ended after 20 s"]),
        (
            model.Outcome("failed", "No key.", "Set one.", 1000),
            ["✗ failed after 1.0 s: No key.", "  → Set one."],
        ),
    ],
)
def test_outcomes_say_what_happened_in_words(outcome: model.Outcome, shown: list[str]) -> None:
    assert drawn(outcome) == shown


def test_an_outline_that_was_sent_back_is_its_sentence_until_it_is_unfolded() -> None:
    text = "I accept this outline as it is:\n\n# Tea\n\n## Hot\n"
    shown = model.TranscriptModel()
    shown.apply(
        ev.UiRequested(
            request_id="r", kind="outline_edit", payload={"title": "Outline"}, run_id="a", seq=1
        )
    )
    shown.apply(ev.RunStarted(prompt=ev.Prompt(text, answers=("r",)), run_id="b", seq=2))
    turn = shown.entries[-1]
    assert drawn(turn) == ["▌ I accept this outline as it is:", "▌ ▸ 6 lines in total"]
    assert "▌ ## Hot" in drawn(turn, unfolded=True)


def test_a_long_prompt_is_folded_and_says_how_long_it_is() -> None:
    turn = model.UserTurn(ev.Prompt("line\n" * 5000 + "end"))
    assert foldable(turn)
    assert len(drawn(turn)) < 14
    assert drawn(turn)[-1] == "▌ ▸ 5,001 lines in total"
    assert drawn(turn, unfolded=True)[-1] == "▌ ▾ … 4,701 more lines"


def test_a_call_whose_name_is_in_wide_letters_still_says_how_it_went(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "dogent_tui.tui.transcript.entries.friendly_name", lambda _name: "读取文档读取文档读取文档"
    )
    call = model.ToolCall(
        "t",
        "mcp__dogent__read_document",
        state="done",
        input={"path": "a" * 80},
        result="a.pdf · pdf · pages 1–2",
    )
    (line,) = drawn(call)
    assert line.endswith("✓ pdf · pages 1–2")


def test_a_written_file_and_an_edit_show_what_changes() -> None:
    write = model.ToolCall(
        "t",
        "Write",
        "done",
        input={"file_path": "/texts/a.md", "content": "one\ntwo\n"},
        result="ok",
    )
    assert drawn(write) == ["▸ Write  a.md  ✓ +2 −0 lines"]
    assert "  │ + two" in drawn(write, unfolded=True)
    edits: list[dict[str, Any]] = [
        {"old_string": "a", "new_string": "b"},
        {"old_string": "", "new_string": "c"},
    ]
    edit = model.ToolCall(
        "t", "MultiEdit", "done", input={"file_path": "x", "edits": edits}, result="ok"
    )
    assert drawn(edit) == ["▸ Edit  x  ✓ +2 −1 lines", "  │ - a", "  │ + b", "  │ + c"]
    assert [line for line in drawn(edit, unfolded=True) if "- a" in line or "+ b" in line] == [
        "  │ - a",
        "  │ + b",
    ]


def edited(old: str, new: str, **fields: Any) -> model.ToolCall:
    return model.ToolCall(
        "t", "Edit", input={"file_path": "a.md", "old_string": old, "new_string": new}, **fields
    )


def test_an_edit_shows_a_dozen_rows_of_its_change_without_being_unfolded() -> None:
    few = edited("", "\n".join(f"line {n}" for n in range(12)), state="done", result="ok")
    assert drawn(few)[1:] == [f"  │ + line {n}" for n in range(12)]
    many = edited("", "\n".join(f"line {n}" for n in range(40)), state="done", result="ok")
    assert drawn(many)[-2:] == ["  │ + line 11", "  │ ▸ 28 more lines"]
    assert "  │ + line 39" in drawn(many, unfolded=True)
    assert drawn(edited("a", "b", state="denied")) == ["▸ Edit  a.md  ✗ denied"]
    assert drawn(edited("a", "b", state="failed", result="no")) == ["▸ Edit  a.md  ✗ failed: no"]


def test_a_command_that_failed_says_why_beside_its_exit_status() -> None:
    failed = model.ToolCall(
        "t",
        "Bash",
        state="failed",
        input={"command": "ls x"},
        result="Exit code 2\n\nls: x: No such file\n",
    )
    assert drawn(failed) == ["▸ Run  ls x  ✗ failed: Exit code 2 · ls: x: No such file"]


def test_a_word_in_a_long_paragraph_is_shown_with_what_stands_around_it() -> None:
    start, end = "Tea is hot and good. " * 20, " And so on." * 60
    rows = drawn(
        edited(
            f"{start}Coffee is cold.{end}",
            f"{start}Coffee is warm.{end}",
            state="done",
            result="ok",
        )
    )
    assert len(rows) == 7
    assert [row for row in rows if "Coffee is" in row] == [rows[1], rows[4]]
    assert "warm" in rows[4]
    assert rows[3].endswith("…")


def test_a_finished_plan_is_one_line_until_it_is_unfolded() -> None:
    todos = (ev.Todo("Read", "completed"), ev.Todo("Write", "in_progress"))
    assert drawn(model.Plan(todos)) == ["Plan  1 of 2", "✓ Read", "▶ Write"]
    done = model.Plan((todos[0], ev.Todo("Write", "completed")))
    assert foldable(done)
    assert drawn(done) == ["▸ Plan  2 of 2 ✓"]
    assert drawn(done, unfolded=True) == ["▾ Plan  2 of 2 ✓", "✓ Read", "✓ Write"]


def test_a_file_that_is_written_again_shows_what_became_of_it() -> None:
    """The agent gives the whole text; a user wants to know what of it is new."""
    again = model.ToolCall(
        "t",
        "Write",
        "done",
        input={"file_path": "/texts/a.md", "content": "one\ntwo\n"},
        result="ok",
    )
    again.changes = (("one\nout\nalso out", "one"), ("two", "two\n[b]new"))
    assert drawn(again) == [
        "▸ Write  a.md  ✓ +1 −2 lines",
        "  │ - out",
        "  │ - also out",
        "  │ + [b]new",
    ]
    shown = drawn(again, unfolded=True)
    assert [line[4:] for line in shown if line[4:6] in ("+ ", "- ")] == [
        "- out",
        "- also out",
        "+ [b]new",
    ]
    assert not any("content" in line for line in shown)


def test_a_document_says_which_part_was_read_and_an_export_what_was_written() -> None:
    answer = (
        "a.pdf · pdf · characters 0 to 900 of 1800 · pages 1–2\nThere is more: call read_document"
        " again with offset 900.\n\n# A"
    )
    read = model.ToolCall(
        "t", "mcp__dogent__read_document", "done", input={"path": "/texts/a.pdf"}, result=answer
    )
    assert drawn(read) == ["▸ Read document  a.pdf  ✓ pdf · pages 1–2"]
    written = "Wrote a.docx (pandoc 3.9).\nWarning: no font."
    export = model.ToolCall(
        "t",
        "mcp__dogent__export_document",
        "done",
        input={"md_path": "/texts/a.md"},
        result=written,
    )
    assert drawn(export) == ["▸ Export document  a.md  ✓ Wrote a.docx (pandoc 3.9)."]


def test_a_long_conversion_tells_how_far_it_is() -> None:
    read = model.ToolCall(
        "t", "mcp__dogent__read_document", "running", input={"path": "a.pdf"}, started=100
    )
    read.result = "Converting …\n120 of 1,000 pages\n"
    assert drawn(read, now=112) == ["▸ Read document  a.pdf  ● running  12 s · 120 of 1,000 pages"]


def test_a_running_tool_tells_for_how_long() -> None:
    call = model.ToolCall("t", "Bash", "running", input={"command": "make\ttest"}, started=100)
    assert drawn(call, now=112) == ["▸ Run  make test  ● running  12 s"]


def test_a_command_that_deleted_says_how_to_undo_it_and_an_edit_only_when_unfolded() -> None:
    run = model.ToolCall(
        "t",
        "Bash",
        state="done",
        input={"command": "rm a.md b.md"},
        kept=("/texts/a.md", "/texts/b.md"),
    )
    assert drawn(run)[1] == "  ↳ /undo reverts a.md and 1 more"
    run.decided = ev.PermissionDecided(request_id="r", tool_use_id="t", decision="allow")
    assert drawn(run)[1] == "  ↳ allowed once · /undo reverts a.md and 1 more"
    edit = model.ToolCall(
        "t", "Edit", state="done", input={"file_path": "/texts/a.md"}, kept=("/texts/a.md",)
    )
    assert len(drawn(edit)) == 1
    assert "  │ undo          /undo reverts a.md" in drawn(edit, unfolded=True)


def test_retries_and_silence() -> None:
    retry = ev.Retrying(attempt=2, max_attempts=10, delay_ms=4000, status=529)
    assert drawn(model.Waiting(retry))[0].startswith(
        "… The endpoint failed (overloaded, 529). Retrying in 4.0 s"
    )
    assert drawn(model.Waiting(ev.Stalled(seconds=30)))[0].startswith(
        "… Nothing received for 30 s."
    )


@pytest.mark.parametrize(
    ("name", "friendly"),
    [
        ("mcp__dogent__read_document", "Read document"),
        ("Read", "Read"),
        ("Bash", "Run"),
        ("TodoWrite", "Plan"),
        ("mcp__dogent__web_search", "Search web"),
        ("mcp__other_server__doThatThing", "Do that thing · other_server"),
        ("", "Tool"),
        ("\x1b", "␛"),
    ],
)
def test_friendly_names(name: str, friendly: str) -> None:
    assert friendly_name(name) == friendly


@pytest.mark.parametrize(
    ("tool_input", "summary"),
    [
        ({"file_path": "/texts/notes/a.md"}, "notes/a.md"),
        ({"file_path": "/textshop/a.md"}, "/textshop/a.md"),
        ({"command": "ls\n-l"}, "ls -l"),
        ({"pattern": "*.md", "path": "/texts/notes"}, "*.md in notes"),
        ({"path": 3, "x": "y"}, ""),
    ],
)
def test_the_summary_of_an_input(tool_input: dict[str, Any], summary: str) -> None:
    assert input_summary(tool_input, "/texts") == summary


def test_durations() -> None:
    assert [duration(seconds) for seconds in (0.04, 9.94, 59, 61, 3720)] == [
        "0.0 s",
        "9.9 s",
        "59 s",
        "1 min 1 s",
        "1 h 2 min",
    ]


def decided(decision, scope="once", message="", state="done"):
    event = ev.PermissionDecided(
        request_id="r", tool_use_id="t", decision=decision, scope=scope, message=message
    )
    call = model.ToolCall(
        "t", "Bash", state=state, input={"command": "ls"}, result="", decided=event
    )
    return [line.text for line in entry_lines(call, Look(80))][1:]


def test_a_card_says_what_the_user_answered():
    assert decided("allow") == ["  ↳ allowed once"]
    assert decided("allow", "session") == ["  ↳ allowed for this session"]
    assert decided("allow", "always") == ["  ↳ always allowed in this workspace"]
    assert decided("deny", message="Keep\nthem.", state="denied") == ["  ↳ you said: “Keep them.”"]
    assert decided("deny", state="denied") == decided("cancelled", state="stopped") == []


def test_what_an_output_continues_with_below_is_as_far_from_the_margin_as_it_begins() -> None:
    call = model.ToolCall(
        "t", "Bash", state="done", input={"command": "ls"}, result="a\n      " + "b" * 100
    )
    lines = [line for line in entry_lines(call, Look(70, unfolded=True)) if "bb" in line.text]
    assert len(lines) == 2
    starts = [line.text.index("b") for line in lines]
    assert starts[0] == starts[1]
    copied = [line.text[line.decoration :] for line in lines]
    assert copied[0].endswith("      " + "b" * copied[0].count("b"))
    assert set(copied[1]) == {"b"}
