"""What the review looks like, at 80×24, 120×40 and 200×60."""

import pytest
from textual.pilot import Pilot

from tests.tui.review.host import BASE, ReviewHost


def pressing(*keys: str):
    async def run_before(pilot: Pilot) -> None:
        review = pilot.app.review
        review._area.cursor_blink = review._line.cursor_blink = False
        await pilot.press(*keys)
        await pilot.pause(0.4)

    return run_before


def test_some_are_decided(looks, tmp_path):
    keys = ("a", "j", "r", "home", "j", "c", *"更平实一些", "enter")
    looks(ReviewHost(tmp_path), pressing(*keys))


@pytest.mark.parametrize(
    "keys", [("j", "e"), ("j", "c", "N", "o"), ("A", "p")], ids=["edit", "comment", "preview"]
)
def test_where_one_types_and_reads(snap_compare, tmp_path, keys):
    assert snap_compare(ReviewHost(tmp_path), terminal_size=(80, 24), run_before=pressing(*keys))


def test_a_conflict(snap_compare, tmp_path):
    app = ReviewHost(tmp_path)
    app.path.write_text(BASE.replace("Tea rose.", "Tea rose a little."))
    assert snap_compare(app, terminal_size=(120, 40), run_before=pressing("A", "enter"))
