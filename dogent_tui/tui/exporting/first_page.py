"""The themes of exported documents, each with a picture of a first page that ships with it, drawn
in half blocks, two pixels per cell.
"""

from typing import Any

from textual.app import App
from textual.content import Content

from dogent_tui.documents.export.themes import theme_names
from dogent_tui.language import tr
from dogent_tui.storage.paths import shipped
from dogent_tui.tui.screens.choice import choose

THEMES = {
    "article": tr("article · the title over the text"),
    "report": tr("report · cover, contents, numbers"),
    "letter": tr("letter · sender, recipient, subject"),
    "manuscript": tr("manuscript · double-spaced, for an editor"),
    "minutes": tr("minutes · compact, numbered items"),
}
"""A short description of each theme."""


async def choose_theme(app: App[Any]) -> str | None:
    """Let the user choose a theme, and return its name, None if cancelled. Must not be awaited in a
    message handler.
    """
    names = theme_names()
    chosen = await choose(
        app,
        tr("Which theme should the document have?"),
        "",
        [THEMES[name] for name in names],
        pictures=[first_page(name) for name in names],
    )
    return None if chosen is None else names[chosen]


def first_page(name: str) -> Content:
    """Return the picture of the theme `name`. Blocks for a few milliseconds."""
    from PIL import Image  # on use

    with Image.open(shipped(f"themes/{name}.png")) as file:
        width, height, pixels = file.width, file.height, file.convert("RGB").tobytes()

    def color(x: int, y: int) -> str:
        at = 3 * (y * width + x)
        return f"#{pixels[at : at + 3].hex()}"

    return Content("\n").join(
        Content("").join(
            Content.styled("▀", f"{color(x, y)} on {color(x, y + 1)}") for x in range(width)
        )
        for y in range(0, height - 1, 2)
    )
