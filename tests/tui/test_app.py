"""The application by its keys, over a conversation that the test plays."""

import asyncio
import json
import threading
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual import events
from textual.binding import Binding
from textual.screen import Screen
from textual.widgets._toast import Toast, ToastRack

from dogent_tui.agent.conversation import TurnEnded
from dogent_tui.agent.events import (
    Prompt,
    QueuedPrompt,
    TextDelta,
    TextFinished,
    ToolResult,
    ToolUse,
    UsageChanged,
)
from dogent_tui.agent.service import AgentService
from dogent_tui.errors import AgentError
from dogent_tui.records import to_json
from dogent_tui.settings.profiles import Endpoint
from dogent_tui.storage.drafts import Drafts
from dogent_tui.storage.history import History, HistoryEntry
from dogent_tui.tui import conversation_layout
from dogent_tui.tui.app import DogentApp
from dogent_tui.tui.prompt.controller import READ_ONLY
from dogent_tui.tui.screens.help import (
    HelpScreen,
    HelpSection,
    binding_section,
    help_text,
)
from dogent_tui.tui.screens.offers import OffersScreen
from dogent_tui.tui.screens.permission import PermissionScreen
from dogent_tui.tui.textual_fixes.driver import BackgroundReported
from dogent_tui.tui.themes import DEFAULT_THEME, LIGHT_THEME
from tests.agent.fake_conversation import FakeLauncher, opened_session, permission
from tests.tui.conftest import Stage

REPLY = "# Draft\n\nTea is **hot**, says [b]the[/b] note.\n\n| a | b |\n|---|---|\n| 1 | 茶 |"


def reply(stage, text=REPLY):
    stage.conversation.arrive(
        TextDelta(message_id="m", block=0, text=text[:10]),
        TextDelta(message_id="m", block=0, text=text[10:]),
        TextFinished(message_id="m", block=0, text=text),
        TurnEnded("completed", text=text),
    )


def answering(stage):
    return stage.app.conversation.prompt.editor


async def ask(stage, tool="Bash", tool_input=None, reasons=("It deletes.",), targets=()):
    question = permission(
        "t1", tool, tool_input or {"command": "rm a.md"}, reasons=reasons, targets=targets
    )
    asked = asyncio.create_task(stage.launcher.ask(question))
    await stage.until(lambda: isinstance(stage.app.screen, PermissionScreen))
    return asked


async def test_a_prompt_goes_to_the_agent_with_metadata_and_its_reply_is_shown(stage):
    async with stage() as s:
        await s.send("Write on @notes.md ")
        metadata = json.loads(
            s.conversation.sent[0].split("<attachments>")[1].split("</attachments>")[0]
        )
        assert metadata == [{"path": "notes.md", "name": "notes.md", "type": "md"}]
        reply(s)
        await s.until(lambda: s.app.conversation.transcript.model.last_reply() == REPLY)
        assert s.app.conversation.prompt.editor.value == ""
        assert [entry.attachment.path for entry in s.app.conversation.attachments.entries] == [
            "notes.md"
        ]


async def test_an_earlier_conversation_is_there_before_the_agent_is(stage, tmp_path):
    log = tmp_path / "log.jsonl"
    said = [
        TextFinished(message_id=f"m{number}", block=0, text=f"Reply {number}")
        for number in range(100)
    ]
    usage = UsageChanged(context_tokens=24_000, window=200_000)
    log.write_text("".join(f"{to_json(event)}\n" for event in [*said, usage]), encoding="utf-8")
    async with stage(earlier=log) as s:
        assert s.app.conversation.transcript.model.last_reply() == "Reply 99"
        assert s.app.conversation.transcript.display
        assert s.app.conversation.status_bar.status.context() == "context 12 %"
        await s.send("Go on")


async def test_an_earlier_conversation_that_cannot_be_read_is_no_obstacle(stage, tmp_path):
    async with stage(earlier=tmp_path / "gone.jsonl") as s:
        await s.send("Go on")


