"""The command palette and lists under keys that come faster than they open and close."""

import pytest

from dogent_tui.tui.screens.offers import OffersScreen


async def test_enter_twice_runs_one_command_and_closes_the_palette_alone(stage):
    async with stage() as s:
        ran = []
        s.app.choose_command = ran.append
        await s.pilot.press("ctrl+p", *"context")
        await s.until(lambda: s.app.screen.list.items)
        s.app.simulate_key("enter")
        s.app.simulate_key("enter")
        await s.until(lambda: s.app.screen is s.app.conversation)
        await s.pilot.pause()
        assert [command.name for command in ran] == ["context"]


@pytest.mark.parametrize("key", ["escape", "enter"])
async def test_a_key_held_down_leaves_the_conversation_open(stage, key):
    async with stage() as s:
        await s.pilot.press("ctrl+p")
        await s.until(lambda: s.app.screen.list.items)
        for _ in range(5):
            s.app.simulate_key(key)
        await s.pilot.pause()
        assert s.app.is_running
        assert s.app.conversation in s.app.screen_stack


async def test_the_palette_opens_while_the_last_one_still_closes(stage):
    async with stage() as s:
        for _ in range(5):
            s.app.action_command_palette()
            s.app.simulate_key("pageup")
            s.app.simulate_key("escape")
        await s.until(lambda: s.app.screen is s.app.conversation)
        await s.pilot.press("ctrl+p")
        assert isinstance(s.app.screen, OffersScreen)
