"""Which prompts one can go back to, and what the preview says, without a screen."""

from datetime import UTC, datetime

import pytest

from dogent_tui.agent.events import (
    Attachment,
    CopiesKept,
    Prompt,
    Rewound,
    RunFinished,
    RunStarted,
    TextFinished,
    ToolUse,
)
from dogent_tui.errors import DogentError
from dogent_tui.storage.paths import Workspace
from dogent_tui.tui.rewinding.model import Preview, difference, rewind_points
from dogent_tui.tui.transcript.model import Reply, TranscriptModel, UserTurn
from dogent_tui.undo.restoring import plan
from dogent_tui.undo.undo_log import UndoLog

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
MINUTE = 60.0


def run(run_id: str, text: str, ago: float = 0, answers: tuple[str, ...] = ()):
    at = {"run_id": run_id, "time": NOW.timestamp() - ago}
    return (
        RunStarted(prompt=Prompt(text, answers=answers), **at),
        TextFinished(message_id=run_id, block=0, text=f"Reply to {text}", **at),
        RunFinished(status="completed", duration_ms=1, **at),
    )


def transcript(*events) -> TranscriptModel:
    model = TranscriptModel()
    for event in events:
        model.apply(event)
    return model


def shown(model: TranscriptModel) -> list[str]:
    return [
        entry.prompt.text if isinstance(entry, UserTurn) else entry.text
        for entry in model.entries
        if not entry.gone and isinstance(entry, UserTurn | Reply)
    ]


def test_the_transcript_ends_before_the_prompt_and_continues_from_there():
    model = transcript(
        *run("a", "one"),
        *run("b", "two"),
        ToolUse(tool_use_id="t", name="Bash", input={}, run_id="b"),
    )
    changed = model.apply(Rewound(to="b"))
    assert shown(model) == ["one", "Reply to one"]
    assert set(changed) == {number for number, entry in enumerate(model.entries) if entry.gone}
    for event in run("c", "three"):
        model.apply(event)
    assert shown(model) == ["one", "Reply to one", "three", "Reply to three"]
    model.apply(Rewound(to="nowhere"))
    assert len(shown(model)) == 4


def test_the_latest_prompt_comes_first_and_answers_are_none():
    model = transcript(
        *run("a", "one", 90 * MINUTE),
        *run("b", "The answers", answers=("q",)),
        *run("c", "three\n\x1b[b]", 5 * MINUTE),
    )
    latest, first = rewind_points(
        model.entries, {"b": {"/w/b.md"}, "c": {"/w/c.md", "/w/d.md", "/e", "/w/f.md"}}
    )
    assert (latest.title, latest.runs, latest.forgotten) == ("three ␛[b]", ("c",), 0)
    assert (first.title, first.runs, first.forgotten) == ("one", ("a", "b", "c"), 1)
    assert latest.facts(NOW, "/w") == "5 min ago · 4 files changed since: /e, c.md, d.md and 1 more"
    assert first.facts(NOW, "/w").startswith("today 08:00 · 5 files changed since")


def test_what_was_changed_is_known_when_the_copies_are_gone(tmp_path):
    kept = CopiesKept(tool_use_id="t", paths=("/w/old.md",), run_id="a")
    (point,) = rewind_points(transcript(*run("a", "one")[:1], kept).entries, {})
    assert point.changed == ("/w/old.md",)
    (place,) = plan(UndoLog.of(Workspace(tmp_path), "s"), point.runs, point.changed)
    assert (place.path, place.why) == ("/w/old.md", "no_copy")


def test_files_that_the_text_does_not_name_go_with_it_again():
    files = Attachment("a.md", "a.md", "md"), Attachment("b.md", "b.md", "md")
    (point,) = rewind_points(
        transcript(RunStarted(prompt=Prompt("Write on @a.md", files), run_id="a")).entries, {}
    )
    assert (point.attached, point.time) == ((files[1],), 0)
    assert "unknown" in point.facts(NOW, "/w")


def test_files_of_a_prompt_that_was_gone_back_over_may_have_stayed():
    model = transcript(*run("a", "one"), *run("b", "two"), Rewound(to="b"), *run("c", "three"))
    latest, first = rewind_points(model.entries, {"b": {"/w/b.md"}})
    assert (latest.changed, latest.facts(NOW, "/w")) == ((), "just now · no files changed since")
    assert (first.changed, first.runs, first.forgotten) == (("/w/b.md",), ("a", "b", "c"), 1)


@pytest.fixture
def copies(tmp_path) -> UndoLog:
    root = tmp_path / "w"
    root.mkdir()
    (root / "a.md").write_text("one\ntwo\n")
    (root / "b.md").write_text("b\n")
    (root / "c.bin").write_bytes(b"\0\1")
    copies = UndoLog.of(Workspace(root), "s")
    copies.begin_run("r")
    kept = copies.keep("w", [root / "a.md", root / "b.md", root / "c.bin", root / "new.md"])
    (root / "a.md").write_text("one\nzwei\n")
    (root / "b.md").chmod(0o600)
    (root / "c.bin").write_bytes(b"\0\2")
    (root / "new.md").write_text("new\n")
    copies.settle(kept.number)
    return copies


def preview(copies: UndoLog, root, scope="both") -> Preview:
    (point,) = rewind_points(transcript(*run("r", "Write")).entries, {})
    return Preview(point, scope, plan(copies, {"r"}), str(root))


def test_what_somebody_changed_is_left_until_it_is_chosen(copies, tmp_path):
    root = tmp_path / "w"
    (root / "a.md").write_text("mine\n")
    shown = preview(copies, root)
    assert [(row.mark, row.what, row.name) for row in shown.rows()] == [
        ("·", "unchanged", "a.md"),
        ("✓", "will be restored", "b.md"),
        ("✓", "will be restored", "c.bin"),
        ("✓", "will be deleted", "new.md"),
    ]
    assert "someone else" in shown.rows()[0].note
    assert shown.toggle(0)
    assert (shown.rows()[0].what, "/undo restores it" in shown.rows()[0].note) == (
        "will be restored",
        True,
    )
    assert shown.toggle(3)
    done = shown.carry_out(copies)
    assert ((root / "a.md").read_text(), (root / "new.md").exists(), done.left) == (
        "one\ntwo\n",
        True,
        (),
    )


def test_what_cannot_be_done_cannot_be_chosen(copies, tmp_path):
    root = tmp_path / "w"
    (root / "b.md").unlink()
    (root / "b.md").mkdir()
    shown = preview(copies, root)
    assert (shown.rows()[1].mark, shown.rows()[1].what) == ("✗", "can't be restored")
    assert not shown.toggle(1)


def test_the_difference_is_from_now_to_then(copies, tmp_path):
    places = {
        row.name: place
        for row, place in zip(
            preview(copies, tmp_path / "w").rows(), plan(copies, {"r"}), strict=True
        )
    }
    diff = difference(places["a.md"], copies)
    assert "-zwei" in diff
    assert "+two" in diff
    assert "-new" in difference(places["new.md"], copies)
    for name, reason in (("b.md", "permissions"), ("c.bin", "not text")):
        with pytest.raises(DogentError, match=reason):
            difference(places[name], copies)


def test_what_happens_is_said(copies, tmp_path):
    root = tmp_path / "w"
    assert "is unchanged" in " ".join(preview(copies, root, "files").summary())
    assert "forgets it" in " ".join(preview(copies, root, "both").summary())
    only = preview(copies, root, "files")
    for number in range(4):
        only.toggle(number)
    assert only.does_nothing