async def test_the_sidebar_knows_what_was_read(stage, workspace):
    async with stage(size=(140, 40)) as s:
        await s.send("Write on @notes.md ")
        path = str(workspace.root / "notes.md")
        s.conversation.arrive(ToolUse(tool_use_id="1", name="Read", input={"file_path": path}))
        await s.until(lambda: s.app.conversation.attachments.entries[0].read == "reading")
        s.conversation.arrive(ToolResult(tool_use_id="1", content="Tea"), TurnEnded("completed"))
        await s.until(lambda: s.app.conversation.attachments.entries[0].read == "read")
        assert s.app.conversation.conversation_layout.sidebar.display


async def queue_second(s):
    """Send a prompt, and a second one that waits for the end of its run."""
    await s.send("first")
    await s.type("second")
    await s.pilot.press("enter")
    await s.until(lambda: s.app.opened.service.queued)


async def test_prompts_typed_during_a_run_wait_and_can_be_edited(stage):
    async with stage() as s:
        await queue_second(s)
        await s.pilot.press("up")
        await s.pilot.press("enter")
        await s.until(lambda: answering(s).value == "second")
        assert s.app.opened.service.queued == ()


async def test_page_up_scrolls_the_transcript_unless_the_prompt_is_long(stage):
    async with stage() as s:
        await s.send("go")
        s.conversation.arrive(TextDelta(message_id="m", block=0, text="line\n\n" * 60))
        transcript = s.app.conversation.transcript
        await s.until(lambda: transcript.scroll_y == transcript.max_scroll_y > 20)
        await s.type("typed")
        end = transcript.scroll_y
        await s.pilot.press("pageup")
        await s.until(lambda: transcript.scroll_y < end - 3)
        await s.pilot.press("pagedown")
        await s.until(lambda: transcript.scroll_y == end)
        await s.pilot.press(*["ctrl+j"] * 20)
        await s.until(lambda: answering(s).scroll_y > 0)
        await s.pilot.press("pageup")
        await s.until(lambda: answering(s).cursor_location[0] < 20)
        assert transcript.scroll_y == transcript.max_scroll_y


async def test_what_is_said_of_a_run_that_can_be_stopped_ends_with_it(stage):
    async with stage() as s:
        await queue_second(s)
        await s.pilot.press("escape")
        hint = s.app.conversation.prompt.query_one("#prompt-hint")
        await s.until(lambda: "Esc again to stop the run" in str(hint.content))
        s.conversation.arrive(TurnEnded("completed"))
        await s.until(lambda: "Enter sends" in str(hint.content))
        assert answering(s).value == "second"


async def test_escape_interrupts_and_arrow_keys_do_not(stage):
    async with stage() as s:
        await s.send("go")
        await s.pilot.press("up", "down", "left", "right", "pageup", "pagedown")
        assert s.conversation.interrupts == 0
        await s.pilot.press("escape")
        await s.until(lambda: s.conversation.interrupts)
        await s.until(lambda: s.app.opened.service.state == "idle")


async def test_deny_is_the_first_answer(stage):
    async with stage() as s:
        await s.send("go")
        asked = await ask(s)
        await s.until(lambda: s.app.screen.guard.open)
        await s.pilot.press("enter")
        verdict = await asked
        assert (verdict.allow, verdict.stop) == (False, True)


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize(
    ("keys", "allows"),
    [(["y"], True), (["n"], False), (["escape"], False), (["right", "enter"], True)],
)
async def test_the_answers_have_keys(stage, keys, allows):
    async with stage() as s:
        await s.send("go")
        asked = await ask(s)
        await s.until(lambda: s.app.screen.guard.open)
        await s.pilot.press(*keys)
        assert (await asked).allow is allows
        await s.until(lambda: not isinstance(s.app.screen, PermissionScreen))


async def test_what_is_still_being_typed_does_not_answer_and_is_not_lost(stage):
    async with stage() as s:
        await s.send("go")
        now = 100.0
        asked = await ask(s)
        guard = s.app.screen.guard
        guard.clock = lambda: now
        guard.shown()
        for character in "my style y":  # a second's pause is what makes a key an answer
            now += 0.9
            await s.pilot.press("space" if character == " " else character)
        await s.pilot.press("enter")
        assert not asked.done()
        assert answering(s).value == "my style y"
        now += 1.0
        await s.pilot.press("y")
        assert (await asked).allow
        assert answering(s).value == "my style y"


