"""/rewind in the application: chosen, previewed, done, and drawn the same from the log."""

from textual.widgets import OptionList

from dogent_tui.agent.conversation import TurnEnded
from dogent_tui.agent.events import Prompt, TextFinished
from dogent_tui.agent.replay import replay_log
from dogent_tui.agent.ui_requests import Clarification, Question, ui_requested
from dogent_tui.storage.sessions import latest_session
from dogent_tui.tui.screens.choice import ChoiceScreen
from dogent_tui.tui.screens.clarification import ClarificationScreen
from dogent_tui.tui.screens.offers import OffersScreen
from dogent_tui.tui.screens.rewind_preview import RewindPreviewScreen
from dogent_tui.tui.transcript.model import Reply, TranscriptModel, UserTurn


def said(model: TranscriptModel) -> list[str]:
    return [
        entry.prompt.text if isinstance(entry, UserTurn) else entry.text
        for entry in model.entries
        if not entry.gone and isinstance(entry, UserTurn | Reply)
    ]


async def converse(s, text: str, name: str = "", content: str = "") -> None:
    """Have a run, which writes a file."""
    await s.send(text)
    run = s.app.opened.service._run.id
    copies = s.app.opened.copies()
    copies.begin_run(run)
    if name:
        path = s.app.opened.workspace.root / name
        kept = copies.keep(f"Write {name}", [path])
        path.write_text(content)
        copies.settle(kept.number)
    s.conversation.arrive(
        TextFinished(message_id=text, block=0, text=f"Reply to {text}"), TurnEnded("completed")
    )
    await s.until(lambda: s.app.opened.service.state == "idle")


async def command(s, text: str) -> None:
    await s.type(text)
    await s.pilot.press("enter")


async def asked(s, screen: type, *keys: str):
    """Wait for a screen that takes keys, and press some."""
    await s.until(lambda: isinstance(s.app.screen, screen))
    if screen is not OffersScreen:  # the others do not take a key at once
        await s.until(lambda: s.app.screen.guard._opens is not None)
        s.app.screen.guard.clock = lambda: float("inf")
    shown = s.app.screen
    await s.pilot.press(*keys)
    return shown


async def test_conversation_and_files_go_back_and_what_the_user_changed_stays(stage, workspace):
    notes = workspace.root / "notes.md"
    before = notes.read_bytes()
    async with stage() as s:
        await converse(s, "first", "one.md", "1")
        await converse(s, "second", "notes.md", "changed")
        await converse(s, "third", "three.md", "3")
        (workspace.root / "three.md").write_text("mine")
        first_process = s.conversation
        await command(s, "/rewind")
        listed = await asked(s, OffersScreen, "down")
        assert [offer.name for offer in listed.list.items] == ["third", "second", "first"]
        await s.pilot.press("enter")
        await asked(s, ChoiceScreen, "enter")
        shown = await asked(s, RewindPreviewScreen)
        assert [(row.what, row.name) for row in shown.preview.rows()] == [
            ("will be restored", "notes.md"),
            ("unchanged", "three.md"),
        ]
        await s.until(lambda: "-changed" in shown._diff)
        assert notes.read_text() == "changed"  # nothing happens before Enter
        await s.pilot.press("enter")
        await s.until(lambda: notes.read_bytes() == before)
        await s.until(lambda: s.app.conversation.prompt.editor.value == "second")
        # “/undo” typed behind the prompt that came back would be no command.
        await s.until(lambda: "Ctrl+P /undo takes that back" in s.hint)
        assert (workspace.root / "three.md").read_text() == "mine"
        assert (workspace.root / "one.md").read_text() == "1"
        assert said(s.app.conversation.transcript.model) == ["first", "Reply to first"]
        assert first_process.closed
        await s.until(lambda: len(s.launcher.started) == 2)
        s.app.conversation.prompt.editor.replace_all("")
        await converse(s, "another")
    replayed = TranscriptModel()
    for event in replay_log(latest_session(workspace).path)[0]:
        replayed.apply(event)
    assert said(replayed) == ["first", "Reply to first", "another", "Reply to another"]


