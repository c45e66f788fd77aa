"""Earlier conversations in the application: listed, opened, forked, renamed, deleted, and read
where another window has them.
"""

import time

import pytest
from textual.widgets import Input, OptionList

from dogent_tui.agent.conversation import SessionChoice, TurnEnded
from dogent_tui.agent.events import (
    PermissionDecided,
    PermissionRequested,
    Prompt,
    QueueChanged,
    QueuedPrompt,
    RunFinished,
    RunStarted,
    TextDelta,
    TextFinished,
    ToolUse,
)
from dogent_tui.agent.service import AgentService
from dogent_tui.agent.session import SessionOptions, open_session
from dogent_tui.records import to_json
from dogent_tui.settings.profiles import Endpoint
from dogent_tui.storage.history import History
from dogent_tui.storage.paths import Workspace
from dogent_tui.storage.session_log import SessionHold, SessionLog, is_held, read_lines
from dogent_tui.storage.sessions import list_sessions, open_log
from dogent_tui.tui.app import DogentApp
from dogent_tui.tui.key_hints import KeyLine
from dogent_tui.tui.screens.choice import ChoiceScreen
from dogent_tui.tui.screens.sessions import SessionsScreen
from dogent_tui.tui.screens.trust import TrustScreen
from tests.agent.fake_conversation import FakeLauncher, opened_session
from tests.tui.conftest import Stage


def held(workspace: Workspace, session_id: str, said: str) -> None:
    """Have had a conversation."""
    log = open_log(workspace, session_id)
    log.entitle(said)
    for event in (
        RunStarted(prompt=Prompt(said), run_id="r"),
        TextFinished(message_id=session_id, block=0, text=f"Reply to {said}", run_id="r"),
        RunFinished(status="completed", duration_ms=1, run_id="r"),
    ):
        log.append(to_json(event))
    log.close()


@pytest.fixture
def opening(monkeypatch) -> list[FakeLauncher]:
    """What the application opens besides its first session; each has a launcher that a test
    plays by hand.
    """
    launchers: list[FakeLauncher] = []

    def opened(workspace: Workspace, options: SessionOptions):
        import msgspec

        real = open_session(workspace, options)
        launchers.append(FakeLauncher())
        choice = real.service._connection._session
        service = AgentService(
            launchers[-1], Endpoint("offline", "offline"), cwd=str(workspace.root), session=choice
        )
        return msgspec.structs.replace(real, service=service, warnings=())

    monkeypatch.setattr("dogent_tui.tui.sessions.current.open_session", opened)
    return launchers


async def listed(s) -> SessionsScreen:
    await s.type("/sessions")
    await s.pilot.press("enter")
    await s.until(
        lambda: (
            isinstance(s.app.screen, SessionsScreen)
            and s.app.screen.query_one(KeyLine).render().plain
        )
    )
    return s.app.screen


async def test_one_is_found_and_opened_and_continues_where_it_was(stage, workspace, opening):
    held(workspace, "11111111-1111-4111-8111-111111111111", "Tea 茶 [b]")
    held(workspace, "22222222-2222-4222-8222-222222222222", "Coffee")
    async with stage() as s:
        first = s.app.opened
        screen = await listed(s)
        assert [record.title for record in screen.list.items] == ["Coffee", "Tea 茶 [b]"]
        await s.pilot.press("t", "e", "a")
        await s.until(lambda: len(screen.list.items) == 1)
        await s.pilot.press("enter")
        await s.until(lambda: opening and opening[0].started)
        assert opening[0].started[0][0] == SessionChoice(
            "11111111-1111-4111-8111-111111111111", resume=True
        )
        await s.until(
            lambda: s.app.conversation.transcript.model.last_reply() == "Reply to Tea 茶 [b]"
        )
        await s.until(lambda: first.service.state == "closed")
        await s.type("And now milk")
        await s.pilot.press("enter")
        await s.until(lambda: opening[0].conversation.sent)
    assert [record.title for record in list_sessions(workspace)] == ["Tea 茶 [b]", "Coffee"]
    assert sum("And now milk" in line for line in read_lines(list_sessions(workspace)[0].path)) == 1