async def test_escape_takes_back_what_waits_before_it_interrupts(stage):
    async with stage() as s:
        await queue_second(s)
        await s.pilot.press("escape")
        await s.until(lambda: answering(s).value == "second")
        assert s.conversation.interrupts == 0
        await s.pilot.press("escape")
        await s.until(lambda: s.conversation.interrupts)


async def test_the_transcript_continues_following_when_the_prompt_shrinks(stage):
    async with stage() as s:
        await s.send("go")
        s.conversation.arrive(TextDelta(message_id="m", block=0, text="line\n\n" * 60))
        transcript = s.app.conversation.transcript
        await s.until(lambda: transcript.scroll_y > 20)
        await s.pilot.press("ctrl+j", "ctrl+j", "ctrl+j")
        await s.pilot.pause(0.2)
        await s.pilot.press("ctrl+c")
        await s.pilot.pause(0.2)
        s.conversation.arrive(TextDelta(message_id="m", block=0, text="last words"))
        await s.until(lambda: not transcript._waiting and not transcript.behind)
        await s.until(lambda: transcript.scroll_y == transcript.max_scroll_y)


async def test_a_click_in_the_transcript_leaves_the_keyboard_to_the_prompt(stage):
    async with stage() as s:
        await s.send("go")
        reply(s)
        await s.until(lambda: s.app.conversation.transcript.model.last_reply())
        await s.pilot.click("#transcript", offset=(5, 3))
        await s.pilot.press("h", "i")
        await s.until(lambda: answering(s).value == "hi")


async def test_what_was_typed_disarms_the_second_ctrl_c(stage):
    async with stage() as s:
        await s.pilot.press("ctrl+c")
        answering(s).paste_text("pasted")
        await s.pilot.pause()
        await s.pilot.press("ctrl+c")
        await s.pilot.pause()
        assert answering(s).value == ""
        assert s.app.is_running


async def test_the_words_before_a_long_paste_stay_to_be_read(stage):
    async with stage() as s:
        text = "please summarize @notes.md and this: " + "x" * 100_000
        answering(s).replace_all(text)
        assert answering(s).raw.startswith("please summarize @notes.md and this: [Pasted text")
        assert answering(s).value == text


async def test_an_interrupt_takes_the_question_away(stage):
    async with stage() as s:
        await s.send("go")
        asked = await ask(s)
        await s.app.opened.service.interrupt()
        assert not (await asked).allow
        await s.until(lambda: not isinstance(s.app.screen, PermissionScreen))
        await s.until(lambda: answering(s).has_focus)


async def test_questions_of_one_turn_come_one_after_the_other(stage):
    async with stage() as s:
        await s.send("go")
        first = await ask(s)
        question = permission("t2", "Bash", {"command": "touch b"}, reasons=("It writes.",))
        second = asyncio.create_task(s.launcher.ask(question))
        await s.until(lambda: len(s.app.conversation.requests.questions.waiting) == 2)
        await s.until(lambda: s.app.screen.guard.open)
        await s.pilot.press("y")
        assert (await first).allow
        await s.until(
            lambda: (
                isinstance(s.app.screen, PermissionScreen)
                and s.app.screen.request.tool_use_id == "t2"
            )
        )
        await s.until(lambda: s.app.screen.guard.open)
        await s.pilot.press("y")
        assert (await second).allow


async def test_it_is_light_where_the_terminal_is_until_a_theme_is_chosen(stage):
    async with stage() as s:
        s.app.post_message(BackgroundReported(0.1))
        await s.pilot.pause()
        assert s.app.theme == DEFAULT_THEME
        s.app.post_message(BackgroundReported(0.95))
        await s.until(lambda: s.app.theme == LIGHT_THEME)
        s.app.theme = "nord"
        s.app.post_message(BackgroundReported(0.95))
        await s.settle()
        assert s.app.theme == "nord"