async def test_esc_leads_back_step_by_step_and_nothing_was_done(stage, workspace):
    async with stage() as s:
        await converse(s, "first", "one.md", "1")
        await converse(s, "second")
        await command(s, "/rewind")
        await asked(s, OffersScreen, "down", "enter")
        await asked(s, ChoiceScreen, "enter")
        await asked(s, RewindPreviewScreen, "escape")
        await asked(s, ChoiceScreen, "escape")
        listed = await asked(s, OffersScreen)
        assert listed.query_one(OptionList).highlighted == 1
        await s.pilot.press("escape")
        await s.until(lambda: s.app.screen is s.app.conversation)
        assert said(s.app.conversation.transcript.model) == [
            "first",
            "Reply to first",
            "second",
            "Reply to second",
        ]
        assert (workspace.root / "one.md").read_text() == "1"
        assert len(s.launcher.started) == 1


async def test_only_the_files_and_undo_takes_it_back(stage, workspace):
    async with stage() as s:
        await converse(s, "first", "notes.md", "changed")
        (workspace.root / "notes.md").write_text("mine")
        await command(s, "/rewind")
        await asked(s, OffersScreen, "enter")
        await asked(s, ChoiceScreen, "down", "down", "enter")
        shown = await asked(s, RewindPreviewScreen, "enter")
        assert s.app.screen is shown  # no file is chosen: there is nothing to do
        await s.pilot.press("space", "enter")
        await s.until(lambda: (workspace.root / "notes.md").read_text().startswith("# Notes"))
        assert said(s.app.conversation.transcript.model) == ["first", "Reply to first"]
        await s.until(lambda: s.app.screen is s.app.conversation)
        await command(s, "/undo")
        await s.until(lambda: (workspace.root / "notes.md").read_text() == "mine")


async def test_without_changed_files_only_the_conversation_is_asked_about(stage):
    async with stage() as s:
        await command(s, "/rewind")
        await s.until(lambda: "no prompt to rewind to" in s.hint)
        await converse(s, "first")
        await command(s, "/rewind")
        await asked(s, OffersScreen, "enter")
        shown = await asked(s, RewindPreviewScreen)
        assert shown.preview.scope == "conversation"
        await s.pilot.press("enter")
        await s.until(lambda: s.app.conversation.prompt.editor.value == "first")
        assert said(s.app.conversation.transcript.model) == []


async def test_what_the_agent_asked_goes_with_the_prompt(stage):
    async with stage() as s:
        await s.send("first")
        s.conversation.arrive(
            ui_requested(Clarification("Which?", (Question("length", "How long?"),))),
            TurnEnded("completed"),
        )
        await asked(s, ClarificationScreen, "escape")
        await s.until(
            lambda: s.app.screen is s.app.conversation and s.app.conversation.asked.display
        )
        await command(s, "/rewind")
        await asked(s, OffersScreen, "enter")
        await asked(s, RewindPreviewScreen, "enter")
        await s.until(lambda: s.app.conversation.prompt.editor.value == "first")
        await s.until(lambda: not s.app.conversation.asked.display)
        assert s.app.opened.service.requests == ()


async def test_not_while_the_agent_is_at_work(stage):
    async with stage() as s:
        await converse(s, "first")
        await s.send("second")
        await command(s, "/rewind")
        await s.until(lambda: "is working" in s.hint)
        assert s.app.screen is s.app.conversation


async def test_what_was_queued_meanwhile_stays_so_where_it_fails(stage):
    async with stage() as s:
        await converse(s, "first")
        await command(s, "/rewind")
        await asked(s, OffersScreen, "enter")
        await s.until(lambda: isinstance(s.app.screen, RewindPreviewScreen))
        service = s.app.opened.service
        for text in ("second", "third"):  # from another side: the first of them runs
            await service.submit(Prompt(text))
        await s.until(lambda: service.state == "running")
        await asked(s, RewindPreviewScreen, "enter")
        await s.until(lambda: "is working" in s.hint)
        assert [queued.prompt.text for queued in service.queued] == ["third"]
