"""What is asked about the Markdown files of a workspace, and what is found. These records are
also what the worker speaks.
"""

from typing import Literal, TypeAlias

from dogent_tui.errors import DogentError
from dogent_tui.records import Record

MARKDOWN = (".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd")
"""The endings of a Markdown file, in lower case; the same as `documents.kinds` knows."""

IGNORED_FOLDERS = ("node_modules", "bower_components", "__pycache__", "site-packages", "venv")
"""Folders in which nobody keeps manuscripts. Hidden ones (``.git``) are left out as well."""

MOST_FILES = 500
"""Named in one answer."""
MOST_LINES = 200
"""Shown of all that a search found, in the order of the paths."""
MOST_LINES_OF_FILE = 10
MOST_NODES = 400
"""Of a tree."""


class ManuscriptError(DogentError):
    """Something could not be read or searched. The message and the remedy are for the model and
    the user alike.
    """


class Scope(Record):
    """Where to look: below `root`, a real path, but not in `without`: names of folders, or paths
    from the root with a ``/``.
    """

    root: str
    without: tuple[str, ...] = ()


class FindFiles(Record, tag=True):
    """Which Markdown files have `pattern` in their names. See `matching.name_filter`."""

    scope: Scope
    pattern: str = ""
    regex: bool = False


class SearchContent(Record, tag=True):
    """Where `query` stands in the Markdown files that `file_pattern` lets through, in capitals
    or not.
    """

    scope: Scope
    query: str
    file_pattern: str = ""
    regex: bool = False


class ListTree(Record, tag=True):
    """Which folders and files there are, whatever their kind."""

    scope: Scope


Request: TypeAlias = FindFiles | SearchContent | ListTree


class FoundFile(Record):
    """A file. `path` is relative to the root, `size` in bytes, `modified` in UTC, ISO 8601."""

    path: str
    name: str
    size: int
    modified: str


class FoundFiles(Record, tag=True):
    """The first files by path, and how many there are with the others."""

    files: tuple[FoundFile, ...]
    count: int


class FoundLine(Record):
    """A line with what was searched. `line` counts from 1; `text` is what stands around the
    first match on it.
    """

    path: str
    line: int
    text: str


class FoundContent(Record, tag=True):
    """The first lines by path and place, and what was found in all. `skipped` are files that
    were too large to search.
    """

    lines: tuple[FoundLine, ...]
    matches: int
    files_matched: int
    files_searched: int
    skipped: int = 0


class Node(Record, omit_defaults=True):
    """A file or folder. `more` are those in the folder that are not among its `children`,
    counted with what is in them.
    """

    name: str
    path: str
    type: Literal["folder", "file"]
    extension: str = ""
    children: tuple["Node", ...] = ()
    more: int = 0


class FoundTree(Record, tag=True):
    """What lies in the root, folders first."""

    children: tuple[Node, ...]
    folders: int
    files: int
    more: int = 0


class Failed(Record, tag=True):
    """The request cannot be answered: what the `ManuscriptError` will say."""

    message: str
    remedy: str


Answer: TypeAlias = FoundFiles | FoundContent | FoundTree | Failed


def is_markdown(name: str) -> bool:
    """Tell whether a file of this name is a Markdown file."""
    return name.lower().endswith(MARKDOWN)
