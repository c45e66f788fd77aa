"""What the list of conversations, the history and their empty states look like."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from dogent_tui.storage.history import HistoryEntry
from dogent_tui.storage.paths import Workspace
from dogent_tui.storage.sessions import SessionRecord
from dogent_tui.tui.app import DogentApp
from dogent_tui.tui.screens.history import history_offers
from dogent_tui.tui.screens.offers import OffersScreen
from dogent_tui.tui.screens.sessions import SessionsScreen
from dogent_tui.tui.sessions.model import SessionList
from dogent_tui.tui.themes import THEMES

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


def record(number: int, title: str, updated: str, workspace: str = "/w/report") -> SessionRecord:
    return SessionRecord(f"{number}", Path(f"/{number}.jsonl"), updated, title, updated, workspace)


HERE = [
    record(1, "Write a report on Sunday opening from @meeting-notes.md",
        "2026-03-02T09:18:00+00:00"),
    record(2, "销售报告：第一季度 [b]茶[/b]", "2026-03-02T07:02:00+00:00"),
    record(3, "A title that does not fit into a window, whatever one does, and goes on " * 2,
        "2026-03-01T20:00:00+00:00"),
    record(4, "", "2026-02-11T12:00:00+00:00"),
]  # fmt: skip
ELSEWHERE = [record(5, "A letter to the board", "2026-03-02T09:29:40+00:00", "/w/letters")]


class Host(App[None]):
    """Shows one screen."""

    CSS_PATH = DogentApp.CSS_PATH

    def __init__(self, shown: Screen) -> None:
        super().__init__()
        self.shown = shown

    def on_mount(self) -> None:
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = THEMES[0].name
        self.push_screen(self.shown)


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    monkeypatch.setattr("dogent_tui.tui.screens.sessions.local_now", lambda: NOW)


def sessions(here=HERE) -> Host:
    class Listed(SessionList):
        def read(self) -> None:
            self.records = [*ELSEWHERE, *here] if self.everywhere else here
            self.elsewhere = frozenset(each for each in here if each.session_id == "2")

    return Host(SessionsScreen(Listed(Workspace(Path("/w/report")), "1", is_owned=True)))


def pressing(*keys: str):
    async def run_before(pilot: Pilot) -> None:
        for line in pilot.app.shown.query(Input):
            line.cursor_blink = False
        await pilot.pause()
        await pilot.press(*keys)
        await pilot.pause(0.2)

    return run_before


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_the_conversations_of_a_folder(snap_compare, size):
    assert snap_compare(sessions(), terminal_size=size, run_before=pressing("down"))


def test_the_conversations_of_all_folders(snap_compare):
    assert snap_compare(sessions(), terminal_size=(80, 24), run_before=pressing("tab"))


def test_a_new_title(snap_compare):
    assert snap_compare(sessions(), terminal_size=(80, 24), run_before=pressing("down", "f2"))


def test_no_conversation(snap_compare):
    assert snap_compare(sessions([]), terminal_size=(80, 24), run_before=pressing())


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_the_history(snap_compare, monkeypatch, size):
    monkeypatch.setattr("dogent_tui.tui.screens.history.local_now", lambda: NOW)
    entries = [
        HistoryEntry(
            "2026-03-01T10:00:00+00:00",
            "completed",
            "Write on tea [b]",
            "Done.\nThe report is in tea.md.",
            "",
            "s",
            75_000,
        ),
        HistoryEntry("2026-03-01T10:10:00+00:00", "command", "/theme nord"),
        HistoryEntry(
            "2026-03-01T10:20:00+00:00",
            "aborted",
            "整理销售数据 and delete what is old",
            "",
            "Denied: rm",
            "s",
            4_000,
        ),
    ]
    assert snap_compare(
        Host(OffersScreen("History", "Find an earlier prompt", history_offers(entries, print))),
        terminal_size=size,
        run_before=pressing(),
    )
