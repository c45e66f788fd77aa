"""The records of reading documents, for every kind: options, blocks with their sources, and
errors.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from dogent_tui.errors import DogentError, disk_remedy
from dogent_tui.language import tr
from dogent_tui.records import Record


class DocumentError(DogentError):
    """A document cannot be read or written. The message is a sentence for both the user and the
    model.

    `code` is for programs: `not_found`, `unsupported`, `encrypted`, `damaged`, `scanned`,
    `too_large`, `no_sheet`, `no_page`, `hostile`, `timeout`, `engine_missing`, `failed`.
    """


def encrypted(name: str) -> DocumentError:
    """Return the error for a document `name` that requires a password."""
    return DocumentError(
        tr("{name} is protected with a password.", name=name),
        tr("Save a copy without a password and open that."),
        code="encrypted",
    )


def unreadable(path: Path, error: OSError) -> DocumentError:
    """Return the error for a document that cannot be read from disk."""
    reason = error.strerror or type(error).__name__
    return DocumentError(
        tr("{path} cannot be read: {strerror}.", path=path.name, strerror=reason),
        disk_remedy(error),
        code="not_found" if isinstance(error, FileNotFoundError) else "failed",
    )


def damaged(message: str) -> DocumentError:
    """Return `message` as the error for a document that violates its format."""
    remedy = tr("Open it in the program that created it and save it again.")
    return DocumentError(message, remedy, code="damaged")


def hostile(message: str) -> DocumentError:
    """Return `message` as the error for a document that is dangerous to open."""
    remedy = tr("It was not opened; accept it only from someone you trust.")
    return DocumentError(message, remedy, code="hostile")


class Source(Record, omit_defaults=True):
    """The position of a block in its document; inapplicable fields are empty.

    `page` counts from 1. `cells` is a spreadsheet range (``A1:D20``). `headings` are the titles
    above the block, outermost first. `line` counts from 1, in a text file.
    """

    page: int = 0
    sheet: str = ""
    cells: str = ""
    headings: tuple[str, ...] = ()
    line: int = 0


class Block(Record):
    """A piece of Markdown that is cut only if it alone exceeds the requested size: a paragraph, a
    list, rows of a table.

    Blocks are joined with a blank line, or with a single newline if `tight`: the block continues
    the previous one (later rows of a table that is too long for one block).
    """

    markdown: str
    source: Source = Source()
    tight: bool = False


Changes: TypeAlias = Literal["accept", "reject", "all"]
"""How to treat tracked changes: as if accepted, as if rejected, or shown and marked."""


class WebPage(Record):
    """Marks a file as a web page whose article is wanted. `plain`: all of its text will do."""

    url: str
    plain: bool = False


class ReadOptions(Record):
    """What is wanted of a document. Together with the file's size and time, these identify a
    conversion.

    Attributes:
        sheet: A name, empty for the first sheet, optionally with a range of its cells after a
            ``!``.
        rows: Rows of a sheet or a table: ``100-250``; empty for all.
        pages: ``3-7,12``; empty for all.
        encoding: The encoding of a text, empty to detect it.
        images_dir: An existing, absolute folder for the document's images, None to only name them.
        page: Set if the file is a web page.
    """

    sheet: str = ""
    pages: str = ""
    rows: str = ""
    encoding: str = ""
    changes: Changes = "accept"
    images_dir: str | None = None
    page: WebPage | None = None


class Opened(msgspec.Struct):
    """A document being read: what is known at once, and its blocks as they are produced.

    `metadata` contains JSON values (``format``, ``title``, ``pages``, ``sheets``, …). It may grow
    until `blocks` ends, as may `warnings`, which are sentences about what could not be carried
    over.
    """

    format: str
    metadata: dict[str, Any]
    blocks: Iterator[Block]
    warnings: list[str] = []


Report: TypeAlias = Callable[[int, int, str], None]
"""Reports the progress of a conversion: done, total (0: unknown), unit (``pages``, ``rows``)."""

Reader: TypeAlias = Callable[[Path, ReadOptions, Report], Opened]
"""Opens one kind of document. Runs in the worker process, so it may block and only needs cheap
safety checks. Raises DocumentError, here or while the blocks are consumed; imports its libraries
inside the function.
"""
