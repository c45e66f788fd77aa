"""What the outline editor looks like, at 80×24, 120×40 and 200×60."""

import pytest
from textual.pilot import Pilot

from tests.tui.outline.host import PROPOSAL, OutlineHost

CHANGED = (
    *["down"] * 3,
    "alt+up",
    "end",
    "enter",
    "enter",
    *"Thanks",
    "escape",
    "up",
    "up",
    "delete",
    "enter",
    *" 来源",
    "escape",
)
"""Moves a heading, adds one, deletes one, and changes a title."""


def pressing(*keys: str):
    async def run_before(pilot: Pilot) -> None:
        editor = pilot.app.editor
        editor._titling.cursor_blink = editor._note.cursor_blink = editor._raw_area.cursor_blink = (
            False
        )
        editor._line.cursor_blink = False
        await pilot.press(*keys)
        await pilot.pause(0.4)

    return run_before


def test_an_outline_that_was_changed(looks):
    looks(OutlineHost(PROPOSAL), pressing(*CHANGED))


def test_markdown_with_what_follows_it(looks):
    keys = ("down", "ctrl+t", "end", *" 2025")
    looks(OutlineHost(PROPOSAL), pressing(*keys))


@pytest.mark.parametrize(
    "keys",
    [
        ("down", "enter"),
        ("down", "n"),
        ("ctrl+t",),
        ("slash", "t", "e", "a"),
        ("down", "down", "shift+down"),
    ],
    ids=["title", "note", "markdown", "find", "selected"],
)
def test_where_one_types(snap_compare, keys):
    assert snap_compare(OutlineHost(PROPOSAL), terminal_size=(80, 24), run_before=pressing(*keys))
