"""The review of a change of a manuscript of 1 MB: the time until it is open, and from a key until
the screen is drawn again.
"""

import tempfile
from pathlib import Path

from dogent_tui.changes.reviewed import Reviewed
from dogent_tui.storage.paths import Workspace
from dogent_tui.tui.screens.review import ReviewScreen, ReviewTask
from tests.benchmarks.keyed import KEY_MS, ROUNDS, KeyedApp, run
from tests.benchmarks.table import Row

BYTES = 1_000_000
CHANGES = 300
OPEN_MS = 200.0

KEYS = {
    "next hunk": ("down",),
    "accept": ("a",),
    "reject": ("r",),
    "accept all, reject all": ("A", "R"),
    "one beside the other": ("v",),
    "preview": ("p",),
    "comment": ("c", "escape"),
    "edit": ("e", "ctrl+x"),
}


def manuscript() -> tuple[str, str]:
    """Return a manuscript of so many bytes, under headings, in two scripts, and the same with so
    many paragraphs revised.
    """
    paragraphs = ["# The book 书"]
    size = 0
    while size < BYTES:
        number = len(paragraphs)
        if number % 20 == 0:
            paragraphs.append(f"## Chapter {number // 20} 第{number // 20}章")
        made = (
            f"In the year {1000 + number} the harbor was still open. 那时候港口还开着，"
            f"船{number}来来往往。 " * 6
        )
        paragraphs.append(made.strip())
        size += len(made.encode())
    step = len(paragraphs) // CHANGES
    revised = [
        (
            text.replace("was still open", "had been closed", 2).replace("来来往往", "都停了", 1)
            if number % step == 0
            else text
        )
        for number, text in enumerate(paragraphs)
    ]
    return "\n\n".join(paragraphs) + "\n", "\n\n".join(revised) + "\n"


class BenchApp(KeyedApp):
    def __init__(self, workspace: Workspace, proposal: str) -> None:
        super().__init__(KEYS)
        self._workspace = workspace
        self._proposal = proposal

    def made(self) -> ReviewScreen:
        return ReviewScreen(
            ReviewTask(Reviewed.open(self._workspace, "book.md", self._proposal, "Another harbor"))
        )


def measure() -> list[Row]:
    """Measure opening, and each kind of key."""
    base, proposal = manuscript()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "book.md").write_text(base, encoding="utf-8")
        app = BenchApp(Workspace(Path(folder)), proposal)
        results = run(app)
    rows = [
        Row(
            f"{name}, median of {ROUNDS} or more, 1 MB, {CHANGES} changes",
            results[name],
            "ms",
            KEY_MS,
        )
        for name in KEYS
    ]
    return [Row(f"opening, 1 MB, {CHANGES} changes", results["open"], "ms", OPEN_MS), *rows]
