"""An application with nothing but the review."""

from pathlib import Path

from dogent_tui.changes.reviewed import Reviewed
from dogent_tui.sources.quotes.marks import CheckedDraft
from dogent_tui.storage.paths import Workspace
from dogent_tui.tui.app import DogentApp
from dogent_tui.tui.prompt.completion import Completions
from dogent_tui.tui.screens.review import ReviewScreen, ReviewTask
from dogent_tui.tui.textual_fixes.keys_in_turn import KeysInTurn
from dogent_tui.tui.themes import THEMES
from dogent_tui.undo.undo_log import UndoLog

BASE = """# Report on tea 茶

The house serves tea and coffee. It has done so since 1998. See [b]the notes[/b].

## 市场与客户

今天来的客人大多喝绿茶，也有人喝咖啡。下午下雨了，客人不多。

Guests like it.

## Method

Two visits a week, counted by hand.

- one visit on Monday
- one visit on Friday

An old paragraph that nobody needs.

## Results

Tea rose.
"""

NEW = (
    BASE.replace("since 1998. See", "since the spring of 1998. See")
    .replace("大多喝绿茶，也有人喝咖啡", "几乎都喝绿茶，很少有人喝咖啡")
    .replace("counted by hand", "counted by hand and checked twice")
    .replace("An old paragraph that nobody needs.\n\n", "")
    .replace(
        "Tea rose.\n", "Tea rose by a third, and coffee fell.\n\n## Sources\n\nOur own books.\n"
    )
)


class ReviewHost(KeysInTurn):
    """Opens the review of `new` for a file that holds `base`, and keeps what came of it in
    `results`.
    """

    CSS_PATH = DogentApp.CSS_PATH
    check_action = DogentApp.check_action

    def __init__(
        self,
        folder: Path,
        base: str | None = BASE,
        new: str = NEW,
        checked: CheckedDraft | None = None,
        completions: Completions | None = None,
    ) -> None:
        super().__init__()
        self.workspace = Workspace(folder)
        self.path = self.workspace.root / "tea.md"
        if base is not None:
            self.path.write_bytes(base.encode())
        self.copies = UndoLog.of(self.workspace, "session")
        reviewed = Reviewed.open(
            self.workspace, "tea.md", new, "Tightened the report and added the sources."
        )
        self.drafts: list = []
        self.review = ReviewScreen(
            ReviewTask(
                reviewed,
                self.copies,
                on_draft=self.drafts.append,
                checked=checked,
                completions=completions,
            )
        )
        self.results: list = []

    def on_mount(self) -> None:
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = THEMES[0].name
        self.push_screen(self.review, self.results.append)
