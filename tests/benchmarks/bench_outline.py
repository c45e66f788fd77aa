"""The outline editor at 2,000 headings: the time from a key until the screen is drawn again."""

from dogent_tui.tui.screens.outline import OutlineScreen, OutlineTask
from tests.benchmarks.keyed import KEY_MS, ROUNDS, KeyedApp, run
from tests.benchmarks.table import Row

HEADINGS = 2_000
NOTE = (
    "What this section should say, in a sentence or two, with a figure or a name that the sources"
    " hold.\n"
)

KEYS = {
    "down": ("down",),
    "page": ("pagedown", "pageup"),
    "move": ("alt+down", "alt+up"),
    "demote": ("tab", "shift+tab"),
    "fold": ("space", "space"),
    "duplicate and undo": ("ctrl+d", "ctrl+z"),
    "select": ("shift+down",),
}


def outline() -> str:
    """Return an outline of so many headings, at three levels, numbered, with notes."""
    lines = ["# The whole\n"]
    for number in range(HEADINGS - 1):
        chapter, rest = divmod(number, 20)
        section, part = divmod(rest, 5)
        if rest == 0:
            lines.append(f"\n## {chapter + 1}. A chapter of the book 第{chapter + 1}章\n\n{NOTE}")
        elif part == 0:
            lines.append(f"\n### Section {section}\n\n{NOTE}")
        else:
            lines.append(f"\n#### Part {part} (300 words)\n\n{NOTE}")
    return "".join(lines)


class BenchApp(KeyedApp):
    def made(self) -> OutlineScreen:
        return OutlineScreen(OutlineTask("Bench", outline()))


def measure() -> list[Row]:
    """Measure each kind of key."""
    results = run(BenchApp(KEYS))
    rows = [
        Row(
            f"{name}, median of {ROUNDS} or more, {HEADINGS:,} headings",
            results[name],
            "ms",
            KEY_MS,
        )
        for name in KEYS
    ]
    return [*rows, Row(f"opening, {HEADINGS:,} headings", results["open"], "ms", 1_000)]
