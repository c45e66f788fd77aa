"""The commands about writing here: wishes, templates, lessons, archives, the user's own commands
and editor.
"""

import asyncio
import sys

import pytest
from msgspec.structs import replace
from textual.widgets import OptionList, Static

from dogent_tui.agent.conversation import TurnEnded
from dogent_tui.settings.profiles import Endpoint
from dogent_tui.storage.history import History
from dogent_tui.tui.lessons import OFFER
from dogent_tui.tui.screens.choice import ChoiceScreen
from dogent_tui.tui.screens.permission import PermissionScreen
from dogent_tui.tui.screens.settings import SettingsScreen


def hint(s) -> str:
    return str(s.app.conversation.prompt.query_one("#prompt-hint").render())


async def run(s, command: str) -> None:
    await s.type(command)
    await s.pilot.press("escape", "enter")


async def test_a_command_answers_to_the_name_that_other_programs_give_it(stage):
    async with stage() as s:
        await s.type("/conf")
        await s.until(lambda: s.app.conversation.prompt.picker.current)
        assert s.app.conversation.prompt.picker.current.insert == "/settings"
        await s.pilot.press("escape", "ctrl+c")
        await run(s, "/config")
        await s.until(lambda: isinstance(s.app.screen, SettingsScreen))


async def test_init_with_a_template_writes_the_wishes_and_says_that_they_hold(stage, workspace):
    async with stage() as s:
        await run(s, "/init proposal")
        await s.until(workspace.constraints_file.exists)
        assert "Proposal" in workspace.constraints_file.read_text()
        await s.until(lambda: "The agent follows it" in hint(s))


async def test_wishes_that_are_there_are_replaced_only_when_the_user_says_so(stage, workspace):
    workspace.dot.mkdir()
    workspace.constraints_file.write_text("mine\n")
    async with stage() as s:
        s.app.opened.trust.answer(trust=True)
        await run(s, "/init resume")
        await s.until(
            lambda: isinstance(s.app.screen, PermissionScreen) and s.app.screen.guard.open
        )
        # another sentence follows
        assert s.app.screen.request.reasons[0] == "You asked for this with /init built-in:resume."
        await s.pilot.press("escape")
        await s.until(lambda: "is unchanged" in hint(s))
        assert workspace.constraints_file.read_text() == "mine\n"
        await s.pilot.press("ctrl+c")
        await run(s, "/init resume")
        await s.until(
            lambda: isinstance(s.app.screen, PermissionScreen) and s.app.screen.guard.open
        )
        await s.pilot.press("y")
        await s.until(lambda: "Resume" in workspace.constraints_file.read_text())


async def test_init_alone_lists_the_templates(stage, workspace):
    async with stage() as s:
        await run(s, "/init")
        await s.until(lambda: isinstance(s.app.screen, ChoiceScreen) and s.app.screen.guard.open)
        rows = [str(option.prompt) for option in s.app.screen.query_one(OptionList).options]
        # what to type after /init and @@ is first
        assert "built-in:proposal · Proposal: how to write it" in rows
        await s.pilot.press("enter")
        await s.until(workspace.constraints_file.exists)


@pytest.mark.parametrize("there", [False, True])
async def test_init_with_a_description_has_the_agent_fill_it_in(stage, workspace, there):
    if there:
        workspace.dot.mkdir()
        workspace.constraints_file.write_text("mine\n")
    async with stage() as s:
        s.app.opened.trust.answer(trust=True)
        s.app.session.opened = replace(
            s.app.opened, endpoint=Endpoint("mine", "custom", model="chat")
        )
        await run(s, "/init minutes of our chess club")
        await s.until(lambda: s.launcher.started and s.conversation.sent)
        assert "minutes of our chess club" in s.conversation.sent[0]
        assert '<template name="built-in:general">' in s.conversation.sent[0]
        assert ("There is one already: read it first." in s.conversation.sent[0]) is there


async def test_init_with_a_description_says_what_helps_where_no_model_can_fill_it_in(stage):
    async with stage() as s:
        await run(s, "/init minutes of our chess club")
        await s.until(lambda: "needs an AI model: /setup connects one" in hint(s))
        assert s.conversation.sent == []
        await run(s, "/init")
        await s.until(lambda: isinstance(s.app.screen, ChoiceScreen))
        assert "WHAT YOU WRITE" not in " ".join(
            str(one.render()) for one in s.app.screen.query(Static)
        )


