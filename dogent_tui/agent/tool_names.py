"""The display names of tools, and one-line summaries of their inputs and results."""

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, Literal, TypeAlias

from dogent_tui.language import ngettext, tr
from dogent_tui.plain import one_line

Kind: TypeAlias = Literal["read", "search", "fetch", "edit", "execute", "think", "other"]
"""The kinds of tools in the Agent Client Protocol."""
_TOOLS: Mapping[str, tuple[Kind, str]] = {
    "analyze_media": ("read", tr("Analyze media")),
    "check_quotes": ("read", tr("Check quotes")),
    "Bash": ("execute", tr("Run")),
    "Glob": ("search", tr("Find files")),
    "Grep": ("search", tr("Search text")),
    "MultiEdit": ("edit", tr("Edit")),
    "list_file_tree": ("search", tr("List files")),
    "export_document": ("edit", tr("Export document")),
    "propose_document_change": ("edit", tr("Propose change")),
    "Edit": ("edit", tr("Edit")),
    "Read": ("read", tr("Read")),
    "Write": ("edit", tr("Write")),
    "read_document": ("read", tr("Read document")),
    "read_markdown_file": ("read", tr("Read Markdown")),
    "search_markdown_content": ("search", tr("Search Markdown")),
    "search_markdown_files": ("search", tr("Find Markdown files")),
    "plan": ("think", tr("Plan")),
    "TodoWrite": ("think", tr("Plan")),
    "WebFetch": ("fetch", tr("Fetch page")),
    "WebSearch": ("fetch", tr("Search web")),
    "web_fetch": ("fetch", tr("Fetch page")),
    "web_search": ("fetch", tr("Search web")),
    "ui_request": ("other", tr("Ask you")),
}

# The most informative field of a tool's input, in order of preference.
_PATHS = ("file_path", "path", "notebook_path", "md_path")
_TELLING = (*_PATHS, "command", "query", "pattern", "url", "host", "description", "title", "reason")
_LIMIT = 200
_REVIEWED = re.compile(r"The user reviewed your change: (?P<outcome>[^\n]*)\.")
"""The beginning of the outcome of a review (`dogent_tui.changes.outcome`)."""
_WRITTEN = re.compile(r"(?P<taken>\d+) of (?P<count>\d+) hunks? written to (?P<name>.+)")
_NOT_WRITTEN = re.compile(r"nothing was written to (?P<name>.+)")
_COUNTED = re.compile(r'\{"(?:matches|count)":(\d+)')
"""The beginning of the answer of a workspace search."""
_SEARCH_RESULT = re.compile(r"^\{\"title\"", re.MULTILINE)
"""One result per line (`dogent_tui.tools.web.search_json`)."""


def friendly_name(name: str) -> str:
    """Return the display name of the tool `name`: ``mcp__dogent__read_document`` gives ``Read
    document``.
    """
    server, _, own = (
        name.removeprefix("mcp__").rpartition("__") if name.startswith("mcp__") else ("", "", name)
    )
    if own in _TOOLS and server in ("", "dogent"):
        return _TOOLS[own][1]
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", own).replace("_", " ").replace("-", " ")
    words = one_line(words)
    words = (words[:1].upper() + words[1:].lower())[:40] if words else tr("Tool")
    return words if server in ("", "dogent") else f"{words} · {one_line(server)[:20]}"


def tool_kind(name: str) -> Kind:
    """Return the kind of the tool `name`."""
    return _TOOLS.get(name.removeprefix("mcp__dogent__"), ("other", ""))[0]


def path_in(tool_input: Mapping[str, Any]) -> str:
    """Return the path that a call is about, "" for none."""
    return next((tool_input[key] for key in _PATHS if isinstance(tool_input.get(key), str)), "")


def input_summary(tool_input: Mapping[str, Any], cwd: str = "") -> str:
    """Return the subject of a call on one line: its path (relative to `cwd` if inside), command,
    pattern, ….

    Empty if no field is informative.
    """
    for key in _TELLING:
        value = tool_input.get(key)
        if isinstance(value, str) and value.strip():
            text = value if key not in _PATHS else relative(value, cwd)
            if key == "path" and isinstance(pattern := tool_input.get("pattern"), str):
                text = tr("{pattern} in {text}", pattern=pattern, text=text)
            return one_line(text[:_LIMIT])
    return ""


def call_words(name: str, tool_input: Mapping[str, Any], cwd: str = "") -> str:
    """Return a call in words: the display name of its tool, and its subject."""
    return f"{friendly_name(name)} {input_summary(tool_input, cwd)}".rstrip()


def result_summary(name: str, result: str) -> str:
    """Return the result of a call in a few words, empty if the size of the result says as much."""
    match name:
        case "mcp__dogent__web_search":
            return _results(len(_SEARCH_RESULT.findall(result)))
        case "mcp__dogent__search_markdown_content" | "mcp__dogent__search_markdown_files":
            found = _COUNTED.match(result)
            return _results(int(found[1])) if found is not None else ""
        case "mcp__dogent__web_fetch":
            head = result.partition("\n\n")[0].splitlines()
            told = next(
                (line for line in head if line.startswith(("Saved an image: ", "Characters "))), ""
            )
            return one_line(told[:1].lower() + told[1:_LIMIT])
    return ""


def _results(found: int) -> str:
    return (
        tr("1 result")
        if found == 1
        else tr("{found} results", found=found)
        if found
        else tr("no results")
    )


def review_summary(result: str) -> str:
    """Return the result of a reviewed change, ``1 of 2 hunks written to tea.md``; empty if it was
    not reviewed.
    """
    found = _REVIEWED.match(result)
    return one_line(found["outcome"]) if found is not None else ""


def review_words(result: str) -> str:
    """Return `review_summary` in the language of the interface: what the agent is told is not
    translated.
    """
    outcome = review_summary(result)
    if found := _WRITTEN.fullmatch(outcome):
        words = ngettext(
            "{taken} of {count} hunk written to {name}",
            "{taken} of {count} hunks written to {name}",
            int(found["count"]),
        )
        return words.format(**found.groupdict())
    if found := _NOT_WRITTEN.fullmatch(outcome):
        return tr("nothing was written to {name}", name=found["name"])
    return outcome


def relative(path: str, cwd: str) -> str:
    """Return `path` relative to the folder `cwd`, unchanged if it is outside."""
    if cwd and PurePath(path).is_absolute() and PurePath(path).is_relative_to(cwd):
        return str(PurePath(path).relative_to(cwd))
    return path