async def test_commands_run_are_recorded_and_recalled(stage, workspace):
    async with stage() as s:
        await s.type("/theme nord")
        await s.pilot.press("enter")
        await s.until(lambda: s.app.theme == "nord")
        await s.until(lambda: History(workspace.history_file).recall() == ["/theme nord"])
        await s.pilot.press("up")
        assert answering(s).value == "/theme nord"


async def test_an_unknown_command_stays_in_the_prompt_and_is_not_recorded(stage, workspace):
    async with stage() as s:
        await s.type("/thme nord")
        await s.pilot.press("escape", "enter")
        await s.until(lambda: answering(s).value == "/thme nord")
        assert not workspace.history_file.exists()


async def test_attach_goes_with_the_next_prompt(stage):
    async with stage() as s:
        await s.type("/attach 销售 2025.md")
        await s.pilot.press("enter")
        await s.until(lambda: s.app.conversation.attachments.pending)
        await s.send("go")
        assert '"path": "销售 2025.md"' in s.conversation.sent[0]


async def test_a_shell_command_of_the_user(stage, workspace, monkeypatch):
    monkeypatch.setenv("SOME_TOKEN", "a-key-of-the-environment")
    async with stage() as s:
        await s.type("!echo spoken a-key-of-the-environment")
        await s.pilot.press("enter")
        await s.until(lambda: s.app.opened.service._shell.notes)
        await s.send("What did it say?")
        assert "spoken" in s.conversation.sent[0]
        history = History(workspace.history_file)
        await s.until(
            lambda: (
                [entry.prompt for entry in history.entries() if entry.status == "command"]
                == ["!echo spoken ••••"]
            )
        )


async def test_what_is_typed_or_pasted_goes_to_the_prompt_wherever_the_focus_is(stage):
    async with stage(size=(160, 40)) as s:
        screen = s.app.conversation
        await s.send("Write on @notes.md ")
        reply(s)
        await s.type("/attach 销售 2025.md")
        await s.pilot.press("enter")
        await s.until(lambda: screen.prompt.pending.display)
        screen.prompt.queue.show((QueuedPrompt(id="q", prompt=Prompt("Later")),))
        await s.until(lambda: screen.prompt.queue.display)
        await s.pilot.press("ctrl+b")
        await s.until(lambda: screen.conversation_layout.sidebar.has_focus_within)
        sidebar = s.app.focused
        assert sidebar is not None
        for elsewhere in (
            screen.transcript,
            sidebar,
            screen.prompt.queue,
            screen.prompt.pending,
        ):
            elsewhere.focus()
            await s.pilot.press("w", "x", "/")
            assert answering(s).has_focus
            elsewhere.focus()
            await s.pilot.pause()
            s.app.post_message(events.Paste("yz "))
            await s.until(lambda: answering(s).value.endswith("wx/yz "))
        screen.transcript.focus()
        await s.pilot.press("j", "k")  # keys there: they scroll
        assert screen.transcript.has_focus


async def test_a_shell_command_typed_before_the_transcript_is_there_is_shown_in_it(
    workspace, monkeypatch
):
    may_load, load = asyncio.Event(), conversation_layout.loaded

    async def held(module):
        await may_load.wait()
        await load(module)

    monkeypatch.setattr(conversation_layout, "loaded", held)
    endpoint = Endpoint("offline", "offline")
    service = AgentService(FakeLauncher(), endpoint, cwd=str(workspace.root))
    app = DogentApp(opened_session(workspace, endpoint, service))
    async with app.run_test() as pilot:
        app.conversation.prompt.editor.insert("!echo spoken")
        await pilot.pause()
        await pilot.press("enter")
        may_load.set()
        await Stage(app, pilot, FakeLauncher()).until(
            lambda: app.conversation.transcript.is_mounted
        )
        await pilot.pause()
        assert app.conversation.transcript.display
        assert not app.conversation.welcome.display


async def test_while_a_shell_command_runs_the_prompt_says_how_to_stop_it(stage):
    async with stage() as s:
        hint = s.app.conversation.prompt.query_one("#prompt-hint")
        await s.type("!sleep 600")
        await s.pilot.press("enter")
        await s.until(lambda: hint.content == "Your command is running… · Esc stops it")
        await s.pilot.press("escape")
        await s.until(lambda: "Esc stops it" not in str(hint.content))
        assert not s.app.opened.service.stop_shell()


