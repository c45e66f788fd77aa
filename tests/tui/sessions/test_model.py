"""The list of conversations, without a screen."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from dogent_tui.storage.paths import Workspace
from dogent_tui.storage.sessions import SessionRecord
from dogent_tui.tui.sessions.model import SessionList, spoken

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=timezone(timedelta(hours=1)))


def record(
    session_id: str,
    title: str,
    workspace: str = "/w/report",
    updated: str = "2026-03-02T08:00:00.000+00:00",
):
    return SessionRecord(
        session_id, Path(f"/{session_id}.jsonl"), updated, title, updated, workspace
    )


TEA = record("t1", "Write on Tea 茶 [b]")
COFFEE = record("c2", "Write on coffee")
ELSEWHERE = record("e3", "A letter", "/w/letters")


@pytest.fixture
def sessions() -> SessionList:
    sessions = SessionList(Workspace(Path("/w/report")), "c2", is_owned=True)
    sessions.records = [TEA, COFFEE]
    return sessions


def test_words_are_found_whatever_their_capitals_and_order(sessions):
    assert sessions.shown == [TEA, COFFEE]
    for words, found in [
        ("TEA write", [TEA]),
        ("茶", [TEA]),
        ("[b]", [TEA]),
        ("on", [TEA, COFFEE]),
        ("c2", [COFFEE]),
        ("letters", []),
    ]:
        sessions.words = words
        assert sessions.shown == found, words
    assert "these words" in sessions.nothing()


def test_those_of_other_folders_are_listed_when_asked_and_found_by_their_folder(sessions):
    sessions.everywhere = True
    sessions.records = [ELSEWHERE, TEA, COFFEE]
    sessions.elsewhere = frozenset({ELSEWHERE})
    assert sessions.shown == [ELSEWHERE, TEA, COFFEE]
    sessions.words = "letters"
    assert sessions.shown == [ELSEWHERE]
    assert (
        sessions.facts(ELSEWHERE, NOW)
        == "30 min ago · open in another window, read-only · /w/letters"
    )


def test_what_is_on_the_screen_is_said(sessions):
    assert sessions.facts(COFFEE, NOW) == "30 min ago · open here"
    assert sessions.facts(TEA, NOW) == "30 min ago"


@pytest.mark.parametrize(
    ("ago", "words"),
    [
        (timedelta(seconds=5), "just now"),
        (timedelta(minutes=59), "59 min ago"),
        (timedelta(hours=2), "today 07:30"),
        (timedelta(hours=10), "yesterday 23:30"),
        (timedelta(days=2), "2026-02-28 09:30"),
        (timedelta(hours=-3), "today 12:30"),  # a clock that went backwards
    ],
)
def test_when_it_was(ago, words):
    assert spoken((NOW - ago).astimezone(UTC).isoformat(), NOW) == words


def test_a_time_that_is_none():
    assert spoken("yesterday", NOW) == "at an unknown time"