async def test_a_fork_continues_by_itself_and_leaves_the_first_as_it_is(stage, workspace, opening):
    held(workspace, "22222222-2222-4222-8222-222222222222", "Coffee")
    before = list_sessions(workspace)[0]
    lines = list(read_lines(before.path))
    async with stage() as s:
        await listed(s)
        await s.pilot.press("f3")
        await s.until(lambda: opening and opening[0].started)
        choice = opening[0].started[0][0]
        assert (choice.fork_of, choice.resume) == (before.session_id, False)
        assert choice.session_id != before.session_id
        await s.until(lambda: s.app.conversation.transcript.model.last_reply() == "Reply to Coffee")
        assert len(list_sessions(workspace)) == 1  # nothing was said in it yet
        await s.type("Another way")
        await s.pilot.press("enter")
        await s.until(lambda: len(list_sessions(workspace)) == 2)
    fork = list_sessions(workspace)[0]
    assert (fork.session_id, fork.title) == (choice.session_id, "Coffee (fork)")
    assert list(read_lines(before.path)) == lines
    assert list(read_lines(fork.path))[: len(lines)] == lines
    assert any("Another way" in line for line in read_lines(fork.path))


async def test_one_is_renamed_and_one_deleted_after_a_question(stage, workspace, home):
    held(workspace, "11111111-1111-4111-8111-111111111111", "Tea")
    held(workspace, "22222222-2222-4222-8222-222222222222", "Coffee")
    remembered = (
        home
        / ".dogent"
        / "state"
        / "claude"
        / "projects"
        / "-w"
        / "11111111-1111-4111-8111-111111111111.jsonl"
    )
    remembered.parent.mkdir(parents=True)
    remembered.write_text("{}")
    async with stage() as s:
        screen = await listed(s)
        await s.pilot.press("f2")
        screen.query_one(Input).value = "Coffee in March"
        await s.pilot.press("enter")
        await s.until(
            lambda: [record.title for record in screen.list.items] == ["Coffee in March", "Tea"]
        )
        await s.pilot.press("f2")
        screen.query_one(Input).value = "never mind"
        await s.pilot.press("escape")
        await s.pilot.press("down", "delete")
        await s.until(lambda: isinstance(s.app.screen, ChoiceScreen) and s.app.screen.guard.open)
        await s.pilot.press("enter")  # the first answer keeps it
        await s.until(lambda: s.app.screen is screen)
        await s.pilot.press("delete")
        await s.until(lambda: isinstance(s.app.screen, ChoiceScreen) and s.app.screen.guard.open)
        await s.pilot.press("down", "enter")
        await s.until(lambda: [record.title for record in screen.list.items] == ["Coffee in March"])
        assert not remembered.exists()
        await s.pilot.press("escape")
        await s.until(lambda: s.app.screen is s.app.conversation)
    assert [record.title for record in list_sessions(workspace)] == ["Coffee in March"]


async def test_a_title_is_typed_over_and_what_was_renamed_stays_in_sight(stage, workspace):
    held(workspace, "11111111-1111-4111-8111-111111111111", "Tea with milk")
    held(workspace, "22222222-2222-4222-8222-222222222222", "Coffee")
    async with stage() as s:
        screen = await listed(s)
        line, options = screen.query_one(Input), screen.query_one(OptionList)
        await s.pilot.press("t", "e", "a")
        await s.until(lambda: len(screen.list.items) == 1)
        await s.pilot.press("f2", *"Cocoa", "enter")
        # “tea” would hide it now
        await s.until(lambda: [record.title for record in screen.list.items] == ["Coffee", "Cocoa"])
        assert (line.value, options.highlighted) == ("", 1)
        await s.pilot.press("c", "o", "c")
        await s.until(lambda: len(screen.list.items) == 1)
        # the end of the title, and the old one is kept
        await s.pilot.press("f2", "end", "!", "enter")
        await s.until(lambda: [record.title for record in screen.list.items] == ["Cocoa!"])
        await s.pilot.press("o")  # the search continues where it was
        await s.until(lambda: line.value == "coco")


