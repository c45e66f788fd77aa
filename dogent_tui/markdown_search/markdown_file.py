"""Reads one Markdown file of a workspace; its path is checked at the time of reading, not when the
user was asked.
"""

import os
import stat
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from dogent_tui.documents.text.charset import encoding_of
from dogent_tui.errors import disk_remedy
from dogent_tui.language import tr
from dogent_tui.markdown_search.model import MarkdownSearchError, is_markdown
from dogent_tui.storage.paths import Workspace
from dogent_tui.storage.places import open_real

LARGEST = 16 << 20
"""The maximum number of bytes read of a file."""


class MarkdownFile(msgspec.Struct, frozen=True):
    """A file as read. `path` is relative to the workspace, `size` in bytes, `modified` in UTC, ISO
    8601.
    """

    path: str
    name: str
    content: str
    size: int
    modified: str


def read_markdown(workspace: Workspace, typed: str, private: Sequence[Path] = ()) -> MarkdownFile:
    """Return the Markdown file that `typed` names; files of other types or in the `private` folders
    are refused. Blocks.

    Raises MarkdownSearchError.
    """
    path = _place(workspace, typed, private)
    inside = path.relative_to(workspace.root).as_posix()
    try:
        with os.fdopen(open_real(path), "rb") as file:
            found = os.fstat(file.fileno())
            if stat.S_ISREG(found.st_mode) and found.st_size <= LARGEST:
                encoding = encoding_of(file)
                file.seek(0)
                data = file.read(LARGEST + 1)
    except OSError as error:
        raise _unreadable(inside, error) from None
    if not stat.S_ISREG(found.st_mode):
        raise MarkdownSearchError(
            tr("{inside} is not a file.", inside=inside),
            tr("Specify a Markdown file; list_file_tree lists them."),
        )
    if found.st_size > LARGEST:
        raise MarkdownSearchError(
            tr("{inside} exceeds {size} MB.", inside=inside, size=LARGEST >> 20),
            tr("Search it with search_markdown_content instead."),
        )
    if not encoding:
        raise MarkdownSearchError(
            tr("{inside} is not text.", inside=inside),
            tr("It is a Markdown file in name only."),
        )
    content = data.decode(encoding, errors="replace").removeprefix("\ufeff")
    return MarkdownFile(inside, path.name, content, found.st_size, when(found.st_mtime))


def when(seconds: float) -> str:
    """Return a file time in UTC, ISO 8601."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    except (OverflowError, ValueError, OSError):  # written by a broken clock
        return ""


def _place(workspace: Workspace, typed: str, private: Sequence[Path]) -> Path:
    """Return the real path of `typed` within the workspace. Raises MarkdownSearchError."""
    try:
        path = Path(os.path.realpath(workspace.absolute(typed.removeprefix("file://"))))
    except (ValueError, OSError):  # a zero byte, or a name that is too long
        raise MarkdownSearchError(
            tr("This path can't be a file."), tr("Specify a Markdown file in the workspace.")
        ) from None
    if not path.is_relative_to(workspace.root) or any(
        path.is_relative_to(os.path.realpath(folder)) for folder in private
    ):
        raise MarkdownSearchError(
            tr("{typed} is outside the workspace.", typed=typed),
            tr("Only Markdown files in the workspace are read."),
        )
    if not is_markdown(path.name):
        raise MarkdownSearchError(
            tr("{path} is not a Markdown file.", path=path.name),
            tr("Use read_document for other documents."),
        )
    return path


def _unreadable(inside: str, error: OSError) -> MarkdownSearchError:
    if isinstance(error, FileNotFoundError):
        return MarkdownSearchError(
            tr("There is no file {inside}.", inside=inside),
            tr("search_markdown_files finds files by name."),
        )
    return MarkdownSearchError(
        tr("{inside} cannot be read: {strerror}.", inside=inside, strerror=error.strerror or error),
        disk_remedy(error),
    )
