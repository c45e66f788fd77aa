"""What the readers of docx, odt and rtf hand to pandoc."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

_MOST_REMARKS, _LONGEST_REMARK = 100, 300


def told_comments(texts: Sequence[str]) -> dict[str, Any]:
    """Return the metadata of a document with comments of these `texts`, each after its author."""
    told = [text[:_LONGEST_REMARK] for text in texts[:_MOST_REMARKS]]
    return {"comments": len(texts), "comment_texts": told} if texts else {}


class Prepared(msgspec.Struct):
    """A document prepared for pandoc: its `parts`, which may be an iterator, their `count`, and
    what pandoc does not tell about it. `formulas` is the number that pandoc should find, `inserted`
    the Markdown of what it does not show, `rows` the shapes of the cells of an rtf.
    """

    parts: Iterable[bytes | Path]
    count: int = 1
    metadata: dict[str, Any] = {}
    formulas: int = 0
    inserted: list[str] = []
    rows: list[Any] = []