async def test_a_lost_agent_is_started_again_by_command(stage):
    async with stage() as s:
        await s.send("go")
        s.conversation.arrive(AgentError("killed"))
        await s.until(lambda: s.app.opened.service.state == "lost")
        await s.type("/restart")
        await s.pilot.press("enter")
        await s.until(lambda: len(s.launcher.started) == 2)
        assert s.launcher.started[1][0].resume


async def test_help_names_every_command_and_binding(stage):
    async with stage() as s:
        await s.pilot.press("question_mark")
        await s.until(lambda: isinstance(s.app.screen, HelpScreen))
        page = "\n".join(
            f"{key} {words}" for section in s.app.screen._sections for key, words in section.lines
        )
        readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
        for command in s.app.commands:
            assert command.usage in page
            assert f"`/{command.name}`" in readme
        for words in ("Send", "Find", "Files", "Quit", "Reject all", "Ctrl+P", "Demote"):
            assert words in page
        (everywhere,) = (
            section for section in s.app.screen._sections if section.title == "Everywhere"
        )
        keys = [key for key, _ in everywhere.lines]
        assert len(keys) == len(set(keys))
        await s.pilot.press("escape")
        await s.until(lambda: answering(s).has_focus)
        s.app.conversation.conversation_layout.show_transcript()
        s.app.conversation.transcript.focus()
        await s.pilot.press("f1")
        await s.until(lambda: isinstance(s.app.screen, HelpScreen))
        assert s.app.screen.found[0].title == "Transcript"


async def test_ctrl_c_does_the_same_wherever_the_keyboard_is(stage):
    async with stage() as s:
        await s.type("half a prompt")
        s.app.conversation.conversation_layout.show_transcript()
        s.app.conversation.transcript.focus()
        await s.pilot.press("ctrl+c")
        await s.until(lambda: s.app.conversation.prompt.editor.is_blank)
        assert s.app.conversation.prompt.query_one("#prompt-hint").content == "Ctrl+C again to quit"
        assert not s.app._notifications
        # as the outline and the review are: no dialog above the conversation
        await s.app.push_screen(Screen())
        await s.pilot.press("ctrl+c")
        (said,) = s.app._notifications
        assert said.message == "Esc back · Ctrl+Q quit"
        s.app.pop_screen()
        await s.until(lambda: s.app.conversation.is_current)
        s.app.conversation.transcript.focus()
        await s.pilot.press("ctrl+c", "ctrl+c")
        await s.until(lambda: not s.app.is_running)


async def test_a_warning_under_the_prompt_is_read_to_its_end(stage):
    async with stage(size=(80, 24)) as s:
        line = s.app.conversation.prompt.query_one("#prompt-hint")
        s.app.conversation.prompt.notify_hint(READ_ONLY)
        await s.until(lambda: line.size.height == 2)
        s.app.conversation.prompt.notify_hint("Short.")
        await s.until(lambda: line.size.height == 1)


async def test_a_new_file_is_offered_to_who_has_begun_to_name_it(stage):
    async with stage() as s:
        await s.until(lambda: s.app.conversation.index.ready)
        (s.app.opened.workspace.root / "brand-new.md").write_text("x")
        await s.type("@")
        picker = s.app.conversation.prompt.picker
        await s.until(lambda: "brand-new.md" in [row.label for row in picker.rows])


async def test_help_shows_several_keys_on_a_low_screen(stage):
    async with stage(size=(40, 10)) as s:
        await s.pilot.press("f1")
        await s.until(lambda: isinstance(s.app.screen, HelpScreen))
        await s.until(lambda: s.app.screen.query_one("#help-page").size.height >= 4)


async def test_help_is_searched_as_one_types(stage):
    async with stage() as s:
        await s.pilot.press("f1")
        await s.until(lambda: isinstance(s.app.screen, HelpScreen))

        def shown() -> list[str]:
            return [key for section in s.app.screen.found for key, _ in section.lines]

        everything = shown()
        await s.pilot.press(*"change the theme")
        await s.until(lambda: shown() == ["/theme [name]"])
        await s.pilot.press(*"xx")
        await s.until(lambda: shown() == [])
        assert "No match." in str(s.app.screen.query_one("#help-text").render())
        await s.pilot.press("ctrl+u")
        await s.until(lambda: shown() == everything)
        await s.pilot.press("pagedown")
        await s.until(lambda: s.app.screen.query_one("#help-page").scroll_offset.y > 0)
        await s.pilot.press("escape")
        await s.until(lambda: answering(s).has_focus)


