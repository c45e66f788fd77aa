"""The tools with which the agent consults the Markdown files of the workspace. Each call gives a
reason, by which the user decides.
"""

from collections.abc import Awaitable, Callable, Iterable
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta

from dogent_tui.markdown_search.markdown_file import MarkdownFile
from dogent_tui.markdown_search.model import (
    FoundContent,
    FoundFiles,
    FoundTree,
    Node,
)
from dogent_tui.records import Json, JsonDict
from dogent_tui.tools.libraries import Libraries
from dogent_tui.tools.server import (
    MOST_CHARS,
    Reason,
    Tool,
    as_json,
    fitting,
    typed_tool,
    with_rows,
)

READ, FIND, SEARCH, TREE = (
    "read_markdown_file",
    "search_markdown_files",
    "search_markdown_content",
    "list_file_tree",
)

_PATTERN = "a part of the name, or a glob such as notes/**/*.md"


class _Read(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    path: str
    offset: Annotated[int, Meta(description="As the part before says.")] = 0
    reason: Reason


class _Find(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    pattern: Annotated[
        str, Meta(description=f"{_PATTERN.capitalize()}, or a regex. Default: all.")
    ] = ""
    regex: bool = False
    reason: Reason


class _Search(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    query: str
    file_pattern: Annotated[str, Meta(description=f"{_PATTERN.capitalize()}.")] = ""
    regex: bool = False
    reason: Reason


class _Tree(msgspec.Struct, forbid_unknown_fields=True):
    reason: Reason


_Input = TypeVar("_Input", _Read, _Find, _Search, _Tree)


def markdown_search_tools(libraries: Libraries) -> Iterable[Tool]:
    """Yield the tools of this module. Their calls require a request in `libraries.requests`."""
    library = libraries.markdown

    async def read(wanted: _Read) -> str:
        return read_text(await library.read(wanted.path), wanted.offset)

    async def find(wanted: _Find) -> str:
        return files_text(await library.find(wanted.pattern, regex=wanted.regex))

    async def search(wanted: _Search) -> str:
        found = await library.search(wanted.query, wanted.file_pattern, regex=wanted.regex)
        return content_text(found)

    async def tree(_: _Tree) -> str:
        return tree_text(await library.tree())

    def tool(
        name: str, description: str, kind: type[_Input], answer: Callable[[_Input], Awaitable[str]]
    ) -> Tool:
        async def call(wanted: _Input, payload: Json) -> str:
            libraries.requests.use(name, payload)
            return await answer(wanted)

        return typed_tool(name, description, kind, call, "Nothing was read")

    yield tool(
        READ, "Read a Markdown file: a line of JSON about it, then its content.", _Read, read
    )
    yield tool(
        FIND,
        "Find Markdown files by name. Hidden and ignored ones are skipped, here and in the other"
        " three.",
        _Find,
        find,
    )
    yield tool(
        SEARCH,
        "Search Markdown files for a text, in any capitals: all matches counted, the first lines of"
        " each file shown.",
        _Search,
        search,
    )
    yield tool(TREE, "List the folders and files of the workspace as a tree.", _Tree, tree)


def read_text(file: MarkdownFile, offset: int = 0) -> str:
    """Return the text for the model: a line of JSON with the facts, and part of the content, from
    `offset` on.
    """
    start = min(max(offset, 0), len(file.content))
    part = file.content[start : start + MOST_CHARS]
    known: JsonDict = {
        "path": file.path,
        "name": file.name,
        "size": file.size,
        "modified": file.modified,
    }
    if len(part) < len(file.content):
        known |= {"characters": len(file.content), "offset": start}
    if start + len(part) < len(file.content):
        known["next_offset"] = start + len(part)
    return f"{as_json(known)}\n\n{part}"


def files_text(found: FoundFiles) -> str:
    """Return the text for the model: JSON, one file per line."""
    rows = fitting(found.files)
    return with_rows({"count": found.count, "more": found.count - len(rows)}, "files", rows)


def content_text(found: FoundContent) -> str:
    """Return the text for the model: JSON, one match per line."""
    rows = fitting(found.lines)
    known: JsonDict = {
        "matches": found.matches,
        "files_matched": found.files_matched,
        "files_searched": found.files_searched,
        "more": max(0, found.matches - len(rows)),
    }
    if found.skipped:
        known["files_unreadable"] = found.skipped
    return with_rows(known, "lines", rows)


def tree_text(found: FoundTree) -> str:
    """Return the text for the model: JSON, one file or folder per line."""
    known = {"folders": found.folders, "files": found.files, "more": found.more}
    return with_rows(known, "children", (_node(node, 1) for node in found.children))


def _node(node: Node, depth: int) -> str:
    own = as_json(msgspec.structs.replace(node, children=()))
    if not node.children:
        return f"{' ' * depth}{own}"
    inside = ",\n".join(_node(child, depth + 1) for child in node.children)
    return f'{" " * depth}{own[:-1]},"children":[\n{inside}]}}'
