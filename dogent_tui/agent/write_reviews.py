"""The reviews of changes: those proposed by the agent, and those its file tools would write if the
user reviews everything (`review_edits`, `/review`).
"""

import asyncio
import uuid
from contextlib import suppress
from pathlib import Path

from dogent_tui.agent.conversation import AskForm
from dogent_tui.agent.events import UiRequested
from dogent_tui.agent.ui_requests import KIND, ChangeRequest, ReviewMode
from dogent_tui.changes.reviewed import Reviewed, held
from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.permissions.edits import text_after
from dogent_tui.permissions.model import ToolCall
from dogent_tui.records import Json
from dogent_tui.sources.ledger import Ledger
from dogent_tui.storage.files import content_of
from dogent_tui.tools.libraries import Libraries
from dogent_tui.tools.propose_change import UNDECIDED, propose_document_change_tool
from dogent_tui.tools.server import Tool

REVIEWED_TOOLS = frozenset({"Write", "Edit", "MultiEdit"})
"""The CLI's tools that write texts. NotebookEdit is not offered."""

SUMMARY = tr(
    "The agent is writing this file itself. You see it first because you review every change"
    " (/review)."
)

BY_COMMAND = tr(
    "A command of the agent changed this file. You see it first because you review every change"
    " (/review)."
)

_MOST_PLACES = 200
"""The number of approved proposals to remember until they are made."""


class Reviewing:
    """The reviews of one conversation: which calls become proposals, and where a proposal may
    lead.
    """

    def __init__(
        self, form: AskForm, libraries: Libraries, mode: ReviewMode, ledger: Ledger
    ) -> None:
        """`form` shows requests within the turn to the user; `mode` tells whether everything the
        agent writes is reviewed.

        `ledger` knows what the model has seen of a file: a complete new text is a change of that.
        """
        self._form = form
        self._libraries = libraries
        self._mode = mode
        self._ledger = ledger
        self._places: list[tuple[Json, Path]] = []
        self._reviewed: set[str] = set()

    def tool(self) -> Tool:
        """Return the tool by which the agent proposes a change."""
        return propose_document_change_tool(
            self._libraries, self.review, self.approved, self._ledger
        )

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

    def takes(self, call: ToolCall) -> bool:
        """Return whether the user reviews `call` instead of running it."""
        return self._mode.on and call.tool in REVIEWED_TOOLS

    async def outcome(self, call: ToolCall, place: Path | None, tool_use_id: str) -> str:
        """Have the user review what `call` would do to the file at `place`, and return the outcome
        for the model.

        The review writes what they accept. A call that cannot be reviewed is not run: the answer
        says why.
        """
        try:
            opened, text = await asyncio.to_thread(self._opened, call, place)
        except DogentError as error:
            return f"Nothing was written. The user reviews every change. {error}"
        if not opened.change.hunks:
            return f"Nothing was written: {opened.change.name} holds this text already."
        outcome = await self.review(opened, text)
        if outcome is None:
            return UNDECIDED
        self._reviewed.add(tool_use_id)
        return outcome

    @property
    def on(self) -> bool:
        """Whether the user reviews every change."""
        return self._mode.on

    async def outcome_of(self, place: Path, text: str) -> str:
        """Have the user review what a command made of the file at `place`, and return what came
        of it, for the model.
        """
        opened = await asyncio.to_thread(
            Reviewed.open, self._libraries.workspace, str(place), text, BY_COMMAND, approved=place
        )
        return await self.review(opened, text) or UNDECIDED

    def is_reviewed(self, tool_use_id: str) -> bool:
        """Return whether the result of this call is the outcome of a review, although the CLI
        reports it as refused.
        """
        return tool_use_id in self._reviewed

    def approve(self, proposal: Json, place: Path) -> None:
        """Record that the call of `propose_document_change` with this input may lead to `place`,
        once.
        """
        self._places = [*self._places[-_MOST_PLACES:], (dict(proposal), place)]

    def approved(self, proposal: Json) -> Path | None:
        """Take the place that was approved for this proposal."""
        for number, (known, place) in enumerate(self._places):
            if known == proposal:
                del self._places[number]
                return place
        return None

    def _opened(self, call: ToolCall, place: Path | None) -> tuple[Reviewed, str]:
        """Return the review of `call`, and the text it would leave. Raises DogentError."""
        if place is None:
            raise DogentError(
                tr("It is not clear where this call writes."), tr("Give the file's plain path.")
            )
        workspace = self._libraries.workspace
        name = workspace.relative(place)
        content = held(place, name)
        text = text_after(call.tool, call.input, "" if content is None else content.text)
        if text is None:
            raise DogentError(
                tr(
                    "The text to replace is not in {name} as it is now, or occurs more than once.",
                    name=name,
                ),
                tr("Read the file again."),
            )
        # An Edit changes the current file, a Write what the model has seen.
        seen = self._ledger.content(place) if call.tool == "Write" else None
        base = ... if seen is None else seen
        return Reviewed.open(workspace, str(place), text, SUMMARY, base=base, approved=place), text
