"""Requests about the Markdown files of a workspace, and their answers; also the messages exchanged
with the worker.
"""

from typing import Literal, TypeAlias

from dogent_tui.errors import DogentError
from dogent_tui.records import Record

_MARKDOWN = (".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd")
"""The extensions of Markdown files, in lower case; the same as in `documents.kinds`."""

IGNORED_FOLDERS = ("node_modules", "bower_components", "__pycache__", "site-packages", "venv")
"""Folders that do not contain documents. Hidden ones (``.git``) are left out as well."""

MOST_FILES = 500
"""The number of files named in one answer."""
MOST_LINES = 200
"""The number of search results shown, in path order."""
MOST_LINES_OF_FILE = 10
MOST_NODES = 400
"""The number of entries of a tree."""


class MarkdownSearchError(DogentError):
    """Something could not be read or searched. Message and remedy are for the model and the user
    alike.
    """


class Scope(Record):
    """Where to search: below `root`, a real path, except in `without`: folder names, or paths
    relative to the root with a ``/``.
    """

    root: str
    without: tuple[str, ...] = ()


class FindFiles(Record, tag=True):
    """Asks for the Markdown files whose names match `pattern`. See `matching.name_filter`."""

    scope: Scope
    pattern: str = ""
    regex: bool = False


class SearchContent(Record, tag=True):
    """Asks for the matches of `query`, ignoring case, in the Markdown files that match
    `file_pattern`.
    """

    scope: Scope
    query: str
    file_pattern: str = ""
    regex: bool = False


class ListTree(Record, tag=True):
    """Asks for the folders and files of any kind."""

    scope: Scope


Request: TypeAlias = FindFiles | SearchContent | ListTree


class FoundFile(Record):
    """A file. `path` is relative to the root, `size` in bytes, `modified` in UTC, ISO 8601."""

    path: str
    name: str
    size: int
    modified: str


class FoundFiles(Record, tag=True):
    """The first files by path, and their total number."""

    files: tuple[FoundFile, ...]
    count: int


class FoundLine(Record):
    """A matching line. `line` counts from 1; `text` surrounds the first match on it."""

    path: str
    line: int
    text: str


class FoundContent(Record, tag=True):
    """The first matching lines by path and position, and the totals. `skipped` is the number of
    files too large to search.
    """

    lines: tuple[FoundLine, ...]
    matches: int
    files_matched: int
    files_searched: int
    skipped: int = 0


class Node(Record, omit_defaults=True):
    """A file or folder. `more` counts the descendants of the folder that are not among its
    `children`.
    """

    name: str
    path: str
    type: Literal["folder", "file"]
    extension: str = ""
    children: tuple["Node", ...] = ()
    more: int = 0


class FoundTree(Record, tag=True):
    """The content of the root, folders first."""

    children: tuple[Node, ...]
    folders: int
    files: int
    more: int = 0


class Failed(Record, tag=True):
    """The request cannot be answered: the content of the `MarkdownSearchError`."""

    message: str
    remedy: str


Answer: TypeAlias = FoundFiles | FoundContent | FoundTree | Failed


def is_markdown(name: str) -> bool:
    """Return whether a file of this name is a Markdown file."""
    return name.lower().endswith(_MARKDOWN)