async def test_a_template_travels_with_the_request_that_names_it(stage):
    async with stage() as s:
        await s.send("Write to the board @@built-in:proposal")
        assert "# Proposal: how to write it" in s.conversation.sent[0]


async def test_a_template_that_is_not_there_keeps_the_prompt(stage):
    async with stage() as s:
        await s.type("Write it @@proposal")
        await s.pilot.press("escape", "enter")
        await s.until(lambda: "@@built-in:proposal" in hint(s))
        assert s.app.conversation.prompt.editor.value == "Write it @@proposal"
        assert s.conversation.sent == []


async def test_templates_are_offered_as_one_types(stage):
    async with stage() as s:
        await s.type("Write @@prop")
        await s.until(lambda: s.app.conversation.prompt.picker.display)
        await s.pilot.press("tab")
        await s.until(
            lambda: s.app.conversation.prompt.editor.value.strip() == "Write @@built-in:proposal"
        )


async def test_a_failed_run_offers_a_lesson_which_the_next_conversation_knows(stage, workspace):
    async with stage() as s:
        await s.send("Export it all")
        s.conversation.arrive(TurnEnded("error"))
        await s.until(lambda: OFFER in hint(s))
        await s.type("a")
        await s.until(lambda: OFFER not in hint(s))
        await s.pilot.press("ctrl+c")
        await run(s, "/learn Ask before exporting.")
        await s.until(workspace.lessons_file.exists)
        text = workspace.lessons_file.read_text()
        assert "Export it all (failed)" in text
        assert "Ask before exporting." in text


async def test_the_offer_can_be_switched_off(stage, workspace):
    async with stage() as s:
        await run(s, "/learn off")
        await s.until(lambda: "won't be reminded" in hint(s))
        assert '"learn_auto": false' in workspace.settings_file.read_text()
        await s.send("go")
        s.conversation.arrive(TurnEnded("error"))
        await s.until(lambda: s.app.opened.service.state == "idle")
        await s.settle()
        assert OFFER not in hint(s)


async def test_a_disk_error_of_a_command_is_told_in_words_with_a_remedy(stage, workspace):
    async with stage() as s:
        workspace.lessons_file.mkdir(parents=True)
        await run(s, "/learn Be brief.")
        await s.until(lambda: "Specify a file, not a folder." in hint(s))
        assert "Errno" not in hint(s)


async def choose_second(s):
    await s.until(lambda: isinstance(s.app.screen, ChoiceScreen) and s.app.screen.guard.open)
    await s.pilot.press("down", "enter")


async def test_archive_asks_begins_history_and_recall_again_and_is_undone(stage, workspace):
    history = History(workspace.history_file)
    async with stage() as s:
        await run(s, "/learn Be brief.")
        await s.until(history.recall)
        lessons = workspace.lessons_file.read_text()
        await run(s, "/archive")
        await s.until(lambda: isinstance(s.app.screen, ChoiceScreen) and s.app.screen.guard.open)
        await s.pilot.press("enter")  # the first answer keeps them
        await s.until(lambda: "Nothing was archived" in hint(s))
        assert workspace.lessons_file.exists()
        await run(s, "/archive")
        await choose_second(s)
        await s.until(lambda: "Archived" in hint(s))
        assert sorted(path.name[:7] for path in (workspace.dot / "archives").iterdir()) == [
            "history",
            "lessons",
        ]
        assert not workspace.lessons_file.exists()
        await run(s, "/theme dogent-paper")
        await s.until(lambda: "/theme dogent-paper" in history.recall())
        await run(s, "/undo")
        await s.until(lambda: "Undone: restored" in hint(s))
        assert workspace.lessons_file.read_text() == lessons
        assert not (workspace.dot / "archives").exists()
        await s.until(lambda: "/undo" in history.recall())
        assert {"/learn Be brief.", "/theme dogent-paper"} < set(history.recall())


async def test_a_theme_that_the_user_named_is_kept_unasked(stage, workspace):
    workspace.dot.mkdir()
    workspace.settings_file.write_text('{"theme": "nord"}\n')
    async with stage() as s:
        await run(s, "/theme dogent-paper")
        await s.until(lambda: "The theme is dogent-paper." in hint(s))
        assert "dogent-paper" in workspace.settings_file.read_text()
        await run(s, "/learn off")
        await s.until(lambda: "won't be reminded" in hint(s))
        assert '"learn_auto": false' in workspace.settings_file.read_text()


