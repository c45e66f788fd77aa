"""What the readers of docx, odt and rtf hand to pandoc."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec


class Prepared(msgspec.Struct):
    """A document prepared for pandoc: its `parts`, which may be an iterator, their `count`, and
    what pandoc does not tell about it. `formulas` is the number that pandoc should find, `inserted`
    the Markdown of what it does not show.
    """

    parts: Iterable[bytes | Path]
    count: int = 1
    metadata: dict[str, Any] = {}
    formulas: int = 0
    inserted: list[str] = []
