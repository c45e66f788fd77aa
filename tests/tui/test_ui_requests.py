"""What the agent asks on a screen of its own, from the event to the message with the answers."""

import asyncio
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from dogent_tui.agent.conversation import TurnEnded
from dogent_tui.agent.events import (
    Event,
    RunFinished,
    RunStarted,
    UiAnswer,
    UiRequested,
    UiSettled,
)
from dogent_tui.agent.ui_requests import (
    Clarification,
    Option,
    OutlineRequest,
    Question,
    ui_requested,
)
from dogent_tui.records import to_json
from dogent_tui.settings.trust import FolderTrust
from dogent_tui.storage.answer_drafts import AnswerDrafts
from dogent_tui.tui.screens.clarification import ClarificationScreen
from dogent_tui.tui.screens.outline import OutlineScreen
from dogent_tui.tui.screens.permission import PermissionScreen
from dogent_tui.tui.screens.trust import TrustScreen
from tests.agent.fake_conversation import permission

QUESTIONS = Clarification(
    "Before I write",
    (
        Question(
            "audience",
            "Who reads it?",
            (Option("The board", "board"), Option("Visitors", "visitors")),
            ("board",),
        ),
        Question("length", "How long?", (Option("One page", "1"),), allow_freeform=True),
    ),
)
MORE = Clarification(
    "One more", (Question("tone", "Which tone?", (Option("Plain", "plain"),), ("plain",)),)
)


class Person:
    def __init__(self, stage) -> None:
        self.stage = stage
        self.screen = stage.app.conversation

    async def ask(self, *requests, text: str = "Write a report") -> list[UiRequested]:
        await self.stage.send(text)
        asked = [ui_requested(request) for request in requests]
        self.stage.conversation.arrive(*asked, TurnEnded("stopped"))
        return asked

    @property
    def form(self) -> ClarificationScreen:
        assert isinstance(self.stage.app.screen, ClarificationScreen)
        return self.stage.app.screen

    async def asked(self, title: str = "") -> None:
        await self.stage.until(lambda: isinstance(self.stage.app.screen, ClarificationScreen))
        await self.stage.until(
            lambda: title in self.form.form.request.title and self.form.guard._opens is not None
        )
        self.form.guard.clock = lambda: float("inf")

    async def press(self, *keys: str) -> None:
        await self.stage.pilot.press(*keys)

    async def closed(self) -> None:
        await self.stage.until(lambda: self.stage.app.screen is self.screen)

    def shown(self) -> str:
        return "\n".join(
            "".join(segment.text for segment in strip)
            for strip in self.stage.app.screen._compositor.render_strips()
        )

    async def sees(self, *words: str) -> None:
        await self.stage.until(lambda: all(word in self.shown() for word in words))


@pytest.fixture
def person(stage):
    @asynccontextmanager
    async def opened(**options):
        async with stage(**options) as s:
            yield Person(s)

    return opened


async def test_the_form_opens_when_the_run_has_ended_and_its_answers_are_the_next_message(person):
    async with person() as p:
        await p.ask(QUESTIONS)
        await p.asked()
        await p.press("down", "ctrl+s", "ctrl+s")
        await p.stage.until(lambda: len(p.stage.conversation.sent) == 2)
        assert "Who reads it?" in p.stage.conversation.sent[1]
        await p.closed()
        await p.sees("My answers to “Before I write”", "answered")
        assert not p.screen.asked.display


async def test_esc_takes_the_queue_back_where_no_run_is_there_to_stop(person):
    async with person() as p:
        await p.ask(QUESTIONS)
        await p.asked()
        await p.press("escape")
        await p.closed()
        await p.stage.type("And a list of sources")
        await p.press("enter")
        await p.sees("queued until you answer the agent")
        await p.press("escape")
        await p.sees("Queued prompts are back in the editor.")
        hint = p.screen.prompt.query_one("#prompt-hint")
        assert "stop the run" not in str(hint.content)


async def test_a_narrow_screen_shows_the_whole_line_with_the_key_that_answers(person):
    async with person(size=(40, 12)) as p:
        await p.ask(QUESTIONS)
        await p.asked()
        await p.press("escape")
        await p.closed()
        await p.stage.until(lambda: p.screen.asked.size.height == 2)
        rows = [p.screen.asked.render_line(y).text.strip() for y in range(2)]
        assert " ".join(rows) == "? The agent asks 2 questions · F2 answers"


