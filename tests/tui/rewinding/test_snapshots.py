"""What the list of prompts and the preview look like."""

from datetime import UTC, datetime

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen

from dogent_tui.storage.paths import Workspace
from dogent_tui.tui.app import DogentApp
from dogent_tui.tui.rewinding.model import Preview, RewindPoint
from dogent_tui.tui.screens.offers import Offer, OffersScreen
from dogent_tui.tui.screens.rewind_preview import RewindPreviewScreen
from dogent_tui.tui.themes import THEMES
from dogent_tui.undo.restoring import plan
from dogent_tui.undo.undo_log import UndoLog

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


def point(run_id: str, text: str, ago_min: int, *changed: str, forgotten: int = 0) -> RewindPoint:
    return RewindPoint(run_id, text, NOW.timestamp() - 60 * ago_min, (run_id,), changed, forgotten)


POINTS = [
    point("c", "Shorten it to one page, and leave the table out [b]", 3),
    point(
        "b",
        "把第二章改写得更简短，并更新目录",
        18,
        "/w/report.md",
        "/w/章节/第二章.md",
        forgotten=1,
    ),
    point(
        "a",
        "Write a report on Sunday opening from @meeting-notes.md and @interview-okafor.txt, with"
        " all that the survey says",
        95,
        *(f"/w/chapter-{number}.md" for number in range(5)),
        forgotten=2,
    ),
]


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


def pressing(*keys: str):
    async def run_before(pilot: Pilot) -> None:
        await pilot.pause()
        await pilot.press(*keys)
        await pilot.pause(0.2)

    return run_before


def listed() -> OffersScreen:
    offers = [Offer(each.title, print, f"\n  {each.facts(NOW, '/w')}") for each in POINTS]
    return OffersScreen("Rewind to before which prompt?", "Find an earlier prompt", offers)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_the_prompts(snap_compare, size):
    screen = listed()
    assert snap_compare(Host(screen), terminal_size=size, run_before=pressing("down"))


@pytest.fixture
def preview(tmp_path) -> RewindPreviewScreen:
    root = tmp_path / "w"
    root.mkdir()
    chapter = "# Second chapter\n\n" + "\n".join(
        f"Sentence {number} of the chapter is unchanged." for number in range(12)
    )
    (root / "report.md").write_text(chapter)
    (root / "mine.md").write_text("then\n")
    (root / "old.bin").write_bytes(b"\0")
    copies = UndoLog.of(Workspace(root), "s")
    copies.begin_run("b")
    places = [root / name for name in ("report.md", "mine.md", "old.bin")]
    kept = copies.keep("x", [*places, root / "章节" / "新的.md"])
    (root / "report.md").write_text(
        chapter.replace("Sentence 4 of the chapter stays", "Sentence 4 was rewritten by the agent")
    )
    (root / "mine.md").write_text("agent\n")
    (root / "old.bin").unlink()
    (root / "章节").mkdir()
    (root / "章节" / "新的.md").write_text("新\n")
    copies.settle(kept.number)
    (root / "mine.md").write_text("mine\n")
    (root / "old.bin").mkdir()
    return RewindPreviewScreen(Preview(POINTS[1], "both", plan(copies, {"b"}), str(root)), copies)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_what_would_happen(snap_compare, preview, size):
    assert snap_compare(Host(preview), terminal_size=size, run_before=pressing("down", "down"))


def test_only_the_conversation(snap_compare, preview):
    screen = RewindPreviewScreen(Preview(POINTS[1], "conversation", [], "/w"), preview._copies)
    assert snap_compare(Host(screen), terminal_size=(80, 24), run_before=pressing())
