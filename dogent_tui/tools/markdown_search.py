"""The tools with which the agent consults the Markdown files of the workspace. Each call gives a
reason, by which the user decides.
"""

from collections.abc import Awaitable, Callable, Iterable
from typing import Annotated, Any, TypeVar

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
from dogent_tui.tools.server import Reason, Tool, typed_tool

READ, FIND, SEARCH, TREE = (
    "read_markdown_file",
    "search_markdown_files",
    "search_markdown_content",
    "list_file_tree",
)

MOST_CHARS = 40_000
"""The length of an answer. The CLI writes results of more than 50,000 characters to a file
(measured).
"""

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


def manuscript_tools(libraries: Libraries) -> Iterable[Tool]:
    """Yield the tools of this module. Their calls require a request in `libraries.requests`."""
    library = libraries.manuscripts

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
    return f"{_json(known)}\n\n{part}"


def files_text(found: FoundFiles) -> str:
    """Return the text for the model: JSON, one file per line."""
    return _listed(
        {"count": found.count, "more": found.count - len(found.files)}, "files", found.files
    )


def content_text(found: FoundContent) -> str:
    """Return the text for the model: JSON, one match per line."""
    known: JsonDict = {
        "matches": found.matches,
        "files_matched": found.files_matched,
        "files_searched": found.files_searched,
        "more": max(0, found.matches - len(found.lines)),
    }
    if found.skipped:
        known["files_unreadable"] = found.skipped
    return _listed(known, "lines", found.lines)


def tree_text(found: FoundTree) -> str:
    """Return the text for the model: JSON, one file or folder per line."""
    known = {"folders": found.folders, "files": found.files, "more": found.more}
    lines = ",\n".join(_node(node, 1) for node in found.children)
    return f'{_json(known)[:-1]},"children":[{lines and chr(10)}{lines}]}}'


def _node(node: Node, depth: int) -> str:
    own = _json(msgspec.structs.replace(node, children=()))
    if not node.children:
        return f"{' ' * depth}{own}"
    inside = ",\n".join(_node(child, depth + 1) for child in node.children)
    return f'{" " * depth}{own[:-1]},"children":[\n{inside}]}}'


def _listed(known: Json, name: str, rows: Iterable[Any]) -> str:
    """Return JSON with one of `rows` per line, as many as fit; the rest is counted in `more`."""
    room, written = MOST_CHARS, []
    left = 0
    for row in rows:
        text = _json(row)
        room -= len(text) + 2
        if room >= 0:
            written.append(text)
        else:
            left += 1
    head = _json({**known, "more": known["more"] + left})
    lines = ",\n".join(written)
    return f'{head[:-1]},"{name}":[{lines and chr(10)}{lines}]}}'


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
