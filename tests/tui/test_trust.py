"""Folders that brought something along, and the application's own writes: what the user is
asked, and what follows.
"""

import pytest
from textual.app import App
from textual.widgets import OptionList, Static

from dogent_tui.settings.trust import FolderTrust
from dogent_tui.settings.trust_inventory import Found
from dogent_tui.settings.values import load_settings
from dogent_tui.tui.screens.permission import PermissionScreen
from dogent_tui.tui.screens.permissions import PermissionsScreen
from dogent_tui.tui.screens.trust import TrustScreen


@pytest.fixture
def brought(workspace):
    """A workspace that came with wishes of its own."""
    workspace.dot.mkdir()
    workspace.constraints_file.write_text("Write [b]short[/b].\n", encoding="utf-8")
    return workspace


async def asked(s, kind=TrustScreen):
    """Wait for the question, and until its keys count."""
    await s.until(lambda: isinstance(s.app.screen, kind) and s.app.screen.guard._opens is not None)
    s.app.screen.guard.clock = lambda: float("inf")
    return s.app.screen


async def send(s, text):
    await s.type(text)
    await s.pilot.press("enter")


async def test_the_prompt_takes_keys_at_once_and_the_question_comes_before_the_first_run(
    stage, brought
):
    async with stage() as s:
        assert s.app.screen is s.app.conversation
        await send(s, "Write a report")
        screen = await asked(s)
        assert str(screen.query_one("#trust-why", Static).render()).startswith(
            ".dogent/dogent.md came with "
        )
        assert "Write [b]short[/b]." in [
            str(part.render()) for part in screen.query("#trust-found Static").results(Static)
        ]
        assert screen.query_one(OptionList).highlighted == 0
        assert s.conversation.sent == []
        await s.pilot.press("enter")
        await s.until(lambda: s.conversation.sent)
        assert FolderTrust(brought).state == "declined"
        assert len(s.launcher.started) == 1
        await send(s, "And on")
        await s.until(lambda: len(s.conversation.sent) == 2 or s.app.conversation.service.queued)
        assert s.app.screen is s.app.conversation


async def test_trusting_starts_the_agent_again_with_what_came(stage, brought):
    async with stage() as s:
        await send(s, "Write a report")
        await asked(s)
        await s.pilot.press("down", "enter")
        await s.until(lambda: len(s.launcher.started) == 2 and s.conversation.sent)
        assert FolderTrust(brought).state == "trusted"
        (first, before), (again, _) = s.launcher.started
        assert (first, before.sent, before.closed) == (again, [], True)


async def test_keys_that_were_typed_before_the_question_never_answer_it(stage, brought):
    async with stage() as s:
        await send(s, "Write a report")
        await s.until(lambda: isinstance(s.app.screen, TrustScreen))
        s.app.screen.guard.clock = lambda: 0.0
        await s.pilot.press("down", "enter", "escape")
        assert isinstance(s.app.screen, TrustScreen)
        assert s.app.screen.query_one(OptionList).highlighted == 0


async def test_esc_gives_the_prompt_back_and_sends_nothing(stage, brought):
    async with stage() as s:
        await send(s, "Write a report")
        await asked(s)
        await s.pilot.press("escape")
        await s.until(lambda: s.app.conversation.prompt.editor.value == "Write a report")
        assert s.hint.startswith("Nothing was sent.")
        assert s.conversation.sent == []
        assert FolderTrust(brought).state == "unasked"


async def test_trust_can_be_said_again(stage, brought):
    FolderTrust(brought).answer(trust=False)
    async with stage() as s:
        await s.send("Write a report")
        await send(s, "/trust")
        await asked(s)
        await s.pilot.press("down", "enter")
        await s.until(lambda: s.hint.startswith("You trust this folder: .dogent is used."))
        assert len(s.launcher.started) == 1
        await send(s, "/permissions")
        await s.until(lambda: isinstance(s.app.screen, PermissionsScreen))
        await s.until(lambda: s.app.screen.query("#permissions-standing"))
        assert "You trust this folder" in str(
            s.app.screen.query_one("#permissions-standing", Static).render()
        )


