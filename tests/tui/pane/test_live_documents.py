"""What the agent writes is shown: beside the conversation in a wide window, a key away in a
narrow one.
"""

import json

import pytest

from dogent_tui.agent.events import DocumentDelta, MessageDropped, ToolResult, ToolUse
from tests.tui.pane.test_pane import Pane

pytestmark = pytest.mark.slow

LONG = "# Report\n\n" + "".join(f"Paragraph {n}.\n\n" for n in range(80)) + "The last words.\n"


class Writing(Pane):
    """The agent writes, and the test sees what a user sees."""

    def __init__(self, stage) -> None:
        super().__init__(stage)
        self.root = stage.app.opened.workspace.root
        self.calls = 0

    def stream(self, text: str, name: str = "report.md") -> None:
        call = f"t{self.calls}"
        path = str(self.root / name)
        self.stage.conversation.arrive(
            DocumentDelta(message_id="m", tool_use_id=call, path=path, text=text)
        )

    def write(self, text: str, name: str = "report.md", *, fails: bool = False) -> None:
        call, path = f"t{self.calls}", self.root / name
        self.calls += 1
        if not fails:
            path.write_text(text, encoding="utf-8")
        self.stage.conversation.arrive(
            ToolUse(
                tool_use_id=call, name="Write", input={"file_path": str(path), "content": text}
            ),
            ToolResult(tool_use_id=call, content="denied" if fails else "ok", is_error=fails),
        )

    def edit(self, old: str, new: str, name: str = "report.md") -> None:
        call, path = f"t{self.calls}", self.root / name
        self.calls += 1
        path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
        self.stage.conversation.arrive(
            ToolUse(
                tool_use_id=call,
                name="Edit",
                input={"file_path": str(path), "old_string": old, "new_string": new},
            ),
            ToolResult(tool_use_id=call, content="ok", changes=((old, new),)),
        )

    async def shown(self) -> None:
        await self.stage.until(lambda: self.is_seen)
        await self.stage.settle()


async def test_a_text_grows_beside_the_conversation_and_its_end_is_followed(stage) -> None:
    async with stage((160, 40)) as s:
        pane = Writing(s)
        await s.send("Write it")
        pane.stream(LONG[:100])
        await pane.shown()
        assert "being written" in pane.title
        assert pane.screen.prompt.editor.has_focus
        await s.type("my next thought")
        pane.stream(LONG[100:])
        await pane.sees("The last words.")
        assert pane.screen.prompt.editor.value == "my next thought"
        pane.write(LONG)
        await s.until(lambda: "being written" not in pane.title)
        assert any("The last words." in row for row in pane.rows())
        assert "changed" not in pane.title
        assert not any(row.startswith("▎") for row in pane.rows())


async def test_who_scrolled_stays_where_they_are(stage) -> None:
    async with stage((160, 40)) as s:
        pane = Writing(s)
        await s.send("Write it")
        pane.stream(LONG[:900])
        await pane.shown()
        await pane.press("f3", "home")
        assert "Report" in pane.rows()[0]
        pane.stream(LONG[900:])
        await s.until(lambda: "The last words." in pane.screen.documents.open_document.text.lines)
        await s.settle()
        assert "Report" in pane.rows()[0]
        await pane.press("end")
        await pane.sees("The last words.")
        pane.stream("And more.\n\n" * 90 + "Now the end.\n")
        await pane.sees("Now the end.")


async def test_who_closed_it_does_not_see_it_again_until_they_ask(stage) -> None:
    async with stage((160, 40)) as s:
        pane = Writing(s)
        await s.send("Write it")
        pane.stream(LONG[:300])
        await pane.shown()
        await pane.press("f3", "q")
        await s.until(lambda: not pane.screen.has_document)
        pane.stream(LONG[300:])
        pane.write(LONG)
        pane.write("# Other\n", "other.md")
        await s.until(lambda: pane.screen.results.written == "other.md")
        await s.settle()
        assert not pane.screen.has_document
        await pane.press("f3")
        await pane.shown()
        await pane.sees("Other")
        assert pane.view.has_focus
        pane.write("# Third\n", "third.md")
        await pane.sees("Third")


