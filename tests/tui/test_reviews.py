"""A change that the agent proposes, from the event to the file and to the answer."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from dogent_tui.agent.events import UiRequested
from dogent_tui.agent.ui_requests import ChangeRequest
from dogent_tui.storage.answer_drafts import AnswerDrafts
from dogent_tui.tui.screens.permission import PermissionScreen
from dogent_tui.tui.screens.review import ReviewScreen
from dogent_tui.undo.restoring import undo
from tests.agent.fake_conversation import permission

BASE = "one\n\ntwo\n\nthree\n"


def proposed(name: str, base: str | None, new: str, id_: str = "r1") -> UiRequested:
    payload = ChangeRequest(name, new, "Louder", base).payload
    return UiRequested(request_id=id_, kind="document_change", payload=payload, in_run=True)


@pytest.fixture
def context(stage):
    """The application with a run under way."""

    @asynccontextmanager
    async def opened(**options):
        async with stage(**options) as s:
            await s.send("Make it louder")
            yield s

    return opened


async def reviewing(stage) -> ReviewScreen:
    await stage.until(
        lambda: isinstance(stage.app.screen, ReviewScreen) and stage.app.screen.focused is not None
    )
    return stage.app.screen


async def test_what_is_accepted_is_written_and_the_model_learns_of_it(context):
    async with context() as s:
        root = s.app.conversation.opened.workspace.root
        (root / "tea.md").write_text(BASE)
        waiting = asyncio.create_task(
            s.launcher.form(proposed("tea.md", BASE, "ONE\n\ntwo\n\nTHREE\n"))
        )
        await reviewing(s)
        await s.pilot.press("a", "c", *"softer", "enter", "r", "enter")
        answer = await waiting
        assert (root / "tea.md").read_text() == "ONE\n\ntwo\n\nthree\n"
        assert "1 of 2 hunks written to tea.md" in answer.review
        assert "Comment: softer" in answer.review
        await s.until(lambda: s.app.screen is s.app.conversation)
        assert undo(s.app.conversation.opened.copies()) is not None, "/undo"
        assert (root / "tea.md").read_text() == BASE


async def test_it_stays_open_with_what_was_decided_and_notices_another_writer(context):
    async with context() as s:
        workspace = s.app.conversation.opened.workspace
        (workspace.root / "tea.md").write_text(BASE)
        waiting = asyncio.create_task(
            s.launcher.form(proposed("tea.md", BASE, "ONE\n\ntwo\n\nTHREE\n"))
        )
        await reviewing(s)
        await s.pilot.press("a", "escape")
        await s.until(lambda: s.app.screen is s.app.conversation)
        assert not waiting.done()
        await s.until(lambda: AnswerDrafts(workspace).load("r1") is not None)
        (workspace.root / "tea.md").write_text("Preface.\n\n" + BASE.replace("three", "3"))
        await s.pilot.press("f2")
        review = await reviewing(s)
        change = review.change
        assert [change.decision(hunk.number).verdict for hunk in change.hunks] == [
            "accepted",
            "open",
        ]
        assert [hunk.is_conflict for hunk in change.hunks] == [False, True]
        await s.pilot.press("R", "R", "R", "enter")
        answer = await waiting
        assert "nothing was written" in answer.review


async def test_it_opens_once_the_user_pauses_and_takes_no_letter_of_a_word(context):
    async with context() as s:
        editor = s.app.conversation.prompt.editor
        await s.pilot.press(*"cle")
        editor.last_typed = float("inf")  # keeps typing
        waiting = asyncio.create_task(s.launcher.form(proposed("tea.md", None, "ONE\n")))
        await s.until(lambda: s.app.conversation.asked.display)
        await s.settle()
        await s.pilot.press(*"ar")
        assert editor.value == "clear"
        editor.last_typed = 0.0
        review = await reviewing(s)
        assert review.change.count("open") == 1
        await s.pilot.press("a", "enter")
        await waiting
        assert editor.value == "clear"


async def test_one_that_ends_below_a_question_closes_after_it(context):
    async with context() as s:
        root = s.app.conversation.opened.workspace.root
        waiting = asyncio.create_task(s.launcher.form(proposed("tea.md", None, "ONE\n")))
        review = await reviewing(s)
        await s.pilot.press("a")
        asked = asyncio.create_task(s.launcher.ask(permission("t", "Bash", {"command": "rm a"})))
        await s.until(lambda: isinstance(s.app.screen, PermissionScreen))
        review.action_apply()  # as a key does that was pressed just before
        await s.until((root / "tea.md").exists)
        await s.settle()
        assert isinstance(s.app.screen, PermissionScreen)
        s.app.screen.guard.opened()
        await s.pilot.press("y")
        assert (await asked).allow
        assert "written to" in (await waiting).review
        await s.until(lambda: s.app.screen is s.app.conversation)


async def test_several_are_reviewed_one_after_the_other(context):
    async with context() as s:
        root = s.app.conversation.opened.workspace.root
        waiting = [
            asyncio.create_task(s.launcher.form(proposed(f"{name}.md", None, f"{name}\n", name)))
            for name in ("one", "two")
        ]
        for name in ("one", "two"):
            await s.until(
                lambda name=name: (
                    isinstance(s.app.screen, ReviewScreen) and name in s.app.screen.change.name
                )
            )
            await reviewing(s)
            await s.pilot.press("a", "enter")
            await s.until(lambda name=name: (root / f"{name}.md").exists())
        assert all("written to" in answer.review for answer in await asyncio.gather(*waiting))


async def test_the_user_has_every_change_reviewed_and_sees_that_it_is_so(stage):
    async with stage() as s:
        mode, bar = s.app.opened.review_mode, s.app.conversation.status_bar
        assert not mode.on
        for is_on in (True, False):
            await s.type("/review")
            await s.pilot.press("escape", "enter")
            await s.until(lambda is_on=is_on: mode.on is is_on)
            assert ("every change reviewed" in bar.render().plain) is is_on


async def test_what_is_typed_after_a_command_that_takes_nothing_is_not_ignored(stage):
    async with stage() as s:
        await s.type("/review notes.md")
        await s.pilot.press("escape", "enter")
        await s.until(lambda: "/review takes nothing after it." in s.hint)
        assert s.app.conversation.prompt.editor.value == "/review notes.md"
        assert not s.app.opened.review_mode.on


async def test_a_file_outside_is_reviewed_where_it_was_approved(context):
    async with context() as s:
        outside = s.app.opened.workspace.root.parent / "outside.md"
        outside.write_text(BASE)
        payload = ChangeRequest(
            str(outside), "ONE\n\ntwo\n\nthree\n", "S", BASE, str(outside)
        ).payload
        event = UiRequested(request_id="r1", kind="document_change", payload=payload, in_run=True)
        waiting = asyncio.create_task(s.launcher.form(event))
        review = await reviewing(s)
        assert str(outside) in review._title
        await s.pilot.press("a", "enter")
        assert "written" in (await waiting).review
        assert outside.read_text().startswith("ONE")
