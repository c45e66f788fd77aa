"""Makes the pictures of the themes, `styles/themes/*.png`: a first page each, as the browser prints
it, small enough for a terminal.

Run it after a theme changed: ``python -m tests.sample.make_theme_pictures``.
"""

import asyncio
import tempfile
from pathlib import Path

import pymupdf
from PIL import Image

from dogent_tui.documents.export.model import ExportRequest
from dogent_tui.documents.export.themes import theme_names
from dogent_tui.documents.exporter import Exporter

WIDTH, HEIGHT = 24, 34
STYLES = Path(__file__).parents[2] / "styles" / "themes"
TEXT = """---
title: A river and its readers
subtitle: What the gauges saw in a year
author: [Ada Okafor, 12 Mill Lane, Larkrise]
to: [Jonas Weber, 3 High Street, Larkrise]
date: 23 November 2026
toc: false
---

{words} {words}

# What was measured

{words} {words}

| Year | Level | Flood |
| --- | --- | --- |
| 2025 | 2.1 m | none |
| 2026 | 2.4 m | one |

## How

{words} {words}
""".format(
    words="Fifteen rivers were measured every quarter of an hour, and nobody read them. " * 3
)


async def make(folder: Path) -> None:
    """Make one of each theme."""
    source = folder / "page.md"
    source.write_text(TEXT, "utf-8")
    async with Exporter() as exporter:
        for name in theme_names():
            target = folder / f"{name}.pdf"
            request = ExportRequest(
                kind="pdf", markdown=source, target=target, root=folder, home=folder, theme=name
            )
            await exporter.export(request)
            with pymupdf.open(target) as document:
                drawn = document[0].get_pixmap(dpi=100)
            image = Image.frombytes("RGB", (drawn.width, drawn.height), drawn.samples)
            small = image.resize((WIDTH, HEIGHT), Image.Resampling.BOX)
            darker = small.point(lambda value: max(0, 250 - (255 - value) * 2))
            darker.save(STYLES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        asyncio.run(make(Path(place)))