@pytest.mark.parametrize("came", ["", ".dogent/dogent.json", ".claude/settings.json"])
async def test_where_nothing_came_that_would_be_used_nothing_is_asked(stage, workspace, came):
    if came:
        (workspace.root / came).parent.mkdir()
        (workspace.root / came).write_text(
            '{"hooks": {"Stop": []}, "review_edits": false}', encoding="utf-8"
        )
    async with stage() as s:
        await s.send("Write a report")
        await send(s, "/trust")
        await s.until(lambda: s.hint.startswith("Nothing that came with this folder"))
        assert FolderTrust(workspace).state == "own"


async def test_a_theme_that_the_user_named_is_kept_without_a_question(stage, workspace):
    async with stage() as s:
        for name in ("nord", "dogent-paper"):
            await send(s, f"/theme {name}")
            await s.until(lambda name=name: s.hint == f"The theme is {name}.")
            assert s.app.screen is s.app.conversation
            assert load_settings(workspace)[0].theme == name
        assert FolderTrust(workspace).state == "own"


@pytest.fixture
def wishes(workspace):
    """The user's own wishes, over which `/init` writes only when asked."""
    workspace.dot.mkdir()
    workspace.constraints_file.write_text("Write short.\n", encoding="utf-8")
    FolderTrust(workspace).answer(trust=True)
    return workspace.constraints_file


async def test_what_would_be_written_over_is_asked_about_and_stays_where_that_is_denied(
    stage, wishes
):
    async with stage() as s:
        await send(s, "/init proposal")
        screen = await asked(s, PermissionScreen)
        assert "-Write short." in screen.request.diff
        assert [answer.key for answer in screen._answers.answers] == ["n", "y"]
        await s.pilot.press("escape")
        await s.until(lambda: s.hint == ".dogent/dogent.md is unchanged.")
        assert wishes.read_text(encoding="utf-8") == "Write short.\n"
        assert s.app.conversation.requests.questions.current is None


async def test_a_file_that_changes_while_the_user_reads_is_asked_about_anew(stage, wishes):
    async with stage() as s:
        await send(s, "/init proposal")
        first = await asked(s, PermissionScreen)
        wishes.write_text("Write long.\n", encoding="utf-8")
        await s.pilot.press("y")
        await s.until(
            lambda: isinstance(s.app.screen, PermissionScreen) and s.app.screen is not first
        )
        second = await asked(s, PermissionScreen)
        assert "-Write long." in second.request.diff
        await s.pilot.press("y")
        await s.until(lambda: "to .dogent/dogent.md" in s.hint)
        assert "Proposal" in wishes.read_text(encoding="utf-8")


async def test_a_theme_chosen_in_the_list_is_kept_too(stage, workspace):
    async with stage() as s:
        await send(s, "/theme")
        await s.until(lambda: s.app.screen is not s.app.conversation)
        await s.pilot.press(*"nord")
        await s.until(lambda: s.app.screen.query_one(OptionList).option_count == 1)
        await s.pilot.press("enter")
        await s.until(lambda: load_settings(workspace)[0].theme == "nord")
        assert s.app.theme == "nord"


async def test_a_session_that_is_left_answers_no_question_of_its_own(stage, wishes):
    async with stage() as s:
        await send(s, "/init proposal")
        await asked(s, PermissionScreen)
        s.app.conversation.requests.clear()
        await s.until(lambda: s.app.screen is s.app.conversation and "is unchanged" in s.hint)
        assert wishes.read_text(encoding="utf-8") == "Write short.\n"


FOUND = (
    Found(
        "Writing constraints for the agent, 12 lines",
        ".dogent/dogent.md",
        "# Style / Short [b]sentences[/b] / 用中文写。",
        used=True,
    ),
    Found("Hooks", ".claude/settings.json", "PreToolUse, Stop"),
    Found("Rules that allow tool calls", ".claude/settings.json", "Bash, Write\x1b[31m"),
    Found("MCP servers", ".mcp.json", "files, web"),
    Found(
        "Commands", ".claude/commands/", ", ".join(f"command-{number}.md" for number in range(40))
    ),
)


class Shown(App[None]):
    """A screen of its own, for its picture."""

    def on_mount(self) -> None:
        self.theme = "textual-dark"
        self.push_screen(TrustScreen("~/clones/report", (".dogent", ".claude"), FOUND))


@pytest.mark.parametrize("size", [(40, 18), (80, 24), (200, 60)])
def test_the_question(snap_compare, size):
    async def settled(pilot):
        await pilot.pause(0.2)

    assert snap_compare(Shown(), terminal_size=size, run_before=settled)
