"""The gate's bridge to the SDK: what the hook answers, and what the person's answer becomes."""

from pathlib import Path

from claude_agent_sdk import PermissionResultAllow, PermissionResultDeny, PermissionUpdate, ToolPermissionContext

from dogent_tui.agent.conversation import Verdict
from dogent_tui.agent.events import Target
from dogent_tui.agent.gate import Gate
from dogent_tui.permissions.model import Decision

CALL = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t", "cwd": "/w"}


def gate(policy, verdict=None):
    async def ask(question):
        asked.append(question)
        return verdict

    asked = []
    built = Gate(policy, ask, Path("/w"))
    built.asked = asked
    return built


async def hook_decision(policy, call=CALL):
    answer = await gate(policy).before_tool(call, "t", {"signal": None})
    return answer["hookSpecificOutput"]["permissionDecision"], answer["hookSpecificOutput"]["permissionDecisionReason"]


async def test_the_hook_says_what_the_policy_says():
    for verdict in ("allow", "ask", "deny"):
        assert await hook_decision(lambda _, v=verdict: Decision(v, ("Because.",))) == (verdict, "Because.")


async def test_a_policy_that_raises_is_a_denial():
    def broken(_):
        raise RuntimeError("boom")

    assert (await hook_decision(broken))[0] == "deny"


async def test_a_call_that_is_not_as_it_should_be_is_a_denial():
    assert (await hook_decision(lambda _: Decision("allow"), {"hook_event_name": "PreToolUse"}))[0] == "deny"


def test_the_hook_covers_every_tool_and_blocks_when_it_fails():
    (matcher,) = gate(lambda _: Decision("allow")).hooks()["PreToolUse"]
    assert (matcher.matcher, matcher.on_failure) == (None, "block")
    assert matcher.timeout >= 600


async def test_the_persons_answer_and_nothing_more_goes_back():
    suggestion = PermissionUpdate(type="addRules", behavior="allow", destination="localSettings")
    context = ToolPermissionContext(suggestions=[suggestion], tool_use_id="t")
    allowing = gate(lambda _: Decision("ask", ("It deletes.",), ("/w/a",)), Verdict(allow=True))
    answer = await allowing.can_use_tool("Bash", {"command": "rm a"}, context)
    assert isinstance(answer, PermissionResultAllow)
    assert answer.updated_permissions is None
    (question,) = allowing.asked
    assert (question.tool_use_id, question.reasons, question.targets) == ("t", ("It deletes.",), (Target("/w/a"),))

    denying = gate(lambda _: Decision("ask"), Verdict(allow=False, message="No.", stop=True))
    denied = await denying.can_use_tool("Bash", {"command": "rm a"}, context)
    assert denied == PermissionResultDeny(message="No.", interrupt=True)
