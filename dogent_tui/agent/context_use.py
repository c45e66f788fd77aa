"""What the CLI reports about the context: what fills it, and the summary that replaces earlier
messages.
"""

import re
from collections.abc import Mapping
from typing import Any

from dogent_tui.agent.conversation import ContextUse
from dogent_tui.agent.events import Compacted

_SUMMARY = re.compile(
    r"(?:\A|.*\n)Summary:\n(.*?)(?:\n\nIf you need specific details from before compaction.*)?\Z",
    re.DOTALL,
)
"""The summary within the CLI's message to the model."""


def compacted(boundary: Mapping[str, Any], text: str) -> Compacted:
    """Return the event for a summary: `boundary` is its metadata, `text` the message that replaces
    the others.
    """
    found = _SUMMARY.match(text)
    return Compacted(
        summary=(found[1] if found else text).strip(),
        by_user=boundary.get("trigger") == "manual",
        before_tokens=int(boundary.get("pre_tokens") or 0),
        after_tokens=int(boundary.get("post_tokens") or 0),
    )


_SYSTEM_PROMPT, _TOOLS_OF_CLI, _TOOLS_OF_MCP, _MESSAGES = (
    "system_prompt",
    "system_tools",
    "mcp_tools",
    "messages",
)
"""The known categories in the CLI's answer."""


def context_use(told: Mapping[str, Any]) -> ContextUse:
    """Return the CLI's answer about the context. What is counted with the messages without being
    part of them is its notes.
    """
    categories = {
        str(each.get("id")): int(each.get("tokens") or 0) for each in told.get("categories") or ()
    }
    parts = told.get("messageBreakdown") or {}
    prompts, replies, calls = (
        int(parts.get(name) or 0)
        for name in ("userMessageTokens", "assistantMessageTokens", "toolCallTokens")
    )
    results = {
        str(each.get("name")): tokens
        for each in parts.get("toolCallsByType") or ()
        if (tokens := int(each.get("resultTokens") or 0))
    }
    history = prompts + replies + calls + sum(results.values())
    return ContextUse(
        total=int(told.get("totalTokens") or 0),
        window=int(told.get("rawMaxTokens") or told.get("maxTokens") or 0),
        compacts_at=int(told.get("autoCompactThreshold") or 0)
        if told.get("isAutoCompactEnabled")
        else 0,
        system_prompt=categories.get(_SYSTEM_PROMPT, 0),
        tools=categories.get(_TOOLS_OF_CLI, 0) + categories.get(_TOOLS_OF_MCP, 0),
        prompts=prompts,
        replies=replies,
        calls=calls,
        notes=max(0, categories.get(_MESSAGES, 0) - history),
        results=results,
    )
