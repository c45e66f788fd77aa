"""Which files a conversation refers to."""

from pathlib import Path

import pytest

from dogent_tui.agent.events import Attachment, Prompt, RunStarted, TextDelta, ToolResult, ToolUse
from dogent_tui.tui.attachments.model import Attachments, measure, readable_size

NOTES = Attachment("notes.md", "notes.md", "md")
SALES = Attachment("numbers.xlsx", "numbers.xlsx", "xlsx", "Sales")
COSTS = Attachment("numbers.xlsx", "numbers.xlsx", "xlsx", "Costs")


def states(model: Attachments) -> list[str]:
    return ["pending" if entry.pending else entry.read for entry in model.entries]


def sent(*attachments: Attachment) -> RunStarted:
    return RunStarted(prompt=Prompt("go", attachments))


@pytest.fixture
def model(tmp_path: Path) -> Attachments:
    return Attachments(tmp_path)


def test_every_reference_of_the_conversation_once_in_order(model: Attachments) -> None:
    assert model.handle(sent(SALES, NOTES))
    assert model.handle(sent(NOTES, COSTS))
    assert not model.handle(sent())
    assert [entry.attachment for entry in model.entries] == [SALES, NOTES, COSTS]


def test_reading_is_seen(model: Attachments, tmp_path: Path) -> None:
    model.handle(sent(NOTES))
    assert model.handle(
        ToolUse(
            tool_use_id="1",
            name="Read",
            input={"file_path": str(tmp_path / "docs" / ".." / "notes.md")},
        )
    )
    assert states(model) == ["reading"]
    assert model.handle(ToolResult(tool_use_id="1", content="…"))
    assert states(model) == ["read"]


def test_a_failed_reading_is_seen_and_a_later_one_counts(model: Attachments) -> None:
    model.handle(sent(NOTES))
    for number, failed in (("1", True), ("2", False), ("3", True)):
        model.handle(
            ToolUse(
                tool_use_id=number, name="mcp__dogent__read_document", input={"path": "notes.md"}
            )
        )
        model.handle(ToolResult(tool_use_id=number, content="…", is_error=failed))
        assert states(model) == (["failed"] if number == "1" else ["read"])


def test_a_sheet_is_read_on_its_own(model: Attachments) -> None:
    model.handle(sent(SALES, COSTS))
    model.handle(
        ToolUse(
            tool_use_id="1",
            name="mcp__dogent__read_document",
            input={"path": "numbers.xlsx", "sheet": "Costs"},
        )
    )
    model.handle(ToolResult(tool_use_id="1", content="…"))
    assert states(model) == ["unread", "read"]


@pytest.mark.parametrize(
    "event",
    [
        ToolUse(tool_use_id="1", name="Read", input={"file_path": "other.md"}),
        ToolUse(tool_use_id="1", name="Read", input={"file_path": 7}),
        ToolUse(tool_use_id="1", name="Read", input={}),
        ToolUse(tool_use_id="1", name="Write", input={"file_path": "notes.md"}),
        ToolResult(tool_use_id="9", content="…"),
        TextDelta(message_id="m", block=0, text="notes.md"),
    ],
)
def test_other_events_change_nothing(model: Attachments, event: object) -> None:
    model.handle(sent(NOTES))
    assert not model.handle(event)  # type: ignore[arg-type]
    assert states(model) == ["unread"]


def test_pending_goes_with_the_next_prompt(model: Attachments) -> None:
    model.attach(NOTES)
    model.attach(NOTES)
    assert model.pending == (NOTES,)
    model.handle(sent(SALES, NOTES))
    assert model.pending == ()


def test_what_is_pending_is_taken_back(model: Attachments) -> None:
    model.attach(NOTES)
    assert model.remove(NOTES) == "taken back"
    assert model.entries == ()
    assert model.remove(SALES) == ""


def test_what_was_sent_goes_off_the_list_until_it_is_referred_to_again(model: Attachments) -> None:
    model.handle(sent(NOTES, SALES))
    model.handle(ToolUse(tool_use_id="1", name="Read", input={"file_path": NOTES.path}))
    assert model.remove(NOTES) == "unlisted"
    assert [entry.attachment for entry in model.entries] == [SALES]
    model.handle(ToolResult(tool_use_id="1", content="…"))
    assert model.remove(NOTES) == ""
    model.handle(sent(NOTES))
    assert states(model) == ["read", "unread"]  # the agent has read it, listed or not
    model.remove(SALES)
    model.attach(SALES)
    assert model.pending == (SALES,)


def test_taking_back_a_second_mention_keeps_the_first(model: Attachments) -> None:
    model.handle(sent(NOTES))
    model.attach(NOTES)
    assert model.remove(NOTES)
    assert states(model) == ["unread"]


def test_sizes(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("12345")
    assert measure(tmp_path, [NOTES.path, SALES.path]) == {NOTES.path: 5, SALES.path: None}


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1_000, "1.0 KB"),
        (2_345, "2.3 KB"),
        (65_536, "66 KB"),
        (999_700, "1.0 MB"),
        (1_234_567, "1.2 MB"),
        (5 * 10**12, "5.0 TB"),
    ],
)
def test_sizes_are_readable(size: int, text: str) -> None:
    assert readable_size(size) == text
