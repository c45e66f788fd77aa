"""The messages between the worker process and us: one JSON object per line, decoded by
`msgspec`.
"""

from typing import Any, Literal, TypeAlias

from dogent_tui.documents.model import ReadOptions, Source
from dogent_tui.records import Record

Joint: TypeAlias = Literal["\n\n", "\n", ""]
"""The separator between a piece and the previous one: a new block, the next lines of a block, or
nothing within a line.
"""


class Request(Record):
    """The document to read. The path is bytes: names need not be UTF-8.

    If `passed`, the open file itself is sent along, and the path is only its name.
    """

    path: bytes
    options: ReadOptions
    passed: bool = False


class DocumentOpened(Record, tag="opened"):
    """The document is open. `metadata` and `warnings` may grow until it is read."""

    format: str
    metadata: dict[str, Any]
    warnings: list[str]


class Piece(Record, tag="piece", omit_defaults=True):
    """A block, or a part of a very long one. The document's Markdown is ``joint + text`` of all
    pieces.
    """

    text: str
    source: Source = Source()
    joint: Joint = "\n\n"


class Progress(Record, tag="progress"):
    """See `dogent_tui.documents.model.Report`."""

    done: int
    total: int
    what: str


class Finished(Record, tag="finished"):
    """The document was read completely."""

    metadata: dict[str, Any]
    warnings: list[str]


class Failed(Record, tag="failed"):
    """It cannot be read, or not completely: the parts of a DocumentError."""

    message: str
    remedy: str
    code: str


Message: TypeAlias = DocumentOpened | Piece | Progress | Finished | Failed
