"""What reading a document means, for every kind of document: options, blocks with their sources,
and what can go wrong.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from dogent_tui.errors import DogentError, disk_remedy
from dogent_tui.language import tr


class DocumentError(DogentError):
    """A document cannot be read or written. The message is a sentence for the user and for the
    model alike.

    `code` names the case for programs: `not_found`, `unsupported`, `encrypted`, `damaged`,
    `scanned`, `too_large`, `no_sheet`, `no_page`, `hostile`, `timeout`, `engine_missing`, `failed`.
    """

    def __init__(self, message: str, remedy: str = "", *, code: str = "failed") -> None:
        super().__init__(message, remedy)
        self.code = code


def encrypted(name: str) -> DocumentError:
    """Return what there is to say about the document `name`, which asks for a password."""
    return DocumentError(
        tr("{name} is protected with a password.").format(name=name),
        tr("Save a copy without a password and open that."),
        code="encrypted",
    )


def unreadable(path: Path, error: OSError) -> DocumentError:
    """Return what there is to say about a document that the disk does not give."""
    reason = error.strerror or type(error).__name__
    return DocumentError(
        tr("{path} cannot be read: {strerror}.").format(path=path.name, strerror=reason),
        disk_remedy(error),
        code="not_found" if isinstance(error, FileNotFoundError) else "failed",
    )


def damaged(message: str) -> DocumentError:
    """Return `message` as an error: a document that is not what its format asks for."""
    remedy = tr("Open it in the program that created it and save it again.")
    return DocumentError(message, remedy, code="damaged")


def hostile(message: str) -> DocumentError:
    """Return `message` as an error: a document that would hurt whoever opens it."""
    remedy = tr("It was not opened; accept it only from someone you trust.")
    return DocumentError(message, remedy, code="hostile")


class Source(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a block stands in its document; what does not apply is empty.

    `page` counts from 1. `cells` is a range as a spreadsheet writes it (``A1:D20``). `headings` is
    the path of the titles above the block, outermost first. `line` counts from 1, in a text file.
    """

    page: int = 0
    sheet: str = ""
    cells: str = ""
    headings: tuple[str, ...] = ()
    line: int = 0


class Block(msgspec.Struct, frozen=True):
    """A piece of Markdown that is cut only where it alone is longer than what is asked for: a
    paragraph, a list, rows of a table.

    Blocks are joined with a blank line, or with a single newline where `tight` says that the block
    continues the one before it (the later rows of a table that is too long for one block).
    """

    markdown: str
    source: Source = Source()
    tight: bool = False


Changes: TypeAlias = Literal["accept", "reject", "all"]
"""What becomes of tracked changes: taken as if accepted, as if rejected, or all shown and
marked.
"""


class WebPage(msgspec.Struct, frozen=True):
    """That a file is a page of the web, of which the article is wanted. `plain`: all of its text
    will do.
    """

    url: str
    plain: bool = False


class ReadOptions(msgspec.Struct, frozen=True):
    """What of a document is wanted. These, with the file's size and time, are what a conversion is
    remembered by.

    `sheet`: a name, empty for the first one, with a range of its cells behind a ``!`` where only
    that is wanted. `rows` of a sheet or a table: ``100-250``; `pages`: ``3-7,12``; empty for all.
    `encoding` of a text, empty where it is to be told. `images_dir`: where the images of the
    document are to be written, None to name them only; an existing, absolute folder. `page`: that
    the file is one of the web.
    """

    sheet: str = ""
    pages: str = ""
    rows: str = ""
    encoding: str = ""
    changes: Changes = "accept"
    images_dir: str | None = None
    page: WebPage | None = None


class Opened(msgspec.Struct):
    """A document that is being read: what is known of it at once, and its blocks as they are made.

    `metadata` holds JSON values (``format``, ``title``, ``pages``, ``sheets``, …). It may grow
    until `blocks` ends, as may `warnings`, which are sentences about what could not be carried
    over.
    """

    format: str
    metadata: dict[str, Any]
    blocks: Iterator[Block]
    warnings: list[str] = msgspec.field(default_factory=list)


Report: TypeAlias = Callable[[int, int, str], None]
"""Tells how far a conversion is: done, of how many (0: not known), of what (``pages``,
``rows``).
"""

Reader: TypeAlias = Callable[[Path, ReadOptions, Report], Opened]
"""Opens one kind of document. Runs in the worker process, so it may block, and need not be safe
against what it reads beyond what it can tell cheaply. Raises DocumentError, here or while the
blocks are taken; its imports of libraries are inside it.
"""
