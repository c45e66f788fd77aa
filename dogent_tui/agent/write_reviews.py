"""What the agent's file tools would write, as a proposal that the user reviews first:
`review_edits`, `/review`.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from dogent_tui.agent.ui_requests import ReviewMode
from dogent_tui.changes.reviewed import Reviewed, held
from dogent_tui.errors import DogentError
from dogent_tui.language import tr
from dogent_tui.permissions.edits import text_after
from dogent_tui.permissions.model import ToolCall
from dogent_tui.records import Json
from dogent_tui.sources.ledger import Ledger
from dogent_tui.storage.paths import Workspace
from dogent_tui.tools.propose_change import UNDECIDED

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
        self,
        mode: ReviewMode,
        workspace: Workspace,
        review: Callable[[Reviewed, str], Awaitable[str | None]],
        ledger: Ledger,
    ) -> None:
        """`review` presents a proposal and its text to the user, and returns the outcome in words,
        None if no one decided.

        `ledger` knows what the model has seen of a file: a complete new text is a change of that.
        """
        self._ledger = ledger
        self._mode = mode
        self._workspace = workspace
        self._review = review
        self._places: list[tuple[Json, Path]] = []
        self._reviewed: set[str] = set()

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
        outcome = await self._review(opened, text)
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
            Reviewed.open, self._workspace, str(place), text, BY_COMMAND, approved=place
        )
        return await self._review(opened, text) or UNDECIDED

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
        name = self._workspace.relative(place)
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
        return (
            Reviewed.open(self._workspace, str(place), text, SUMMARY, base=base, approved=place),
            text,
        )
