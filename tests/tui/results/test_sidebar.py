"""The results in the sidebar: listed, opened, exported, revealed, by keys."""

import pytest

from dogent_tui.agent.events import Attachment, Prompt, RunStarted
from dogent_tui.tui.attachments.model import readable_size
from dogent_tui.tui.attachments.sidebar import AttachmentList, ResultList
from dogent_tui.tui.results import controller as reveal
from dogent_tui.tui.screens.choice import ChoiceScreen
from tests.tui.pane.test_live_documents import LONG, Writing

pytestmark = pytest.mark.slow


def drawn(stage) -> str:
    return "\n".join(
        "".join(segment.text for segment in line)
        for line in stage.app.screen._compositor.render_strips()
    )


async def made(stage) -> Writing:
    """Have one text written and another exported."""
    pane = Writing(stage)
    await stage.send("Write it")
    pane.write(LONG)
    await stage.until(lambda: pane.screen.results.written)
    (pane.root / "report.pdf").write_bytes(b"%PDF-1.4")
    pane.screen.service.tell_exported("report.pdf")
    await stage.until(
        lambda: (
            [result.path for result in pane.screen.results.entries] == ["report.pdf", "report.md"]
        )
    )
    await stage.settle()
    return pane


@pytest.mark.parametrize("size", [(120, 30), (200, 60)])
async def test_a_wide_window_lists_them_by_itself(stage, size) -> None:
    async with stage(size) as s:
        await made(s)
        await s.until(lambda: "Results 2" in drawn(s))
        assert "report.pdf" in drawn(s)
        assert "exported · 8 B" in drawn(s)
        assert f"written · {readable_size(len(LONG))}" in drawn(s)
        assert s.app.conversation.prompt.editor.has_focus
        (s.app.opened.workspace.root / "report.pdf").unlink()
        s.app.conversation.place_sidebar()
        await s.until(lambda: "exported · gone" in drawn(s))


async def test_a_window_that_becomes_wide_shows_their_sizes(stage) -> None:
    async with stage((80, 24)) as s:
        await made(s)
        await s.pilot.resize_terminal(120, 30)
        await s.until(lambda: "exported · 8 B" in drawn(s))


async def test_what_was_deleted_is_not_offered_any_more(stage) -> None:
    async with stage((80, 24)) as s:
        await made(s)
        await s.until(lambda: "F3 shows" in drawn(s))
        (s.app.opened.workspace.root / "report.md").unlink()
        s.app.conversation.refresh_files()
        await s.until(lambda: "F3 shows" not in drawn(s))
        await s.pilot.press("f3")
        await s.until(lambda: "No document is open." in drawn(s))


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize("size", [(80, 24), (30, 8), (160, 40)])
async def test_keys_open_export_and_reveal(stage, size, monkeypatch) -> None:
    monkeypatch.setattr(reveal, "reveal_command", lambda *_: ())
    async with stage(size) as s:
        pane = await made(s)
        await s.pilot.press("ctrl+b")
        await s.until(lambda: isinstance(s.app.focused, ResultList))
        await s.pilot.press("r")
        await s.until(lambda: "The file is" in pane.stage.hint)
        assert "report.pdf" in pane.stage.hint
        await s.pilot.press("e")
        await s.until(lambda: "Only Markdown can be exported" in pane.stage.hint)
        await s.pilot.press("down", "e")
        await s.until(lambda: isinstance(s.app.screen, ChoiceScreen) and s.app.screen.guard.open)
        await s.pilot.press("escape")
        await s.until(lambda: isinstance(s.app.focused, ResultList))
        await s.pilot.press("enter")
        await s.until(lambda: pane.is_seen and pane.view.has_focus)
        await pane.sees("Report")
        assert not pane.screen.conversation_layout.sidebar.display, "it does not cover the document"
        await s.until(lambda: "Close" in drawn(s) or size[0] < 40)
        await s.pilot.press("escape")
        assert pane.screen.prompt.editor.has_focus


async def test_the_attachments_are_below_them(stage) -> None:
    async with stage((120, 30)) as s:
        pane = await made(s)
        pane.screen.handle(
            RunStarted(run_id="x", prompt=Prompt("go", (Attachment("notes.md", "notes.md", "md"),)))
        )
        await s.pilot.press("ctrl+b", "down", "down")
        await s.until(lambda: isinstance(s.app.focused, AttachmentList))
        await s.pilot.press("up")
        await s.until(lambda: isinstance(s.app.focused, ResultList))
        assert s.app.focused.highlighted == 1
        (pane.root / "report.md").unlink()
        await s.pilot.press("enter")
        await s.until(lambda: "There is no file report.md here." in pane.stage.hint)


def test_revealing_needs_a_screen(monkeypatch, tmp_path) -> None:
    opener = tmp_path / "xdg-open"
    opener.write_text("#!/bin/sh\n")
    opener.chmod(0o755)
    monkeypatch.setattr("sys.platform", "linux")
    folder = {"PATH": str(tmp_path)}
    assert reveal.reveal_command(tmp_path / "a" / "b.md", folder) == ()
    shown = {**folder, "DISPLAY": ":0"}
    assert reveal.reveal_command(tmp_path / "a" / "b.md", shown) == (
        str(opener),
        str(tmp_path / "a"),
    )
    assert reveal.reveal_command(tmp_path / "b.md", {**shown, "SSH_CONNECTION": "1"}) == ()
    monkeypatch.setattr("sys.platform", "darwin")
    assert reveal.reveal_command(tmp_path / "b.md", {})[:2] == ("open", "-R")
