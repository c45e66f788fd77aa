"""The tools with which the agent consults the documents of the workspace: each call states a
reason, and the user decides by it.

A denied consultation is an ordinary answer: it does not end the run.
"""

from collections.abc import Mapping
from typing import Any

from dogent_tui.language import tr

CONSULTING: Mapping[str, str] = {
    "mcp__dogent__read_markdown_file": "read",
    "mcp__dogent__search_markdown_files": "find",
    "mcp__dogent__search_markdown_content": "search",
    "mcp__dogent__list_file_tree": "list",
}
"""Tool → what it does."""


READ_DOCUMENT = "mcp__dogent__read_document"
"""The document reader also asks, with a reason, if every access to a document requires consent."""


def refusal(values: Mapping[str, Any]) -> str:
    """Return what the model must correct in a call before the user is asked, or "" if nothing."""
    reason = values.get("reason")
    if isinstance(reason, str) and reason.strip():
        return ""
    return (
        "The reason is missing: say in reason why you need this. The user reads it and decides"
        " by it."
    )


def without_reason(tool: str, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the input without the reason: calls that differ only in their reason are the same."""
    return {key: values[key] for key in values if key != "reason" or tool not in CONSULTING}


def sentence(tool: str, values: Mapping[str, Any], place: str) -> str:
    """Return what a call would do. `place` is the file it reads, as displayed to the user."""
    what = CONSULTING.get(tool, "read")
    if what == "read":
        return tr("read {place}").format(place=place)
    pattern, files = _shown(values.get("pattern")), _shown(values.get("file_pattern"))
    if what == "find":
        named = tr("look for Markdown files named like “{pattern}”").format(pattern=pattern)
        return named if pattern else tr("list all Markdown files in the workspace")
    if what == "search":
        where = tr("Markdown files named like “{files}”") if files else tr("all Markdown files")
        words, query = tr("search {where} for “{query}”"), _shown(values.get("query"))
        return words.format(where=where.format(files=files), query=query)
    return tr("list the workspace's files and folders")


def _shown(value: Any) -> str:
    text = " ".join(value.split()) if isinstance(value, str) else ""
    return text if len(text) <= 80 else f"{text[:79]}…"