@pytest.mark.parametrize(
    ("outcome", "status"), [("api_error", 500), ("api_error", 401), ("api_error", 0)]
)
async def test_there_is_nothing_to_learn_from_what_the_endpoint_did(stage, outcome, status):
    async with stage() as s:
        await s.send("go")
        s.conversation.arrive(TurnEnded(outcome, status=status, error="API Error: 500 Oops"))
        await s.until(lambda: s.app.opened.service.state == "idle")
        await s.settle()
        assert OFFER not in hint(s)


async def test_what_was_cleaned_is_undone_and_not_a_document_made_before(stage, workspace):
    made = workspace.root / "made.pdf"
    workspace.dot.mkdir()
    workspace.lessons_file.write_text("# Use the second column\n")
    async with stage() as s:
        s.app.opened.copies().keep("export", [made])
        made.write_text("%PDF")
        await run(s, "/clean lessons")
        await choose_second(s)
        await s.until(lambda: "Deleted: lessons" in hint(s))
        assert not workspace.lessons_file.exists()
        await run(s, "/undo")
        await s.until(workspace.lessons_file.exists)
        assert made.exists()


async def test_commands_of_the_user_are_offered_filled_in_and_sent(
    stage, workspace, tmp_path, monkeypatch
):
    folder = tmp_path / "user" / ".claude" / "commands"
    folder.mkdir(parents=True)
    (folder / "sum-up.md").write_text(
        "---\ndescription: Sum a file up\n---\nSum up $1 from @notes.md in one line."
    )
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    async with stage() as s:
        await s.until(lambda: s.app.commands.find("/sum-up")[0])
        await run(s, "/sum-up tea")
        await s.until(lambda: s.conversation.sent)
        assert s.conversation.sent[0].startswith("Sum up tea from @notes.md in one line.")
        assert '"path": "notes.md"' in s.conversation.sent[0]
        await s.until(lambda: History(workspace.history_file).recall()[-1:] == ["/sum-up tea"])


async def test_a_command_of_the_user_that_needs_an_argument_waits_for_it(
    stage, tmp_path, monkeypatch
):
    folder = tmp_path / "user" / ".claude" / "commands"
    folder.mkdir(parents=True)
    (folder / "thanks.md").write_text("---\nargument-hint: <name>\n---\nThank $1.")
    (folder / "greet.md").write_text("---\nargument-hint: [name]\n---\nGreet $1.")
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    async with stage() as s:
        await s.until(lambda: s.app.commands.find("/thanks")[0])
        editor = s.app.conversation.prompt.editor
        await s.type("/than")
        await s.until(lambda: s.app.conversation.prompt.picker.current)
        await s.pilot.press("enter")
        assert editor.value == "/thanks "
        await s.until(lambda: "/thanks <name>" in hint(s))
        await s.pilot.press("ctrl+c")
        await s.type("/gree")
        await s.until(lambda: s.app.conversation.prompt.picker.current)
        await s.pilot.press("enter")
        await s.until(lambda: s.conversation.sent)
        assert s.conversation.sent[0].startswith("Greet")


async def test_a_command_that_came_with_the_folder_is_not_run_and_where_to_trust_it_is_said(
    stage, workspace
):
    folder = workspace.root / ".claude" / "commands"
    folder.mkdir(parents=True)
    (folder / "polish.md").write_text("Polish $ARGUMENTS.")
    async with stage() as s:
        s.app.opened.trust.state = "unasked"
        await run(s, "/polish notes.md")
        await s.until(lambda: "/trust" in hint(s))
        assert "There is no command /polish." in hint(s)
        assert s.app.conversation.prompt.editor.value == "/polish notes.md"


@pytest.fixture
def editor(tmp_path, monkeypatch):
    script = tmp_path / "editor.py"
    script.write_text("import sys\nwith open(sys.argv[1], 'a') as file: file.write('More.\\n')\n")
    monkeypatch.setenv("VISUAL", f"{sys.executable} {script}")


@pytest.mark.usefixtures("editor")
async def test_a_file_is_edited_in_ones_own_editor(stage, workspace, monkeypatch):
    async with stage() as s:
        monkeypatch.setattr(type(s.app), "suspend", lambda _: _Suspended())
        await run(s, "/edit notes.md")
        await s.until(lambda: "Saved notes.md" in hint(s))
        assert (workspace.root / "notes.md").read_text() == "# Notes\n\nTea is hot.\nMore.\n"


class _Suspended:
    """Textual's headless driver has no terminal to give away."""

    def __enter__(self) -> None:
        assert asyncio.get_running_loop().is_running()

    def __exit__(self, *_: object) -> None:
        return None
