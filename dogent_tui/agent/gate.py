"""The way of a tool call: the policy decides in the PreToolUse hook, the person in `can_use_tool`.

The hook sees every call, also those that the CLI would let through by itself, and only "ask" leads to the person. A hook that
raises would fail open, so everything that goes wrong in it becomes a denial (measured; see docs/architecture.md).
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from claude_agent_sdk import (
    HookContext,
    HookInput,
    HookJSONOutput,
    HookMatcher,
    PermissionResultAllow,
    PermissionResultDeny,
    ToolPermissionContext,
)

from dogent_tui.agent.conversation import Ask, PermissionQuestion, Verdict
from dogent_tui.agent.events import Target
from dogent_tui.permissions.model import Decision, ToolCall

Policy: TypeAlias = Callable[[ToolCall], Decision]

_HOOK_TIMEOUT_S = 3600.0
"""The hook only computes; the limit is there so that the CLI's own of 60 s never turns a slow disk into a decision."""


class Gate:
    """Bridges one policy and one person to the callbacks of the SDK."""

    def __init__(self, policy: Policy, ask: Ask, cwd: Path) -> None:
        self._policy = policy
        self._ask = ask
        self._cwd = cwd

    def hooks(self) -> dict[Any, list[HookMatcher]]:
        """Return the hooks for `ClaudeAgentOptions`: one matcher over every tool, which blocks when it fails."""
        return {"PreToolUse": [HookMatcher(hooks=[self.before_tool], timeout=_HOOK_TIMEOUT_S, on_failure="block")]}

    async def before_tool(self, payload: HookInput, tool_use_id: str | None, context: HookContext) -> HookJSONOutput:
        """Answer the PreToolUse hook with the policy's verdict."""
        del tool_use_id, context
        try:
            values: dict[str, Any] = dict(payload)
            # In a thread: it looks at the disk, and a slow one must not hold up the screen.
            decision = await asyncio.to_thread(self._decide, values["tool_name"], values["tool_input"], values.get("cwd"))
        except Exception as error:
            decision = Decision("deny", (f"The permission policy failed ({type(error).__name__}).",))
        return {
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": decision.verdict,
                "permissionDecisionReason": " ".join(decision.reasons) or "The permission policy of dogent-tui.",
            }
        }

    async def can_use_tool(
        self, tool: str, tool_input: dict[str, Any], context: ToolPermissionContext
    ) -> PermissionResultAllow | PermissionResultDeny:
        """Put the call to the person and wait. Suggestions of the CLI to remember the answer are never applied."""
        decision = await asyncio.to_thread(self._decide, tool, tool_input, None)
        reasons = decision.reasons or ((context.decision_reason,) if context.decision_reason else ())
        question = PermissionQuestion(
            context.tool_use_id or "", tool, tool_input, reasons, tuple(Target(path) for path in decision.targets)
        )
        verdict: Verdict = await self._ask(question)
        if verdict.allow:
            return PermissionResultAllow()
        return PermissionResultDeny(message=verdict.message or "The person denied this call.", interrupt=verdict.stop)

    def _decide(self, tool: str, tool_input: dict[str, Any], cwd: str | None) -> Decision:
        return self._policy(ToolCall(tool, tool_input, Path(cwd) if cwd else self._cwd))