async def test_esc_leaves_it_open_and_a_key_brings_it_back_with_what_was_answered(person):
    async with person() as p:
        await p.ask(QUESTIONS)
        await p.asked()
        await p.press("2", "escape")
        await p.closed()
        await p.sees("The agent asks 2 questions", "F2")
        await p.stage.type("And a list of sources")
        await p.press("enter")
        await p.sees("queued until you answer the agent")
        assert len(p.stage.conversation.sent) == 1
        await p.press("f2")
        await p.asked()
        assert p.form.form.answers["audience"] == "visitors"
        await p.press("ctrl+s", "ctrl+s")
        await p.stage.until(lambda: len(p.stage.conversation.sent) == 2)
        assert "→ Visitors" in p.stage.conversation.sent[1]
        p.stage.conversation.arrive(TurnEnded("completed"))
        await p.stage.until(lambda: len(p.stage.conversation.sent) == 3)
        assert p.stage.conversation.sent[2].startswith("And a list of sources")


async def test_two_requests_are_put_one_after_the_other(person):
    async with person() as p:
        await p.ask(QUESTIONS, MORE)
        await p.asked("Before")
        await p.sees("1 of 2 · Before I write")
        await p.press("ctrl+s", "ctrl+s")
        await p.asked("One more")
        await p.sees("2 of 2 · One more")
        assert len(p.stage.conversation.sent) == 1
        await p.press("ctrl+s")
        await p.stage.until(lambda: len(p.stage.conversation.sent) == 2)
        assert "The board" in p.stage.conversation.sent[1]
        assert "Plain" in p.stage.conversation.sent[1]


async def test_a_form_and_an_outline_are_counted_together_and_a_single_one_is_not(person):
    async with person() as p:
        await p.ask(MORE, OUTLINE)
        await p.asked("One more")
        await p.sees("1 of 2 · One more")
        await p.press("ctrl+s")
        await p.stage.until(lambda: isinstance(p.stage.app.screen, OutlineScreen))
        await p.sees("2 of 2 · Outline of the report")
        await p.press("a")
        await p.closed()
        p.stage.conversation.arrive(*[ui_requested(MORE)], TurnEnded("stopped"))
        await p.asked("One more")
        await p.sees("One more")
        assert "of 2" not in p.shown()


async def test_one_that_comes_while_another_is_shown_is_counted(person):
    async with person() as p:
        await p.stage.send("Paint")
        for request in (QUESTIONS, MORE):
            p.stage.app.run_worker(
                p.stage.launcher.form(replace(ui_requested(request), in_run=True))
            )
        await p.asked("Before")
        await p.sees("1 of 2 · Before I write")


async def test_abandoning_ends_the_run_as_stopped(person):
    async with person() as p:
        await p.ask(QUESTIONS)
        await p.asked()
        await p.press("ctrl+x", "ctrl+x")
        await p.closed()
        await p.sees("stopped by you", "not answered")
        assert not p.screen.asked.display
        await p.press("f2")
        await p.sees("isn't asking anything")


async def test_a_request_that_waits_in_its_run_opens_at_once_and_closes_with_it(person):
    async with person() as p:
        await p.stage.send("Paint")
        p.stage.app.run_worker(p.stage.launcher.form(replace(ui_requested(MORE), in_run=True)))
        await p.asked()
        await p.stage.app.opened.service.interrupt()
        await p.closed()
        assert not p.screen.asked.display


async def test_a_question_that_nobody_has_to_answer_any_more_makes_way_for_the_form(person):
    async with person() as p:
        await p.stage.send("Paint")
        asked = permission("t1", "Bash", {"command": "rm a.md"})
        question = asyncio.create_task(p.stage.launcher.ask(asked))
        await p.stage.until(lambda: isinstance(p.stage.app.screen, PermissionScreen))
        p.stage.app.run_worker(p.stage.launcher.form(replace(ui_requested(MORE), in_run=True)))
        await p.stage.until(lambda: p.screen.asked.display)
        question.cancel()  # an answer beside it allowed this call too
        await p.asked("One more")


def left_open(*settled: UiSettled) -> list[Event]:
    """The events of a session that asked and ended."""
    request = ui_requested(QUESTIONS)
    run = {"run_id": "r1", "seq": 1}
    return [
        RunStarted(prompt={"text": "Write"}, **run),
        UiRequested(request_id="q7", kind=request.kind, payload=request.payload, **run),
        RunFinished(status="needs_clarification", duration_ms=9, **run),
        *settled,
    ]


def written(log: Path, events: list[Event]) -> Path:
    log.write_text("".join(f"{to_json(event)}\n" for event in events), encoding="utf-8")
    return log


