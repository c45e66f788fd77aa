"""What the form looks like, at 80×24, 120×40 and 200×60. `make snapshots` accepts a new look."""

from tests.tui.clarification.conftest import Host
from tests.tui.clarification.examples import CHINESE, MANY, REPORT


def pressing(*keys: str):
    async def run_before(pilot) -> None:
        while pilot.app.form.guard._opens is None:
            await pilot.pause(0.01)
        pilot.app.form.guard.clock = lambda: float("inf")
        await pilot.press(*keys)
        await pilot.pause(0.1)

    return run_before


def test_a_form(looks):
    looks(Host(REPORT), pressing("tab", "T", "w", "o", "tab", "2", "0"))


def test_a_form_in_chinese(looks):
    looks(Host(CHINESE), pressing("2"))


def test_many_questions(snap_compare):
    keys = ("tab", "tab", "tab", "tab", "2", "ctrl+s")
    assert snap_compare(Host(MANY), terminal_size=(80, 24), run_before=pressing(*keys))


def test_a_narrow_window(snap_compare):
    assert snap_compare(Host(CHINESE), terminal_size=(40, 20), run_before=pressing("down"))


def test_by_day_about_to_be_abandoned(snap_compare):
    host = Host(REPORT, "dogent-paper")
    assert snap_compare(
        host,
        terminal_size=(80, 24),
        run_before=pressing("shift+tab", "shift+tab", "o", "k", "ctrl+x"),
    )
