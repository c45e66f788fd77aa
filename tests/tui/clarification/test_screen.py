"""The form by its keys and the mouse."""

import pytest
from textual.events import Key, MouseScrollDown, Paste

from dogent_tui.agent.events import UiAnswer
from dogent_tui.agent.ui_requests import Clarification, Question
from dogent_tui.tui.clarification.widgets import FreeText
from tests.tui.clarification.examples import CHINESE, MANY, REPORT

pytestmark = pytest.mark.slow

PRESET = {"audience": "council", "parts": ["Costs"]}

# What is pressed, one after the other on one form, and what it changes.
KEYS = (
    ("2", {"audience": "staff"}),
    ("up space", {"audience": "council"}),
    ("down down down down up enter", {"audience": "public"}),
    ("shift+tab home space", {"audience": "council"}),
    ("end enter", {"audience": None}),
    ("shift+tab 0", {"audience": "council"}),
    ("tab 2", {"length": "Three pages"}),
    ("9", {}),
    ("3 T w o", {"length": "Two"}),
    ("ctrl+j 2", {"length": "Two\n2"}),
    ("shift+enter a alt+enter b", {"length": "Two\n2\na\nb"}),
    ("up up up up enter", {"length": "Three pages"}),
    ("shift+tab 3 enter", {"length": "Two\n2\na\nb"}),
    ("down enter", {}),
    ("shift+tab space down space", {"parts": ["Risks"]}),
    ("1 3", {"parts": ["Costs", "Risks", "Timetable"]}),
    ("4 M e", {"parts": ["Costs", "Risks", "Timetable", "Me"]}),
    ("backspace backspace", {"parts": ["Costs", "Risks", "Timetable"]}),
    ("tab N o w", {"more": "Now"}),
    ("down up !", {"more": "Now!"}),
    ("down enter", {"more": None}),
)


async def test_every_key_chooses_what_it_says(person):
    async with person() as p:
        answers: dict = dict(PRESET)
        for keys, change in KEYS:
            await p.press(*keys.split())
            answers |= change
            assert p.form.answers == {
                name: answer for name, answer in answers.items() if answer is not None
            }, keys
            assert p.app.drafts[-1] == p.form.draft(), keys
        assert p.form.sending


async def test_what_is_open_is_counted_and_said_before_it_is_sent(person):
    async with person() as p:
        assert "2 of 4 open" in p.shown()
        await p.press("ctrl+s")
        assert p.note == "Still open: 2 questions. Send again to leave them to the agent."
        await p.press("tab", "1")
        await p.until(lambda: "1 of 4 open" in p.shown())
        assert p.note == ""
        await p.press("ctrl+s")
        assert (
            p.note
            == "Still open: “Anything that must not be mis…”. Send again to leave it to the agent."
        )
        assert not p.app.results
        await p.press("tab", "tab", "tab", "shift+tab", "down", "enter")
        await p.until(lambda: "all answered" in p.shown())
        assert p.form.sending
        await p.press("enter")
        await p.until(lambda: p.app.results)
        assert p.result == UiAnswer(answers={**PRESET, "length": "One page"})


async def test_ctrl_enter_sends_also_from_a_field(person):
    async with person() as p:
        await p.press("0", "tab", "1", "tab", "tab", "x", "ctrl+enter")
        await p.until(lambda: p.app.results)
        assert p.result.answers == {"length": "One page", "parts": ["Costs"], "more": "x"}


async def test_esc_leaves_the_form_open_with_all_in_its_draft(person):
    async with person() as p:
        await p.press("2", "tab", "H", "i", "escape")
        await p.until(lambda: p.app.results == [None])
        draft = p.app.drafts[-1]
    async with person(draft=draft) as p:
        assert p.form.answers == {**PRESET, "audience": "staff", "length": "Hi"}
        await p.until(lambda: isinstance(p.screen.focused, FreeText))
        await p.press("!")
        assert p.form.answers["length"] == "Hi!"