async def test_the_list_says_what_another_window_has_and_what_can_be_done_with_it(
    stage, workspace, opening
):
    held(workspace, "11111111-1111-4111-8111-111111111111", "Tea")
    held(workspace, "22222222-2222-4222-8222-222222222222", "Coffee")
    coffee, _ = list_sessions(workspace)
    other = SessionHold()
    assert other.take(coffee.path)

    def rows(screen):
        options = screen.query_one(OptionList)
        return [str(options.get_option_at_index(at).prompt) for at in range(options.option_count)]

    async with stage() as s:
        screen = await listed(s)
        assert ["open in another window, read-only" in row for row in rows(screen)] == [True, False]
        keys = screen.query_one(KeyLine)
        await s.until(lambda: "⏎ Read " in keys.render().plain)
        await s.pilot.press("down")
        await s.until(lambda: "⏎ Open " in keys.render().plain)
        await s.pilot.press("up", "delete")
        await s.until(
            lambda: any("Close it there first" in note.message for note in s.app._notifications)
        )
        assert s.app.screen is screen  # there is nothing to decide
        await s.pilot.press("f2")
        screen.query_one(Input).value = "Coffee in March"
        await s.pilot.press("enter")
        await s.until(lambda: "Coffee in March" in rows(screen)[0])
        await s.pilot.press("enter")
        await s.until(lambda: "read-only: it is open" in s.hint)
        assert s.app.opened.read_only
        screen = await listed(s)
        assert "open in another window, read-only · open here" in rows(screen)[0]
        await s.pilot.press("f3")
        await s.until(lambda: len(opening) == 2 and opening[1].started)
        assert opening[1].started[0][0].fork_of == coffee.session_id
        assert not s.app.opened.read_only
        screen = await listed(s)
        assert "open in another window" in rows(screen)[0]


async def test_what_another_window_has_can_be_read_and_nothing_is_sent(stage, workspace, opening):
    held(workspace, "22222222-2222-4222-8222-222222222222", "Coffee")
    workspace.dot.mkdir()
    workspace.constraints_file.write_text("Be brief.")
    other = SessionHold()
    assert other.take(list_sessions(workspace)[0].path)
    async with stage() as s:
        await s.type("/resume 2222")
        await s.pilot.press("enter")
        await s.until(
            lambda: (
                opening and s.app.conversation.transcript.model.last_reply() == "Reply to Coffee"
            )
        )
        assert s.app.opened.read_only
        await s.until(
            lambda: any(
                getattr(entry, "level", "") == "warning"
                for entry in s.app.conversation.transcript.model.entries
            )
        )
        await s.type("Is anybody there?")
        await s.pilot.press("enter")
        await s.until(lambda: s.app.conversation.prompt.editor.value == "Is anybody there?")
        s.app.conversation.prompt.editor.replace_all("/trust")
        await s.pilot.press("enter")
        await s.until(lambda: isinstance(s.app.screen, TrustScreen) and s.app.screen.guard.open)
        await s.pilot.press("down", "enter")
        await s.until(lambda: "You trust this folder" in s.hint)
        assert not opening[0].started
        await command(s, "/review")
        await s.until(lambda: s.app.opened.review_mode.on)
        other.release()
        s.app.conversation.prompt.editor.replace_all("")
        await s.type("/resume 2222")
        await s.pilot.press("enter")
        await s.until(lambda: len(opening) == 2 and opening[1].started)
        assert not s.app.opened.read_only
        # nothing is written unseen because the conversation changed hands
        assert s.app.opened.review_mode.on


