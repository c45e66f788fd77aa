"""What /context says: what fills the agent's context window, part by part."""

from rich.cells import cell_len

from dogent_tui.agent.conversation import ContextUse
from dogent_tui.agent.tool_names import friendly_name
from dogent_tui.language import tr
from dogent_tui.plain import one_line

_BAR = 24
"""Cells of the bar of what fills the whole context."""
_EIGHTHS = ("", *"▏▎▍▌▋▊▉")
"""Parts of a cell: most of what fills the context is a small part of it."""
_NAME = 32
_NUMBER = 9
_MOST_TOOLS = 6
"""Tools whose results are told one by one."""
_FILES = frozenset({"Read", "mcp__dogent__read_document", "mcp__dogent__read_markdown_file"})
"""Tools whose results are files."""


def context_page(use: ContextUse) -> str:
    """Return the page: how full the context is, what fills it, and what makes room."""
    if not use.total:
        return tr("The context is empty: nothing has been said yet.")
    full = tr("{total:,} tokens", total=use.total)
    if use.window:
        share = min(100, round(100 * use.total / use.window))
        full = tr("{total:,} of {window:,} tokens", total=use.total, window=use.window)
        full += f" ({share} %)"
    lines = [full]
    if use.compacts_at:
        lines.append(
            tr(
                "The conversation is compacted automatically at {count:,} tokens.",
                count=use.compacts_at,
            )
        )
    files = sum(tokens for tool, tokens in use.results.items() if tool in _FILES)
    others = {tool: tokens for tool, tokens in use.results.items() if tool not in _FILES}
    ranked = sorted(others.items(), key=lambda each: -each[1])
    rows = [
        (tr("System prompt"), use.system_prompt),
        (tr("Tools"), use.tools),
        (tr("Files read"), files),
        (tr("Other tool results"), sum(others.values())),
        *((f"  {one_line(friendly_name(tool))}", count) for tool, count in ranked[:_MOST_TOOLS]),
        (tr("Tool calls"), use.calls),
        (tr("Your prompts"), use.prompts),
        (tr("Replies"), use.replies),
        (tr("Reminders to the agent"), use.notes),
    ]
    lines += ["", *(_row(name, tokens, use) for name, tokens in rows)]
    if use.window:
        lines.append(_number(tr("Free"), max(0, use.window - use.total)))
    room = tr(
        "/compact [focus] replaces the conversation with a summary; /new starts with an empty"
        " context."
    )
    return "\n".join([*lines, "", room, tr("The numbers are estimates.")])


def _number(name: str, tokens: int) -> str:
    return f"{name}{' ' * max(1, _NAME - cell_len(name))}{tokens:>{_NUMBER},}"


def _row(name: str, tokens: int, use: ContextUse) -> str:
    eighths = min(8 * _BAR, -(-tokens * 8 * _BAR // (use.window or use.total)))
    bar = "█" * (eighths // 8) + _EIGHTHS[eighths % 8]
    return f"{_number(name, tokens)}  {bar}".rstrip()
