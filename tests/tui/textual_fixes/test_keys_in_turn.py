"""Keys that arrive at once, as over a slow connection: each goes where the one before it led."""

import asyncio

import pytest
from textual import events
from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import Input, Static

from dogent_tui.agent.conversation import TurnEnded
from dogent_tui.agent.events import TextFinished
from dogent_tui.tui.screens.help import HelpScreen
from dogent_tui.tui.screens.offers import OffersScreen


def arrive(app, *keys):
    """Send `keys` without waiting for what any of them does."""
    for key in keys:
        name, character = {" ": ("space", " ")}.get(key, (key, key if len(key) == 1 else None))
        app.post_message(events.Key(name, character))


@pytest.mark.parametrize("key", ["ctrl+f", "ctrl+r", "f1", "ctrl+p"])
async def test_what_is_typed_after_the_key_of_a_search_is_searched(stage, key):
    async with stage() as s:
        arrive(s.app, key, *"tea")
        s.app.post_message(events.Paste("s and\r\n coffee" + 200_000 * " too"))
        await s.until(lambda: s.app.screen.query(Input) and s.app.screen.query_one(Input).value)
        await s.pilot.pause()
        line = s.app.screen.query_one(Input)
        assert line.value.startswith("teas and coffee too too"), "one line of it"
        assert len(line.value) == len("tea") + 4_000
        (said,) = s.app._notifications
        assert said.message == "Only the first 4,000 characters were pasted."
        s.app.copy_to_clipboard(" and\nmilk")
        arrive(s.app, "ctrl+v")
        await s.until(lambda: line.value.endswith("and milk"))
        assert s.app.conversation.prompt.editor.value == ""


async def test_letters_after_esc_are_for_the_prompt(stage):
    async with stage() as s:
        arrive(s.app, "ctrl+f", *"tea", "escape", *"milk")
        await s.until(lambda: s.app.conversation.prompt.editor.value == "milk")


async def test_letters_typed_over_the_transcript_are_all_for_the_prompt(stage):
    async with stage() as s:
        await s.send("Write on tea")
        s.conversation.arrive(
            TextFinished(message_id="m", block=0, text="Tea.\n\n" * 60), TurnEnded("completed")
        )
        await s.settle()
        s.app.conversation.transcript.focus()
        await s.pilot.pause()
        arrive(s.app, *"what a cat")
        await s.until(lambda: s.app.conversation.prompt.editor.value == "what a cat")


async def test_keys_after_that_of_the_queue_act_on_the_queue(stage):
    async with stage() as s:
        await s.send("Write on tea")
        await s.type("Then on milk")
        await s.pilot.press("enter")
        await s.until(lambda: s.app.opened.service.queued)
        arrive(s.app, "alt+up", "delete", "x")
        await s.until(lambda: s.app.conversation.prompt.editor.value == "x")
        assert not s.app.opened.service.queued


async def test_keys_after_that_of_the_attached_files_act_on_them(stage):
    async with stage() as s:
        await s.type("See @notes.md now")
        await s.until(lambda: s.app.conversation.prompt.pending.display)
        arrive(s.app, "shift+tab", "delete", "escape", "x")
        await s.until(lambda: s.app.conversation.prompt.editor.value == "See nowx")


async def test_pasted_text_waits_for_the_key_before_it(stage):
    async with stage() as s:
        s.app.post_message(events.Key("ctrl+r", None))
        s.app.post_message(events.Paste("tea"))
        await s.until(lambda: isinstance(s.app.screen, OffersScreen))
        await s.until(lambda: s.app.screen.line.value == "tea")


async def test_a_key_whose_screen_is_closing_does_not_stop_the_next(stage):
    async with stage() as s:
        arrive(s.app, *(["f1", "escape"] * 5), "f1")
        await s.until(lambda: isinstance(s.app.screen, HelpScreen))
        arrive(s.app, "escape", "x")
        await s.until(lambda: s.app.conversation.prompt.editor.value == "x")


class LateScreen(Screen[None]):
    """A screen that takes its time to create what its key needs."""

    def __init__(self) -> None:
        super().__init__()
        self._bindings.bind("j", "go")
        self.may_compose = asyncio.Event()
        self.went = False

    async def _compose(self) -> None:
        await self.may_compose.wait()
        await super()._compose()

    def compose(self) -> ComposeResult:
        yield Static(id="there")

    def action_go(self) -> None:
        self.went = bool(self.query_one("#there"))


async def test_a_key_waits_for_the_screen_that_has_just_opened(stage):
    async with stage() as s:
        screen = LateScreen()
        s.app.push_screen(screen)
        arrive(s.app, "j")
        for _ in range(20):
            await asyncio.sleep(0)
        assert not screen.went
        screen.may_compose.set()
        await s.until(lambda: screen.went)


async def test_an_error_in_what_a_key_does_ends_the_application(stage):
    def fail() -> None:
        raise RuntimeError("This is a test.")

    with pytest.raises(RuntimeError, match="This is a test"):
        async with stage() as s:
            s.app.action_history = fail
            s.app.conversation.prompt.editor.action_newline = fail
            arrive(s.app, "ctrl+j", "x", "ctrl+r")
            await s.until(lambda: not s.app.is_running)


@pytest.mark.parametrize("command", ["/help", "/sessions", "/theme", "/find"])
async def test_what_is_typed_after_a_command_is_for_the_screen_that_it_opens(stage, command):
    async with stage() as s:
        arrive(s.app, *command, "enter", *"tea")
        await s.until(lambda: s.app.screen.query(Input) and s.app.screen.query_one(Input).value)
        await s.pilot.pause()
        assert s.app.screen.query_one(Input).value == "tea"
        assert s.app.conversation.prompt.editor.value == ""
