"""The path of a tool call: the policy decides in the PreToolUse hook, the user in `can_use_tool`.

The hook sees every call, including those that the CLI would allow by itself, and only "ask" leads
to the user. A hook that raises would fail open, so every error in it becomes a denial (measured).
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from dogent_tui.agent.authority import Authority
from dogent_tui.agent.conversation import Ask, Verdict
from dogent_tui.agent.events import CopiesKept, Event, Notice, PermissionRequested
from dogent_tui.agent.sdk import (
    HookContext,
    HookInput,
    HookJSONOutput,
    HookMatcher,
    PermissionResultAllow,
    PermissionResultDeny,
    PreToolUseHookSpecificOutput,
    ToolPermissionContext,
)
from dogent_tui.agent.tool_names import call_words
from dogent_tui.agent.ui_requests import parse_request, ui_requested
from dogent_tui.agent.write_reviews import Reviewing
from dogent_tui.errors import DogentError, disk_remedy, reason_of
from dogent_tui.language import sentences, tr
from dogent_tui.markdown_search.requests import RequestBook, Status
from dogent_tui.offline.messages_api import UNREADABLE
from dogent_tui.permissions.consultations import CONSULTING
from dogent_tui.permissions.model import Decision, ToolCall
from dogent_tui.records import Json, JsonDict
from dogent_tui.sources.ledger import How, Ledger, hash_of
from dogent_tui.tools.server import tool_name
from dogent_tui.tools.ui_request import ANSWERING, NAME
from dogent_tui.undo.undo_log import UndoLog

_HOOK_TIMEOUT_S = 3600.0
"""The hook only computes; the limit keeps the CLI's own of 60 s from turning a slow disk into a
decision.
"""

_MOST_QUESTIONS = 3
"""How often to ask about one call while the places it would affect keep changing."""

_MOST_CALLS = 200
"""The number of running calls for which the hook's decision is kept."""

_CHANGED = "What it would touch changed while you were asked."
_OWN_WRITES = {"Write", "Edit", "MultiEdit"}
_GIVE_TEXT = {
    "Read",
    "mcp__dogent__read_markdown_file",
    "mcp__dogent__read_document",
    "mcp__dogent__analyze_media",
}
_STALE = (
    "This file changed since you last read it: read it again, keep what is new in it, and then"
    " change it."
)
_PARTLY_READ = (
    "You have read a part of this file only: read the rest before you replace all of it, or use"
    " Edit."
)
_PROPOSE = "mcp__dogent__propose_document_change"
_UNREADABLE = (
    "The arguments of this call could not be read as JSON, or broke off. Call the tool again, with"
    " less in it if it was long."
)
_NO_WORKSPACE = (
    "The folder of the workspace is not there any more: it was moved or deleted. It is not made"
    " again, and nothing was done. Tell the user."
)
_REVIEWS = "The user reviews every change of a file."
_STATUS: Mapping[str, Status] = {"allow": "approved", "ask": "pending", "deny": "denied"}


Part: TypeAlias = tuple[int, int, int]
"""The start and end of a part of a text, counted from 0, and the total, in lines or in
characters.
"""

BehindWall: TypeAlias = Callable[[ToolCall, Decision, str], JsonDict]
"""Returns the input with which a command, approved as decided, runs behind the wall. Blocks for the
disk.
"""


class _Given(NamedTuple):
    """A file that a call shows to the model or writes, how the model will know it, and the hash of
    the content that an edit changes.
    """

    path: Path
    how: How
    before: str = ""