@pytest.mark.parametrize("keys", [(), ("3", "T", "w", "o")])
async def test_ctrl_c_says_how_to_leave_also_in_a_field(person, keys):
    async with person() as p:
        await p.press("tab", *keys, "ctrl+c")
        await p.until(lambda: p.note.startswith("Esc leaves the questions open"))
        assert p.app.results == []


async def test_abandoning_asks_once(person):
    async with person() as p:
        await p.press("ctrl+x")
        assert "Ctrl+X again to" in p.note
        await p.press("down")
        assert p.note == ""
        await p.press("ctrl+x")
        assert not p.app.results
        await p.press("ctrl+x")
        await p.until(lambda: p.app.results)
        assert p.result == UiAnswer()


async def test_in_a_field_ctrl_x_cuts_what_is_selected_and_else_abandons(person):
    async with person() as p:
        await p.press("tab", "H", "i", "shift+left", "ctrl+x")
        assert p.form.answers["length"] == "H"
        await p.press("ctrl+x")
        assert "Ctrl+X again to" in p.note
        await p.press("x")
        assert p.note == ""
        await p.press("ctrl+x", "ctrl+x")
        await p.until(lambda: p.app.results)
        assert p.result == UiAnswer()


async def test_keys_that_were_meant_for_something_else_do_not_answer(person):
    before: list[str] = []
    async with person(opened=False, typed=before.append) as p:
        p.screen.guard.clock = lambda: 0.0
        p.screen.guard.shown()
        await p.press("2", "a", "enter", "escape", "tab", "ctrl+s", "ctrl+x")
        assert before == ["2", "a"]
        assert p.form.answers == PRESET
        assert p.form.at == 0
        assert not p.app.results
        p.screen.guard.clock = lambda: 2.0
        await p.press("2", "tab", "f", "a", "s", "t")
        assert p.form.answers == {**PRESET, "audience": "staff", "length": "fast"}


async def test_letters_do_not_fall_into_a_field_that_just_appeared(person):
    request = Clarification("T", (Question("a", "What?"),))
    async with person(request, opened=False) as p:
        p.screen.guard.clock = lambda: 0.0
        p.screen.guard.shown()
        await p.press("y", "e", "enter")
        assert p.form.answers == {}
        assert p.form.at == 0


async def test_a_paste_goes_into_the_words(person):
    async with person() as p:
        p.screen.post_message(Paste("x"))
        await p.until(lambda: "one of the options" in p.note)
        assert p.form.answers == PRESET
        await p.press("tab")
        p.screen.post_message(Paste("first\r\nsecond [b]\x1b[31m"))
        await p.until(lambda: p.form.answers.get("length") == "first\nsecond [b]\x1b[31m")
        assert "second [b]␛[31m" in p.shown()
        p.screen.focused.post_message(Paste("!"))
        await p.until(lambda: p.form.answers["length"].endswith("[31m!"))


async def test_the_mouse_answers(person):
    async with person() as p:
        await p.pilot.click(offset=(12, p.row_of("The library's staff")))
        await p.pilot.click(offset=(12, p.row_of("Risks")))
        await p.pilot.click(offset=(30, p.row_of("A name, a number")))
        await p.until(lambda: p.form.at == 3 and isinstance(p.screen.focused, FreeText))
        await p.press("o", "k")
        await p.pilot.click(offset=(12, p.row_of("How long")))
        await p.until(lambda: p.form.at == 1)
        skip = [y for y, line in enumerate(p.shown().splitlines()) if "Skip this question" in line]
        await p.pilot.click(offset=(12, skip[1]))
        await p.until(lambda: "all answered" in p.shown())
        await p.pilot.click(offset=(12, p.row_of("Send the answers")))
        await p.until(lambda: p.app.results)
        assert p.result == UiAnswer(
            answers={"audience": "staff", "parts": ["Costs", "Risks"], "more": "ok"}
        )


