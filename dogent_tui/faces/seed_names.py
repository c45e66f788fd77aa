"""The names of the tools over HTTP: the camelCase ones that pages know for the Markdown tools,
ours for the others.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dogent_tui.agent.tool_names import Kind, tool_kind
from dogent_tui.storage.paths import Workspace
from dogent_tui.tools.server import tool_name

_PAGE_NAMES: Mapping[str, str] = {
    "mcp__dogent__read_markdown_file": "readMarkdownFile",
    "mcp__dogent__search_markdown_files": "searchMarkdownFiles",
    "mcp__dogent__search_markdown_content": "searchMarkdownContent",
    "mcp__dogent__list_file_tree": "listFileTree",
    "mcp__dogent__propose_document_change": "proposeDocumentChange",
}
_ACTIONS: Mapping[str, str] = {
    "Write": "write",
    "LS": "list",
    "mcp__dogent__list_file_tree": "list",
    "mcp__dogent__propose_document_change": "propose",
}
_ACTIONS_OF: Mapping[Kind, str] = {"execute": "run", "think": "use", "other": "use"}
_OWN_NAMES = {page: own for own, page in _PAGE_NAMES.items()}
_PAGE_KEYS = {"path": "filePath", "file_pattern": "filePattern", "new_content": "newContent"}
_OWN_KEYS = {page: own for own, page in _PAGE_KEYS.items()}


def page_name(tool: str) -> str:
    """Return the name of a tool for a page: ``readMarkdownFile``, ``read_document``, ``Bash``."""
    return _PAGE_NAMES.get(tool, tool.removeprefix("mcp__dogent__"))


def page_action(tool: str) -> str:
    """Return what a tool does, in a word for pages: ``read``, ``search``, ``run``."""
    kind = tool_kind(tool)
    return _ACTIONS.get(tool) or _ACTIONS_OF.get(kind, kind)


def page_input(tool: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the input of a call as a page knows it. `proposeDocumentChange` keeps `path`, as
    its design has it.
    """
    if tool not in _PAGE_NAMES:
        return dict(values)
    kept = ("path",) if tool.endswith("propose_document_change") else ()
    return {
        key if key in kept else _PAGE_KEYS.get(key, key): value for key, value in values.items()
    }


def own_call(
    name: str, values: Mapping[str, Any], workspace: Workspace
) -> tuple[str, dict[str, Any]]:
    """Return tool and input of a call that a page names in either way, such that equal calls
    compare equal.

    Paths are relative to the workspace where they lie inside it.
    """
    tool = _OWN_NAMES.get(name, name)
    if tool == name and not name.startswith("mcp__") and name[:1].islower():
        tool = tool_name(name)
    made = {_OWN_KEYS.get(key, key): value for key, value in values.items() if value is not None}
    if isinstance(made.get("path"), str):
        made["path"] = workspace.relative(workspace.absolute(str(Path(made["path"]))))
    return tool, made