async def test_what_comes_while_the_application_closes_is_no_crash(stage, caplog):
    async with stage() as s:
        screen = s.app.conversation
        s.app.exit()
        screen.call_next(screen.query_one, "#gone")  # as a key does whose widget is gone already
        await s.pilot.pause()
    assert s.app.return_code == 0
    assert "While closing:" in caplog.text
    assert "#gone" in caplog.text


async def test_the_sidebar_gives_way_in_a_narrow_window_and_comes_when_asked(stage):
    async with stage(size=(80, 24)) as s:
        sidebar = s.app.conversation.conversation_layout.sidebar
        assert not sidebar.display
        await s.pilot.press("ctrl+b", "ctrl+f")
        await s.until(lambda: not sidebar.display)  # it would cover the search line
        await s.pilot.press("escape", "ctrl+b")
        assert sidebar.display
        assert sidebar.has_focus_within
        await s.pilot.press("ctrl+b")
        assert not sidebar.display
        await s.pilot.resize_terminal(160, 40)
        assert not sidebar.display  # the user closed it
    async with stage(size=(160, 40)) as s:
        assert not s.app.conversation.conversation_layout.sidebar.display  # nothing to show yet
        await s.send("Look at @notes.md ")
        await s.until(lambda: s.app.conversation.conversation_layout.sidebar.display)
        await s.pilot.resize_terminal(80, 24)
        await s.until(lambda: not s.app.conversation.conversation_layout.sidebar.display)


async def test_the_draft_is_kept_when_the_application_ends(stage, workspace):
    async with stage() as s:
        await s.type("half a thought")
    async with stage() as s:
        await s.until(lambda: answering(s).value == "half a thought")


async def test_new_starts_another_session(stage, monkeypatch):
    async with stage() as s:
        await s.send("go")
        reply(s)
        await s.until(lambda: s.app.conversation.transcript.model.last_reply())
        first = s.app.opened.service
        await s.type("/new")
        await s.pilot.press("enter")
        await s.until(lambda: s.app.opened.service is not first)
        await s.until(lambda: s.app.conversation.transcript.model.last_reply() == "")
        assert first.state == "closed"


async def test_copy_says_what_is_known(stage, monkeypatch):
    copied: list[str] = []
    async with stage() as s:
        monkeypatch.setattr(s.app, "copy_to_clipboard", copied.append)
        await s.send("go")
        reply(s)
        await s.until(lambda: s.app.conversation.transcript.model.last_reply())
        await s.type("/copy")
        await s.pilot.press("enter")
        await s.until(lambda: copied)
        await s.until(lambda: s.app._notifications)
    assert copied == [REPLY]


async def test_an_earlier_prompt_is_found_by_a_few_letters(stage, workspace):
    history = History(workspace.history_file)
    for number, prompt in enumerate(
        ["Write on tea 茶", "Write on coffee [b]", "/theme nord", "Write on tea 茶"]
    ):
        history.append(
            HistoryEntry(f"2026-01-0{number + 1}T00:00:00.000+00:00", "completed", prompt)
        )
    async with stage() as s:
        await s.pilot.press("ctrl+r")
        await s.until(lambda: isinstance(s.app.screen, OffersScreen) and s.app.screen.list.items)

        def listed() -> list[str]:
            return [offer.name for offer in s.app.screen.list.items]

        assert listed() == ["Write on tea 茶", "/theme nord", "Write on coffee [b]"]
        await s.pilot.press("c", "o", "f")
        await s.until(lambda: listed() == ["Write on coffee [b]"])
        await s.pilot.press("enter")
        await s.until(lambda: answering(s).value == "Write on coffee [b]")
        assert answering(s).has_focus


