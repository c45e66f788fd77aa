"""A permission question by its keys, over a conversation that the test plays."""

from collections.abc import Callable
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace

from dogent_tui.agent.events import (
    PermissionAnswer,
    PermissionDecided,
    Prompt,
    RunStarted,
    TextFinished,
)
from dogent_tui.errors import AgentError
from dogent_tui.tui.screens.permission import PermissionScreen
from tests.tui.questions.examples import COMMAND, DIFF, LONG


class Person:
    """Someone who is asked: the stage, and the answers that reached the service."""

    def __init__(self, stage) -> None:
        self.stage = stage
        self.app = stage.app
        self.answers: list[tuple[str, PermissionAnswer]] = []
        self.refuses = False
        self.screen = stage.app.conversation
        self.app.opened.service.reply = self._reply

    async def _reply(self, request_id, answer) -> None:
        if self.refuses:
            raise AgentError("This question is no longer open.")
        self.answers.append((request_id, answer))
        self.screen.handle(
            PermissionDecided(request_id=request_id, tool_use_id="t9", decision=answer.behavior)
        )

    @property
    def question(self) -> PermissionScreen:
        assert isinstance(self.app.screen, PermissionScreen)
        return self.app.screen

    async def ask(self, *requests) -> None:
        for request in requests:
            self.screen.handle(request)
        await self.asked()

    async def asked(self, request_id: str = "") -> None:
        await self.stage.until(lambda: isinstance(self.app.screen, PermissionScreen))
        await self.stage.until(lambda: self.question.request.request_id.startswith(request_id))
        await self.stage.until(lambda: self.question.guard._opens is not None)
        self.question.guard.clock = lambda: float("inf")

    async def press(self, *keys: str) -> None:
        await self.stage.pilot.press(*keys)

    async def closed(self) -> None:
        await self.stage.until(lambda: not isinstance(self.app.screen, PermissionScreen))

    @property
    def note(self) -> str:
        return str(self.question.query_one("#permission-note").content)

    def shown(self) -> str:
        return "\n".join(
            "".join(segment.text for segment in strip)
            for strip in self.app.screen._compositor.render_strips()
        )


@pytest.fixture
def person(stage) -> Callable:
    @asynccontextmanager
    async def asked(size: tuple[int, int] = (80, 24)):
        async with stage(size=size) as s:
            yield Person(s)

    return asked


DENIED = PermissionAnswer("deny")


KEYS = (
    ("n", DENIED),
    ("escape", DENIED),
    ("enter", DENIED),
    ("y", PermissionAnswer("allow")),
    ("s", PermissionAnswer("allow", "session")),
    ("a", PermissionAnswer("allow", "always")),
    ("right enter", PermissionAnswer("allow")),
    ("right right enter", PermissionAnswer("allow", "session")),
    ("tab tab tab enter", PermissionAnswer("allow", "always")),
    ("right left enter", DENIED),
    ("left right enter", DENIED),
    ("f f n", DENIED),
    ("ctrl+o n", DENIED),
    ("e N o enter", PermissionAnswer("deny", message="No")),
    ("left enter y e s enter", PermissionAnswer("deny", message="yes")),
    ("e x escape escape", DENIED),
)


async def test_every_key(person):
    async with person() as p:
        for number, (keys, answer) in enumerate(KEYS):
            await p.ask(replace(DIFF, request_id=f"{number}: {keys}"))
            await p.press(*keys.split())
            await p.closed()
            assert p.answers[number:] == [(f"{number}: {keys}", answer)]


async def test_the_way_back_from_words(person):
    async with person() as p:
        await p.ask(DIFF)
        await p.press("e")
        assert "Enter denies" in p.note  # and nothing was denied yet
        await p.press("enter")
        assert "Write something" in p.note
        await p.press("ctrl+c")
        assert "Esc goes back" in p.note
        await p.press("escape")
        assert p.answers == []
        assert p.note.startswith("rows 1–")
        await p.press("y")
        await p.closed()
        assert p.answers == [("diff", PermissionAnswer("allow"))]


async def test_what_cannot_be_remembered_is_not_offered_and_says_so(person):
    async with person((120, 40)) as p:
        await p.ask(COMMAND)
        assert "Always" not in p.shown()
        await p.press("a")
        assert "It deletes by a pattern" in p.note
        await p.press("s")
        assert p.answers == []
        assert p.screen.prompt.editor.value == ""


async def test_an_answer_can_be_clicked(person):
    async with person() as p:
        await p.ask(DIFF)
        assert await p.stage.pilot.click("#answers", offset=(15, 0))
        await p.closed()
        assert p.answers == [("diff", PermissionAnswer("allow"))]


