"""The page of /context: what fills the agent's context window, part by part."""

from collections.abc import Iterator

from rich.cells import cell_len
from textual.content import Content

from dogent_tui.agent.conversation import ContextUse
from dogent_tui.agent.tool_names import friendly_name
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.tui.attachments.model import READING_TOOLS

_BAR = 24
"""Width in cells of a bar for the whole context."""
_EIGHTHS = ("", *"▏▎▍▌▋▊▉")
"""Subdivisions of a cell, because most parts fill little of the context."""
_NAME = 32
_NUMBER = 9
_MOST_TOOLS = 6
"""Tools whose results are listed individually."""


def context_page(use: ContextUse, width: int) -> str:
    """Return the page in `width` columns: how full the context is, what fills it, and how to free
    space. In a narrow window without bars.
    """
    if not use.total:
        return tr("The context is empty: nothing has been said yet.")
    return "\n".join(_lines(use, width))


def _lines(use: ContextUse, width: int) -> Iterator[str]:
    share = f" ({min(100, round(100 * use.total / use.window))} %)" if use.window else ""
    words = tr("{total:,} of {window:,} tokens") if use.window else tr("{total:,} tokens")
    yield words.format(total=use.total, window=use.window) + share
    if use.compacts_at:
        yield tr(
            "The conversation is compacted automatically at {count:,} tokens.",
            count=use.compacts_at,
        )
    yield ""
    files = sum(tokens for tool, tokens in use.results.items() if tool in READING_TOOLS)
    others = {tool: tokens for tool, tokens in use.results.items() if tool not in READING_TOOLS}
    yield _row(tr("System prompt"), use.system_prompt, use, width)
    yield _row(tr("Tools"), use.tools, use, width)
    yield _row(tr("Files read"), files, use, width)
    yield _row(tr("Other tool results"), sum(others.values()), use, width)
    ranked = sorted(others.items(), key=lambda each: -each[1])
    for tool, tokens in ranked[:_MOST_TOOLS]:
        yield _row(f"  {one_line(friendly_name(tool))}", tokens, use, width)
    yield _row(tr("Tool calls"), use.calls, use, width)
    yield _row(tr("Your prompts"), use.prompts, use, width)
    yield _row(tr("Replies"), use.replies, use, width)
    yield _row(tr("Reminders to the agent"), use.notes, use, width)
    if use.window:
        yield _counted(tr("Free"), max(0, use.window - use.total), width)
    yield ""
    yield tr(
        "/compact [focus] replaces the conversation with a summary; /new starts with an empty"
        " context."
    )
    yield tr("The numbers are estimates.")


def _row(name: str, tokens: int, use: ContextUse, width: int) -> str:
    whole = use.window or use.total
    eighths = min(8 * _BAR, -(-tokens * 8 * _BAR // whole)) if whole else 0
    bar = "█" * (eighths // 8) + _EIGHTHS[eighths % 8]
    row = _counted(name, tokens, width)
    return f"{row}  {bar}".rstrip() if cell_len(row) + 2 + _BAR <= width else row


def _counted(name: str, tokens: int, width: int) -> str:
    room = min(_NAME, width - _NUMBER)
    shown = Content(name).truncate(room, ellipsis=True, pad=True).plain
    return f"{shown}{tokens:>{_NUMBER},}"
