"""The application's own writes to files that only the user changes: same policy, same question
(SPEC 6).
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Literal

from msgspec.structs import replace

from dogent_tui.agent.authority import Authority
from dogent_tui.agent.events import PermissionRequested
from dogent_tui.permissions.model import ToolCall
from dogent_tui.settings.own_files import OwnChange, make_change
from dogent_tui.tui.ports import AppPort

Written = Literal["written", "unchanged", "denied"]

_MOST_QUESTIONS = 3
"""How often the question is repeated because the file changed while the user was reading."""


async def write_own(
    app: AppPort, plan: Callable[[], OwnChange], because: str, *, exactly: bool = False
) -> Written:
    """Make the change that `plan` returns, asking first if the file exists and is protected. `plan`
    may access the disk.

    `because` is the sentence that explains which request of the user caused it. If they asked for
    `exactly` this change, by a command that has no other meaning, that counts as their answer. Must
    not be awaited in a message handler, because the answer is a message, too.

    Raises:
        OSError: The file cannot be written.
        DogentError: Another window is editing the file.
    """
    workspace = app.opened.workspace
    for _ in range(_MOST_QUESTIONS):
        change = await asyncio.to_thread(plan)
        if change.before is not None and change.before == change.after.encode():
            return "unchanged"
        if not exactly and not await may_do(app, partial(_writing, change), because):
            return "denied"
        if await asyncio.to_thread(make_change, workspace, change):
            return "written"
    return "denied"


async def may_do(app: AppPort, call: Callable[[], ToolCall], because: str) -> bool:
    """Return whether the policy or the user allows what `call` returns, the equivalent tool call of
    the agent.

    Must not be awaited in a message handler.
    """
    authority = app.opened.authority
    # The policy is imported on use.
    request = await asyncio.to_thread(lambda: _question(authority, call(), because))
    if request is None:
        return True
    answer = await app.conversation.requests.ask(request)
    return answer is not None and answer.behavior == "allow"


def _writing(change: OwnChange) -> ToolCall:
    return ToolCall("Write", {"file_path": str(change.path), "content": change.after})


def _question(authority: Authority, call: ToolCall, because: str) -> PermissionRequested | None:
    """Return what the policy asks about a call, None if it allows it."""
    decision = authority.judge(call)
    if decision.verdict == "allow":
        return None
    question = authority.question(call, decision, why=(because,))
    # The application's own changes are always asked about, whatever was answered before.
    return replace(question, scopes=("once",), once_because="", rules=())