async def test_what_is_asked_can_be_selected_with_the_mouse_without_being_answered(person):
    async with person() as p:
        before, y = p.form.answers, p.row_of("The library's staff")
        await p.pilot.mouse_down(offset=(4, y))
        await p.pilot.hover(offset=(60, y))
        await p.pilot.mouse_up(offset=(60, y))
        assert p.app.screen.get_selected_text() == "The library's staff"
        assert p.form.answers == before


async def test_a_key_of_the_last_line_can_be_clicked(person):
    async with person() as p:
        y = p.row_of("Esc Later")
        await p.pilot.click(offset=(p.shown().splitlines()[y].index("Later"), y))
        await p.until(lambda: p.app.results == [None])


async def test_many_questions_scroll_with_the_cursor(person):
    async with person(MANY, size=(80, 24)) as p:
        for number in (2, 3, 4):
            await p.press("tab")
            await p.until(lambda number=number: f"Question {number}?" in p.shown())
        await p.press("shift+tab", "shift+tab", "shift+tab", "shift+tab", "shift+tab")
        await p.until(lambda: "Question 12?" in p.shown())
        await p.press("end")
        await p.until(lambda: p.shown().count("❯") == 1)
        await p.press("tab")
        await p.until(lambda: "❯ Send the answers" in p.shown())
        await p.press("tab")
        await p.until(lambda: "Question 1?" in p.shown())
        await p.press("pagedown")
        await p.until(lambda: "Question 1?" not in p.shown())
        await p.press("pageup")
        await p.until(lambda: "Question 1?" in p.shown())
        await p.pilot._post_mouse_events([MouseScrollDown], offset=(10, 10), button=0)
        await p.until(lambda: "Question 1?" not in p.shown())
        assert p.form.at == 0


async def test_a_resize_keeps_the_answers_and_the_cursor_in_view(person):
    async with person(CHINESE) as p:
        await p.press("3", "tab", "1", "3", "x", "y")
        for size in [(40, 15), (30, 10), (200, 60), (80, 24)]:
            await p.pilot.resize_terminal(*size)
            await p.until(lambda: "xy" in p.shown())
        assert p.form.answers == {"audience": "customers", "tone": "xy"}
        assert isinstance(p.screen.focused, FreeText)


async def test_a_form_that_nobody_has_to_answer_any_more_closes(person):
    async with person() as p:
        p.screen.leave(None)
        await p.until(lambda: p.app.results == [None])


async def test_every_label_is_shown_as_it_is(person):
    request = Clarification(
        "[b]T[/b]", (Question("a", "[red]Why?[/]", placeholder="[i]because[/i]"),), "a\x1b[2Jb"
    )
    async with person(request) as p:
        for words in ("[b]T[/b]", "[red]Why?[/]", "[i]because[/i]", "a␛[2Jb"):
            assert words in p.shown()
    assert REPORT.questions[0].options[2].label == "Neighbours [and visitors]"


async def test_a_fast_hand_is_followed(person):
    async with person() as p:
        for key in ("tab", "3", "tab", "2", "tab", "tab", "tab", "tab", "1"):
            p.app.post_message(Key(key, key if key.isdigit() else None))
        await p.until(
            lambda: p.form.answers == {**PRESET, "length": "One page", "parts": ["Costs", "Risks"]}
        )
        await p.pilot.pause()
        assert (p.form.at, p.form.row) == (1, 0)
        assert p.screen.focused is None


async def test_a_fast_hand_writes_before_the_field_has_the_focus(person):
    async with person() as p:
        for key, character in (
            ("tab", None),
            ("tab", None),
            ("tab", None),
            ("I", "I"),
            ("n", "n"),
            ("space", " "),
            ("2", "2"),
            ("7", "7"),
        ):
            p.app.post_message(Key(key, character))
        await p.until(lambda: p.form.answers == {**PRESET, "more": "In 27"})
