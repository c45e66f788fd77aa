"""The model's questions to the user: our tool `ui_request`, which ends its turn, and proposed
changes, which wait.
"""

import asyncio
import uuid
from contextlib import suppress
from typing import Any

import msgspec

from dogent_tui.agent.conversation import AskForm
from dogent_tui.agent.events import Event, ToolUse, UiRequested
from dogent_tui.agent.sdk import (
    HookContext,
    HookInput,
    HookJSONOutput,
    HookMatcher,
)
from dogent_tui.agent.ui_requests import (
    JSON_SCHEMA,
    KIND,
    ChangeRequest,
    Clarification,
    Request,
    RequestError,
    ReviewMode,
    from_ask_user_question,
    parse_request,
)
from dogent_tui.agent.write_reviews import Reviewing
from dogent_tui.changes.reviewed import Reviewed
from dogent_tui.sources.ledger import Ledger
from dogent_tui.storage.files import content_of
from dogent_tui.tools.libraries import Libraries
from dogent_tui.tools.propose_change import propose_document_change_tool
from dogent_tui.tools.server import Tool, tool_name
from dogent_tui.tools.ui_request import ANSWERING, NAME, ui_request_tool

ASK_USER_QUESTION = "AskUserQuestion"
"""The CLI's own tool for questions."""


class Asking:
    """Brings the model's questions to the user. `form` asks one that waits within the turn.

    `at_screen`: someone can answer while the turn waits. `ledger` knows what the model has seen.
    `review_mode` says whether everything the agent writes is reviewed; `reviewing` does so.
    """

    def __init__(
        self,
        form: AskForm,
        libraries: Libraries,
        *,
        at_screen: bool,
        review_mode: ReviewMode,
        ledger: Ledger,
    ) -> None:
        # If no one can review, nothing waits for a review: the policy decides as usual.
        mode = review_mode if at_screen else ReviewMode()
        self._ledger = ledger
        self.reviewing = Reviewing(mode, libraries.workspace, self.review, ledger)
        self._form = form
        self._libraries = libraries
        self._at_screen = at_screen
        self._said: list[Event] = []

    def tools(self) -> list[Tool]:
        """Return the tools with which the model asks; changes can be proposed only if someone can
        review them.
        """
        asking = ui_request_tool(JSON_SCHEMA, parse_request)
        if not self._at_screen:
            return [asking]
        proposing = propose_document_change_tool(
            self._libraries, self.review, self.reviewing.approved, self._ledger
        )
        return [asking, proposing]

    async def review(self, opened: Reviewed, text: str) -> str | None:
        """Have the user review a proposal. Return the outcome, None if the turn was stopped
        before.
        """
        change = opened.change
        base = None if change.content is None else change.content.decode("utf-8")
        place = str(opened.path) if opened.by_approval else ""
        is_unread = not change.is_new and not self._ledger.has(opened.path)
        payload = ChangeRequest(change.name, text, change.summary, base, place, is_unread).payload
        event = UiRequested(
            request_id=uuid.uuid4().hex[:12], kind=KIND, payload=payload, in_run=True
        )
        answer = await self._form(event)
        if answer is None or answer.review is None:
            return None
        await asyncio.to_thread(self._note_reviewed, opened, text, answer.over)
        return answer.review

    def _note_reviewed(self, opened: Reviewed, text: str, over: str) -> None:
        """Record what the model now knows about a file: it is told the outcome of its proposal, but
        not what else was written there.
        """
        with suppress(OSError):
            is_all_its_own = content_of(opened.path) == text.encode("utf-8", "replace")
            if is_all_its_own or (opened.change.is_new and not over):
                self._ledger.note(opened.path)
                return
        self._ledger.note_edit(opened.path, over)

    def hooks(self) -> dict[Any, list[HookMatcher]]:
        """Return the hook that ends the turn after a request, before the model is asked again."""
        return {"PostToolUse": [HookMatcher(matcher=tool_name(NAME), hooks=[self.after_request])]}

    def take_heard(self) -> list[Event]:
        """Return the requests since the last call."""
        said, self._said = self._said, []
        return said

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


def understood(call: ToolUse) -> UiRequested | None:
    """Return the questions in a call of the CLI's `AskUserQuestion`, None if `call` is not one or
    asks nothing valid.

    It is not offered, but models know it. The CLI refuses the call, so it ends the turn like
    `ui_request`.
    """
    if call.name != ASK_USER_QUESTION:
        return None
    try:
        return ui_requested(from_ask_user_question(call.input))
    except RequestError:
        return None


def ui_requested(request: Request) -> UiRequested:
    """Return `request` as an event, with a payload for `parse_request`."""
    kind = "clarification" if isinstance(request, Clarification) else "outline_edit"
    payload = {"type": kind, **msgspec.json.decode(msgspec.json.encode(request))}
    return UiRequested(request_id=uuid.uuid4().hex[:12], kind=kind, payload=payload)  # type: ignore[arg-type]
