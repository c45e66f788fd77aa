"""The agent proposes and the user reviews: the application itself, with the real CLI behind it,
on a scripted API.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from dogent_tui.agent.events import PermissionAnswer, PermissionRequested, RunFinished, ToolResult
from dogent_tui.agent.session import SessionOptions, open_session
from dogent_tui.errors import DogentError
from dogent_tui.storage.paths import Workspace
from dogent_tui.tui.app import DogentApp
from dogent_tui.tui.screens.permission import PermissionScreen
from dogent_tui.tui.screens.review import ReviewScreen
from dogent_tui.undo.restoring import undo
from tests.e2e.conftest import IN_ONE_LOOP, Listener, write_profile
from tests.tui.idle import until

pytestmark = IN_ONE_LOOP

PROPOSE = "mcp__dogent__propose_document_change"
READ = "mcp__dogent__read_markdown_file"
BASE = "# 茶\n\none\n\ntwo\n\nthree\n"


class QuestionContext:
    """The application as a user has it before them, and what its session says."""

    def __init__(self, app: DogentApp, pilot: Pilot[None], heard: Listener) -> None:
        self.app = app
        self.pilot = pilot
        self.heard = heard
        self.root = app.opened.workspace.root
        self._reviewed: ReviewScreen | None = None

    async def until(self, seen: Callable[[], object]) -> None:
        await until(self.pilot, seen)

    async def send(self, text: str) -> None:
        await self.until(
            lambda: (
                self.app.screen is self.app.conversation
                and self.app.conversation.prompt.editor.has_focus
            )
        )
        self.app.conversation.prompt.editor.insert(text)
        await self.pilot.pause()
        await self.pilot.press("enter")

    async def review(self, name: str, *keys: str) -> ReviewScreen:
        """Wait for the next review, of the file `name`, and press `keys` in it. The one before
        may be closing still.
        """
        await self.until(
            lambda: (
                isinstance(screen := self.app.screen, ReviewScreen)
                and screen is not self._reviewed
                and screen.change.name == name
                and screen.focused
            )
        )
        screen = self.app.screen
        assert isinstance(screen, ReviewScreen)
        self._reviewed = screen
        await self.pilot.press(*keys)
        return screen

    async def ended(self, count: int) -> RunFinished:
        await self.until(lambda: len(self.heard.of(RunFinished)) >= count)
        finished = self.heard.of(RunFinished)[count - 1]
        assert finished.status == "completed", (finished, self.heard.events)
        return finished

    def text(self, name: str) -> str:
        return (self.root / name).read_text(encoding="utf-8")


@pytest.fixture
def context(api, workspace: Workspace, home: Path):
    write_profile(home / ".dogent", workspace.root, api)

    @asynccontextmanager
    async def opened(**options: bool) -> AsyncIterator[QuestionContext]:
        app = DogentApp(open_session(workspace, SessionOptions(**options)))
        async with app.run_test(size=(120, 40)) as pilot:
            heard = Listener(app.opened.service)
            yield QuestionContext(app, pilot, heard)
            await heard.close()

    return opened


def sent(api, number: int) -> str:
    """Return what the request `number`, counted from the first one, brought the model."""
    return str(api.requests[number].messages[-1])


@pytest.mark.thorough
async def test_what_the_model_learns_of_its_proposals_and_the_file_holds(api, context, workspace):
    for name in ("tea.md", "two.md"):
        (workspace.root / name).write_text(BASE, encoding="utf-8")
    louder = BASE.replace("one", "ONE").replace("three", "THREE")
    async with context() as d:
        # One hunk is taken with a comment, the other is not; then two at once, and someone else
        # writes in the meantime.
        api.call(PROPOSE, {"path": "tea.md", "new_content": louder, "summary": "Louder"})
        api.call_all(
            (
                PROPOSE,
                {
                    "path": "tea.md",
                    "new_content": "# 茶\n\nONE\n\n二\n\nthree\n",
                    "summary": "Chinese",
                },
            ),
            (PROPOSE, {"path": "two.md", "new_content": louder, "summary": "Louder too"}),
        )
        api.say("Done.")
        await d.send("Make it louder")
        await d.review("tea.md", "a", "r", "k", "c", *"good", "enter", "enter")
        outcome = await api.arrived(2)
        assert outcome
        assert d.text("tea.md") == BASE.replace("one", "ONE")
        said = sent(api, 1)
        for words in (
            "1 of 2 hunks written to tea.md",
            "Hunk 1 (changed, under 茶): accepted",
            "Comment: good",
            "rejected",
        ):
            assert words in said
        assert "THREE" in said
        await d.review("tea.md", "A", "enter")
        screen = await d.review("two.md", "A")
        (workspace.root / "two.md").write_text(
            "Preface.\n\n" + BASE.replace("three", "3"), encoding="utf-8"
        )
        await d.pilot.press("enter")
        await d.until(lambda: any(hunk.is_conflict for hunk in screen.change.hunks))
        assert d.text("two.md").startswith("Preface."), (
            "nothing is written over what somebody else wrote"
        )
        await d.pilot.press("r", "enter")
        assert (await d.ended(1)).status == "completed"
        assert d.text("tea.md") == "# 茶\n\nONE\n\n二\n\nthree\n"
        assert d.text("two.md") == "Preface.\n\n" + BASE.replace("three", "3").replace("one", "ONE")
        assert "1 of 2 hunks written to two.md" in sent(api, 2)

        # A denial with words goes back to the model, and what was approved was approved for one
        # call.
        api.call(READ, {"path": "tea.md", "reason": "To see it"})
        api.call(READ, {"path": "two.md", "reason": "To see that"})
        api.call(
            PROPOSE,
            {"path": "../aside.md", "new_content": "aside\n", "summary": "Beside the folder"},
        )
        api.say("I see.")
        await d.send("Look at it")
        for number, answer in enumerate(
            (PermissionAnswer("deny", message="Not that one."), PermissionAnswer("allow")), 1
        ):
            question = await d.heard.heard(PermissionRequested, number)
            await d.app.opened.service.reply(question.request_id, answer)
        question = await d.heard.heard(PermissionRequested, 3)
        assert question.sentence.endswith("outside the workspace")
        await d.app.opened.service.reply(question.request_id, PermissionAnswer("allow"))
        await d.until(lambda: not isinstance(d.app.screen, PermissionScreen))
        await d.review(str(workspace.root.parent / "aside.md"), "a", "enter")
        assert (await d.ended(2)).status == "completed"
        denied, allowed, _ = d.heard.of(ToolResult)[-3:]
        assert "Not that one." in denied.content
        assert (denied.is_error, allowed.is_error) == (True, False)
        assert (workspace.root.parent / "aside.md").read_text() == "aside\n"
        requests = d.app.opened.libraries.requests
        assert [(one.status, one.used) for one in requests.all()] == [
            ("denied", False),
            ("approved", True),
        ]
        with pytest.raises(DogentError, match="was already made"):
            requests.use("read_markdown_file", {"path": "two.md", "reason": "To see that"})


async def test_the_agents_own_edits_are_reviewed_and_undone_after_a_restart(
    api, context, workspace
):
    path, fresh = str(workspace.root / "tea.md"), str(workspace.root / "fresh.md")
    (workspace.root / "tea.md").write_bytes(
        BASE.replace("one", "say “one”").replace("\n", "\r\n").encode()
    )
    (workspace.root / ".dogent" / "dogent.json").write_text(
        '{"profile": "test-profile", "review_edits": true}'
    )
    async with context() as d:
        await d.until(
            lambda: "every change reviewed" in d.app.conversation.status_bar.render().plain
        )
        api.call("Read", {"file_path": path})
        api.call(
            "Edit",
            {"file_path": path, "old_string": 'say "one"\n\ntwo', "new_string": 'say "ONE"\n\nTWO'},
        )
        api.call("Edit", {"file_path": path, "old_string": "two", "new_string": "2"})
        api.call("Edit", {"file_path": path, "old_string": "four", "new_string": "4"})
        api.call("Write", {"file_path": fresh, "content": "new\n"})
        api.call("Read", {"file_path": fresh})
        api.call("Edit", {"file_path": fresh, "old_string": "new", "new_string": "newer"})
        api.say("Done.")
        await d.send("Change it")
        await d.review("tea.md", "a", "r", "c", *"no", "enter", "enter")
        await d.review("tea.md", "a", "enter")  # the CLI takes an edit of the file that we wrote
        await d.review("fresh.md", "a", "enter")
        await d.review("fresh.md", "r", "enter")
        assert (await d.ended(1)).status == "completed"
        expected = BASE.replace("one", "say “ONE”").replace("two", "2").replace("\n", "\r\n")
        assert (workspace.root / "tea.md").read_bytes() == expected.encode()
        assert d.text("fresh.md") == "new\n"
        for words in (
            "1 of 2 hunks written to tea.md",
            "Comment: no",
            "rejected",
            "read it before you change it again",
        ):
            assert words in sent(api, 2)
        assert "1 of 1 hunk written" in sent(api, 3)
        assert "<tool_use_error>" in sent(api, 4), "what cannot be applied gets the CLI's own words"
        assert "nothing was written to fresh.md" in sent(api, 7)
        assert [result.is_error for result in d.heard.of(ToolResult)] == [
            False,
            False,
            False,
            True,
            False,
            False,
            False,
        ]
    async with context(continue_latest=True) as d:
        copies = d.app.opened.copies()
        assert undo(copies) is not None
        assert not (workspace.root / "fresh.md").exists()
        assert undo(copies) is not None
        assert undo(copies) is not None
        assert (workspace.root / "tea.md").read_bytes() == BASE.replace("one", "say “one”").replace(
            "\n", "\r\n"
        ).encode()
        assert undo(copies) is None


@pytest.mark.thorough
async def test_what_the_user_wrote_after_the_model_read_survives_its_proposal(
    api, context, workspace
):
    tea, unread = workspace.root / "tea.md", workspace.root / "unread.md"
    for file in (tea, unread):
        file.write_text(BASE, encoding="utf-8")
    async with context() as d:
        api.call("Read", {"file_path": str(tea)})
        api.say("Read.")
        await d.send("Read tea.md")
        await d.ended(1)
        tea.write_text(BASE + "\nMy own paragraph.\n", encoding="utf-8")
        api.call(
            PROPOSE,
            {"path": "tea.md", "new_content": BASE.replace("one", "ONE"), "summary": "Louder"},
        )
        api.call(PROPOSE, {"path": "unread.md", "new_content": "# All new\n", "summary": "New"})
        api.say("Done.")
        await d.send("Make it louder")
        screen = await d.review("tea.md")
        assert [hunk.new for hunk in screen.change.hunks] == [("ONE",)]
        await d.pilot.press("A", "enter")
        screen = await d.review("unread.md")
        assert "has not read all of this file" in screen.request.notice
        assert all(
            screen.change.decision(hunk.number).verdict == "open" for hunk in screen.change.hunks
        )
        await d.pilot.press("R", "enter")
        assert (await d.ended(2)).status == "completed"
        assert d.text("tea.md") == BASE.replace("one", "ONE") + "\nMy own paragraph.\n"
        told = [
            request.last_user_text()
            for request in api.requests
            if "Make it louder" in request.last_user_text()
        ]
        assert "<changed-files>" in told[0]
        assert "- tea.md" in told[0]
        api.say("Yes.")
        await d.send("And now?")
        await d.ended(3)
        assert "<changed-files>" not in api.requests[-1].last_user_text()


@pytest.mark.thorough
@pytest.mark.parametrize("review", [True, False])
async def test_a_write_over_what_changed_since_it_was_read_is_never_silent(
    api, context, workspace, review
):
    tea = workspace.root / "tea.md"
    tea.write_text(BASE, encoding="utf-8")
    async with context() as d:
        d.app.opened.review_mode.on = review
        api.call("Read", {"file_path": str(tea)})
        api.say("Read.")
        await d.send("Read tea.md")
        await d.ended(1)
        tea.write_text(BASE + "\nMy own paragraph.\n", encoding="utf-8")
        api.call("Write", {"file_path": str(tea), "content": BASE.replace("one", "ONE")})
        api.say("Done.")
        await d.send("Make it louder")
        await d.ended(2)
        assert "My own paragraph." in d.text("tea.md")
        assert d.heard.of(ToolResult)[-1].is_error