async def test_what_another_window_does_is_seen_as_it_happens_and_continues_here_once_it_left(
    stage, workspace, opening
):
    held(workspace, "22222222-2222-4222-8222-222222222222", "Coffee")
    other = SessionHold()
    (record,) = list_sessions(workspace)
    assert other.take(record.path)
    log = SessionLog(record.path)
    async with stage() as s:
        await s.type("/resume 2222")
        await s.pilot.press("enter")
        await s.until(
            lambda: opening and "read-only, live" in s.app.conversation.status_bar.render().plain
        )
        screen = s.app.conversation
        run = {"run_id": "r2", "time": time.time() - 70}
        ask = PermissionRequested(
            request_id="q",
            tool_use_id="t",
            tool="Bash",
            input={"command": "rm a.md"},
            sentence="?",
            **run,
        )
        for event in (
            RunStarted(prompt=Prompt("And milk?"), **run),
            TextDelta(message_id="m2", block=0, text="Warm ", **run),
            TextDelta(message_id="m2", block=0, text="milk", **run),
            ToolUse(tool_use_id="t", name="Bash", input={"command": "rm a.md"}, **run),
        ):
            log.append(to_json(event))
        await s.until(lambda: screen.transcript.model.last_reply() == "Warm milk")
        assert "1 min " in screen.status_bar.render().plain  # since it began there
        log.append(to_json(ask))
        await s.until(lambda: "asking in the other window" in screen.status_bar.render().plain)
        assert s.app.screen is screen  # it is not asked here
        await s.type("Is anybody there?")
        await s.pilot.press("enter")
        await s.until(lambda: screen.prompt.editor.value == "Is anybody there?")
        assert not opening[0].started
        hint = screen.prompt.query_one("#prompt-hint")
        assert not screen.prompt.editor.busy
        await s.until(lambda: "is read-only here" in str(hint.content))
        log.append(
            to_json(PermissionDecided(request_id="q", tool_use_id="t", decision="deny", **run))
        )
        log.append(to_json(TextFinished(message_id="m3", block=0, text="It stays.", **run)))
        log.append(to_json(RunFinished(status="completed", duration_ms=1, **run)))
        await s.until(lambda: screen.transcript.model.last_reply() == "It stays.")
        await s.until(lambda: screen.status_bar.render().plain.startswith("read-only, live  "))
        log.continue_as("33333333-3333-4333-8333-333333333333")
        log.close()
        other.release()
        await s.until(
            lambda: "has left" in str(getattr(screen.transcript.model.entries[-1], "message", ""))
        )
        assert screen.status_bar.render().plain.startswith("ready  ")
        assert "Enter sends" in str(hint.content)
        assert other.take(record.path)  # it may come back
        await s.until(lambda: "read-only, live" in screen.status_bar.render().plain)
        other.release()
        await s.until(lambda: "live" not in screen.status_bar.render().plain)
        await s.pilot.press("enter")
        await s.until(lambda: len(opening) == 2 and opening[1].started)
        assert opening[1].started[0][0] == SessionChoice(
            "33333333-3333-4333-8333-333333333333", resume=True
        )
        await s.until(lambda: opening[1].conversation.sent)
        assert [sent.partition("\n")[0] for sent in opening[1].conversation.sent] == [
            "Is anybody there?"
        ]
        assert screen.transcript.model.last_reply() == "It stays."
        assert is_held(record.path)
    assert sum("Is anybody there?" in line for line in read_lines(record.path)) == 1


async def test_those_of_other_folders_are_listed_apart_and_open_there(stage, workspace, tmp_path):
    elsewhere = tmp_path / "letters"
    elsewhere.mkdir()
    held(workspace, "22222222-2222-4222-8222-222222222222", "Coffee")
    held(Workspace(elsewhere), "33333333-3333-4333-8333-333333333333", "A letter")
    async with stage() as s:
        screen = await listed(s)
        assert [record.title for record in screen.list.items] == ["Coffee"]
        await s.pilot.press("tab")
        await s.until(
            lambda: [record.title for record in screen.list.items] == ["A letter", "Coffee"]
        )
        assert "letters" in screen.query_one(OptionList).get_option_at_index(0).prompt.plain
        await s.pilot.press("enter")
        await s.until(lambda: s.app.elsewhere is not None)
    root, options = s.app.elsewhere
    assert (root.root, options.resume) == (
        elsewhere.resolve(),
        "33333333-3333-4333-8333-333333333333",
    )


async def test_while_the_agent_works_nothing_is_opened(stage, workspace, opening):
    held(workspace, "22222222-2222-4222-8222-222222222222", "Coffee")
    async with stage() as s:
        await s.send("go")
        await s.type("/resume 2222")
        await s.pilot.press("enter")
        await s.until(lambda: "is working" in s.hint)
        assert not opening