async def test_a_bare_slash_runs_nothing_and_what_forgets_comes_last(stage, workspace):
    workspace.dot.mkdir(exist_ok=True)
    for number in range(3):
        History(workspace.history_file).append(
            HistoryEntry(f"2026-01-0{number + 1}", "command", f"/theme {number}")
        )
    async with stage() as s:
        box = s.app.conversation.prompt
        ran = []
        s.app.conversation.typed.submit = lambda text, _: ran.append(text)
        await s.until(
            lambda: box.editor.recall._entries if hasattr(box.editor.recall, "_entries") else True
        )
        await s.type("/")
        await s.until(lambda: box.picker.rows)
        offered = [row.label for row in box.picker.rows]
        assert offered[0] == "/theme"
        assert offered[-2:] == ["/clean", "/archive"]
        assert next(row for row in box.picker.rows if row.label == "/settings").key == "F4"
        await s.pilot.press("enter")
        await s.pilot.pause()
        assert (box.editor.value, ran) == ("/", [])
        assert "type its name" in s.hint
        await s.pilot.press(*"ar")
        await s.until(lambda: box.picker.rows and box.picker.rows[0].label == "/archive")
        await s.pilot.press("backspace", "backspace", "c")
        await s.until(lambda: len(box.picker.rows) > 1 and box.picker.rows[0].label == "/check")


@pytest.mark.parametrize("typed", ["Sum up @notes.md.", "Sum up @notes.md"])
async def test_a_full_stop_after_a_file_stays_and_enter_sends(stage, workspace, typed):
    (workspace.root / "notes.md.bak").touch()
    async with stage() as s:
        await s.until(lambda: s.app.conversation.prompt.picker is not None)
        await s.pilot.press(
            *(
                key if key.isalnum() else {" ": "space", "@": "at", ".": "full_stop"}[key]
                for key in typed
            )
        )
        await s.until(lambda: s.app.conversation.prompt.picker.rows)
        await s.pilot.press("enter")
        await s.until(lambda: s.launcher.started and s.conversation.sent)
        assert s.conversation.sent[0].startswith(typed)
        assert '"path": "notes.md"' in s.conversation.sent[0].replace('":"', '": "')


async def test_ctrl_c_says_how_to_leave_a_question(stage):
    async with stage() as s:
        await s.send("go")
        asked = await ask(s)
        await s.pilot.press("ctrl+c")  # also before the guard opens
        note = s.app.screen.query_one("#permission-note")
        await s.until(lambda: "Esc denies" in str(note.render()))
        assert not asked.done()
        await s.until(lambda: s.app.screen.guard.open)
        await s.pilot.press("escape")
        assert not (await asked).allow


async def test_toasts_leave_the_prompt_free(stage):
    async with stage(size=(80, 24), notifications=True) as s:
        await s.type("line\n" * 9)
        for number in range(6):
            s.app.notify(f"File {number} is no longer listed. " * 4, title="Said", timeout=600)
        await s.until(lambda: len(s.app.screen.query(Toast)) == 6)
        await s.settle()
        prompt = s.app.conversation.prompt.region
        widgets = {
            s.app.screen.get_widget_at(x, y)[0]
            for x in range(80)
            for y in range(prompt.y, prompt.bottom)
        }
        assert not [widget for widget in widgets if isinstance(widget, Toast | ToastRack)]
        assert isinstance(s.app.screen.get_widget_at(70, 2)[0], Toast | ToastRack)


async def test_a_narrow_window_shows_all_words_of_a_toast(stage):
    async with stage(size=(40, 10), notifications=True) as s:
        words = "Another window has this conversation open. Close it there first."
        s.app.notify(words, timeout=600)
        await s.until(lambda: s.app.screen.query(Toast))
        await s.settle()
        rows = s.app.screen._compositor.render_strips()
        shown = " ".join(" ".join(part.text for part in row).strip(" ▌") for row in rows)
        assert words in " ".join(shown.split())


