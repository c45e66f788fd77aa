"""What the worker process and we say to each other: one JSON object a line, read by `msgspec`."""

from typing import Any, Literal, TypeAlias

import msgspec

from dogent_tui.documents.model import ReadOptions, Source

Joint: TypeAlias = Literal["\n\n", "\n", ""]
"""What stands between a piece and the one before it: a new block, the next lines of a block, or
nothing: one line continues.
"""


class Request(msgspec.Struct, frozen=True):
    """Which document is to be read. The path is bytes: names need not be UTF-8.

    The file itself comes along, open, where `passed`: then the path is only its name.
    """

    path: bytes
    options: ReadOptions
    passed: bool = False


class Began(msgspec.Struct, frozen=True, tag="began"):
    """The document is open. `metadata` and `warnings` may grow until it is read."""

    format: str
    metadata: dict[str, Any]
    warnings: list[str]


class Piece(msgspec.Struct, frozen=True, tag="piece", omit_defaults=True):
    """A block, or a part of one that is very long. The document's Markdown is ``joint + text``
    of all pieces.
    """

    text: str
    source: Source = Source()
    joint: Joint = "\n\n"


class Progress(msgspec.Struct, frozen=True, tag="progress"):
    """See `dogent_tui.documents.model.Report`."""

    done: int
    total: int
    what: str


class Finished(msgspec.Struct, frozen=True, tag="finished"):
    """All was read."""

    metadata: dict[str, Any]
    warnings: list[str]


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """It cannot be read, or not to its end: a DocumentError in parts."""

    message: str
    remedy: str
    code: str


Message: TypeAlias = Began | Piece | Progress | Finished | Failed