async def test_the_conversation_is_written_to_a_file_and_nothing_is_replaced_unasked(
    stage, workspace
):
    async with stage() as s:
        await s.send("Write on tea")
        s.conversation.arrive(
            TextFinished(message_id="m", block=0, text="# Tea"),
            TurnEnded("completed", text="# Tea"),
        )
        await s.until(lambda: s.app.conversation.transcript.model.last_reply())
        await command(s, "/export-session talk.md")
        await s.until((workspace.root / "talk.md").exists)
        assert "Write on tea" in (workspace.root / "talk.md").read_text()
        await command(s, "/export-session notes.md")
        await s.until(lambda: isinstance(s.app.screen, ChoiceScreen) and s.app.screen.guard.open)
        await s.pilot.press("enter")
        await s.until(lambda: "is unchanged" in s.hint)
        assert "Tea is hot." in (workspace.root / "notes.md").read_text()
        await s.type("/export-session tes.md")  # a name of its own: none that is there is meant
        await s.settle()
        await s.pilot.press("enter")
        await s.until((workspace.root / "tes.md").exists)
        await command(s, "/export-session talk.pdf")
        await s.until(lambda: ".html" in s.hint)
        await command(s, "/export-session")
        # only the name is left to type
        await s.until(lambda: s.app.conversation.prompt.editor.value == "/export-session ")


async def command(s, text: str) -> None:
    s.app.conversation.prompt.editor.replace_all("")
    await s.type(text)
    if s.app.conversation.prompt.picker.display:
        await s.pilot.press("escape")
    await s.pilot.press("enter")


async def test_prompts_that_waited_when_a_window_was_killed_are_in_the_prompt_again_once(
    stage, workspace
):
    held(workspace, "22222222-2222-4222-8222-222222222222", "Coffee")
    log = open_log(workspace, "22222222-2222-4222-8222-222222222222")
    waiting = tuple(
        QueuedPrompt(id=text, prompt=Prompt(text)) for text in ("And milk", "And sugar")
    )
    log.append(to_json(QueueChanged(prompts=waiting)))
    log.close()
    for _ in range(2):  # the second time they are in the draft
        async with stage(earlier=log.path) as s:
            await s.until(lambda: s.app.conversation.prompt.editor.value == "And milk\n\nAnd sugar")


@pytest.mark.parametrize("chosen", [True, False])
async def test_one_is_chosen_before_an_agent_is_started_for_another(workspace, opening, chosen):
    held(workspace, "22222222-2222-4222-8222-222222222222", "Coffee")
    launcher = FakeLauncher()
    endpoint = Endpoint("offline", "offline")
    service = AgentService(launcher, endpoint, cwd=str(workspace.root))
    app = DogentApp(opened_session(workspace, endpoint, service), choose=True)
    async with app.run_test(size=(100, 30)) as pilot:
        s = Stage(app, pilot, launcher)
        await s.until(lambda: isinstance(app.screen, SessionsScreen) and app.screen.list.items)
        assert not launcher.started
        await pilot.press("enter" if chosen else "escape")
        if chosen:
            await s.until(lambda: opening and opening[0].started)
            assert opening[0].started[0][0].resume
        else:
            await s.until(lambda: launcher.started)
        assert bool(launcher.started) != chosen


async def test_without_a_home_that_can_be_written_one_can_still_work(
    stage, workspace, tmp_path, monkeypatch
):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DOGENT_HOME", str(tmp_path / "file" / "home"))
    async with stage() as s:
        await s.send("Write on tea")
        s.conversation.arrive(
            TextFinished(message_id="m", block=0, text="# Tea"),
            TurnEnded("completed", text="# Tea"),
        )
        await s.until(lambda: s.app.conversation.transcript.model.last_reply())
        await s.until(
            lambda: any(
                "can't be saved" in getattr(e, "message", "")
                for e in s.app.conversation.transcript.model.entries
            )
        )
        await command(s, "/sessions")
        await s.until(lambda: isinstance(s.app.screen, SessionsScreen))
        await s.pilot.press("escape")
        await s.type("half a thought")
    assert [entry.status for entry in History(workspace.history_file).entries()][:2] == [
        "started",
        "completed",
    ]
