"""The application in a real terminal: sizes, colors, and the state in which it leaves the terminal."""

import pytest

from tests.e2e.screen import ALTERNATE_SCREEN, BRACKETED_PASTE, CURSOR_VISIBLE, FOCUS_REPORTS, MOUSE
from tests.e2e.terminal import CTRL_C


@pytest.mark.parametrize("size", [(40, 10), (80, 24), (120, 40), (200, 60)])
async def test_it_starts_at_every_size_and_takes_keys(dogent, size):
    async with dogent.open(size=size) as terminal:
        terminal.type("Hello there")
        await terminal.wait_for("Hello there")
        assert ("ATTACHMENTS" in terminal.text().upper()) is (size[0] >= 120)
        print(terminal.text())