async def test_a_denial_is_told_once(stage):
    async with stage() as s:
        await s.send("go")
        s.conversation.arrive(ToolUse(tool_use_id="t1", name="Bash", input={"command": "rm a.md"}))
        asked = await ask(s)
        await s.until(lambda: s.app.screen.guard.open)
        await s.pilot.press("n")
        await asked
        s.conversation.arrive(
            ToolResult(tool_use_id="t1", content="no", is_error=True), TurnEnded("stopped")
        )
        await s.until(lambda: s.app.opened.service.state == "idle")
        await s.settle()
        drawn = "\n".join(
            "".join(part.text for part in strip)
            for strip in s.app.screen._compositor.render_strips()
        )
        assert (
            drawn.lower().count("denied"),
            drawn.lower().count("denial"),
            drawn.count("rm a.md"),
        ) == (1, 0, 1)


async def test_the_palette_begins_with_what_does_no_harm_and_shows_keys(stage):
    async with stage() as s:
        await s.pilot.press("ctrl+p")
        await s.until(lambda: isinstance(s.app.screen, OffersScreen))
        await s.until(lambda: s.app.screen.list.items)
        offers = s.app.screen.list.items
        assert [offer.name for offer in offers[-2:]] == ["/clean", "/archive"]
        # what it does comes first: a narrow window cuts the end of the line
        assert offers[-2].help.endswith(" · history|lessons|memory|all")
        assert offers[0].help.endswith("· F1")
        await s.pilot.press("enter")
        await s.until(lambda: isinstance(s.app.screen, HelpScreen))


async def test_a_command_that_needs_more_goes_from_the_palette_into_the_prompt_and_what_may_follow_is_offered(  # noqa: E501
    stage,
):
    async with stage() as s:
        box = s.app.conversation.prompt
        s.app.choose_command(s.app.commands.find("/clean")[0])
        assert box.editor.value == "/clean "
        await s.until(
            lambda: (
                [row.insert for row in box.picker.rows] == ["history", "lessons", "memory", "all"]
            )
        )
        assert box.editor.has_focus


def test_the_help_names_keys_in_one_way_and_wraps_what_is_wide():
    keys = [
        Binding("j,down", "go", "Next", key_display="j k"),
        Binding("1", "number", "Choose", show=False, key_display="1 … 9"),
    ]
    section = binding_section("Outline", keys)
    assert [key for key, _ in section.lines] == ["j, ↓", "1 … 9"]
    wide = help_text(
        HelpSection("", (("/thanks", "写一封简短的感谢信" * 5),)), 60
    ).plain.splitlines()
    assert len(wide) == 3
    assert all(cell_len(line) <= 60 for line in wide)
    narrow = help_text(HelpSection("", (("/thanks", "Write a letter of thanks"),)), 30).plain
    assert narrow.splitlines() == ["/thanks", "  Write a letter of thanks"]


@pytest.fixture
def loading(workspace, monkeypatch):
    """An earlier draft that is loaded once this event is set."""
    left = Drafts(workspace)
    left.save("left behind")
    left.close()
    event, load = threading.Event(), Drafts.load

    def load_late(drafts):
        event.wait(30)
        return load(drafts)

    monkeypatch.setattr(Drafts, "load", load_late)
    return event


@pytest.fixture
def opening(workspace):
    endpoint = Endpoint("offline", "offline")
    service = AgentService(FakeLauncher(), endpoint, cwd=str(workspace.root))
    return DogentApp(opened_session(workspace, endpoint, service, None))


async def test_who_leaves_before_an_earlier_draft_is_back_keeps_it(workspace, loading, opening):
    async with opening.run_test():
        asyncio.get_running_loop().call_later(0.1, loading.set)
    after = Drafts(workspace)
    assert after.load() == "left behind"
    after.close()


async def test_what_is_typed_before_an_earlier_draft_is_back_overwrites_none_of_it(
    workspace, loading, opening
):
    app = opening
    async with app.run_test() as pilot:
        stage = Stage(app, pilot, FakeLauncher())
        await stage.until(lambda: app.conversation.prompt.editor.has_focus)
        await stage.type("typed")
        app.save_draft("typed")
        await pilot.pause(0.1)
        loading.set()
        await stage.until(lambda: app.conversation.prompt.editor.value == "left behind\ntyped")
    after = Drafts(workspace)
    assert after.load() == "left behind\ntyped"
    after.close()