async def test_the_counter_follows_what_waits(person):
    async with person() as p:
        await p.ask(replace(DIFF, request_id="one"))
        assert "question" not in p.shown()
        await p.ask(replace(DIFF, request_id="two"), replace(COMMAND, request_id="three"))
        await p.stage.until(lambda: "question 1 of 3" in p.shown())
        await p.press("y")
        await p.asked("two")
        assert "question 2 of 3" in p.shown()
        p.screen.handle(
            PermissionDecided(request_id="three", tool_use_id="t9", decision="cancelled")
        )
        await p.stage.until(lambda: "question 2 of 2" in p.shown())
        await p.press("y")
        await p.closed()
        assert [request_id for request_id, _ in p.answers] == ["one", "two"]


async def test_an_answer_that_comes_too_late_continues_to_the_next_question(person):
    async with person() as p:
        await p.ask(replace(DIFF, request_id="one"), replace(DIFF, request_id="two"))
        p.refuses = True
        await p.press("y")
        await p.asked("two")
        await p.press("y")
        await p.closed()
        assert p.answers == []


async def test_the_transcript_stays_in_view_and_scrolls_behind(person):
    async with person() as p:
        p.screen.handle(RunStarted(prompt=Prompt("Go")))
        p.screen.handle(
            TextFinished(
                message_id="m", block=0, text="\n\n".join(f"paragraph {n}." for n in range(60))
            )
        )
        transcript = p.screen.transcript
        await p.stage.until(
            lambda: transcript.measured and transcript.scroll_y == transcript.max_scroll_y > 20
        )
        await p.ask(LONG)
        await p.stage.until(lambda: transcript.size.height == 24 - 2 - 14)
        await p.stage.until(lambda: "waiting for you" in p.shown().partition("Delete chapters")[0])
        end = transcript.scroll_y
        await p.press("shift+pageup")
        await p.stage.until(lambda: transcript.scroll_y < end - 3)
        await p.press("shift+pagedown")
        await p.stage.until(lambda: transcript.scroll_y == end)
        await p.stage.pilot._post_mouse_events([_wheel_up()], offset=(10, 3), button=0)
        await p.stage.until(lambda: transcript.scroll_y == end - 3)
        assert not p.answers
        await p.press("n")
        await p.closed()
        await p.stage.until(lambda: transcript.size.height > 15)


def _wheel_up():
    from textual.events import MouseScrollUp

    return MouseScrollUp


async def test_a_long_question_scrolls_and_can_be_enlarged(person):
    async with person() as p:
        await p.ask(LONG)
        assert "rows 1–7 of 43 · more marked below ↓" in p.note
        await p.press("down", "pagedown")
        await p.stage.until(lambda: "rows 8–14 of 43" in p.note)
        await p.press("f")
        await p.stage.until(lambda: p.question.query_one("#permission").size.height > 18)
        await p.press("end")
        await p.stage.until(lambda: "of 43" in p.note and "marked" not in p.note)
        assert "rm chapters/draft.md" in p.shown()
        await p.press("ctrl+o")
        await p.stage.until(lambda: p.question.query_one("#permission").size.height < 15)


async def test_what_is_selected_with_the_mouse_is_copied(person):
    async with person() as p:
        await p.ask(COMMAND)
        call = p.question._call
        await p.stage.pilot.mouse_down(call, offset=(1, 0))
        await p.stage.pilot.hover(call, offset=(20, 0))
        await p.stage.pilot.mouse_up(call, offset=(20, 0))
        first = COMMAND.input["command"].split("\n")[0]
        await p.stage.until(lambda: p.app.clipboard)
        assert first.startswith(p.app.clipboard)
        assert p.answers == []


async def test_a_paste_goes_to_the_prompt(person):
    from textual.events import Paste

    async with person() as p:
        await p.ask(DIFF)
        p.app.screen.post_message(Paste("y and more"))
        await p.stage.until(lambda: p.screen.prompt.editor.value == "y and more")
        assert "goes to the prompt" in p.note
        assert p.answers == []


async def test_it_can_be_read_and_answered_in_every_window(person):
    async with person() as p:
        p.screen.handle(RunStarted(prompt=Prompt("Go")))
        await p.ask(DIFF)
        for size in [(40, 15), (40, 24), (30, 10), (200, 60), (120, 16), (80, 24)]:
            await p.stage.pilot.resize_terminal(*size)
            await p.stage.until(lambda: "Deny n" in p.shown() and "Change plan.md" in p.shown())
            await p.stage.until(lambda: p.screen.transcript.size.height > 0)
        await p.press("n")
        await p.closed()


async def test_what_nobody_has_to_answer_any_more_goes_away_under_the_help(person):
    async with person() as p:
        await p.ask(DIFF)
        await p.press("f1")
        await p.stage.until(lambda: not isinstance(p.app.screen, PermissionScreen))
        p.screen.handle(
            PermissionDecided(request_id="diff", tool_use_id="t9", decision="cancelled")
        )
        await p.press("escape")
        await p.stage.until(lambda: p.app.screen is p.screen)
        await p.stage.until(lambda: p.screen.query_one("#body").region.height > 15)
        await p.stage.until(lambda: p.screen.prompt.region.bottom == 23)
