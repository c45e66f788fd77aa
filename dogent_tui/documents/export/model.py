"""What exporting means, for every format: what is asked for, and what came of it."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import msgspec

Progress: TypeAlias = Callable[[str], None]
"""Is told what goes on, a phrase at a time (``Starting the browser``). Called on the event loop."""


def unheard(_what: str) -> None:
    """Progress that nobody wants to hear of."""


class ExportRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A Markdown file, and the file that shall be made of it. All paths are absolute.

    Whether `target` may be replaced is settled before: it is, once the export went well. `root` is the real path of the
    workspace, out of which no image is taken; `home` is the user's folder (``~/.dogent``), for styles. `toc`: a table of
    contents, None for what the front matter says.
    """

    markdown: Path
    target: Path
    root: Path
    home: Path
    toc: bool | None = None


class ExportResult(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was made. Sentences are plain text, made safe to draw.

    `engine` names what made it (``Chromium 150.0``, ``typst 0.15``, ``pandoc 3.9``). `warnings` are what the user should
    know of the look of it, with a remedy; `left_out` what the Markdown has and the file has not, and why. `pages` is 0 where
    nobody counted.
    """

    path: Path
    engine: str
    pages: int = 0
    warnings: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