async def test_a_document_of_the_users_own_is_not_replaced(stage) -> None:
    async with stage((160, 40)) as s:
        pane = Writing(s)
        await s.send("Write it")
        await pane.open("notes.md")
        pane.stream(LONG[:300])
        pane.write(LONG)
        await s.until(lambda: pane.screen.results.written == "report.md")
        await s.settle()
        assert "notes.md" in pane.title


@pytest.mark.parametrize("size", [(80, 24), (120, 30), (30, 8)])
async def test_in_a_narrow_window_it_is_one_key_away(stage, size) -> None:
    async with stage(size) as s:
        pane = Writing(s)
        await s.send("Write it")
        pane.stream(LONG[:300])
        pane.write(LONG)
        await s.until(lambda: pane.screen.results.written == "report.md")
        await s.settle()
        assert not pane.screen.has_document
        assert pane.chat_is_seen
        await pane.press("f3")
        await pane.shown()
        await pane.sees("Report")
        assert pane.view.has_focus
        await pane.press("f3")
        assert pane.screen.prompt.editor.has_focus
        assert pane.chat_is_seen


async def test_an_edit_is_gone_to_and_marked(stage) -> None:
    async with stage((160, 40)) as s:
        pane = Writing(s)
        (pane.root / "report.md").write_text(LONG, encoding="utf-8")
        await s.send("Change it")
        pane.edit("Paragraph 70.", "A better paragraph.")
        await pane.shown()
        await pane.sees("A better paragraph.")
        assert pane.rows()[pane.row("A better paragraph.")].startswith("▎")
        pane.edit("Paragraph 3.", "An earlier one.")
        await pane.sees("An earlier one.")
        assert "2 lines changed" in pane.title


async def test_what_was_not_written_is_not_shown(stage) -> None:
    async with stage((160, 40)) as s:
        pane = Writing(s)
        await s.send("Write it")
        pane.stream(LONG[:300])
        await pane.shown()
        pane.write(LONG, fails=True)
        await s.until(lambda: not pane.screen.has_document)
        (pane.root / "old.md").write_text("As it was.\n", encoding="utf-8")
        pane.stream("# New\n", "old.md")
        await pane.shown()
        await pane.sees("New")
        s.conversation.arrive(MessageDropped(message_id="m"))
        await pane.sees("As it was.")


async def test_other_texts_are_shown_once_they_are_written(stage) -> None:
    async with stage((160, 40)) as s:
        pane = Writing(s)
        await s.send("Write it")
        pane.stream("month,sum\n", "sales.csv")
        pane.write("month,sum\nMay,1204\n", "sales.csv")
        await pane.shown()
        await pane.sees("1204")


async def test_a_window_that_becomes_narrow_keeps_the_conversation(stage) -> None:
    async with stage((160, 40)) as s:
        pane = Writing(s)
        await s.send("Write it")
        pane.write(LONG)
        await pane.shown()
        await s.pilot.resize_terminal(80, 24)
        await s.until(lambda: not pane.is_seen and pane.chat_is_seen)
        assert pane.screen.prompt.editor.has_focus
        await pane.press("f3")
        await s.until(lambda: pane.view.has_focus)


async def test_a_conversation_that_is_continued_shows_the_same(stage, workspace, tmp_path) -> None:
    (workspace.root / "report.md").write_text(LONG, encoding="utf-8")
    log = tmp_path / "earlier.jsonl"
    lines = [
        {"type": "run_started", "run_id": "r", "seq": 1, "prompt": {"text": "Write it"}},
        {
            "type": "tool_use",
            "run_id": "r",
            "seq": 2,
            "tool_use_id": "t",
            "name": "Write",
            "input": {"file_path": "report.md"},
        },
        {"type": "tool_result", "run_id": "r", "seq": 3, "tool_use_id": "t", "content": "ok"},
        {"type": "run_finished", "run_id": "r", "seq": 4, "status": "completed", "duration_ms": 1},
    ]
    log.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    async with stage((160, 40), earlier=log) as s:
        pane = Writing(s)
        await pane.shown()
        await pane.sees("Report")
        assert pane.screen.prompt.editor.has_focus
        assert [result.path for result in pane.screen.results.entries] == ["report.md"]
