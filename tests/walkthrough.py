"""Makes the pictures of docs/outline: `python -m tests.walkthrough docs/outline`.

The real editor on an outline as an agent proposes it; each picture is the application's own SVG.
"""

import asyncio
import sys
from pathlib import Path

from dogent_tui.tui.screens.outline import OutlineTask
from tests.tui.outline.host import PROPOSAL, OutlineHost

FRAMES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("proposal", "The agent proposes an outline. `a` accepts it as it is.", ()),
    (
        "title",
        "Enter edits a title in its place; Enter again adds the next heading.",
        ("down", *["down"] * 3, "enter", *" and data"),
    ),
    (
        "added",
        "A new heading. Tab puts it, and all that belongs to it, below the one before.",
        ("enter", *"Counting", "tab", "escape"),
    ),
    (
        "moved",
        "Alt+↑ and Alt+↓ move a section; numbers follow. What was changed is marked.",
        ("down", "alt+up", "alt+up"),
    ),
    ("note", "`n` says what a section should say.", ("n", *"Set against last year.")),
    ("length", "`w` sets a target length.", ("escape", "w", *"400")),
    ("markdown", "Ctrl+T shows the Markdown, and takes it back.", ("enter", "ctrl+t")),
    (
        "comment",
        "`c` sends the outline, the changes and a comment; Ctrl+S sends it without.",
        ("ctrl+t", "c", *"Keep it short."),
    ),
)
"""Name, caption, and the keys that lead there from the picture before."""


async def walk(folder: Path) -> None:
    """Write the pictures, and the page that shows them."""
    app = OutlineHost(
        OutlineTask(PROPOSAL.title, PROPOSAL.proposal, PROPOSAL.preface, save_as=PROPOSAL.save_as)
    )
    app.title = "dogent-tui"
    page = [
        (
            "# The outline editor, step by step\n\nMade by `python -m tests.walkthrough"
            " docs/outline`.\n"
        )
    ]
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.pause(0.3)
        for number, (name, caption, keys) in enumerate(FRAMES, 1):
            await pilot.press(*keys)
            await pilot.pause(0.4)
            (folder / f"{number}-{name}.svg").write_text(app.export_screenshot(), encoding="utf-8")
            page.append(f"{number}. {caption}\n\n   ![{name}]({number}-{name}.svg)\n")
    (folder / "README.md").write_text("\n".join(page), encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(walk(Path(sys.argv[1])))