async def asked_for_trust(p: Person) -> None:
    """Wait for the question about the folder, before which nothing is sent."""
    await p.stage.until(
        lambda: (
            isinstance(p.stage.app.screen, TrustScreen)
            and p.stage.app.screen.guard._opens is not None
        )
    )
    p.stage.app.screen.guard.clock = lambda: float("inf")
    assert not p.stage.conversation.sent


async def test_answers_to_a_restored_request_wait_for_the_question_about_the_folder(
    person, workspace, tmp_path
):
    workspace.dot.mkdir()
    workspace.constraints_file.write_text("Write short.\n", encoding="utf-8")
    async with person(earlier=written(tmp_path / "log.jsonl", left_open())) as p:
        await p.asked()
        await p.press("ctrl+s", "ctrl+s")
        await asked_for_trust(p)
        await p.press("escape")
        await p.closed()
        await p.sees("The agent asks 2 questions")
        assert not p.stage.conversation.sent
        await p.press("f2")
        await p.asked()
        await p.press("ctrl+s", "ctrl+s")
        await asked_for_trust(p)
        await p.press("down", "enter")
        await p.stage.until(lambda: p.stage.conversation.sent)
        assert FolderTrust(workspace).state == "trusted"


async def test_answers_that_were_given_and_not_sent_wait_for_it_too(person, workspace, tmp_path):
    workspace.dot.mkdir()
    workspace.constraints_file.write_text("Write short.\n", encoding="utf-8")
    settled = UiSettled(
        request_id="q7", answer=UiAnswer(answers={"audience": "board"}), run_id="r1", seq=2
    )
    async with person(earlier=written(tmp_path / "log.jsonl", left_open(settled))) as p:
        await asked_for_trust(p)
        await p.press("down", "enter")
        await p.stage.until(lambda: p.stage.conversation.sent)
        assert "→ The board" in p.stage.conversation.sent[0]


async def test_what_an_earlier_session_left_open_comes_back_with_its_draft(
    person, workspace, tmp_path
):
    log = written(tmp_path / "log.jsonl", left_open())
    AnswerDrafts(workspace).save("q7", {})
    async with person(earlier=log) as p:
        await p.asked()
        await p.press("2", "escape")
        await p.closed()
    kept = AnswerDrafts(workspace).load("q7")
    async with person(earlier=log) as p:
        await p.asked()
        assert p.form.form.answers["audience"] == "visitors"
        assert p.form.form.draft() == kept
        await p.press("ctrl+s", "ctrl+s")
        await p.stage.until(lambda: p.stage.conversation.sent)
    assert AnswerDrafts(workspace).load("q7") is None


OUTLINE = OutlineRequest(
    "Outline of the report", "# Report\n\n## Visits\n\n## Costs\n", "As I see it."
)


async def test_an_outline_is_edited_left_taken_up_and_sent(person):
    async with person() as p:
        await p.ask(OUTLINE)
        await p.stage.until(lambda: isinstance(p.stage.app.screen, OutlineScreen))
        await p.press("end", "delete")
        await p.stage.until(lambda: AnswerDrafts(p.screen.opened.workspace)._folder.exists())
        await p.press("escape")
        await p.closed()
        await p.sees("The agent proposes an outline · F2")
        await p.press("f2")
        await p.stage.until(lambda: isinstance(p.stage.app.screen, OutlineScreen))
        assert "Costs" not in p.stage.app.screen.editing.markdown
        await p.press("ctrl+s")
        await p.stage.until(lambda: len(p.stage.conversation.sent) == 2)
        sent = p.stage.conversation.sent[1].partition("<attachments>")[0]
        assert "This is the outline as I want it" in sent
        assert "## Visits" in sent
        assert "What I changed:" in sent
        await p.closed()
        await p.stage.until(
            lambda: not list(AnswerDrafts(p.screen.opened.workspace)._folder.iterdir())
        )


async def test_an_outline_is_accepted_with_one_key(person):
    async with person() as p:
        await p.ask(OUTLINE)
        await p.stage.until(lambda: isinstance(p.stage.app.screen, OutlineScreen))
        await p.press("a")
        await p.stage.until(lambda: len(p.stage.conversation.sent) == 2)
        assert "I accept this outline as it is" in p.stage.conversation.sent[1]


async def test_a_key_pressed_twice_sends_the_outline_once(person):
    async with person() as p:
        await p.ask(OUTLINE)
        await p.stage.until(lambda: isinstance(p.stage.app.screen, OutlineScreen))
        editor = p.stage.app.screen
        editor.action_send()
        editor.action_send()
        await editor.action_leave()
        await p.stage.until(lambda: len(p.stage.conversation.sent) == 2)
        await p.closed()
