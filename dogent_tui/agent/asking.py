"""What the model asks the user: our tool `ui_request`, which ends its turn, and the CLI's `AskUserQuestion`, which waits."""

import asyncio
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from claude_agent_sdk import (
    HookContext,
    HookInput,
    HookJSONOutput,
    HookMatcher,
    PermissionResultAllow,
    PermissionResultDeny,
    SdkMcpTool,
)

from dogent_tui.agent.change_requests import KIND, ChangeRequest, ReviewMode
from dogent_tui.agent.conversation import AskForm
from dogent_tui.agent.events import Event, UiRequested
from dogent_tui.agent.reviewing import Reviewing
from dogent_tui.agent.ui_requests import (
    JSON_SCHEMA,
    Clarification,
    Request,
    RequestError,
    from_ask_user_question,
    parse_request,
    to_ask_user_question,
)
from dogent_tui.changes.applying import Reviewed
from dogent_tui.sources.ledger import Ledger
from dogent_tui.tools.proposing import propose_document_change_tool
from dogent_tui.tools.server import tool_name
from dogent_tui.tools.ui_request import ANSWERING, NAME, ui_request_tool
from dogent_tui.workspace.files import content_of
from dogent_tui.workspace.paths import Workspace

ASK_USER_QUESTION = "AskUserQuestion"
"""The CLI's own tool. It comes to `can_use_tool` whatever the hook says (measured), and is answered there."""


class Asking:
    """Brings the model's questions to the user. `form` puts one that waits within the turn.

    `at_screen`: somebody can answer while the turn waits. Where nobody can, `AskUserQuestion` ends the turn like `ui_request`.
    `open_document` tells the path of the document that the user has open. `ledger` knows what the model has seen, and `unsaved`
    holds what an editor has not saved.
    `review_mode` says whether all that the agent writes is reviewed; `reviewing` sees to it.
    """

    def __init__(
        self,
        form: AskForm,
        workspace: Workspace,
        *,
        at_screen: bool = True,
        review_mode: ReviewMode | None = None,
        open_document: Callable[[], str] = lambda: "",
        ledger: Ledger | None = None,
        unsaved: Mapping[Path, str] = {},
    ) -> None:
        self._unsaved = unsaved
        # Where nobody can review, nothing waits for a review: the policy decides as ever.
        mode = review_mode if review_mode is not None and at_screen else ReviewMode()
        self._ledger = ledger
        self.reviewing = Reviewing(mode, workspace, self.review, ledger)
        self._form = form
        self._workspace = workspace
        self._open_document = open_document
        self._at_screen = at_screen
        self._said: list[Event] = []

    def tools(self) -> list[SdkMcpTool[Any]]:
        """Return the tools by which the model asks; it proposes a change only where somebody can review it meanwhile."""
        asking = ui_request_tool(JSON_SCHEMA, parse_request)
        if not self._at_screen:
            return [asking]
        proposing = propose_document_change_tool(
            self._workspace, self.review, self.reviewing.approved, self._open_document, self._ledger, self._unsaved
        )
        return [asking, proposing]

    async def review(self, opened: Reviewed, text: str) -> str | None:
        """Have the user review a proposal. Returns what came of it, None where the turn was stopped before."""
        change = opened.change
        base = None if change.content is None else change.content.decode("utf-8")
        place = str(opened.path) if opened.by_approval else ""
        is_unread = self._ledger is not None and not change.is_new and not self._ledger.has(opened.path)
        payload = ChangeRequest(change.name, text, change.summary, base, place, is_unread).payload
        event = UiRequested(request_id=uuid.uuid4().hex[:12], kind=KIND, payload=payload, in_run=True)
        answer = await self._form(event)
        if answer is None or answer.review is None:
            return None
        if self._ledger is not None:
            await asyncio.to_thread(self._note_reviewed, self._ledger, opened, text, answer.over)
        return answer.review

    @staticmethod
    def _note_reviewed(ledger: Ledger, opened: Reviewed, text: str, over: str) -> None:
        """Note what the model knows of a file now: it is told what came of its proposal, but not what else was written there."""
        with suppress(OSError):
            is_all_its_own = content_of(opened.path) == text.encode("utf-8", "replace")
            if is_all_its_own or (opened.change.is_new and not over):
                ledger.note(opened.path)
                return
        ledger.note_edit(opened.path, over)

    def hooks(self) -> dict[Any, list[HookMatcher]]:
        """Return the hook that ends the turn after a request, before the model is asked again."""
        tools = [tool_name(NAME)] if self._at_screen else [tool_name(NAME), ASK_USER_QUESTION]
        return {"PostToolUse": [HookMatcher(matcher=tool, hooks=[self.after_request]) for tool in tools]}

    def take_heard(self) -> list[Event]:
        """Return what was requested since the last call."""
        said, self._said = self._said, []
        return said

    async def after_request(self, payload: HookInput, tool_use_id: str | None, context: HookContext) -> HookJSONOutput:
        """Take the request, and stop the turn. Not called for a call that failed, so that the model corrects that one."""
        del tool_use_id, context
        values: dict[str, Any] = dict(payload)
        parse = from_ask_user_question if values.get("tool_name") == ASK_USER_QUESTION else parse_request
        self._said.append(ui_requested(parse(values["tool_input"])))
        return {"continue_": False, "stopReason": ANSWERING}

    async def answer(self, tool_input: Mapping[str, Any]) -> PermissionResultAllow | PermissionResultDeny:
        """Answer the CLI's `AskUserQuestion`: the user's answers go back as its input.

        Where nobody is there to wait for, it is let through with the words that the answers come later, and ends the turn.
        """
        try:
            request = from_ask_user_question(tool_input)
        except RequestError as error:
            return PermissionResultDeny(message=f"Nothing was asked: the input is not right. {error}")
        if not self._at_screen:
            later = {question.question: ANSWERING for question in request.questions}
            return PermissionResultAllow(updated_input={**tool_input, "answers": later})
        answer = await self._form(ui_requested(request, in_run=True))
        if answer is None or answer.answers is None:
            return PermissionResultDeny(message="The user did not answer.", interrupt=True)
        return PermissionResultAllow(updated_input={**tool_input, "answers": to_ask_user_question(request, answer.answers)})


def ui_requested(request: Request, *, in_run: bool = False) -> UiRequested:
    """Return `request` as what happened. Its payload is one that `parse_request` reads."""
    kind = "clarification" if isinstance(request, Clarification) else "outline_edit"
    payload = {"type": kind, **msgspec.json.decode(msgspec.json.encode(request))}
    return UiRequested(request_id=uuid.uuid4().hex[:12], kind=kind, payload=payload, in_run=in_run)  # type: ignore[arg-type]
