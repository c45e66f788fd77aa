"""The frame of dialogs: title and keys have the same place in all of them, and the chosen row
can be told without colors.
"""

import pytest
from textual.app import App
from textual.widgets import OptionList

from dogent_tui.tui.dialog import ChoiceList, Dialog
from dogent_tui.tui.key_hints import KeyLine
from dogent_tui.tui.screens.choice import ChoiceScreen
from dogent_tui.tui.screens.forms import PressKeyScreen, TypingScreen
from dogent_tui.tui.screens.help import HelpScreen, HelpSection
from tests.tui.rewinding.test_snapshots import listed


def dialogs():
    return (
        ChoiceScreen("Delete [b]it[/b]?", "It is gone then. " * 20, ("Keep", "Delete")),
        ChoiceScreen("Which one?", "", [f"number {number}" for number in range(100)]),
        TypingScreen("Name", "", "", secret=False, problem=lambda _: ""),
        PressKeyScreen("Key", lambda _: ""),
        listed(),
        HelpScreen([HelpSection("Keys", (("a", "does it"),) * 100)]),
    )


def rows(app) -> list[str]:
    return [
        "".join(part.text for part in strip) for strip in app.screen._compositor.render_strips()
    ]


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize("size", [(40, 16), (80, 24), (120, 40), (200, 60)])
async def test_title_and_keys_are_always_seen_and_have_their_place(size):
    app: App[None] = App()
    tops = set()
    async with app.run_test(size=size) as pilot:
        for screen in dialogs():
            await app.push_screen(screen)
            await pilot.pause()
            frame, keys = screen.query_one(Dialog).region, screen.query_one(KeyLine).region
            assert screen.region.contains_region(frame)
            assert frame.width <= 104
            assert keys.bottom == frame.bottom - 1
            assert "Esc" in rows(app)[keys.y]
            tops.add(frame.y)
            await app.pop_screen()
    assert len(tops) == 1


async def test_a_title_is_shown_as_it_is_and_a_long_one_leaves_the_frame_whole():
    app: App[None] = App()
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(dialogs()[0])
        await pilot.pause()
        assert "╭─ Delete [b]it[/b]? ─" in rows(app)[1]
        await app.push_screen(ChoiceScreen("very " * 50 + "long?", "", ("Yes",)))
        await pilot.pause()
        assert rows(app)[1].strip()[-1] == "╮"


async def test_the_chosen_row_has_a_mark():
    app: App[None] = App()
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(listed())
        for title in ("Shorten", "把第二章"):
            await pilot.pause()
            assert next(row.strip("│ ") for row in rows(app) if "❯" in row).startswith(f"❯ {title}")
            assert sum("❯" in row for row in rows(app)) == 1
            await pilot.press("down")


async def test_a_click_on_a_key_presses_it():
    app: App[None] = App()
    answers: list[int | None] = []
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(ChoiceScreen("Which?", "", ("One", "Two"), 1), answers.append)
        await pilot.pause()
        assert app.screen.query_one(OptionList).highlighted == 1
        assert isinstance(app.screen.query_one(OptionList), ChoiceList)
        await pilot.click(KeyLine, offset=(3, 0))
        await pilot.pause()
        assert answers == [1]