class Gate:
    """Connects the authority of a workspace and one user to the callbacks of the SDK."""

    def __init__(
        self,
        authority: Authority,
        ask: Ask,
        cwd: Path,
        copies: UndoLog,
        requests: RequestBook,
        reviewing: Reviewing,
        behind_wall: BehindWall,
        ledger: Ledger,
    ) -> None:
        """Decide by `authority` and `ask`. `cwd` is where the session starts; `copies` keeps what
        approved calls change.

        `requests` records the calls that consult documents: those tools run only if approved there.
        `reviewing` takes over the calls that the user reviews instead, once they are allowed, and
        learns where proposals may lead. `behind_wall` makes commands run behind the wall. `ledger`
        records which files the model sees.
        """
        self._ledger = ledger
        self._given: dict[str, list[_Given]] = {}
        self._reviewing = reviewing
        self._behind_wall = behind_wall
        self._requests = requests
        self._authority = authority
        self._ask = ask
        self._cwd = cwd
        self._copies = copies
        self._calls: dict[str, tuple[ToolCall, str]] = {}
        self._said: list[Event] = []
        self._told = ""
        self._waiting: list[asyncio.Future[None]] = []
        self._kept: dict[str, int] = {}

    def hooks(self) -> dict[Any, list[HookMatcher]]:
        """Return the hooks for `ClaudeAgentOptions`: one matcher for every tool, which blocks when
        it fails.
        """
        return {
            "PreToolUse": [
                HookMatcher(hooks=[self.before_tool], timeout=_HOOK_TIMEOUT_S, on_failure="block")
            ],
            "PostToolUse": [HookMatcher(matcher=tool_name(NAME), hooks=[self.after_request])],
        }

    def take_events(self) -> list[Event]:
        """Return the events since the last call."""
        said, self._said = self._said, []
        broken = self._authority.store.broken
        if broken is not None and broken.message != self._told:
            self._told = broken.message
            said.append(
                Notice(
                    code="grants_broken",
                    message=broken.message,
                    remedy=broken.remedy,
                )
            )
        return said

    async def before_tool(
        self, payload: HookInput, tool_use_id: str | None, context: HookContext
    ) -> HookJSONOutput:
        """Answer the PreToolUse hook with the policy's verdict. Copies are made before an allowed
        call runs.
        """
        del context
        wrapped: JsonDict = {}
        try:
            values: JsonDict = dict(payload)
            call = ToolCall(
                values["tool_name"], values["tool_input"], Path(values.get("cwd") or self._cwd)
            )
            # In a thread: it reads the disk, and a slow one must not block the screen.
            decision = await asyncio.to_thread(self._authority.decide, call)
            if UNREADABLE in call.input:  # whatever the tool would do with it
                decision = Decision("deny", (_UNREADABLE,))
            tool_use_id = tool_use_id or str(values.get("tool_use_id") or "")
            self._note(tool_use_id, call)
            if decision.verdict == "allow" and self._reviewing.takes(call):
                # `can_use_tool` can wait, a hook cannot
                decision = replace(decision, verdict="ask", reasons=(_REVIEWS,))
            if any(effect.kind.changes for effect in decision.effects) and not (
                await asyncio.to_thread(self._cwd.is_dir)
            ):
                decision = Decision("deny", (_NO_WORKSPACE,))
            if decision.verdict != "deny" and (why := await self._out_of_date(call, decision)):
                decision = Decision("deny", (why,))
            if decision.verdict == "allow":
                wrapped = await self._let_through(call, decision, tool_use_id)
            self._record(call, tool_use_id, decision.verdict)
            self._note(tool_use_id, call, decision.verdict)
        except Exception as error:
            decision = Decision("deny", (_not_run(error),))
        answer: PreToolUseHookSpecificOutput = {
            "hookEventName": "PreToolUse",
            "permissionDecision": decision.verdict,
            "permissionDecisionReason": (
                " ".join(decision.reasons) or "The permission policy of dogent-tui."
            ),
        }
        if wrapped:
            answer["updatedInput"] = wrapped
        return {"hookSpecificOutput": answer}

    async def after_request(
        self, payload: HookInput, tool_use_id: str | None, context: HookContext
    ) -> HookJSONOutput:
        """Accept the request, and stop the turn. Not called for a failed call, so that the model
        can correct it.
        """
        del tool_use_id, context
        values: dict[str, Any] = dict(payload)
        self._said.append(ui_requested(parse_request(values["tool_input"])))
        return {"continue_": False, "stopReason": ANSWERING}

    def call_of(self, tool: str, tool_input: Json) -> str:
        """Return the id of the newest call of `tool` with this input, empty if unknown: our tools
        are not told it.
        """
        calls = ((identity, call) for identity, (call, _) in reversed(self._calls.items()))
        wanted = (tool, tool_input)
        return next((name for name, call in calls if (call.tool, call.input) == wanted), "")

    def _note(self, tool_use_id: str, call: ToolCall, verdict: str = "ask") -> None:
        self._calls[tool_use_id] = (call, verdict)
        while len(self._calls) > _MOST_CALLS:
            self._calls.pop(next(iter(self._calls)))

    def _record(self, call: ToolCall, tool_use_id: str, verdict: str) -> None:
        if call.tool in CONSULTING:
            self._requests.open(
                tool_use_id, call.tool.rpartition("__")[2], CONSULTING[call.tool], call.input
            )
            self._requests.settle(tool_use_id, _STATUS.get(verdict, "denied"))

    async def can_use_tool(
        self, tool: str, tool_input: JsonDict, context: ToolPermissionContext
    ) -> PermissionResultAllow | PermissionResultDeny:
        """Ask the user about the call and wait. The CLI's suggestions of what to remember are never
        applied.
        """
        status: Status = "denied"
        try:
            answer = await self._permit(tool, tool_input, context)
            status = "approved" if isinstance(answer, PermissionResultAllow) else "denied"
        except (OSError, DogentError) as error:
            answer = PermissionResultDeny(message=_not_run(error))
        finally:
            self._requests.settle(context.tool_use_id or "", status)
        return answer

    async def _permit(
        self, tool: str, tool_input: JsonDict, context: ToolPermissionContext
    ) -> PermissionResultAllow | PermissionResultDeny:
        tool_use_id = context.tool_use_id or ""
        known, announced = self._calls.get(tool_use_id, (None, "ask"))
        call = ToolCall(tool, tool_input, known.cwd if known is not None else self._cwd)
        decision = await asyncio.to_thread(self._authority.decide, call)
        # The CLI also asks on its own, about calls that the policy allows: the user is asked
        # anyway.
        asks = decision.verdict != "allow" or announced == "allow"
        why: tuple[str, ...] = (
            (context.decision_reason,) if context.decision_reason and not decision.reasons else ()
        )
        for _ in range(_MOST_QUESTIONS):
            if decision.verdict == "deny":
                return PermissionResultDeny(message=" ".join(decision.reasons))
            if asks:
                words = partial(
                    self._authority.question, call, decision, tool_use_id=tool_use_id, why=why
                )
                question = await asyncio.to_thread(words)
                verdict = await self._answer(call, decision, question)
                if not verdict.allow:
                    return PermissionResultDeny(
                        message=verdict.message or "The user denied this call.",
                        interrupt=verdict.stop,
                    )
                # The approval is for what was shown: a link may lead elsewhere by now.
                now = await asyncio.to_thread(self._authority.decide, call)
                shown = decision.verdict, {*decision.asked}
                if now.verdict != "allow" and (now.verdict, {*now.asked}) != shown:
                    decision, why = now, (_CHANGED,)
                    continue
                await self._remember(decision, verdict)
            if self._reviewing.takes(call):
                return PermissionResultDeny(
                    message=await self._reviewing.outcome(call, _place(decision), tool_use_id)
                )
            # the user may have written it while being asked
            if why_not := await self._out_of_date(call, decision):
                return PermissionResultDeny(message=why_not)
            wrapped = await self._let_through(call, decision, tool_use_id)
            return PermissionResultAllow(updated_input=wrapped or None)
        return PermissionResultDeny(
            message=(
                "What this call would touch changed each time it was approved, so it did not run."
            )
        )

    async def _let_through(self, call: ToolCall, decision: Decision, tool_use_id: str) -> JsonDict:
        """Record that `call` is running now. Return the input with which a command runs behind the
        wall; empty for other tools. Raises if there is no wall.
        """
        self._authority.record_start(call, decision)
        place = _place(decision)
        if call.tool not in ("Bash", _PROPOSE):
            self._given[tool_use_id] = await asyncio.to_thread(_given, call, decision)
        is_command = call.tool == "Bash"
        if call.tool == _PROPOSE and place is not None:  # its review makes the copies
            self._reviewing.approve(call.input, place)
        elif not is_command or self._authority.wall_status.level == "none":
            # otherwise the changes are copied when they are known
            await self._keep_copies(call, decision, tool_use_id)
        run = self._behind_wall
        return await asyncio.to_thread(run, call, decision, tool_use_id) if is_command else {}

    async def _out_of_date(self, call: ToolCall, decision: Decision) -> str:
        """Return why a file must not be overwritten based on what the model knows of it, empty if
        it may be.

        The CLI only compares modification times: a file that replaced another may be older.
        """
        place = _place(decision)
        if place is None or self._reviewing.takes(call) or call.tool != "Write":
            return ""  # an edit keeps the rest of the file
        if await asyncio.to_thread(self._ledger.is_stale, place):
            return _STALE
        return _PARTLY_READ if self._ledger.is_part(place) and place.exists() else ""

    async def _answer(
        self, call: ToolCall, decision: Decision, question: PermissionRequested
    ) -> Verdict:
        """Wait for the user, or until their answer to another question allows this call too."""
        asking = asyncio.ensure_future(self._ask(question))
        try:
            while not asking.done():
                remembered = asyncio.get_running_loop().create_future()
                self._waiting.append(remembered)
                await asyncio.wait({asking, remembered}, return_when=asyncio.FIRST_COMPLETED)
                self._waiting = [other for other in self._waiting if other is not remembered]
                allowed = (
                    not asking.done()
                    and decision.verdict == "ask"
                    and await self._allowed_now(call)
                )
                if allowed and not asking.done():  # an answer that arrived in the meantime counts
                    return Verdict(allow=True)
            return asking.result()
        finally:
            asking.cancel()

    async def _allowed_now(self, call: ToolCall) -> bool:
        return (await asyncio.to_thread(self._authority.decide, call)).verdict == "allow"

    async def _remember(self, decision: Decision, verdict: Verdict) -> None:
        if verdict.scope == "once":
            return
        try:
            await asyncio.to_thread(self._authority.remember, decision, verdict.scope)
        except (OSError, DogentError) as error:
            message = tr("Your answer could not be saved permanently: {error}.", error=error)
            self._said.append(
                Notice(
                    code="grant_not_kept",
                    message=message,
                    remedy=tr("It applies until this session ends."),
                )
            )
        for other in self._waiting:
            if not other.done():
                other.set_result(None)

    async def _keep_copies(self, call: ToolCall, decision: Decision, tool_use_id: str) -> None:
        """Copy what a call is about to change. If the disk cannot take a copy, the approved call
        still runs.
        """
        places = [
            effect.path
            for effect in decision.effects
            if effect.path is not None and effect.kind.changes
        ]
        if not places:
            return
        label = call_words(call.tool, call.input, str(self._cwd))
        kept = await asyncio.to_thread(self._copies.keep, label, places)
        if kept.number:
            self._kept[tool_use_id] = kept.number
        if kept.paths or kept.left:
            self._said.append(CopiesKept(tool_use_id=tool_use_id, paths=kept.paths, left=kept.left))

    async def after_tool(
        self, tool_use_id: str, *, is_error: bool = False, part: Part | None = None
    ) -> None:
        """Record what a finished call showed to the model, and the state after its changes: later
        changes are someone else's.

        `part`: the start and end of the part it returned, and the total. A failed call showed
        nothing.
        """
        given = self._given.pop(tool_use_id, [])
        if not is_error:
            for path, how, before in given:
                if how == "edit":
                    await asyncio.to_thread(self._ledger.note_edit, path, before)
                else:
                    await asyncio.to_thread(
                        self._ledger.note, path, how, *(part if part and how == "part" else ())
                    )
        if number := self._kept.pop(tool_use_id, 0):
            await asyncio.to_thread(self._copies.settle, number)

    async def after_turn(self) -> None:
        """Do the same for every call without a result because the turn was stopped."""
        self._kept.clear()
        self._given.clear()
        await asyncio.to_thread(self._copies.settle)


def _not_run(error: Exception) -> str:
    """Return why a call could not be let through, and what to do about it."""
    if isinstance(error, OSError):
        words = tr("The call did not run: {reason}.", reason=reason_of(error))
        return sentences(words, disk_remedy(error))
    is_ours = isinstance(error, DogentError)
    return str(error) if is_ours else f"The permission policy failed ({type(error).__name__})."


def _place(decision: Decision) -> Path | None:
    """Return the real path of the one place that a call writes."""
    return next((effect.path for effect in decision.effects if effect.path is not None), None)


def _given(call: ToolCall, decision: Decision) -> list[_Given]:
    """Return which files `call` shows to the model or writes, and how it will know them. Reads the
    disk.
    """
    found = []
    for effect in decision.effects:
        if effect.path is not None and (effect.kind.writes or call.tool in _GIVE_TEXT):
            how: How = (
                "whole" if call.tool == "Write" else "edit" if call.tool in _OWN_WRITES else "part"
            )
            found.append(_Given(effect.path, how, hash_of(effect.path) if how == "edit" else ""))
    return found
