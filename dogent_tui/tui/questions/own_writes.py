"""The application's own writes to files that only the user changes: the same policy, the same
question (SPEC 6).
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec.structs import replace

from dogent_tui.agent.authority import Authority
from dogent_tui.agent.events import PermissionRequested
from dogent_tui.settings.own_files import OwnChange, make_change

if TYPE_CHECKING:
    from dogent_tui.permissions.model import ToolCall
    from dogent_tui.tui.ports import AppPort

Written: TypeAlias = Literal["written", "unchanged", "denied"]

_MOST_QUESTIONS = 3
"""How often the question is put again because the file changed while the user read."""


async def write_own(
    app: "AppPort", plan: Callable[[], OwnChange], because: str, *, exactly: bool = False
) -> Written:
    """Make the change that `plan` returns, which may look at the disk. What exists and is protected
    is asked about first.

    `because` is the sentence that says which wish of the user led to it; where they asked for
    `exactly` this change, with a command that says nothing else, it is their answer already. Raises
    OSError, and DogentError where another window holds the file. Not to be awaited by a handler of
    messages: the answer is a message, too.
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


async def may_do(app: "AppPort", call: "Callable[[], ToolCall]", because: str) -> bool:
    """Whether the policy lets through what `call` returns, or the user does. It is what the agent
    would call to do the same.

    Not to be awaited by a handler of messages.
    """
    authority = app.opened.authority
    # The policy is imported on use.
    request = await asyncio.to_thread(lambda: _question(authority, call(), because))
    if request is None:
        return True
    answer = await app.conversation.requests.ask(request)
    return answer is not None and answer.behavior == "allow"


def _writing(change: OwnChange) -> "ToolCall":
    from dogent_tui.permissions.model import ToolCall

    return ToolCall("Write", {"file_path": str(change.path), "content": change.after})


def _question(authority: Authority, call: "ToolCall", because: str) -> PermissionRequested | None:
    """Return what the policy has asked about a call, None where it lets it through."""
    decision = authority.judge(call)
    if decision.verdict == "allow":
        return None
    question = authority.question(call, decision, why=(because,))
    # Each change of ours is asked about, whatever was answered before.
    return replace(question, scopes=("once",), once_because="", rules=())
